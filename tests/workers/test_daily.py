"""The daily digest and quiet hours over weeks: every pending notice is sent once, at the player's hour."""

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
"""A Friday. In the night to Sunday, clocks go forward in Berlin."""
BERLIN = "Europe/Berlin"


@pytest.fixture
def harness(
    mail_server: MailServer, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> NotificationHarness:
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_PUBLIC_URL", "https://play.example.org")
    return NotificationHarness(request.getfixturevalue("services"), request.getfixturevalue("queue"))


def sent(mail_server: MailServer, address: str) -> list[str]:
    """Return when the emails to an address were sent, in UTC."""
    return [mail["Date"].datetime.strftime("%d %H:%M") for mail in mail_server.to(address)]


def test_one_digest_a_day_covers_all_current_notices(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN, mail="daily", zone=BERLIN, hour=8)
        others = [harness.player(name) for name in ("Bob", "Cid", "Dan")]
        matches = [harness.match(ann, other) for other in others]
        harness.run()
        harness.move(matches[2], 0, 4)  # this turn is over before the digest
        advance_time(harness, frozen, timedelta(hours=22))
        (mail,) = mail_server.mails
        assert mail["Subject"] == "2 matches are waiting for you"
        assert "It's your turn in Tic-tac-toe against Bob." in mail_text(mail)
        assert "It's your turn in Tic-tac-toe against Cid." in mail_text(mail)
        assert ".:" not in mail_text(mail)
        assert "Dan" not in mail_text(mail)
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        # without news no email; with news the next morning, which is an hour earlier in UTC
        harness.move(harness.move(matches[0], 0, 4), 1, 0)
        advance_time(harness, frozen, timedelta(days=3))
        assert sent(mail_server, ANN) == ["28 07:00", "29 06:00"]
        assert mail_server.mails[1]["Subject"] == "1 match is waiting for you"
        assert harness.services.notifications.outbox.due(harness.services.runtime.clock.now() + timedelta(days=9)) == []
        assert harness.services.notifications.preferences.pending_digest(ann) == []


def test_quiet_hours_delay_an_email_until_the_morning(harness: NotificationHarness, mail_server: MailServer) -> None:
    night = QuietPeriod(time(22), time(7))
    with freeze_time(datetime(2026, 3, 28, 20, 30, tzinfo=UTC)) as frozen:
        bob = harness.player("Bob", BOB, zone=BERLIN, quiet=night)
        match = harness.match(harness.player("Ann", ANN), bob)
        harness.run()
        frozen.tick(timedelta(hours=1))
        harness.move(match, 0, 4)  # 22:30 in Berlin
        advance_time(harness, frozen, timedelta(hours=12))
        assert sent(mail_server, BOB) == ["29 05:00"], "at 7 in the morning, in summer time by then"


def test_changed_preferences_take_effect_within_fifteen_minutes(
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


def test_a_digest_interrupted_before_its_record_is_sent_again_unchanged(
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


def test_a_recorded_digest_is_not_sent_again(
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
        assert record.outcome == "sent in the daily digest"


def test_a_notice_added_again_after_its_digest_is_not_sent_twice(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a sweep that reads what is due just before the digest is sent and adds it to the digest afterwards, then
    the next digest contains only what is new."""
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
        assert [mail["Subject"] for mail in mail_server.mails] == ["1 match is waiting for you"] * 2
        assert harness.services.notifications.preferences.pending_digest(ann) == []


def test_notices_beyond_the_maximum_are_in_the_next_digest(
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
            "2 matches are waiting for you",
            "2 matches are waiting for you",
            "1 match is waiting for you",
        ]
        assert sent(mail_server, ANN) == ["27 10:00", "28 10:00", "29 10:00"]
