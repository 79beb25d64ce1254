"""The daily mail and quiet hours, while weeks pass: everything that waits is told once, at its hour."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from freezegun import freeze_time

from service.notifications.outbox import MAX_POSTPONEMENT
from service.notifications.preferences import MailPreferences, QuietPeriod
from tests.workers.deliveries import ANN, BOB, NotificationHarness, advance_time
from tests.workers.receivers import MailServer, mail_text
from workers.notifications import daily_digest, handlers

START = datetime(2026, 3, 27, 9, tzinfo=UTC)
"""A Friday; in the night to Sunday clocks go forward in Berlin."""
BERLIN = "Europe/Berlin"


@pytest.fixture
def told(post: MailServer, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> NotificationHarness:
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", post.url)
    monkeypatch.setenv("CRUMBTRAIL_PUBLIC_URL", "https://play.example.org")
    return NotificationHarness(request.getfixturevalue("services"), request.getfixturevalue("queue"))


def sent(post: MailServer, address: str) -> list[str]:
    """When the mails to an address went out, in UTC."""
    return [mail["Date"].datetime.strftime("%d %H:%M") for mail in post.to(address)]


def test_one_mail_a_day_tells_all_that_waits_and_nothing_that_has_passed(
    told: NotificationHarness, post: MailServer
) -> None:
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN, mail="daily", zone=BERLIN, hour=8)
        others = [told.player(name) for name in ("Bob", "Cid", "Dan")]
        matches = [told.match(ann, other) for other in others]
        told.run()
        told.move(matches[2], 0, 4)  # that turn passes before the mail
        advance_time(told, frozen, timedelta(hours=22))
        (mail,) = post.mails
        assert mail["Subject"] == "2 matches wait for you"
        assert "It is your turn in Tic-tac-toe against Bob." in mail_text(mail)
        assert "It is your turn in Tic-tac-toe against Cid." in mail_text(mail)
        assert "Dan" not in mail_text(mail)
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        # nothing new: no mail; something new: the next morning, which comes an hour earlier in UTC
        told.move(told.move(matches[0], 0, 4), 1, 0)
        advance_time(told, frozen, timedelta(days=3))
        assert sent(post, ANN) == ["28 07:00", "29 06:00"]
        assert post.mails[1]["Subject"] == "1 match waits for you"
        assert told.services.notifications.outbox.due(told.services.runtime.clock.now() + timedelta(days=9)) == []
        assert told.services.notifications.preferences.pending_digest(ann) == []


def test_quiet_hours_put_a_mail_off_until_the_morning(told: NotificationHarness, post: MailServer) -> None:
    night = QuietPeriod(time(22), time(7))
    with freeze_time(datetime(2026, 3, 28, 20, 30, tzinfo=UTC)) as frozen:
        bob = told.player("Bob", BOB, zone=BERLIN, quiet=night)
        match = told.match(told.player("Ann", ANN), bob)
        told.run()
        frozen.tick(timedelta(hours=1))
        told.move(match, 0, 4)  # 22:30 in Berlin
        advance_time(told, frozen, timedelta(hours=12))
        assert sent(post, BOB) == ["29 05:00"], "at 7 in the morning, in summer time by then"


def test_changed_wishes_are_heard_within_a_quarter_of_an_hour(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN, mail="daily", zone=BERLIN, hour=8)
        told.match(ann, told.player("Bob"))
        told.run()
        told.services.notifications.preferences.set_mail_preferences(ann, MailPreferences(mail="each", patience=0))
        advance_time(told, frozen, MAX_POSTPONEMENT, timedelta(minutes=5))
        assert len(post.mails) == 1
        advance_time(told, frozen, timedelta(days=2))
        assert len(post.mails) == 1


def test_a_daily_mail_that_broke_off_before_its_record_comes_again_as_the_same(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN, mail="daily", zone="UTC", hour=10)
        told.match(ann, told.player("Bob"))
        told.run()
        frozen.tick(timedelta(hours=1))
        with monkeypatch.context() as patch:
            patch.setattr(told.services.notifications.preferences, "record_digest", die)
            told.sweep()
            with pytest.raises(Killed):
                told.work()
        told.redis.flushdb()
        advance_time(told, frozen, timedelta(days=2))
        first, second = post.mails
        assert first["Message-ID"] == second["Message-ID"]


def test_a_daily_mail_whose_record_stands_is_not_sent_again(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN, mail="daily", zone="UTC", hour=10)
        match = told.match(ann, told.player("Bob"))
        told.run()
        frozen.tick(timedelta(hours=1))
        with monkeypatch.context() as patch:
            patch.setattr(daily_digest.DailyDigest, "_record_sent", die)
            told.sweep()
            with pytest.raises(Killed):
                told.work()
        told.redis.flushdb()
        advance_time(told, frozen, timedelta(days=2))
        assert len(post.mails) == 1
        record = told.services.notifications.outbox.records(match.id)[f"mail:turn:4:{ann}"]
        assert record is not None
        assert record.outcome == "told in the daily mail"


def test_what_is_put_aside_behind_the_mail_that_told_it_is_not_told_again(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a sweep that reads what is due just before the daily mail goes out, when it puts that aside behind it, then
    the next daily mail tells what is new alone."""
    put_aside = told.services.notifications.preferences.add_to_digest

    def late(player: str, names: list[str]) -> None:
        handlers.daily(player)
        put_aside(player, names)

    with freeze_time(START) as frozen:
        ann, bob = told.player("Ann", ANN, mail="daily", zone="UTC", hour=10), told.player("Bob")
        told.match(ann, bob)
        told.run()
        frozen.tick(timedelta(hours=1))
        told.sweep()
        with monkeypatch.context() as patch:
            patch.setattr(told.services.notifications.preferences, "add_to_digest", late)
            told.sweep()
        assert sent(post, ANN) == ["27 10:00"]
        told.redis.flushdb()  # that job is done
        told.match(ann, bob)
        advance_time(told, frozen, timedelta(days=1))
        assert [mail["Subject"] for mail in post.mails] == ["1 match waits for you"] * 2
        assert told.services.notifications.preferences.pending_digest(ann) == []


def test_more_than_one_mail_can_hold_comes_with_the_next(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_digest, "MAX_DAILY_NOTICES", 2)
    with freeze_time(START) as frozen:
        ann, bob = told.player("Ann", ANN, mail="daily", zone="UTC", hour=10), told.player("Bob")
        for _ in range(5):
            told.match(ann, bob)
        told.run()
        advance_time(told, frozen, timedelta(days=4), timedelta(minutes=30))
        assert [mail["Subject"] for mail in post.mails] == [
            "2 matches wait for you",
            "2 matches wait for you",
            "1 match waits for you",
        ]
        assert sent(post, ANN) == ["27 10:00", "28 10:00", "29 10:00"]
