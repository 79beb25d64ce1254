"""How long a player who runs out of time in matches can play only a few matches."""

from datetime import UTC, datetime, timedelta

import pytest

from service.read_models.lapses import LONGEST_PERIOD, limit_after

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def lapses(count: int, every: timedelta = DAY) -> list[datetime]:
    """Return the times of lapses, the last one at noon."""
    return [NOON - number * every for number in range(count)]


@pytest.mark.parametrize(("count", "days"), [(2, 1), (3, 2), (4, 4), (5, 8), (6, 16), (7, 30), (8, 30), (100, 30)])
def test_each_further_lapse_doubles_the_period(count: int, days: int) -> None:
    limit = limit_after(lapses(count), None, NOON)
    assert limit is not None
    assert (limit.until, limit.lapses) == (NOON + days * DAY, count)
    assert limit_after(lapses(count), None, NOON + days * DAY) is None
    assert days * DAY <= LONGEST_PERIOD


def test_one_lapse_has_no_consequence() -> None:
    assert limit_after(lapses(1), None, NOON) is None
    assert limit_after([], None, NOON) is None


def test_lapses_on_one_day_count_as_one() -> None:
    """Given a player who is ill, when twenty matches run out within a day, then that is one lapse."""
    assert limit_after(lapses(20, HOUR), None, NOON) is None
    limit = limit_after([*lapses(20, HOUR), NOON - 3 * DAY], None, NOON)
    assert limit is not None
    assert limit.lapses == 21


def test_a_finished_match_ends_the_streak() -> None:
    assert limit_after(lapses(5), NOON + HOUR, NOON + 2 * HOUR) is None
    after = limit_after(lapses(5), NOON - 3 * DAY, NOON)
    assert after is not None
    assert after.lapses == 3
