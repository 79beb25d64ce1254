"""The daily mail and quiet hours, while weeks pass: everything that waits is told once, at its hour."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from freezegun import freeze_time

from service.notifications.outbox import MAX_POSTPONEMENT
from service.notifications.preferences import MailPreferences, QuietPeriod
from tests.workers.deliveries import ANN, BOB, NotificationHarness, advance_time
from tests.workers.receivers import MailServer, mail_text
from workers.handlers import notifications as handlers
from workers.notifications import daily_digest

START = datetime(2026, 3, 27, 9, tzinfo=UTC)
"""A Friday; in the night to Sunday clocks go forward in Berlin."""
BERLIN = "Europe/Berlin"


@pytest.fixture
def harness(
    mail_server: MailServer, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> NotificationHarness:
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_PUBLIC_URL", "https://play.example.org")
    return NotificationHarness(request.getfixturevalue("services"), request.getfixturevalue("queue"))


def sent(mail_server: MailServer, address: str) -> list[str]:
    """When the mails to an address went out, in UTC."""
    return [mail["Date"].datetime.strftime("%d %H:%M") for mail in mail_server.to(address)]


def test_one_mail_a_day_tells_all_that_waits_and_nothing_that_has_passed(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN, mail="daily", zone=BERLIN, hour=8)
        others = [harness.player(name) for name in ("Bob", "Cid", "Dan")]
        matches = [harness.match(ann, other) for other in others]
        harness.run()
        harness.move(matches[2], 0, 4)  # that turn passes before the mail
        advance_time(harness, frozen, timedelta(hours=22))
        (mail,) = mail_server.mails
        assert mail["Subject"] == "2 matches wait for you"
        assert "It is your turn in Tic-tac-toe against Bob." in mail_text(mail)
        assert "It is your turn in Tic-tac-toe against Cid." in mail_text(mail)
        assert "Dan" not in mail_text(mail)
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        # nothing new: no mail; something new: the next morning, which comes an hour earlier in UTC
        harness.move(harness.move(matches[0], 0, 4), 1, 0)
        advance_time(harness, frozen, timedelta(days=3))
        assert sent(mail_server, ANN) == ["28 07:00", "29 06:00"]
        assert mail_server.mails[1]["Subject"] == "1 match waits for you"
        assert harness.services.notifications.outbox.due(harness.services.runtime.clock.now() + timedelta(days=9)) == []
        assert harness.services.notifications.preferences.pending_digest(ann) == []


def test_quiet_hours_put_a_mail_off_until_the_morning(harness: NotificationHarness, mail_server: MailServer) -> None:
    night = QuietPeriod(time(22), time(7))
    with freeze_time(datetime(2026, 3, 28, 20, 30, tzinfo=UTC)) as frozen:
        bob = harness.player("Bob", BOB, zone=BERLIN, quiet=night)
        match = harness.match(harness.player("Ann", ANN), bob)
        harness.run()
        frozen.tick(timedelta(hours=1))
        harness.move(match, 0, 4)  # 22:30 in Berlin
        advance_time(harness, frozen, timedelta(hours=12))
        assert sent(mail_server, BOB) == ["29 05:00"], "at 7 in the morning, in summer time by then"


def test_changed_wishes_are_heard_within_a_quarter_of_an_hour(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN, mail="daily", zone=BERLIN, hour=8)
        harness.match(ann, harness.player("Bob"))
        harness.run()
        harness.services.notifications.preferences.set_mail_preferences(ann, MailPreferences(mail="each", patience=0))
        advance_time(harness, frozen, MAX_POSTPONEMENT, timedelta(minutes=5))
        assert len(mail_server.mails) == 1
        advance_time(harness, frozen, timedelta(days=2))
        assert len(mail_server.mails) == 1


def test_a_daily_mail_that_broke_off_before_its_record_comes_again_as_the_same(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN, mail="daily", zone="UTC", hour=10)
        harness.match(ann, harness.player("Bob"))
        harness.run()
        frozen.tick(timedelta(hours=1))
        with monkeypatch.context() as patch:
            patch.setattr(harness.services.notifications.preferences, "record_digest", die)
            harness.sweep()
            with pytest.raises(Killed):
                harness.work()
        harness.redis.flushdb()
        advance_time(harness, frozen, timedelta(days=2))
        first, second = mail_server.mails
        assert first["Message-ID"] == second["Message-ID"]


def test_a_daily_mail_whose_record_stands_is_not_sent_again(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN, mail="daily", zone="UTC", hour=10)
        match = harness.match(ann, harness.player("Bob"))
        harness.run()
        frozen.tick(timedelta(hours=1))
        with monkeypatch.context() as patch:
            patch.setattr(daily_digest.DailyDigest, "_record_sent", die)
            harness.sweep()
            with pytest.raises(Killed):
                harness.work()
        harness.redis.flushdb()
        advance_time(harness, frozen, timedelta(days=2))
        assert len(mail_server.mails) == 1
        record = harness.services.notifications.outbox.records(match.id)[f"mail:turn:4:{ann}"]
        assert record is not None
        assert record.outcome == "told in the daily mail"


def test_what_is_put_aside_behind_the_mail_that_told_it_is_not_told_again(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a sweep that reads what is due just before the daily mail goes out, when it puts that aside behind it, then
    the next daily mail tells what is new alone."""
    put_aside = harness.services.notifications.preferences.add_to_digest

    def late(player: str, names: list[str]) -> None:
        handlers.daily(player)
        put_aside(player, names)

    with freeze_time(START) as frozen:
        ann, bob = harness.player("Ann", ANN, mail="daily", zone="UTC", hour=10), harness.player("Bob")
        harness.match(ann, bob)
        harness.run()
        frozen.tick(timedelta(hours=1))
        harness.sweep()
        with monkeypatch.context() as patch:
            patch.setattr(harness.services.notifications.preferences, "add_to_digest", late)
            harness.sweep()
        assert sent(mail_server, ANN) == ["27 10:00"]
        harness.redis.flushdb()  # that job is done
        harness.match(ann, bob)
        advance_time(harness, frozen, timedelta(days=1))
        assert [mail["Subject"] for mail in mail_server.mails] == ["1 match waits for you"] * 2
        assert harness.services.notifications.preferences.pending_digest(ann) == []


def test_more_than_one_mail_can_hold_comes_with_the_next(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_digest, "MAX_DAILY_NOTICES", 2)
    with freeze_time(START) as frozen:
        ann, bob = harness.player("Ann", ANN, mail="daily", zone="UTC", hour=10), harness.player("Bob")
        for _ in range(5):
            harness.match(ann, bob)
        harness.run()
        advance_time(harness, frozen, timedelta(days=4), timedelta(minutes=30))
        assert [mail["Subject"] for mail in mail_server.mails] == [
            "2 matches wait for you",
            "2 matches wait for you",
            "1 match waits for you",
        ]
        assert sent(mail_server, ANN) == ["27 10:00", "28 10:00", "29 10:00"]
