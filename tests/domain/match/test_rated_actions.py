"""What makes a match rated, and that no action of a player takes a lost match out of the ratings."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import Created, TimeControl
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.commands import (
    Abort,
    AnswerProposal,
    Cancel,
    ClaimLoss,
    Command,
    Create,
    Expire,
    HandOver,
    OfferSeat,
    Propose,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    Resume,
    SeatSpec,
    TakeVacation,
)
from domain.match.durations import DAY
from domain.match.history import fold
from domain.match.lobby import RATED_TIME_CONTROL, create
from domain.match.state import AnyMatch
from tests.builders import EPOCH, Table, fork_table, secrets_of, sit_down

GAME = find_game("tic_tac_toe")
THREE = find_game("pie_contest")
RESIGNS = TimeControl(kind="per_move", seconds=3 * DAY, expiry="resigns", vacation=14)
RESIGN = {"type": "resign"}
CLAIM = "ab" * 32


def rated_table(clock: TimeControl | None = RESIGNS, **more: Any) -> Table:
    """Return a rated match of Ann (p0) and Bob (p1) that has just started."""
    return sit_down(more.pop("game", GAME), clock=clock, rated=True, **more)


def mark(table: Table, *cells: int) -> Table:
    """Let the players mark these cells in turn."""
    for cell in cells:
        [seat] = table.match.to_move
        table.play(seat, {"type": "mark", "cell": cell})
    return table


def lose(table: Table, seat: int = 0) -> AnyMatch:
    """Let a seat resign."""
    table.play(seat, RESIGN)
    return table.match


def refusal(table: Table, command: Command) -> str:
    with pytest.raises(MatchRefused) as refused:
        table.take_command(command)
    return refused.value.code


def assert_counts(match: AnyMatch, winner: int = 1) -> None:
    """The match is over, and its result counts."""
    assert (match.status, match.is_rated, match.unrated_reason) == ("over", True, None)
    assert match.outcome is not None
    assert match.outcome.winners == (winner,)


# -- rated means timed --------------------------------------------------------------------------------------------


def created(**more: Any) -> AnyMatch:
    command = Create(
        match="m00built",
        game=GAME.slug,
        creator="ann",
        options={},
        seats=(SeatSpec("human", player="ann"), SeatSpec("human", player="bob")),
        **more,
    )
    return create(command, EPOCH, secrets_of(GAME, "crumbs")).match


def test_a_rated_match_without_a_clock_gets_three_days_per_move() -> None:
    match = created(rated=True)
    assert match.time_control == RATED_TIME_CONTROL == TimeControl(kind="per_move", seconds=259_200, expiry="resigns")
    assert match.is_rated
    assert match.deadline == EPOCH + timedelta(days=3)
    assert created().time_control is None


@pytest.mark.parametrize(
    "clock", [RESIGNS, TimeControl(kind="bank", seconds=10 * DAY, increment=DAY, expiry="resigns")]
)
def test_a_rated_match_keeps_the_clock_that_was_chosen(clock: TimeControl) -> None:
    assert created(rated=True, clock=clock).time_control == clock


def test_a_match_without_a_time_limit_is_unrated_even_if_its_log_says_rated() -> None:
    [first, *others] = rated_table().events
    assert isinstance(first, Created)
    match = fold([replace(first, clock=UNSET), *others])
    assert (match.was_created_rated, match.is_rated, match.unrated_reason) == (True, False, "no_time_limit")


def test_a_rated_match_of_an_earlier_release_keeps_its_terms() -> None:
    """Given a rated match under luck protocol 1, which earlier releases created without a clock, then it is rated."""
    match = sit_down(find_game("tic_tac_toe", 1), rated=True).match
    assert (match.luck, match.time_control, match.is_rated) == (None, None, True)


def test_a_fork_is_unrated() -> None:
    fork = fork_table(mark(rated_table(), 0), 4, "new").match
    assert (fork.is_rated, fork.unrated_reason) == (False, "not_chosen")


# -- moving -------------------------------------------------------------------------------------------------------


def test_resigning_counts() -> None:
    assert_counts(lose(mark(rated_table(), 0, 3)))


def test_a_match_in_which_fewer_than_two_players_moved_does_not_count() -> None:
    """Given players who resign before both have moved, then the result doesn't count, no matter who won."""
    for cells in ((), (0,)):
        table = mark(rated_table(), *cells)
        [loser] = table.match.to_move
        match = lose(table, loser)
        assert (match.status, match.outcome is not None) == ("over", True)
        assert (match.is_rated, match.unrated_reason) == (False, "not_played")


def test_running_out_of_time_counts_as_a_defeat() -> None:
    table = mark(rated_table(), 0, 3)
    table.take_command(Expire(0), table.match.deadline)
    assert_counts(table.match)
    assert table.match.lapsed_players == ("p0",)


def test_a_player_who_never_moves_loses_a_match_of_three() -> None:
    """Given three players, one of whom never moves and runs out of time, then the match is rated, and the result says
    who was idle."""
    table = rated_table(game=THREE, seats=3)
    while table.match.status == "playing":
        [seat] = sorted(table.match.to_move)[:1]
        if seat == 2:
            table.take_command(Expire(2), table.match.clocks[2].deadline)
        elif table.match.ply > 80:
            table.play(seat, RESIGN)
        else:
            move = next(iter(THREE.legal_moves(table.match.state, seat)))
            table.play(seat, move)
    assert (table.match.is_rated, table.match.idle_seats, table.match.lapsed_players) == (True, (2,), ("p2",))


# -- what players can ask for -------------------------------------------------------------------------------------


def agreed(table: Table, asking: int, **what: Any) -> None:
    """Let a seat ask for something, and the other agree."""
    table.take_command(Propose(seat=asking, **what))
    table.take_command(AnswerProposal(1 - asking, table.match.proposals[0].number, True))


def test_a_takeback_by_consent_keeps_the_match_rated() -> None:
    table = mark(rated_table(), 0, 3, 1)
    ply = table.match.ply
    agreed(table, 0, what="takeback", to_ply=ply - 1)
    assert len(table.match.retracted_spans) == 1
    assert_counts(lose(mark(table, 8)))


def test_a_takeback_without_an_answer_changes_nothing() -> None:
    table = mark(rated_table(), 0, 3, 1)
    table.take_command(Propose(seat=0, what="takeback", to_ply=table.match.ply - 1))
    assert table.match.retracted_spans == ()
    assert_counts(lose(table))


def test_a_pause_only_delays_the_result() -> None:
    """Given a pause by consent, then the other player can end it alone, and the time runs out as usual."""
    table = mark(rated_table(), 0, 3)
    agreed(table, 0, what="pause")
    assert table.match.deadline is None
    table.take_command(Resume(1))
    table.take_command(Expire(0), table.match.deadline)
    assert_counts(table.match)


def test_a_vacation_only_delays_the_result() -> None:
    """Given a losing player who takes all the vacation that was agreed before the match, then the time still ends."""
    table = mark(rated_table(), 0, 3)
    table.take_command(TakeVacation(0, 14))
    assert refusal(table, TakeVacation(0, 1)) == "no_vacation"
    assert table.match.deadline is not None
    assert table.match.deadline <= EPOCH + timedelta(days=18)
    table.take_command(Expire(0), table.match.deadline)
    assert_counts(table.match)


def test_an_extension_only_delays_the_result() -> None:
    table = mark(rated_table(), 0, 3)
    before = table.match.deadline
    table.take_command(Propose(seat=0, what="extend", seconds=DAY))
    assert table.match.deadline == before  # the other player has not agreed
    table.take_command(AnswerProposal(1, table.match.proposals[0].number, True))
    assert before is not None
    assert table.match.deadline == before + timedelta(days=1)
    table.take_command(Expire(0), table.match.deadline)
    assert_counts(table.match)


# -- leaving ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [HandOver(0, "easy"), OfferSeat(0)])
def test_a_seat_of_a_rated_match_cannot_be_handed_over(command: Command) -> None:
    table = mark(rated_table(), 0, 3)
    assert refusal(table, command) == "rated"
    assert_counts(lose(table))


def test_a_seat_of_a_rated_match_cannot_be_taken_over() -> None:
    """Nobody can offer a seat of a rated match, not even the others together."""
    table = rated_table(game=THREE, seats=3)
    for asked in ({"of": 1, "level": "easy"}, {"of": 1}):
        assert refusal(table, Propose(seat=0, what="hand_over", **asked)) in ("rated", "not_lapsed")
    assert table.match.offers == ()


def test_a_rated_match_that_has_started_cannot_be_aborted_or_cancelled() -> None:
    """Its luck is open, so nobody may throw it away. That is so before the first move, too."""
    for table in (rated_table(), mark(rated_table(), 0, 3)):
        assert refusal(table, Abort(0)) == "rated"
        assert refusal(table, Cancel("p0")) == "already_started"
        assert table.match.status == "playing"
    assert_counts(lose(table))


def test_only_a_player_who_never_moved_can_be_claimed_to_have_lost() -> None:
    table = mark(rated_table(), 0, 3)
    assert refusal(table, ClaimLoss(0, 1)) == "not_absent"
    assert_counts(lose(table))


# -- disputes -----------------------------------------------------------------------------------------------------


def disputed(table: Table) -> int:
    table.take_command(RaiseDispute(0, table.match.ply, "move", CLAIM))
    return table.match.ply


def test_a_dispute_stops_no_clock_and_takes_no_result_away() -> None:
    table = mark(rated_table(), 0, 3)
    deadline = table.match.deadline
    number = disputed(table)
    assert table.match.deadline == deadline
    table.take_command(Expire(0), deadline)
    assert_counts(table.match)
    table.take_command(RecordVerdict(number, True))
    assert_counts(table.match)


@pytest.mark.parametrize(("ruling", "reason"), [("stands", None), ("annulled", "annulled")])
def test_only_an_arbiter_can_take_a_result_away(ruling: Any, reason: str | None) -> None:
    table = mark(rated_table(), 0, 3)
    lose(table)
    number = disputed(table)
    table.take_command(RecordVerdict(number, False, "moves", 5, "T2"))
    assert table.match.unrated_reason == "failed_audit"  # until an arbiter rules on it
    table.take_command(ResolveDispute(number, ruling, "p_judge"))
    assert table.match.unrated_reason == reason
