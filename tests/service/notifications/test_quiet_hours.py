"""When emails are sent: delay, quiet hours and daily digest in the player's time zone, with clock changes."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.match.state import NoticeKind
from service.notifications.preferences import (
    Address,
    Contact,
    MailPreferences,
    QuietPeriod,
    Webhook,
    after_quiet_hours,
    due_at,
    last_local_hour,
    mail_due_at,
    next_local_hour,
)

BERLIN, NEW_YORK, LORD_HOWE, KIRITIMATI = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Kiritimati",
)
ZONES = [BERLIN, NEW_YORK, LORD_HOWE, KIRITIMATI, "Asia/Kathmandu", "UTC"]
NIGHT = QuietPeriod(time(22), time(7, 30))
moments = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))
times = st.times().map(lambda at: at.replace(second=0, microsecond=0))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local_text(at: datetime, zone: str) -> str:
    return at.astimezone(ZoneInfo(zone)).strftime("%d %H:%M")


@pytest.mark.parametrize(
    ("at", "until"),
    [
        ("2026-01-10 20:59", "2026-01-10 20:59"),  # 21:59 in Berlin
        ("2026-01-10 21:00", "2026-01-11 06:30"),
        ("2026-01-11 03:00", "2026-01-11 06:30"),
        ("2026-01-11 06:29", "2026-01-11 06:30"),
        ("2026-01-11 06:30", "2026-01-11 06:30"),
        ("2026-07-10 20:00", "2026-07-11 05:30"),  # summer time
        ("2026-03-28 22:00", "2026-03-29 05:30"),  # the night is an hour shorter: +1 becomes +2
        ("2026-10-24 22:00", "2026-10-25 06:30"),  # and an hour longer: +2 becomes +1
    ],
)
def test_quiet_hours_over_midnight_end_by_the_players_local_time(at: str, until: str) -> None:
    preferences = MailPreferences(zone=BERLIN, quiet=NIGHT)
    assert after_quiet_hours(preferences, utc(at)) == utc(until)


def test_quiet_hours_that_end_in_a_skipped_hour_end_after_it() -> None:
    """On 29 March 2026, clocks in Berlin go from 02:00 to 03:00."""
    preferences = MailPreferences(zone=BERLIN, quiet=QuietPeriod(time(0), time(2, 30)))
    assert after_quiet_hours(preferences, utc("2026-03-28 23:30")) == utc("2026-03-29 01:30")
    assert local_text(utc("2026-03-29 01:30"), BERLIN) == "29 03:30"


def test_quiet_hours_that_end_in_a_repeated_hour_apply_both_times() -> None:
    """On 25 October 2026, clocks in Berlin go back from 03:00 to 02:00, so 02:15 is both 00:15 and 01:15 UTC."""
    preferences = MailPreferences(zone=BERLIN, quiet=QuietPeriod(time(0), time(2, 30)))
    assert after_quiet_hours(preferences, utc("2026-10-25 00:15")) == utc("2026-10-25 00:30")
    assert after_quiet_hours(preferences, utc("2026-10-25 01:15")) == utc("2026-10-25 01:30")


@given(moments, st.sampled_from(ZONES), times, times)
def test_an_email_is_sent_as_soon_as_quiet_hours_end(at: datetime, zone: str, start: time, end: time) -> None:
    if start == end:
        return
    preferences = MailPreferences(zone=zone, quiet=QuietPeriod(start, end))
    due = after_quiet_hours(preferences, at)
    assert at <= due <= at + timedelta(hours=26)
    assert after_quiet_hours(preferences, due) == due, "the result is outside quiet hours"


@given(moments, st.sampled_from(ZONES), st.integers(0, 23))
def test_the_daily_digest_is_sent_once_a_day_at_its_hour(at: datetime, zone: str, hour: int) -> None:
    due = next_local_hour(at, hour, ZoneInfo(zone))
    assert at < due <= at + timedelta(hours=50 if zone == LORD_HOWE else 26)
    then = due.astimezone(ZoneInfo(zone))
    assert (then.hour, then.minute) == (hour, 0) or is_skipped(then, hour)
    assert last_local_hour(due, hour, ZoneInfo(zone)) == due
    assert last_local_hour(due - timedelta(seconds=1), hour, ZoneInfo(zone)) < due


def is_skipped(then: datetime, hour: int) -> bool:
    """Return whether local clocks skip this hour on this day."""
    naive = then.replace(tzinfo=None, hour=hour, minute=0)
    back = naive.replace(tzinfo=then.tzinfo).astimezone(UTC).astimezone(then.tzinfo)
    return back.replace(tzinfo=None) != naive


def test_the_daily_digest_is_sent_just_after_a_skipped_hour() -> None:
    assert next_local_hour(utc("2026-03-28 12:00"), 2, ZoneInfo(BERLIN)) == utc("2026-03-29 01:00")
    assert next_local_hour(utc("2026-10-24 12:00"), 2, ZoneInfo(BERLIN)) == utc("2026-10-25 00:00"), "the first of two"
    assert next_local_hour(utc("2026-10-25 00:00"), 2, ZoneInfo(BERLIN)) == utc("2026-10-26 01:00"), (
        "not the second one"
    )
    assert next_local_hour(utc("2028-02-28 12:00"), 8, ZoneInfo("UTC")) == utc("2028-02-29 08:00"), "leap days count"


@pytest.mark.parametrize(("kind", "minutes"), [("turn", 15), ("asked", 0), ("over", 0), ("expired", 0)])
def test_only_turns_wait_for_the_chosen_delay(kind: NoticeKind, minutes: int) -> None:
    at = utc("2026-01-10 12:00")
    assert mail_due_at(MailPreferences(patience=15), kind, at) == at + timedelta(minutes=minutes)


def test_notices_raised_before_notifications_were_enabled_are_never_sent() -> None:
    then, later = utc("2026-01-10 12:00"), utc("2026-01-10 13:00")
    contact = Contact(
        player="p",
        address=Address("ann@example.org", then),
        mail_preferences=MailPreferences(patience=0),
        webhook=Webhook("", "", later),
    )
    assert due_at(contact, "mail", "turn", then - timedelta(seconds=1), later) is None
    assert due_at(contact, "mail", "turn", then, later) == then
    assert due_at(contact, "webhook", "turn", then, later) is None
    assert due_at(contact, "webhook", "turn", later, later) == later
    assert due_at(Contact(player="p"), "mail", "turn", then, later) is None
    none = Contact(player="p", address=Address("ann@example.org", then), mail_preferences=MailPreferences(mail="none"))
    assert due_at(none, "mail", "turn", later, later) is None


def test_a_notice_raised_in_the_future_counts_as_raised_now() -> None:
    """Given a clock that was set back to before a notice, then its delay starts now. Notices raised before
    notifications were enabled are still never sent."""
    now, then, later = (utc(f"2026-01-10 {hour}:00") for hour in (12, 13, 14))
    contact = Contact(
        player="p",
        address=Address("ann@example.org", then),
        mail_preferences=MailPreferences(patience=15),
        webhook=Webhook("", "", then),
    )
    assert due_at(contact, "webhook", "turn", later, now) == now
    assert due_at(contact, "mail", "over", later, now) == now
    assert due_at(contact, "mail", "turn", later, now) == now + timedelta(minutes=15)
    assert due_at(contact, "webhook", "turn", then - timedelta(seconds=1), now) is None


def test_an_unknown_time_zone_counts_as_utc() -> None:
    preferences = MailPreferences(zone="Atlantis/Harbour", quiet=NIGHT)
    assert after_quiet_hours(preferences, utc("2026-01-10 23:00")) == utc("2026-01-11 07:30")
