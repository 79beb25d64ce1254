"""Accounts: scoped and revocable API tokens, sessions, and erasure."""

from datetime import timedelta

import pytest
from flask import Flask
from freezegun import freeze_time

from service.accounts.players import MAX_TOKENS, hash_secret
from service.accounts.sessions import MAX_SESSIONS, SESSION_LIFETIME, Sessions
from service.bootstrap import Services
from service.event_store.keys import sessions_key
from service.runtime.clock import SystemClock
from tests.service.web.visitors import Page, Visitor, match_id_of

API = "/api/v1"


def make_token(visitor: Visitor, scope: str, label: str = "My program") -> str:
    page = visitor.open("/account")
    form = next(form for form in page.forms("/tokens") if form.action.endswith("/tokens"))
    made = visitor.send(form, scope=scope, label=label)
    assert made.status == 201
    assert made.headers["Cache-Control"] == "private, no-store"
    return secret_on(made) or ""


def secret_on(page: Page) -> str | None:
    return next((tag["value"] for tag in page.all("input") if tag.get("id") == "secret"), None)


def call_api(app: Flask, token: str, method: str, path: str, **body: object) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    sent = {"json": body} if method == "POST" else {}
    return int(app.test_client().open(API + path, method=method, headers=headers, **sent).status_code)  # type: ignore[arg-type]


def dump_redis(services: Services) -> str:
    """Return all keys and values of the Redis server as text."""
    redis = services.runtime.redis
    read = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"stream": redis.xrange,
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1),
    }
    return repr([(key, read[redis.type(key)](key)) for key in redis.keys("*")])


NEW = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "bot", "level": "random"}]}


def test_a_token_is_shown_once_and_stored_as_a_hash(app: Flask, ann: Visitor, services: Services) -> None:
    token = make_token(ann.named("Ann"), "play", "Phone")
    page = ann.open("/account")
    assert secret_on(page) is None
    assert "Phone" in page.text
    assert token not in dump_redis(services)
    assert hash_secret(token) in dump_redis(services)
    assert call_api(app, token, "GET", "/me") == 200


def copy_of(visitor: Visitor, app: Flask) -> Visitor:
    """Return another browser with a stolen copy of the cookie."""
    cookie = visitor.client.get_cookie("crumbtrail")
    assert cookie is not None
    other = Visitor(app)
    other.client.set_cookie("crumbtrail", cookie.value)
    return other


def sign_out(visitor: Visitor, **how: str) -> None:
    token = visitor.open("/account").form("/tokens").fields["csrf_token"]
    assert visitor.client.post("/sign-out", data={"csrf_token": token, **how}).status_code == 303


@pytest.fixture
def reachable(ann: Visitor, services: Services) -> str:
    """The id of Ann, who has an email address to sign in with."""
    me = services.accounts.players.create("Ann").id
    services.notifications.preferences.set_address(me, "ann@example.org")
    ann.sign_in(services, me)
    return me


def test_signing_out_invalidates_copies_of_the_cookie(
    app: Flask, ann: Visitor, services: Services, reachable: str
) -> None:
    phone, thief = Visitor(app), copy_of(ann, app)
    phone.sign_in(services, reachable)
    assert "You play as Ann" in thief.open("/account").text
    sign_out(ann)
    assert "You play as" not in thief.open("/account").text
    assert "You play as Ann" in phone.open("/account").text


def test_signing_out_everywhere_ends_all_sessions(app: Flask, ann: Visitor, services: Services, reachable: str) -> None:
    phone = Visitor(app)
    phone.sign_in(services, reachable)
    sign_out(ann, everywhere="yes")
    assert "You play as" not in phone.open("/account").text
    assert "You play as" not in ann.open("/account").text


def test_sessions_expire(services: Services, reachable: str) -> None:
    with freeze_time("2026-01-01") as time:
        sessions = Sessions(services.runtime.redis, SystemClock())
        secret = sessions.begin(reachable)
        time.tick(SESSION_LIFETIME - timedelta(seconds=1))
        assert sessions.is_valid(reachable, secret)
        time.tick(1)
        assert not sessions.is_valid(reachable, secret)


def test_a_new_session_over_the_limit_ends_the_oldest(services: Services, reachable: str) -> None:
    first, *_, last = [services.accounts.sessions.begin(reachable) for _ in range(MAX_SESSIONS + 1)]
    held = services.runtime.redis.zcard(sessions_key(reachable))
    assert (held, services.accounts.sessions.is_valid(reachable, last)) == (MAX_SESSIONS, True)
    assert first != last


@pytest.mark.parametrize(
    ("scope", "create", "move", "dispute"), [("play", 201, 201, 201), ("bot", 201, 201, 403), ("read", 403, 403, 403)]
)
def test_a_scope_limits_what_a_token_can_do(
    app: Flask, ann: Visitor, scope: str, create: int, move: int, dispute: int
) -> None:
    match = match_id_of(ann.named("Ann").new_match("tic_tac_toe", seat0="me", seat1="bot:random"))
    token = make_token(ann, scope)
    assert call_api(app, token, "GET", f"/matches/{match}/legal-moves") == 200
    assert call_api(app, token, "POST", "/matches", **NEW) == create
    assert call_api(app, token, "POST", f"/matches/{match}/moves", type="mark", cell=4) == move
    claim = {"ply": 4, "ground": "move", "claim": "Was that so?"}
    assert call_api(app, token, "POST", f"/matches/{match}/disputes", **claim) == dispute


@pytest.mark.parametrize(("scope", "status"), [("play", 201), ("bot", 403), ("read", 403)])
@pytest.mark.parametrize("command", [{"type": "vacation", "days": 1}, {"type": "hand_over"},
                                     {"type": "hand_over", "level": "random"}])  # fmt: skip
def test_only_a_play_token_can_take_vacation_or_hand_over_a_seat(
    app: Flask, ann: Visitor, command: dict[str, object], scope: str, status: int
) -> None:
    """A bot token can move, ask and answer, as the account page says, but not give anything away."""
    room = ann.named("Ann").new_match("tic_tac_toe", seat0="me", seat1="bot:random", clock="1d", vacation="3")
    token = make_token(ann, scope)
    commands = f"/matches/{match_id_of(room)}/commands"
    assert call_api(app, token, "POST", commands, **command) == status
    assert "take vacation, hand over your seat" in ann.open("/account").text
    asked = call_api(app, token, "POST", commands, type="pause")
    assert asked == {"play": asked, "bot": 201, "read": 403}[scope]


def test_a_revoked_token_stops_working(app: Flask, ann: Visitor) -> None:
    token, other = make_token(ann, "play", "Old"), make_token(ann, "play", "New")
    page = ann.open("/account")
    ann.send(page.forms("/revoke")[0])
    assert (call_api(app, token, "GET", "/me"), call_api(app, other, "GET", "/me")) == (401, 200)
    assert ann.send(page.forms("/revoke")[0]).status == 404


def test_players_can_revoke_only_their_own_tokens(app: Flask, ann: Visitor, bob: Visitor) -> None:
    token = make_token(ann.named("Ann"), "play")
    form = ann.open("/account").forms("/revoke")[0]
    mine = bob.named("Bob").open("/account").form("/tokens").fields["csrf_token"]
    assert bob.post(form, csrf_token=mine).status_code == 404
    assert call_api(app, token, "GET", "/me") == 200


@pytest.mark.parametrize("fields", [{"scope": "root"}, {"label": ""}, {"label": "a\u202eb"}, {"label": "x" * 99}])
def test_an_invalid_token_request_is_refused(ann: Visitor, fields: dict[str, str]) -> None:
    page = ann.send(ann.open("/account").form("/tokens"), **{"scope": "read", "label": "Phone", **fields})
    assert page.status == 422
    assert secret_on(page) is None


def test_the_number_of_tokens_is_limited(ann: Visitor) -> None:
    form = ann.open("/account").form("/tokens")
    for _ in range(MAX_TOKENS):
        assert ann.post(form, scope="read", label="One more").status_code == 201
    assert ann.post(form, scope="read", label="One more").status_code == 422


def test_an_erased_player_is_anonymous_and_their_credentials_stop_working(
    app: Flask, ann: Visitor, bob: Visitor, services: Services
) -> None:
    match = match_id_of(ann.named("Annabel").new_match("tic_tac_toe", seat0="me", seat1="bot:random"))
    token = make_token(ann, "play")
    me = services.matches.repository.load(match).seats[0].player or ""
    assert "Annabel" in bob.open(f"/matches/{match}").text
    assert "Annabel" in dump_redis(services)
    lines = services.log.lines(match)
    # when: a wrong word changes nothing, the right one erases the account
    assert ann.send(ann.open("/account").form("/erase"), word="no").status == 422
    assert call_api(app, token, "GET", "/me") == 200
    ann.send(ann.open("/account").form("/erase"), word="Erase")
    # then
    assert call_api(app, token, "GET", "/me") == 401
    assert "Annabel" not in dump_redis(services)
    assert not any(me.encode() in key for key in services.runtime.redis.keys("ct:*"))
    assert services.log.lines(match) == lines
    shown = bob.open(f"/matches/{match}").text
    assert "Annabel" not in shown
    assert "an erased player" in shown
    assert ann.open(f"/matches/{match}").forms("/moves") == []


def test_viewing_the_account_page_creates_no_player(ann: Visitor, services: Services) -> None:
    assert ann.open("/account").status == 200
    assert services.runtime.redis.keys("ct:player:*") == []
