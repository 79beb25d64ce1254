"""Clocks: deadlines per move, time banks, the three kinds of expiry, pauses and extensions by consent."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.kernel.chance import Fast
from domain.kernel.event_codec import write_event
from domain.kernel.events import Ended, Expired, Extended, Moved, Paused, SeedRevealed, TimeControl
from domain.kernel.hash_chain import GENESIS, seal_events
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game, games
from domain.match.clock import deadlines
from domain.match.commands import (
    AnswerProposal,
    Command,
    Expire,
    OfferSeat,
    Play,
    Propose,
    RaiseDispute,
    Resume,
    WithdrawOffer,
)
from domain.match.durations import DAY, HOUR
from domain.match.guards import MAX_REQUESTS_BETWEEN_MOVES
from domain.match.history import fold
from domain.match.state import AnyMatch
from replays.file import encode_replay
from replays.standalone_verify import verify as verify_alone
from replays.verify import verify, verify_log
from tests.builders import EPOCH, Table, sit_down

GAME = find_game("tic_tac_toe")
DAILY = TimeControl(kind="per_move", seconds=DAY)
BANK = TimeControl(kind="bank", seconds=10 * HOUR, increment=HOUR)
CLAIM = "ab" * 32


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


def mark(seat: int, cell: int) -> Play:
    return Play(seat, {"type": "mark", "cell": cell})


def refusal(table: Table, command: Command, now: datetime) -> str:
    with pytest.raises(MatchRefused) as refused:
        table.take_command(command, now)
    return refused.value.code


def deadlines_of(match: AnyMatch) -> list[tuple[datetime, int]]:
    return deadlines(match)


def assert_log_verifies(table: Table) -> None:
    """Check that the log verifies, running or over, and folds from its lines to the same match."""
    raw = b"".join(encode_replay(table.events))
    report = verify(raw) if table.match.status == "over" else verify_log(unfinished_replay_file(table), table.secrets)
    assert report.first is None, report.as_text()
    assert table.match.status != "over" or verify_alone(raw)[1] is None
    assert fold(table.events) == table.match


def unfinished_replay_file(table: Table) -> bytes:
    """Return the log's lines in the frame of a replay file, as the server's audit reads them."""
    header, *_, closing = encode_replay(table.events)
    return b"".join([header, *(write_event(event) + b"\n" for event in table.events), closing])


# -- deadlines ----------------------------------------------------------------------------------------------------


def test_a_match_without_a_clock_has_no_deadline() -> None:
    match = sit_down(GAME).match
    assert (match.time_control, match.clocks, match.deadline) == (None, (), None)
    assert b"clock" not in write_event(sit_down(GAME).events[0])


def test_every_move_sets_a_new_deadline_for_the_next_seat() -> None:
    table = sit_down(GAME, clock=DAILY)
    assert deadlines_of(table.match) == [(EPOCH + hours(24), 0)]
    table.take_command(mark(0, 4), EPOCH + hours(23))
    assert deadlines_of(table.match) == [(EPOCH + hours(47), 1)]
    table.take_command(mark(1, 0), EPOCH + hours(24))
    assert deadlines_of(table.match) == [(EPOCH + hours(48), 0)]
    assert_log_verifies(table)


def test_a_bank_is_used_up_by_thinking_and_grows_with_each_move() -> None:
    table = sit_down(GAME, clock=BANK)
    table.take_command(mark(0, 4), EPOCH + hours(4))  # 10 - 4 + 1 = 7 left
    table.take_command(mark(1, 0), EPOCH + hours(5))  # 10 - 1 + 1 = 10 left
    assert deadlines_of(table.match) == [(EPOCH + hours(12), 0)]
    table.take_command(mark(0, 1), EPOCH + hours(11))
    assert deadlines_of(table.match) == [(EPOCH + hours(21), 1)]
    assert_log_verifies(table)


@pytest.mark.parametrize("day", [datetime(2028, 2, 28, 12, tzinfo=UTC), datetime(2026, 3, 28, 23, tzinfo=UTC)])
def test_deadlines_do_not_depend_on_the_calendar(day: datetime) -> None:
    """A leap day or daylight saving time doesn't change the length of a day, because the log is in UTC."""
    table = sit_down(GAME, clock=DAILY)
    table.take_command(Propose(seat=0, what="pause"), EPOCH)
    table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH)
    table.take_command(Resume(0), day)
    assert table.match.deadline == day.replace(day=29)
    assert_log_verifies(table)


# -- expiry -------------------------------------------------------------------------------------------------------


def table_with_expired_clock(expiry: Any, plan: TimeControl = DAILY) -> Table:
    """Return a match in which cross has moved and nought will run out of time."""
    chosen = TimeControl(kind=plan.kind, seconds=plan.seconds, increment=plan.increment, expiry=expiry, level="random")
    table = sit_down(GAME, clock=chosen)
    table.take_command(mark(0, 4), EPOCH + hours(1))
    return table


def test_a_clock_expires_at_its_deadline_and_everything_else_is_refused() -> None:
    table, deadline = table_with_expired_clock("resigns"), EPOCH + hours(25)
    assert refusal(table, Expire(1), deadline - timedelta(milliseconds=1)) == "not_due"
    assert refusal(table, Expire(0), deadline + hours(99)) == "not_due"
    for command in (mark(1, 0), Propose(seat=1, what="pause"), RaiseDispute(0, 5, "clock", CLAIM)):
        assert refusal(table, command, deadline) == "time_is_up"
    table.take_command(mark(1, 0), deadline - timedelta(milliseconds=1))


def test_a_seat_resigns_when_its_time_runs_out() -> None:
    table = table_with_expired_clock("resigns")
    made = table.take_command(Expire(1), EPOCH + hours(30))
    assert [type(event) for event in made] == [Expired, Moved, Ended, SeedRevealed]
    expired = made[0]
    assert isinstance(expired, Expired)
    assert (expired.deadline, expired.consequence, expired.level) == (EPOCH + hours(25), "resigns", None)
    assert table.match.outcome is not None
    assert table.match.outcome.winners == (0,)
    assert table.match.deadline is None
    assert_log_verifies(table)


def test_a_bot_makes_one_move_and_the_player_keeps_the_seat() -> None:
    table = table_with_expired_clock("bot_moves")
    table.take_command(Expire(1), EPOCH + hours(30))
    assert (table.match.seats[1].standin, table.match.seats[1].acting_bot_level, table.match.deadline) == (
        "random",
        "random",
        None,
    )
    assert table.match.to_move == {1}
    table.take_command(mark(1, 0), EPOCH + hours(31))
    assert (table.match.seats[1].acting_bot_level, table.match.seats[1].player) == (None, "p1")
    assert deadlines_of(table.match) == [(EPOCH + hours(55), 0)]
    table.take_command(mark(0, 1), EPOCH + hours(32))
    assert deadlines_of(table.match) == [(EPOCH + hours(56), 1)]
    assert_log_verifies(table)


def test_a_bot_takes_the_seat_over() -> None:
    table = table_with_expired_clock("bot_takes_over")
    table.take_command(Expire(1), EPOCH + hours(30))
    seat = table.match.seats[1]
    assert (seat.kind, seat.player, seat.level, table.match.seats_of("p1")) == ("bot", None, "random", ())
    table.take_command(mark(1, 0), EPOCH + hours(999))  # a bot's clock does not run
    assert_log_verifies(table)


def test_an_empty_bank_still_gains_the_increment() -> None:
    table = table_with_expired_clock("bot_moves", BANK)
    table.take_command(Expire(1), EPOCH + hours(11))
    table.take_command(mark(1, 0), EPOCH + hours(11))
    table.take_command(mark(0, 1), EPOCH + hours(12))
    assert deadlines_of(table.match) == [(EPOCH + hours(13), 1)]
    assert_log_verifies(table)


@pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)
def test_a_seat_can_resign_at_its_deadline_in_every_game(game: Any) -> None:
    table = sit_down(game, clock=DAILY)
    for days in range(1, 20):
        if not (ends := deadlines_of(table.match)):
            break
        table.take_command(Expire(ends[0][1]), EPOCH + timedelta(days=2 * days))
    assert table.match.status == "over"
    assert_log_verifies(table)


# -- pause, extension ---------------------------------------------------------------------------------------------


def test_a_pause_needs_everyones_consent_and_stops_all_clocks() -> None:
    table = sit_down(GAME, clock=DAILY)
    table.take_command(Propose(seat=0, what="pause"), EPOCH + hours(4))
    number = table.match.ply
    assert deadlines_of(table.match) == [(EPOCH + hours(24), 0)]
    assert refusal(table, AnswerProposal(0, number, True), EPOCH + hours(4)) == "not_asked"
    made = table.take_command(AnswerProposal(1, number, True), EPOCH + hours(10))
    assert isinstance(made[-1], Paused)
    assert (table.match.deadline, table.match.proposals) == (None, ())
    table.take_command(Resume(1), EPOCH + hours(1000))
    assert deadlines_of(table.match) == [(EPOCH + hours(1014), 0)]
    assert_log_verifies(table)


def test_a_seat_can_move_while_the_match_is_paused() -> None:
    table = sit_down(GAME, clock=DAILY)
    table.take_command(Propose(seat=0, what="pause"), EPOCH + hours(1))
    table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH + hours(2))
    table.take_command(mark(0, 4), EPOCH + hours(100))
    assert table.match.deadline is None
    table.take_command(Resume(0), EPOCH + hours(200))
    assert deadlines_of(table.match) == [(EPOCH + hours(224), 1)]
    assert_log_verifies(table)


def test_a_turn_that_begins_during_a_pause_has_its_full_time() -> None:
    """Given a seat that moved with little time left, when its next turn comes during a pause, then it has full time."""
    table = sit_down(GAME, clock=DAILY)
    table.take_command(mark(0, 4), EPOCH + hours(23.9))
    table.take_command(Propose(seat=0, what="pause"), EPOCH + hours(24))
    table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH + hours(24))
    table.take_command(mark(1, 0), EPOCH + hours(25))
    table.take_command(Resume(1), EPOCH + hours(25))
    assert deadlines_of(table.match) == [(EPOCH + hours(49), 0)]
    assert_log_verifies(table)


def test_extra_time_granted_before_a_turn_counts_for_it() -> None:
    table = sit_down(GAME, clock=DAILY)
    table.take_command(Propose(seat=1, what="extend", seconds=5 * DAY), EPOCH)
    table.take_command(AnswerProposal(0, table.match.ply, True), EPOCH)
    table.take_command(mark(0, 4), EPOCH + hours(10))
    assert deadlines_of(table.match) == [(EPOCH + hours(10 + 6 * 24), 1)]
    table.take_command(mark(1, 0), EPOCH + hours(20))
    table.take_command(mark(0, 1), EPOCH + hours(21))
    assert deadlines_of(table.match) == [(EPOCH + hours(45), 1)]  # extra time is for one turn
    assert_log_verifies(table)


def test_extra_time_goes_to_the_seat_that_asked() -> None:
    table = sit_down(GAME, clock=DAILY)
    table.take_command(Propose(seat=0, what="extend", seconds=2 * HOUR), EPOCH)
    made = table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH + hours(1))
    assert isinstance(made[-1], Extended)
    assert deadlines_of(table.match) == [(EPOCH + hours(26), 0)]
    assert_log_verifies(table)


def test_a_proposal_can_be_declined_withdrawn_and_made_again() -> None:
    table = sit_down(GAME, clock=DAILY)
    table.take_command(Propose(seat=0, what="pause"), EPOCH)
    first = table.match.ply
    assert refusal(table, Propose(seat=0, what="pause"), EPOCH) == "asked_already"
    table.take_command(AnswerProposal(1, first, False), EPOCH)
    assert refusal(table, AnswerProposal(1, first, True), EPOCH) == "no_such_proposal"
    table.take_command(Propose(seat=0, what="pause"), EPOCH)
    table.take_command(AnswerProposal(0, table.match.ply, False), EPOCH)
    assert (table.match.proposals, table.match.paused) == ((), False)
    assert_log_verifies(table)


def test_requests_between_two_moves_are_limited() -> None:
    """Given the maximum number of proposals, then one more is refused until a move, while others can still ask."""
    table = sit_down(GAME, clock=DAILY)
    for _ in range(MAX_REQUESTS_BETWEEN_MOVES):
        table.take_command(Propose(seat=0, what="pause"), EPOCH)
        table.take_command(AnswerProposal(0, table.match.ply, False), EPOCH)
    with pytest.raises(
        MatchRefused, match=f"made {MAX_REQUESTS_BETWEEN_MOVES} requests and offers since the last move"
    ) as refused:
        table.take_command(Propose(seat=0, what="pause"), EPOCH)
    assert refused.value.code == "asked_too_often"
    assert refusal(table, OfferSeat(0), EPOCH) == "asked_too_often"
    table.take_command(Propose(seat=1, what="pause"), EPOCH)
    table.take_command(AnswerProposal(0, table.match.ply, True), EPOCH)
    table.take_command(Resume(0), EPOCH)
    assert refusal(table, Propose(seat=0, what="pause"), EPOCH) == "asked_too_often"
    assert_log_verifies(table)
    table.take_command(mark(0, 4), EPOCH)
    table.take_command(Propose(seat=0, what="pause"), EPOCH)
    assert_log_verifies(table)


def test_withdrawn_offers_count_as_requests() -> None:
    table = sit_down(GAME)
    for _ in range(MAX_REQUESTS_BETWEEN_MOVES):
        table.take_command(OfferSeat(0), EPOCH)
        table.take_command(WithdrawOffer(0, table.match.ply), EPOCH)
    assert refusal(table, OfferSeat(0), EPOCH) == "asked_too_often"
    table.take_command(mark(0, 4), EPOCH)
    table.take_command(OfferSeat(0), EPOCH)
    assert_log_verifies(table)


def test_a_log_with_too_many_requests_does_not_verify() -> None:
    table = sit_down(GAME, clock=DAILY)
    for _ in range(MAX_REQUESTS_BETWEEN_MOVES):
        table.take_command(Propose(seat=0, what="pause"), EPOCH)
        table.take_command(AnswerProposal(0, table.match.ply, False), EPOCH)
    asked = table.events[-2]
    table.take([replace(asked, ply=table.match.ply + 1)])
    table.take_command(Play(0, {"type": "resign"}), EPOCH)
    sealed = seal_events([replace(event, salt=None) for event in table.events], GENESIS, table.luck)
    report = verify(b"".join(encode_replay(sealed)))
    assert report.first is not None
    assert (report.first.rule, report.first.ply) == ("lifecycle.consent", asked.ply + 2)
    assert f"made {MAX_REQUESTS_BETWEEN_MOVES} requests" in report.first.sentence


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (Propose(seat=0, what="extend", seconds=1), "bad_clock"),
        (Propose(seat=0, what="extend", seconds=10**9), "bad_clock"),
        (Propose(seat=0, what="extend"), "bad_proposal"),
        (Propose(seat=0, what="pause", seconds=HOUR), "bad_proposal"),
        (Propose(seat=0, what="takeback"), "bad_proposal"),
        (Resume(0), "not_paused"),
        (AnswerProposal(1, 3, True), "no_such_proposal"),
    ],
)
def test_an_invalid_proposal_is_refused(command: Command, code: str) -> None:
    assert refusal(sit_down(GAME, clock=DAILY), command, EPOCH) == code


def test_a_match_without_a_clock_cannot_be_paused() -> None:
    assert refusal(sit_down(GAME), Propose(seat=0, what="pause"), EPOCH) == "no_clock"


@pytest.mark.parametrize(
    "plan",
    [
        TimeControl(kind="per_move", seconds=12 * HOUR - 1),
        TimeControl(kind="per_move", seconds=14 * DAY + 1),
        TimeControl(kind="per_move", seconds=DAY, increment=1),
        TimeControl(kind="bank", seconds=0),
        TimeControl(kind="bank", seconds=DAY, increment=-1),
        TimeControl(kind="bank", seconds=DAY, increment=30 * DAY),
    ],
)
def test_a_clock_out_of_range_is_refused(plan: TimeControl) -> None:
    with pytest.raises(MatchRefused) as refused:
        sit_down(GAME, clock=plan)
    assert refused.value.code == "bad_clock"


# -- random matches -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.sampled_from(["resigns", "bot_moves", "bot_takes_over"]),
    st.sampled_from([DAILY, BANK]),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.integers(0, 1)), max_size=25),
)
def test_the_log_of_any_random_match_verifies(
    expiry: Any, plan: TimeControl, steps: list[tuple[int, int, int]]
) -> None:
    chosen = TimeControl(kind=plan.kind, seconds=plan.seconds, increment=plan.increment, expiry=expiry)
    table, now, chance = sit_down(GAME, clock=chosen), EPOCH, Fast("any")
    for wait, action, seat in steps:
        now += hours(wait)
        while (ends := deadlines_of(table.match)) and ends[0][0] <= now:
            table.take_command(Expire(ends[0][1]), now)
        if table.match.status != "playing":
            break
        mover = min(table.match.to_move)
        command: Command = Play(mover, {"type": "mark", "cell": chance.pick(free_cells(table.match))})
        if action == 1:
            command = Propose(seat=seat, what="pause")
        if action == 2 and table.match.proposals:
            command = AnswerProposal(seat, table.match.proposals[0].number, True)
        if action == 3:
            command = Resume(seat)
        if action == 4:
            command = Propose(seat=seat, what="takeback", to_ply=table.match.ply - 1)
        try:
            table.take_command(command, now)
        except MatchRefused:
            continue
    assert_log_verifies(table)


def free_cells(match: AnyMatch) -> list[int]:
    return [move.cell for move in match.rules.legal_moves(match.state, min(match.to_move))]
