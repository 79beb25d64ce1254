"""Vacation: days on which a seat's clock is stopped at its own request, independent of the calendar."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.chance import Fast
from domain.kernel.events import TimeControl, VacationTaken
from domain.kernel.refusals import MatchRefused
from domain.match.commands import AnswerProposal, Expire, Play, Propose, Resume, TakeVacation
from domain.match.durations import DAY, HOUR
from replays.file import encode_replay
from replays.verify import verify
from tests.builders import EPOCH, Table, sit_down
from tests.domain.match.test_clock import GAME, assert_log_verifies, deadlines_of, free_cells, hours, mark, refusal
from tests.replays.forge import Entries, forge_replay, of_kind

PLAN = TimeControl(kind="per_move", seconds=DAY, vacation=5)
BANK = TimeControl(kind="bank", seconds=10 * HOUR, increment=HOUR, vacation=5)


def days(number: float) -> timedelta:
    return timedelta(days=number)


def test_the_deadline_moves_by_whole_days() -> None:
    table = sit_down(GAME, clock=PLAN)
    made = table.take_command(TakeVacation(0, 2), EPOCH + hours(20))
    assert isinstance(made[0], VacationTaken)
    assert (made[0].days, made[0].left) == (2, 3)
    assert deadlines_of(table.match) == [(EPOCH + hours(20) + days(2) + hours(4), 0)]
    assert_log_verifies(table)


def test_a_second_vacation_begins_after_the_first() -> None:
    table = sit_down(GAME, clock=PLAN)
    table.take_command(TakeVacation(0, 2), EPOCH)
    table.take_command(TakeVacation(0, 3), EPOCH + days(1))
    assert table.match.clocks[0].vacation_until == EPOCH + days(5)
    assert deadlines_of(table.match) == [(EPOCH + days(6), 0)]
    assert refusal(table, TakeVacation(0, 1), EPOCH + days(1)) == "no_vacation"
    assert_log_verifies(table)


@pytest.mark.parametrize("plan", [PLAN, BANK])
def test_a_seat_can_take_vacation_before_its_turn_and_move_during_it(plan: TimeControl) -> None:
    table = sit_down(GAME, clock=plan)
    table.take_command(TakeVacation(1, 3), EPOCH)
    table.take_command(mark(0, 4), EPOCH + hours(2))
    assert deadlines_of(table.match) == [
        (EPOCH + days(3) + timedelta(milliseconds=table.match.clocks[1].remaining_ms), 1)
    ]
    before = table.match.clocks[1].remaining_ms
    table.take_command(mark(1, 0), EPOCH + days(2))
    earned = HOUR * 1000 if plan.kind == "bank" else 0
    assert table.match.clocks[1].remaining_ms == before + earned, "thinking during a vacation costs no time"
    assert_log_verifies(table)


def test_after_a_vacation_the_clock_continues() -> None:
    table = sit_down(GAME, clock=BANK)
    table.take_command(TakeVacation(0, 1), EPOCH + hours(4))
    assert refusal(table, Expire(0), EPOCH + days(1) + hours(9)) == "not_due"
    table.take_command(mark(0, 4), EPOCH + days(1) + hours(6))
    assert table.match.clocks[0].remaining_ms == (10 - 4 - 2 + 1) * HOUR * 1000
    assert_log_verifies(table)


def test_a_seat_can_run_out_of_time_after_its_vacation() -> None:
    table = sit_down(GAME, clock=PLAN)
    table.take_command(TakeVacation(0, 5), EPOCH)
    assert refusal(table, TakeVacation(0, 1), EPOCH + days(6)) == "time_is_up"
    table.take_command(Expire(0), EPOCH + days(6))
    assert table.match.status == "over"
    assert_log_verifies(table)


def test_vacation_days_pass_even_during_a_pause() -> None:
    table = sit_down(GAME, clock=PLAN)
    table.take_command(TakeVacation(0, 2), EPOCH)
    table.take_command(Propose(seat=1, what="pause"), EPOCH)
    table.take_command(AnswerProposal(0, table.match.ply, True), EPOCH + days(1))
    assert table.match.deadline is None
    table.take_command(Resume(0), EPOCH + days(1) + hours(1))
    assert deadlines_of(table.match) == [(EPOCH + days(3), 0)]
    table.take_command(Propose(seat=1, what="pause"), EPOCH + days(2))
    table.take_command(AnswerProposal(0, table.match.ply, True), EPOCH + days(2))
    table.take_command(Resume(0), EPOCH + days(9))
    assert deadlines_of(table.match) == [(EPOCH + days(10), 0)]
    assert_log_verifies(table)


def test_a_takeback_does_not_change_vacation_days() -> None:
    table = sit_down(GAME, clock=PLAN)
    table.take_command(mark(0, 4), EPOCH + hours(1))
    table.take_command(TakeVacation(0, 2), EPOCH + hours(2))
    table.take_command(TakeVacation(1, 1), EPOCH + hours(2))
    table.take_command(Propose(seat=0, what="takeback", to_ply=4), EPOCH + hours(3))
    table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH + hours(4))
    assert [clock.vacation_days_left for clock in table.match.clocks] == [3, 4]
    assert deadlines_of(table.match) == [(EPOCH + hours(2) + days(2) + hours(23), 0)]
    assert_log_verifies(table)


NEW_YORK, BERLIN = ZoneInfo("America/New_York"), ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("place", "leaves", "comes_back"),
    [
        (BERLIN, datetime(2026, 3, 28, 20), datetime(2026, 3, 30, 21)),  # clocks go forward
        (BERLIN, datetime(2026, 10, 24, 20), datetime(2026, 10, 26, 19)),  # clocks go back
        (NEW_YORK, datetime(2026, 3, 7, 20), datetime(2026, 3, 9, 21)),
        (UTC, datetime(2028, 2, 28, 20), datetime(2028, 3, 1, 20)),  # the 29th is one of the two days
        (UTC, datetime(2027, 2, 27, 20), datetime(2027, 3, 1, 20)),
    ],
)  # fmt: skip
def test_a_day_has_24_hours_on_leap_days_and_when_clocks_change(
    place: ZoneInfo, leaves: datetime, comes_back: datetime
) -> None:
    """The log is in UTC, so the player's local time at the end may differ by an hour."""
    table = sit_down(GAME, clock=PLAN)
    table.take_command(Propose(seat=0, what="pause"), EPOCH)
    table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH)
    left = leaves.replace(tzinfo=place).astimezone(UTC)
    table.take_command(Resume(0), left)
    table.take_command(TakeVacation(0, 2), left)
    assert table.match.clocks[0].vacation_until == comes_back.replace(tzinfo=place)
    assert table.match.deadline == left + days(3)
    assert_log_verifies(table)


@pytest.mark.parametrize(
    ("plan", "command", "code"),
    [
        (PLAN, TakeVacation(0, 0), "bad_vacation"),
        (PLAN, TakeVacation(0, 6), "bad_vacation"),
        (PLAN, TakeVacation(0, -1), "bad_vacation"),
        (PLAN, TakeVacation(2, 1), "no_such_seat"),
        (TimeControl(kind="per_move", seconds=DAY), TakeVacation(0, 1), "no_vacation"),
        (None, TakeVacation(0, 1), "no_clock"),
    ],
)
def test_an_invalid_vacation_is_refused(plan: TimeControl | None, command: TakeVacation, code: str) -> None:
    assert refusal(sit_down(GAME, clock=plan), command, EPOCH) == code


@pytest.mark.parametrize("number", [0, -1, 61])
def test_a_time_control_allows_1_to_60_vacation_days(number: int) -> None:
    with pytest.raises(MatchRefused, match="1 to 60 days"):
        sit_down(GAME, clock=TimeControl(kind="per_move", seconds=DAY, vacation=number))


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 70), st.integers(0, 4), st.integers(0, 1), st.integers(1, 5)), max_size=25))
def test_days_are_spent_once_and_any_log_verifies(steps: list[tuple[int, int, int, int]]) -> None:
    table, now, chance, taken = sit_down(GAME, clock=BANK), EPOCH, Fast("any"), [0, 0]
    for wait, action, seat, number in steps:
        now += hours(wait)
        while (ends := deadlines_of(table.match)) and ends[0][0] <= now:
            table.take_command(Expire(ends[0][1]), now)
        if table.match.status != "playing":
            break
        mover = min(table.match.to_move)
        try:
            match action:
                case 0 | 1:
                    table.take_command(Play(mover, {"type": "mark", "cell": chance.pick(free_cells(table.match))}), now)
                case 2 | 3:
                    table.take_command(TakeVacation(seat, number), now)
                    taken[seat] += number
                case _:
                    table.take_command(Propose(seat=seat, what="takeback", to_ply=table.match.ply - 1), now)
                    table.take_command(AnswerProposal(1 - seat, table.match.ply, True), now)
        except MatchRefused:
            continue
    assert [clock.vacation_days_left for clock in table.match.clocks] == [5 - number for number in taken]
    assert_log_verifies(table)


# -- forgeries ----------------------------------------------------------------------------------------------------


def table_with_vacations() -> Table:
    table = sit_down(GAME, clock=PLAN)
    table.take_command(TakeVacation(0, 2), EPOCH)
    table.take_command(mark(0, 4), EPOCH + days(2))
    table.take_command(TakeVacation(0, 1), EPOCH + days(2))
    table.take_command(Play(1, {"type": "resign"}), EPOCH + days(2))
    return table


def lengthen_second(events: Entries) -> None:
    of_kind(events, "vacation_taken")[1].update(days=4, left=0)


def shorten_first(events: Entries) -> None:
    of_kind(events, "vacation_taken")[0]["days"] = 1


def refund_days(events: Entries) -> None:
    of_kind(events, "vacation_taken")[0]["left"] = 5


def drop_seat(events: Entries) -> None:
    of_kind(events, "vacation_taken")[0]["seat"] = None


def drop_allowance(events: Entries) -> None:
    del events[0]["clock"]["vacation"]


def raise_allowance(events: Entries) -> None:
    events[0]["clock"]["vacation"] = 99


def move_to_other_seat(events: Entries) -> None:
    of_kind(events, "vacation_taken")[0].update(seat=1)
    of_kind(events, "vacation_taken")[1].update(left=4)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lengthen_second, "clocks.vacation"),
        (shorten_first, "clocks.vacation"),
        (refund_days, "clocks.vacation"),
        (drop_seat, "file.json"),
        (drop_allowance, "clocks.vacation"),
        (raise_allowance, "lifecycle.clock"),
        (move_to_other_seat, "clocks.deadline"),
    ],
)
def test_a_false_vacation_is_found_even_if_the_chain_holds(change: object, rule: str) -> None:
    raw = b"".join(encode_replay(table_with_vacations().events))
    assert verify(raw).ok
    report = verify(forge_replay(raw, change))  # type: ignore[arg-type]
    assert report.first is not None
    assert report.first.rule == rule, report.as_text()
