"""Who may do what: every route of the interface and of the pages, asked by everybody who might ask.

The routes are those of the URL map: a new one without a line here fails. Whoever is refused changes nothing.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any, NamedTuple

import pytest
from flask import Flask
from redis import Redis
from werkzeug.test import TestResponse

from domain.court import RaiseDispute
from domain.match import Command, Play, SeatWish, TakeSeat
from service.log.embedded import EmbeddedServer
from service.matches import CommandId
from service.players import HOUSE, Scope
from service.services import Services, build
from service.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import PREFIX, Person
from tests.service.web.visitors import Visitor
from workers.projector import Projector

PROGRAMS = ("stranger", "revoked", "house", "read", "spectator", "other", "bot", "owner")
"""Without a token; with one that was revoked; a worker's; the owner's to look only; a player's who sits elsewhere; of
who sits at the other seat; the owner's for programs; the owner's."""
READERS = ("nobody", "spectator", "other", "owner")
"""Without a session; with the session of a player who sits elsewhere; of who sits at the other seat; of the owner."""
KEY = "0123456789abcdef" * 2


class Ask(NamedTuple):
    """A request, and the status for each of `PROGRAMS` or `READERS`; one for all stands for everybody."""

    method: str
    path: str
    statuses: str
    body: dict[str, Any] | None = None


ALL, MINE = "200 200 200 200 200 200 200 200", "401 401 403 200 200 200 200 200"
TABLE = "200 401 403 200 200 200 200 200"
"""What spectators may see; a token, if there is one, must be good."""
SEAT = "401 401 403 200 403 403 200 200"
"""What seat 0 alone may see, by whatever token of its player."""
SEATS = [{"kind": "me"}, {"kind": "open"}]

INTERFACE = [
    Ask("GET", "/openapi.json", ALL),
    Ask("GET", "/games", ALL),
    Ask("GET", "/games/{slug}", ALL),
    Ask("GET", "/games/{slug}/leaderboard", ALL),
    Ask("GET", "/players/{player}", ALL),
    Ask("GET", "/players/{player}/matches", TABLE),
    Ask("GET", "/players/{player}/ratings/{slug}", ALL),
    Ask("POST", "/players", "201 201 201 201 201 201 201 201", {"name": "Eve"}),
    Ask("GET", "/me", MINE),
    Ask("GET", "/me/turns", MINE),
    Ask("GET", "/me/stream", MINE),
    Ask("GET", "/me/notifications", MINE),
    Ask("PUT", "/me/notifications/mail", "401 401 403 403 200 200 403 200", {"mode": "none"}),
    Ask("PUT", "/me/notifications/webhook", "401 401 403 403 200 200 403 200", {"url": "https://example.org/"}),
    Ask("POST", "/me/notifications/webhook/test", "401 401 403 403 409 409 403 202"),
    Ask("DELETE", "/me/notifications/webhook", "401 401 403 403 204 204 403 204"),
    Ask("GET", "/matches", ALL),
    Ask("POST", "/matches", "401 401 403 403 201 201 201 201", {"game": "tic_tac_toe", "seats": SEATS}),
    Ask("GET", "/matches/{match}", TABLE),
    Ask("GET", "/matches/{match}?as=0", SEAT),
    Ask("GET", "/matches/{match}/events", TABLE),
    Ask("GET", "/matches/{match}/events?as=0", SEAT),
    Ask("GET", "/matches/{match}/stream", TABLE),
    Ask("GET", "/matches/{match}/stream?as=0", SEAT),
    Ask("GET", "/matches/{match}/legal-moves?as=0", SEAT),
    Ask("GET", "/matches/{match}/replay", ALL),
    Ask("GET", "/matches/{match}/bots", "409 409 409 409 409 409 409 409"),
    Ask("GET", "/matches/{over}/bots", ALL),
    Ask("GET", "/audits/{over}", "404 404 404 404 404 404 404 404"),
    Ask(
        "POST", "/matches/{match}/moves?as=0&dry_run=1", "401 401 403 403 403 403 200 200", {"type": "mark", "cell": 8}
    ),
    Ask("POST", "/matches/{match}/moves?as=0", "401 401 403 403 403 403 201 201", {"type": "mark", "cell": 0}),
    Ask("POST", "/matches/{match}/commands?as=0", "401 401 403 403 403 403 201 201", {"type": "hand_over"}),
    Ask("POST", "/matches/{open}/commands", "401 401 403 403 403 403 201 201", {"type": "cancel"}),
    Ask("GET", "/matches/{match}/orders?as=0", SEAT),
    Ask("PUT", "/matches/{match}/orders?as=0", "401 401 403 403 403 403 200 200", {"forced": True}),
    Ask("DELETE", "/matches/{match}/orders?as=0", "401 401 403 403 403 403 200 200"),
    Ask("POST", "/matches/{open}/seats/1", "403 401 403 403 403 403 201 201", {"name": "Eve"}),
    Ask("POST", "/matches/{open}/seats/1/invitation", "401 401 403 403 403 403 403 201"),
    Ask("GET", "/matches/{match}/disputes", ALL),
    Ask(
        "POST",
        "/matches/{match}/disputes?as=0",
        "401 401 403 403 403 403 403 201",
        {"ply": 4, "ground": "draw", "claim": "Was that so?"},
    ),
    Ask("GET", "/matches/{over}/disputes/{dispute}", ALL),
    Ask(
        "POST",
        "/matches/{over}/disputes/{dispute}/resolution",
        "401 401 403 403 403 403 403 403",
        {"ruling": "stands"},
    ),
    Ask("POST", "/matches/{match}/forks", "401 401 403 403 409 409 403 409", {"ply": 4, "seats": [{"kind": "me"}] * 2}),
    Ask("POST", "/matches/{over}/forks", "401 401 403 403 201 201 403 201", {"ply": 4, "seats": [{"kind": "me"}] * 2}),
    Ask("POST", "/replays/verify", "422 422 422 422 422 422 422 422"),
    Ask("GET", "/house", "401 401 200 403 403 403 403 403"),
    Ask("GET", "/house/turns/{match}/4", "401 401 204 403 403 403 403 403"),
    Ask(
        "POST",
        "/house/turns/{match}/4",
        "401 401 403 403 403 403 403 403",
        {"seat": 0, "move": {"type": "resign"}, "engine": "x", "version": 1},
    ),
    Ask("POST", "/house/turns/{match}/4/failures", "401 401 204 403 403 403 403 403"),
]


@dataclass
class World:
    """A match that is played, one that is over, one with a private open seat, and everybody who might ask."""

    app: Flask
    services: Services
    people: dict[str, Person] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ann, bob, cid = (self.player(name) for name in ("Ann", "Bob", "Cid"))
        match, over = self.table(ann, bob), self.table(ann, bob)
        self.submit(over, Play(0, {"type": "resign"}), ann)
        claim = self.services.claims.keep(over, "Was that so?")
        dispute = self.submit(over, RaiseDispute(0, 4, "draw", claim), ann)
        waiting = self.create(ann, SeatWish("open", private=True))
        self.known = {"match": match, "over": over, "open": waiting, "dispute": dispute}
        self.known |= {"player": ann.id, "slug": "tic_tac_toe"}
        self.people = {
            "stranger": Person(self.app, checked=False),
            "revoked": self.revoked(ann),
            "house": self.token_of(replace(ann, id=HOUSE), HOUSE),
            "read": self.token_of(ann, "read"),
            "spectator": cid,
            "other": bob,
            "bot": self.token_of(ann, "bot"),
            "owner": ann,
        }

    def player(self, name: str) -> Person:
        """A new player."""
        player, token = self.services.players.register(name)
        return Person(self.app, token, player.id, checked=False)

    def create(self, person: Person, other: SeatWish) -> str:
        """A match of somebody at seat 0."""
        wishes = [SeatWish("human", player=person.id), other]
        return self.services.matches.create(person.id or "", "tic_tac_toe", wishes, {}).match.id

    def table(self, person: Person, other: Person) -> str:
        """A match that has started."""
        match = self.create(person, SeatWish("open"))
        self.submit(match, TakeSeat(1, other.id or ""), other)
        return match

    def submit(self, match: str, command: Command, person: Person) -> int:
        """Carry a command out; gives the ply of its first event."""
        by = CommandId(person.id or "", token_hex(8))
        return self.services.matches.submit(match, command, by).events[0].ply

    def token_of(self, person: Person, scope: Scope) -> Person:
        """The same player with another token."""
        return replace(person, token=self.services.players.new_token(person.id or "", scope, "Another one"))

    def revoked(self, person: Person) -> Person:
        """The same player with a token that is good no more."""
        found = self.token_of(person, "play")
        [_, token] = self.services.players.tokens(person.id or "")
        self.services.players.revoke(person.id or "", token.id)
        return found


@pytest.fixture(scope="module")
def lasting(server: EmbeddedServer) -> Iterator[tuple[Flask, Services]]:
    """One application for all tests; each begins on an empty log."""
    services = build(Settings(log_url=server.url()))
    yield create_app(services), services
    services.redis.close()


@pytest.fixture
def world(lasting: tuple[Flask, Services], redis: Redis) -> World:
    return World(*lasting)


def contents(redis: Redis) -> dict[bytes, bytes]:
    """Everything that the server holds."""
    return {key: redis.dump(key) for key in redis.keys("*")}


def ask(person: Person, request: Ask, path: str) -> TestResponse:
    """The answer; of a stream its head alone."""
    headers = {"Idempotency-Key": KEY, "Content-Type": "application/json"}
    if person.token:
        headers["Authorization"] = f"Bearer {person.token}"
    raw = None if request.body is None else json.dumps(request.body)
    answer = person.app.test_client().open(PREFIX + path, method=request.method, headers=headers, data=raw)
    answer.close()
    return answer


@pytest.mark.parametrize("request_", INTERFACE, ids=lambda each: f"{each.method} {each.path}")
def test_the_interface_gives_everybody_their_own_and_no_more(world: World, redis: Redis, request_: Ask) -> None:
    path = request_.path.format(**world.known)
    expected = dict(zip(PROGRAMS, map(int, request_.statuses.split()), strict=True))
    found = {}
    for name, person in world.people.items():
        if name == "owner" and request_.path.endswith("/test"):
            ask(person, Ask("PUT", "", "", {"url": "https://example.org/"}), "/me/notifications/webhook")
        before = contents(redis)
        found[name] = ask(person, request_, path).status_code
        if found[name] >= 400:
            assert contents(redis) == before, f"{name} was refused, and yet something has changed"
    assert found == expected


def test_every_route_of_the_interface_is_asked(lasting: tuple[Flask, Services]) -> None:
    assert asked(lasting[0], INTERFACE, PREFIX) == routes(lasting[0], PREFIX)


def asked(app: Flask, requests: list[Ask], prefix: str = "") -> set[tuple[str, str]]:
    """The routes to which these requests go."""
    known = {
        "match": "m",
        "over": "m",
        "open": "m",
        "dispute": 1,
        "player": "p",
        "slug": "s",
        "code": "c",
        "token": "t",
    }
    urls, found = app.url_map.bind("localhost"), set()
    for each in requests:
        path = prefix + each.path.partition("?")[0].format(**known)
        rule, _ = urls.match(path, each.method, return_rule=True)
        found.add((each.method, rule.rule))
    return found


def routes(app: Flask, prefix: str) -> set[tuple[str, str]]:
    """All routes below a prefix, with each method."""
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(prefix)
    }


# -- the pages ----------------------------------------------------------------------------------------------------

SEEN = "200 200 200 200"
FORM = {"key": KEY, "seat": "0"}

PAGES = [
    Ask("GET", "/", SEEN),
    Ask("GET", "/account", SEEN),
    Ask("GET", "/account/notifications", SEEN),
    Ask("GET", "/disputes", SEEN),
    Ask("GET", "/join/{open}/1/{code}", SEEN),
    Ask("GET", "/join/{open}/1/wrong", "404 404 404 404"),
    Ask("GET", "/leaderboard", SEEN),
    Ask("GET", "/leaderboard/{slug}", SEEN),
    Ask("GET", "/matches", SEEN),
    Ask("GET", "/matches/{match}", SEEN),
    Ask("GET", "/matches/{match}/disputes", SEEN),
    Ask("GET", "/matches/{over}/disputes/{dispute}", SEEN),
    Ask("GET", "/matches/{over}/fork", SEEN),
    Ask("GET", "/matches/{match}/live", SEEN),
    Ask("GET", "/matches/{match}/replay", SEEN),
    Ask("GET", "/matches/{match}/replay?as=0", "400 400 400 200"),
    Ask("GET", "/matches/{match}/replay/bundle", SEEN),
    Ask("GET", "/matches/{match}/replay/file", SEEN),
    Ask("GET", "/matches/{over}/score", SEEN),
    Ask("GET", "/name", SEEN),
    Ask("GET", "/new", SEEN),
    Ask("GET", "/new/{slug}", SEEN),
    Ask("GET", "/players/{player}", SEEN),
    Ask("GET", "/rules", SEEN),
    Ask("GET", "/rules/mice_cake", SEEN),
    Ask("GET", "/sign-in", SEEN),
    Ask("GET", "/sign-in/{token}", "410 410 410 410"),
    Ask("GET", "/unsubscribe/{player}/{code}", "404 404 404 404"),
    Ask("GET", "/verify", SEEN),
    Ask("GET", "/verify/standalone_verify.py", SEEN),
    Ask("GET", "/assets/0/style.css", SEEN),
    Ask("POST", "/account/erase", "303 422 422 422"),
    Ask("POST", "/account/tokens", "422 422 422 422", {"scope": HOUSE, "label": "A worker"}),
    Ask("POST", "/account/tokens/{token}/revoke", "404 404 404 404"),
    Ask("POST", "/account/notifications/address", "422 422 422 422", {"address": "nowhere"}),
    Ask("POST", "/account/notifications/address/remove", "303 303 303 303"),
    Ask("POST", "/account/notifications/mail", "422 422 422 422", {"mail": "always"}),
    Ask("POST", "/account/notifications/webhook", "422 422 422 422", {"url": "file:///etc/passwd"}),
    Ask("POST", "/account/notifications/webhook/remove", "303 303 303 303"),
    Ask("POST", "/account/notifications/webhook/test", "409 409 409 409"),
    Ask("POST", "/join/{open}/1/wrong", "404 404 404 404", FORM),
    Ask("POST", "/matches/{open}/cancel", "403 409 409 303", FORM),
    Ask("POST", "/matches/{open}/leave", "403 403 403 303", FORM),
    Ask("POST", "/matches/{open}/seats/1", "404 404 404 404", FORM),
    Ask("POST", "/matches/{open}/seats/1/withdraw", "403 403 403 303", FORM),
    Ask("POST", "/matches/{match}/ask", "403 403 403 303", {**FORM, "what": "offer"}),
    Ask("POST", "/matches/{match}/moves", "403 403 403 303", {**FORM, "do": "resign"}),
    Ask("POST", "/matches/{match}/moves", "403 403 403 200", {**FORM, "do": "try", "move": '{"type":"mark","cell":8}'}),
    Ask("POST", "/matches/{match}/orders", "403 403 403 303", {**FORM, "what": "forced"}),
    Ask("POST", "/matches/{match}/disputes", "403 409 409 303", {**FORM, "ply": "4", "ground": "draw", "claim": "So?"}),
    Ask("POST", "/matches/{over}/disputes/{dispute}", "403 409 409 409", {**FORM, "ruling": "stands"}),
    Ask("POST", "/matches/{match}/fork", "422 422 422 422", {"key": KEY, "ply": "4", "seat0": "me", "seat1": "me"}),
    Ask("POST", "/matches/{over}/rematch", "403 403 303 303", FORM),
    Ask("POST", "/matches/{match}/replay", SEEN),
    Ask("POST", "/name", "422 422 422 422", {"name": "\u202e"}),
    Ask("POST", "/new/{slug}", "422 422 422 422", {"key": KEY, "seat0": "bot:oracle"}),
    Ask("POST", "/play", "400 400 400 400", {"key": KEY, "game": "tic_tac_toe", "level": "oracle"}),
    Ask("POST", "/sign-in", "422 422 422 422", {"address": "nowhere"}),
    Ask("POST", "/sign-in/{token}", "410 410 410 410"),
    Ask("POST", "/sign-out", "303 303 303 303"),
    Ask("POST", "/unsubscribe/{player}/{code}", "404 404 404 404"),
    Ask("POST", "/verify", "400 400 400 400"),
]


def visitor(world: World, name: str) -> Visitor:
    """Somebody before the pages, in the session of that player if there is one."""
    found = Visitor(world.app)
    found.open("/name")
    if name != "nobody":
        with found.client.session_transaction() as session:
            session["player"] = world.people[name].id
    return found


@pytest.mark.parametrize("request_", PAGES, ids=lambda each: f"{each.method} {each.path}")
def test_the_pages_give_everybody_their_own_and_no_more(world: World, redis: Redis, request_: Ask) -> None:
    head = world.services.matches.load(world.known["open"])
    code = world.services.invitations.code(head, 1)
    path = request_.path.format(**world.known, code=code, token="0" * 12)
    expected = dict(zip(READERS, map(int, request_.statuses.split()), strict=True))
    found = {}
    for name in READERS:
        reader = visitor(world, name)
        token = reader.open("/name").form("/name").fields["csrf_token"]
        before = matches_in(redis)
        fields = None if request_.method == "GET" else {"csrf_token": token, **(request_.body or {})}
        answer = reader.client.open(path, method=request_.method, data=fields)
        found[name] = answer.status_code
        if answer.status_code >= 400:
            assert matches_in(redis) == before, f"{name} was refused, and yet a match has changed"
    assert found == expected


def matches_in(redis: Redis) -> dict[bytes, bytes]:
    """All that the server holds of matches."""
    return {key: value for key, value in contents(redis).items() if key.startswith(b"{")}


def test_every_page_is_asked_for(lasting: tuple[Flask, Services]) -> None:
    elsewhere = {route for route in routes(lasting[0], "") if route[1].startswith(PREFIX)} | ROOT
    assert asked(lasting[0], PAGES) == routes(lasting[0], "") - elsewhere


ROOT = {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/.well-known/crumbtrail-key")}
"""For operators and for everybody: no player is asked for."""


def test_what_is_at_the_root_asks_for_nobody(world: World) -> None:
    for method, path in ROOT:
        assert world.app.test_client().open(path, method=method).status_code == 200


# -- what a list, a link or a number could give away --------------------------------------------------------------


def test_nobody_is_told_the_tokens_wishes_or_webhook_of_another(world: World) -> None:
    ann, cid = world.people["owner"], world.people["spectator"]
    ann.send(
        "PUT",
        "/me/notifications/webhook",
        b'{"url":"https://secret.example.org/"}',
        {"Content-Type": "application/json"},
    )
    for path in ("/me/notifications", f"/players/{ann.id}", f"/matches/{world.known['match']}"):
        assert "secret.example.org" not in cid.get(path).text
    for page in ("/account", "/account/notifications", f"/players/{ann.id}"):
        assert "secret.example.org" not in visitor(world, "spectator").open(page).html
    assert "secret.example.org" in visitor(world, "owner").open("/account/notifications").html


def test_a_private_match_is_in_no_list_of_others(world: World) -> None:
    """Not in a stranger's either, though a seat of it is open, which is a seat of nobody."""
    body = {"game": "tic_tac_toe", "seats": SEATS, "private": True}
    match = world.people["owner"].post("/matches", body).json["match"]["id"]
    Projector(world.services.log, world.services.projections).catch_up()
    for name in ("stranger", "spectator", "other"):
        person = world.people[name]
        assert match not in person.get("/matches").text
        assert match not in person.get(f"/players/{world.known['player']}/matches").text
    assert match in world.people["owner"].get(f"/players/{world.known['player']}/matches").text
