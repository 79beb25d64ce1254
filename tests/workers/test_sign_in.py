"""Sign-in by email and notification settings, from the form to the mail server and back, as people use them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from freezegun import freeze_time
from msgspec.structs import replace
from redis import Redis

from service.bootstrap import Services
from service.runtime.rate_limits import MAX_LINKS_PER_ADDRESS, MAX_LINKS_PER_MAILBOX
from service.wsgi import create_app
from tests.service.web.test_account import dump_redis
from tests.service.web.visitors import Page, Visitor, match_id_of
from tests.workers.deliveries import ANN, BOB, NotificationHarness
from tests.workers.receivers import MailServer, mail_text

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SITE = "https://play.example.org"


@pytest.fixture
def harness(
    mail_server: MailServer, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> NotificationHarness:
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_PUBLIC_URL", SITE)
    return NotificationHarness(request.getfixturevalue("services"), request.getfixturevalue("queue"))


@pytest.fixture
def app(harness: NotificationHarness) -> Flask:
    return create_app(harness.services)


def ask(visitor: Visitor, address: str, path: str = "/sign-in") -> Page:
    return visitor.send(visitor.open(path).form("/sign-in" if path == "/sign-in" else "/address"), address=address)


def link_in(mail: Any) -> str:
    """Return the path of the magic link in an email."""
    found = re.search(rf"{SITE}(/sign-in/\S+)", mail_text(mail))
    assert found
    return found[1]


def confirm(harness: NotificationHarness, mail_server: MailServer, visitor: Visitor, address: str) -> None:
    """Let a guest confirm an address and so keep the name."""
    ask(visitor, address, "/account/notifications")
    harness.run()
    path = link_in(mail_server.to(address)[-1])
    visitor.send(visitor.open(path).form(path))


def named(page: Page) -> str:
    found = re.search(r'class="me".*?</span>(.*?)</a>', page.html)
    return found[1] if found else ""


def test_a_guest_who_confirms_an_address_keeps_the_name_and_can_sign_in_elsewhere(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Annabel")
        match = match_id_of(ann.new_match("tic_tac_toe", seat0="me", seat1="bot:random"))
        confirm(harness, mail_server, ann, ANN)
        assert "We send email to" in ann.open("/account/notifications").text
        # on another device
        phone = Visitor(app)
        assert "Check your email" in ask(phone, "Ann@Example.org").text
        harness.run()
        path = link_in(mail_server.mails[-1])
        assert "sign in to Crumbtrail as Annabel" in mail_text(mail_server.mails[-1])
        page = phone.open(path)
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert named(page) == "", "opening the link signs no one in"
        page = phone.send(page.form(path))
        assert named(page) == "Annabel"
        assert phone.open(f"/matches/{match}").forms("/moves")


def test_a_new_visitor_gets_a_player_from_the_link(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        bob = Visitor(app)
        ask(bob, BOB)
        assert harness.services.runtime.redis.keys("ct:player:*") == []
        harness.run()
        path = link_in(mail_server.mails[0])
        assert named(bob.send(bob.open(path).form(path))) != ""
        assert len(harness.services.runtime.redis.keys("ct:player:*")) == 1


def test_a_link_works_once_and_for_thirty_minutes(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START) as frozen:
        ann = Visitor(app)
        ask(ann, ANN)
        harness.run()
        path = link_in(mail_server.mails[0])
        other = Visitor(app)
        form = other.open(path).form(path)
        assert ann.post(ann.open(path).form(path)).status_code == 303
        for again in (ann.open(path), other.send(form)):
            assert again.status == 410
            assert "already been used" in again.text
        ask(ann, ANN)
        harness.run()
        path = link_in(mail_server.mails[1])
        form = ann.open(path).form(path)
        frozen.tick(timedelta(minutes=30))
        for late in (ann.open(path), ann.send(form)):
            assert late.status == 410
            assert "has expired" in late.text
        assert ann.open("/sign-in/" + "x" * 43).status == 410


def test_a_link_is_stored_as_a_hash_and_the_answer_reveals_nothing(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Ann")
        confirm(harness, mail_server, ann, ANN)
        known, unknown = ask(Visitor(app), ANN), ask(Visitor(app), BOB)
        assert (known.status, known.text) == (unknown.status, unknown.text)
        harness.run()
        for mail in mail_server.mails:
            assert link_in(mail).removeprefix("/sign-in/") not in dump_redis(harness.services)


INVALID_ADDRESSES = (
    "",
    "ann",
    "ann@",
    "@example.org",
    "ann@example",
    "ann@example.org\r\nBcc: eve@example.org",
    "ann@example.org\n",
    "a\u00a0nn@example.org",
    "ann\u2003@example.org",
    "a nn@example.org",
    "ann@exa\u200bmple.org",
    "ann@ex\u00e4mple.org",
    "ann@@example.org",
    "ann,eve@example.org",
    "Ann <ann@example.org>",
    "ann@example..org",
    "ann@-example.org",
    "a" * 65 + "@example.org",
    "ann@" + "a" * 250 + ".org",
    "ann@[127.0.0.1]",
    "\x00ann@example.org",
)


def test_an_invalid_address_is_refused(harness: NotificationHarness, app: Flask) -> None:
    for address in INVALID_ADDRESSES:
        page = ask(Visitor(app), address)
        assert page.status == 422, address
        assert "This email address isn" in page.text, address
    assert harness.services.notifications.one_off_tasks.due(harness.services.runtime.clock.now()) == []


def test_too_many_requests_are_refused_with_a_time_to_retry(harness: NotificationHarness, app: Flask) -> None:
    with freeze_time(START + timedelta(minutes=20)):
        pages = [ask(Visitor(app), ANN) for _ in range(MAX_LINKS_PER_MAILBOX + 1)]
        assert [page.status for page in pages] == [200] * MAX_LINKS_PER_MAILBOX + [429]
        assert pages[-1].headers["Retry-After"] == str(40 * 60)
        others = [ask(Visitor(app), f"x{n}@example.org").status for n in range(MAX_LINKS_PER_ADDRESS)]
        assert others.count(429) == MAX_LINKS_PER_MAILBOX + 1, "one reader, many addresses"


def test_no_one_can_take_another_players_address(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    """Given Eve, who asks for a link to Ann's address, then anyone who opens it becomes Ann, and Eve stays Eve."""
    with freeze_time(START):
        ann, eve = Visitor(app).named("Ann"), Visitor(app).named("Eve")
        confirm(harness, mail_server, ann, ANN)
        ask(eve, ANN, "/account/notifications")
        harness.run()
        path = link_in(mail_server.mails[-1])
        ann.send(ann.open(path).form(path))
        assert named(ann.open("/")) == "Ann"
        assert named(eve.open("/")) == "Eve"
        assert "We send email to" not in eve.open("/account/notifications").text


@pytest.mark.parametrize("says", ["it was not me", "nothing", "it was me"])
def test_no_one_becomes_another_player_without_confirming_it(
    harness: NotificationHarness, mail_server: MailServer, app: Flask, says: str
) -> None:
    """Given Eve, a guest, who has a link sent to the address of Ann, who has no player yet, when Ann opens it in her
    own browser, then Ann is asked. Eve's player gets the address only if she confirms that she is Eve, and Eve's
    browser stays signed in."""
    with freeze_time(START):
        eve = Visitor(app).named("Eve")
        ask(eve, ANN, "/account/notifications")
        harness.run()
        path = link_in(mail_server.mails[-1])
        assert "If that was you" in mail_text(mail_server.mails[-1])
        page = Visitor(app).open(path)
        form = page.form(path)
        assert "Someone who plays as Eve" in page.text
        me, nobody = form.buttons["who"]
        who = {"it was me": {"who": me}, "it was not me": {"who": nobody}, "nothing": {}}[says]
        ann = Visitor(app)
        ann.open(path)
        ann.send(ann.open(path).form(path), **who)
        assert (named(ann.open("/")) == "Eve") == (says == "it was me")
        assert named(ann.open("/")) != ""
        assert "We send email to" in ann.open("/account/notifications").text
        assert ("We send email to" in eve.open("/account/notifications").text) == (says == "it was me")


def test_forms_without_the_session_token_do_nothing(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Ann")
        confirm(harness, mail_server, ann, ANN)
        page = ann.open("/account/notifications")
        for form in page.reader.forms:
            assert ann.post(form, csrf_token="wrong").status_code == 400, form.action
        form = ann.open("/sign-in").form("/sign-in")
        assert ann.post(form, csrf_token="", address=ANN).status_code == 400
        ask(ann, ANN)
        harness.run()
        path = link_in(mail_server.mails[-1])
        assert ann.post(ann.open(path).form(path), csrf_token="wrong").status_code == 400
        assert ann.post(ann.open(path).form(path)).status_code == 303, "the link is still unused"


def test_one_click_in_the_email_program_unsubscribes(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        match, ann, _ = tic_tac_toe(app)
        confirm(harness, mail_server, ann, ANN)
        me = harness.services.notifications.preferences.address_owner(ANN) or ""
        at_once(harness, me)
        harness.move(harness.services.matches.repository.load(match), 0, 4)
        harness.move(harness.services.matches.repository.load(match), 1, 0)
        harness.run()
        mail = mail_server.to(ANN)[-1]
        assert mail["Subject"].startswith("Your turn")
        path = mail["List-Unsubscribe"].strip("<>").removeprefix(SITE)
        # opening the page changes nothing, and a wrong code does nothing
        stranger = app.test_client()
        assert stranger.get(path).status_code == 200
        assert stranger.post(path[:-1] + ("0" if path[-1] != "0" else "1")).status_code == 404
        assert harness.services.notifications.preferences.get(me).mail_preferences.mail == "each"
        # one click, without cookies, as in RFC 8058
        assert stranger.post(path, data={"List-Unsubscribe": "One-Click"}).status_code == 200
        assert stranger.post(path, data={"List-Unsubscribe": "One-Click"}).status_code == 200
        assert harness.services.notifications.preferences.get(me).mail_preferences.mail == "none"
        harness.move(harness.services.matches.repository.load(match), 0, 1)
        harness.move(harness.services.matches.repository.load(match), 1, 2)
        before = len(mail_server.mails)
        harness.run()
        assert len(mail_server.mails) == before
        # the same with the button on the page
        page = Visitor(app).open(path)
        assert "You're unsubscribed" in Visitor(app).send(page.form("/unsubscribe/")).text


def test_preferences_are_saved_and_shown(harness: NotificationHarness, mail_server: MailServer, app: Flask) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Ann")
        confirm(harness, mail_server, ann, ANN)
        wishes = {"mail": "daily", "patience": "60", "hour": "18", "zone": "Asia/Tokyo"}
        page = ann.send(
            ann.open("/account/notifications").form("/mail"), **wishes, quiet_from="22:00", quiet_to="07:30"
        )
        assert page.status == 200
        form = ann.open("/account/notifications").form("/mail")
        assert form.fields == form.fields | wishes | {"quiet_from": "22:00", "quiet_to": "07:30"}


INVALID_PREFERENCES: tuple[dict[str, str], ...] = (
    {"mail": "hourly"},
    {"patience": "7"},
    {"patience": "-1"},
    {"hour": "24"},
    {"zone": "Mars/Olympus"},
    {"zone": "../../etc/passwd"},
    {"quiet_from": "25:00", "quiet_to": "07:00"},
    {"quiet_from": "22:00"},
    {"quiet_from": "07:00", "quiet_to": "07:00"},
    {"quiet_from": "\u0662\u0662:00", "quiet_to": "07:00"},
)


def test_an_invalid_preference_changes_nothing(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Ann")
        confirm(harness, mail_server, ann, ANN)
        me = harness.services.notifications.preferences.address_owner(ANN) or ""
        before = harness.services.notifications.preferences.get(me)
        for wrong in INVALID_PREFERENCES:
            page = ann.send(ann.open("/account/notifications").form("/mail"), **wrong)
            assert page.status == 422, wrong
            assert harness.services.notifications.preferences.get(me) == before, wrong


def test_erasing_a_player_removes_the_address(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Annabel")
        confirm(harness, mail_server, ann, ANN)
        me = harness.services.notifications.preferences.address_owner(ANN) or ""
        harness.services.notifications.preferences.set_webhook(me, "https://hooks.example.org/annabel")
        harness.services.notifications.preferences.record_outcome(
            me, "test", "Your server responded with 204.", well=True
        )
        harness.services.notifications.preferences.add_to_digest(me, ["x"])
        ask(ann, ANN)  # an email that has not been sent yet
        ask(ann, "annabel@example.net", "/account/notifications")  # an unconfirmed change
        ann.send(ann.open("/account").form("/erase"), word="erase")
        left = dump_redis(harness.services)
        assert "ann@example" not in left
        assert "annabel" not in left.lower()
        assert not any(me.encode() in key for key in harness.services.runtime.redis.keys("ct:*"))
        before = len(mail_server.mails)
        harness.run()
        assert len(mail_server.mails) == before
        assert harness.services.notifications.preferences.address_owner(ANN) is None


def test_a_change_of_address_frees_the_old_one(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann, bob = Visitor(app).named("Ann"), Visitor(app).named("Bob")
        confirm(harness, mail_server, ann, ANN)
        confirm(harness, mail_server, ann, "ann@example.net")
        assert harness.services.notifications.preferences.address_owner(ANN) is None
        confirm(harness, mail_server, bob, ANN)
        assert harness.services.notifications.preferences.address_owner(
            ANN
        ) != harness.services.notifications.preferences.address_owner("ann@example.net")
        ann.send(ann.open("/account/notifications").form("/address/remove"))
        assert harness.services.notifications.preferences.address_owner("ann@example.net") is None


def test_signing_out_forgets_the_player_in_this_browser(
    harness: NotificationHarness, mail_server: MailServer, app: Flask
) -> None:
    with freeze_time(START):
        ann = Visitor(app).named("Ann")
        confirm(harness, mail_server, ann, ANN)
        assert named(ann.send(ann.open("/account/notifications").form("/sign-out"))) == ""
        assert harness.services.notifications.preferences.address_owner(ANN) is not None


def test_viewing_pages_creates_no_player(harness: NotificationHarness, app: Flask) -> None:
    for path in ("/sign-in", "/account/notifications"):
        assert Visitor(app).open(path).status == 200
    assert harness.services.runtime.redis.keys("ct:player:*") == []


def test_without_a_mail_server_the_pages_say_so(services: Services, redis: Redis) -> None:
    visitor = Visitor(create_app(services))
    for path in ("/sign-in", "/account/notifications"):
        assert "This server does not send email" in visitor.open(path).text


def tic_tac_toe(app: Flask) -> tuple[str, Visitor, Visitor]:
    """Return a match between Ann, who moves first, and Bob."""
    ann, bob = Visitor(app).named("Ann"), Visitor(app).named("Bob")
    room = ann.new_match("tic_tac_toe", seat0="me", seat1="friend")
    link = next(value["value"] for value in room.all("input") if "/join/" in value.get("value", ""))
    bob.send(bob.open(link.removeprefix(SITE)).form("/join/"))
    return match_id_of(room), ann, bob


def at_once(harness: NotificationHarness, player: str) -> None:
    """Notify the player of turns immediately from now on."""
    contacts = harness.services.notifications.preferences
    contacts.set_mail_preferences(player, replace(contacts.get(player).mail_preferences, patience=0))
