"""Players who never make a first move, aborts, and claims: who may do what, and when."""

from datetime import timedelta
from typing import Any

import pytest

from domain.kernel.events import Cancelled, Ended, Expired, HandedOver, Moved, SeatOffered, SeedRevealed, TimeControl
from domain.kernel.registry import find_game, games
from domain.match.absence import FIRST_MOVE_SECONDS, absent_seats, first_move_deadline
from domain.match.commands import (
    Abort,
    AnswerProposal,
    ClaimLoss,
    Create,
    Expire,
    HandOver,
    OfferSeat,
    Play,
    Propose,
    Resume,
    SeatSpec,
    TakeOver,
    TakeVacation,
)
from domain.match.durations import DAY
from domain.match.evolve import evolve_many
from domain.match.history import fold
from domain.match.lobby import create
from tests.builders import EPOCH, Table, play_match, secrets_of, sit_down
from tests.domain.match.test_clock import DAILY, GAME, assert_log_verifies, hours, mark, refusal

LIMIT = timedelta(seconds=FIRST_MOVE_SECONDS)
SECOND = timedelta(seconds=1)
LONG_BANK = TimeControl(kind="bank", seconds=30 * DAY, vacation=10)
PIE = find_game("pie_contest")


def rated_match(plan: TimeControl | None = LONG_BANK) -> Table:
    """Return a rated match that has just started."""
    return sit_down(GAME, rated=True, clock=plan, shares=(True, True))


def since(table: Table) -> Any:
    """Return when the players of a match began to wait for the next move."""
    assert table.match.waiting_since is not None
    return table.match.waiting_since


# -- who is absent ------------------------------------------------------------------------------------------------


def test_a_seat_is_absent_three_days_after_the_others_began_to_wait() -> None:
    """Given a match without a clock, when the first player does not move, then they are absent after 3 days."""
    table = sit_down(GAME)
    assert first_move_deadline(table.match, 0) == EPOCH + LIMIT
    assert first_move_deadline(table.match, 1) is None, "it is not their turn"
    assert absent_seats(table.match, EPOCH + LIMIT - SECOND) == ()
    assert absent_seats(table.match, EPOCH + LIMIT) == (0,)


def test_the_time_for_a_first_move_begins_with_the_move_before_it() -> None:
    table = sit_down(GAME)
    table.take_command(mark(0, 4), EPOCH + hours(50))
    assert first_move_deadline(table.match, 1) == EPOCH + hours(50) + LIMIT
    assert first_move_deadline(table.match, 0) is None


def test_a_player_who_has_moved_once_is_never_absent() -> None:
    table = sit_down(GAME)
    for seat, cell in ((0, 4), (1, 0)):
        table.take_command(mark(seat, cell))
    assert absent_seats(table.match, EPOCH + 100 * LIMIT) == ()


def test_an_undone_first_move_still_counts() -> None:
    """Given a player who moved and undid it freely, then they can't abort: they may have wanted to see something."""
    table = sit_down(GAME)
    table.take_command(mark(0, 4))
    table.take_command(Propose(seat=0, what="takeback", to_ply=table.match.ply - 1))
    number = table.match.ply
    table.take_command(AnswerProposal(1, number, agrees=True))
    assert table.match.to_move == frozenset({0})
    assert refusal(table, Abort(0), EPOCH + LIMIT) == "moved_already"


def test_a_longer_time_per_move_also_applies_to_the_first_move() -> None:
    plan = TimeControl(kind="per_move", seconds=14 * DAY, expiry="bot_moves", level="random", vacation=30)
    table = sit_down(GAME, clock=plan)
    assert first_move_deadline(table.match, 0) == EPOCH + timedelta(days=14)


def test_vacation_does_not_extend_the_time_for_a_first_move() -> None:
    """Given a player who sits down and goes on vacation, then the others need not wait for weeks."""
    table = sit_down(GAME, clock=LONG_BANK)
    table.take_command(TakeVacation(0, 10), EPOCH + hours(1))
    assert absent_seats(table.match, EPOCH + LIMIT) == (0,)


def test_nobody_becomes_absent_during_a_pause() -> None:
    table = sit_down(GAME, clock=LONG_BANK)
    table.take_command(Propose(seat=1, what="pause"), EPOCH + hours(1))
    table.take_command(AnswerProposal(0, table.match.ply, agrees=True), EPOCH + hours(2))
    assert absent_seats(table.match, EPOCH + 10 * LIMIT) == ()
    table.take_command(Resume(1), EPOCH + hours(100))
    assert first_move_deadline(table.match, 0) == EPOCH + hours(100) + LIMIT


def test_a_player_for_whom_a_bot_moves_is_absent_without_a_move_of_their_own() -> None:
    plan = TimeControl(kind=DAILY.kind, seconds=DAILY.seconds, expiry="bot_moves", level="random")
    table = sit_down(GAME, clock=plan)
    table.take_command(Expire(0), EPOCH + hours(24))
    assert absent_seats(table.match, EPOCH + hours(24)) == (0,)
    table.take_command(mark(0, 4), EPOCH + hours(25))
    assert absent_seats(table.match, EPOCH + hours(25)) == (0,), "the bot made the move"


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
def test_matches_fold_to_the_same_players_who_have_moved_one_by_one_and_together(game: Any) -> None:
    events = play_match(game)
    assert fold(events).seats == evolve_many(fold(events[:1]), events[1:]).seats
    movers = {event.seat for event in events if isinstance(event, Moved)}
    acted = {n for n, seat in enumerate(fold(events).seats) if seat.has_moved or seat.has_resigned}
    assert movers == acted


# -- aborting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_who_has_not_moved_can_abort_an_unrated_match(seat: int) -> None:
    table = sit_down(GAME, shares=(True, True))
    made = table.take_command(Abort(seat))
    assert [type(event) for event in made] == [Cancelled, SeedRevealed]
    assert (table.match.status, table.match.outcome, table.match.discarded_by) == ("over", None, (f"p{seat}",))
    assert_log_verifies(table)


def test_a_player_who_has_moved_cannot_abort() -> None:
    table = sit_down(GAME)
    table.take_command(mark(0, 4))
    assert refusal(table, Abort(0), EPOCH + hours(1)) == "moved_already"
    assert_log_verifies(table)
    table.take_command(Abort(1))
    assert table.match.discarded_by == ("p1",)


def test_a_player_who_has_resigned_cannot_abort_the_match_of_the_others() -> None:
    table = sit_down(PIE, seats=3)
    table.take_command(Play(0, {"type": "resign"}))
    assert refusal(table, Abort(0), EPOCH + LIMIT) == "moved_already"


def test_a_rated_match_cannot_be_aborted_once_its_luck_is_open() -> None:
    table = rated_match()
    for seat in (0, 1):
        assert refusal(table, Abort(seat), since(table) + hours(1)) == "rated"
        assert refusal(table, Abort(seat), since(table) + 2 * LIMIT) == "rated"


def test_a_match_against_bots_is_aborted_at_no_cost() -> None:
    table = sit_down(GAME)
    table.take_command(HandOver(1, "greedy"))
    table.take_command(Abort(0))
    assert table.match.discarded_by == ()


def test_a_player_who_takes_over_a_seat_cannot_abort_the_match() -> None:
    """Given a match in progress, when someone takes over a seat, then they can't end it for the others."""
    table = sit_down(GAME)
    table.take_command(OfferSeat(0))
    table.take_command(TakeOver(0, "eve", table.match.ply))
    assert refusal(table, Abort(0), EPOCH + hours(1)) == "moved_already"


def test_an_aborted_match_accepts_no_more_commands() -> None:
    table = sit_down(GAME)
    table.take_command(Abort(0))
    assert refusal(table, Abort(1), EPOCH + hours(1)) == "match_cancelled"
    assert refusal(table, mark(0, 4), EPOCH + hours(1)) == "match_cancelled"


# -- absent players in unrated matches ----------------------------------------------------------------------------


def test_the_others_can_end_an_unrated_match_of_an_absent_player() -> None:
    """Given a player who took the last seat and never moved, then the other one ends the match after 3 days."""
    table = sit_down(GAME)
    table.take_command(Abort(1), EPOCH + LIMIT)
    event = table.events[-2]
    assert isinstance(event, Cancelled)
    assert (event.reason, event.seat, event.seats, table.match.discarded_by) == ("absent", 1, (0,), ())
    assert_log_verifies(table)


def test_a_player_who_has_moved_can_end_the_match_of_an_absent_player() -> None:
    table = sit_down(GAME)
    table.take_command(mark(0, 4))
    at = since(table) + LIMIT
    assert refusal(table, Abort(0), at - SECOND) == "moved_already"
    table.take_command(Abort(0), at)
    assert table.match.status == "over"
    assert_log_verifies(table)


def test_players_are_not_absent_from_their_own_second_seat() -> None:
    """Given a player who holds both seats, then their own idle seat is no reason to end the match."""
    luck = secrets_of(GAME, "alone", match="m01")
    seats = (SeatSpec("human", player="ann"),) * 2
    made = create(Create(match="m01", game=GAME.slug, creator="ann", options={}, seats=seats), EPOCH, luck)
    table = Table(luck, made.match, list(made.events))
    assert absent_seats(table.match, EPOCH + LIMIT) == (0,)
    assert absent_seats(table.match, EPOCH + LIMIT, asking=1) == ()
    table.take_command(mark(0, 4))
    assert refusal(table, Abort(1), EPOCH + LIMIT) == "moved_already"


def test_a_bot_can_replace_an_absent_player() -> None:
    table = sit_down(GAME)
    asked = Propose(seat=1, what="hand_over", of=0, level="greedy")
    assert refusal(table, asked, EPOCH + LIMIT - SECOND) == "not_lapsed"
    made = table.take_command(asked, EPOCH + LIMIT)
    assert isinstance(made[-1], HandedOver)
    assert table.match.seats[0].level == "greedy"
    assert_log_verifies(table)


def test_an_invited_player_can_replace_an_absent_one_and_has_time_for_a_first_move() -> None:
    table = sit_down(GAME)
    made = table.take_command(Propose(seat=1, what="hand_over", of=0), EPOCH + LIMIT)
    assert isinstance(made[-1], SeatOffered)
    table.take_command(TakeOver(0, "cid", table.match.ply), EPOCH + LIMIT + hours(1))
    assert first_move_deadline(table.match, 0) == EPOCH + LIMIT + hours(1) + LIMIT
    assert_log_verifies(table)


def test_a_first_move_ends_the_absence() -> None:
    table = sit_down(GAME)
    table.take_command(mark(0, 4), EPOCH + 2 * LIMIT)
    assert refusal(table, Propose(seat=1, what="hand_over", of=0), EPOCH + 3 * LIMIT) == "not_lapsed"


# -- absent players in rated matches ------------------------------------------------------------------------------


def test_a_seat_that_never_moved_loses_a_rated_match() -> None:
    table = rated_match()
    at = since(table) + LIMIT
    assert refusal(table, ClaimLoss(1, 0), at - SECOND) == "not_absent"
    made = table.take_command(ClaimLoss(1, 0), at + hours(5))
    assert [type(event) for event in made] == [Expired, Moved, Ended, SeedRevealed]
    assert isinstance(made[0], Expired)
    assert (made[0].by, made[0].deadline) == (1, at)
    assert table.match.outcome is not None
    assert table.match.outcome.winners == (1,)
    assert_log_verifies(table)


def test_a_rated_match_without_a_clock_that_still_runs_can_be_claimed() -> None:
    """Given a rated match from before time limits were required, then an absent player can't keep it open forever."""
    table = rated_match(None)
    table.take_command(ClaimLoss(1, 0), since(table) + LIMIT)
    assert table.match.status == "over"
    assert_log_verifies(table)


def test_the_others_play_on_after_a_claim() -> None:
    table = sit_down(PIE, seats=3, rated=True, clock=LONG_BANK, shares=(True,) * 3)
    (late, *_) = sorted(table.match.to_move)
    asking = (late + 1) % 3
    table.take_command(ClaimLoss(asking, late), since(table) + LIMIT)
    assert table.match.status == "playing"
    assert table.match.seats[late].has_resigned
    assert late not in table.match.to_move
    assert_log_verifies(table)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (ClaimLoss(0, 1), "not_absent"),
        (ClaimLoss(0, 0), "own_seat"),
        (ClaimLoss(1, 7), "no_such_seat"),
        (Propose(seat=1, what="hand_over", of=0, level="greedy"), "rated"),
    ],
)
def test_other_claims_are_refused(command: Any, code: str) -> None:
    table = rated_match()
    assert refusal(table, command, since(table) + LIMIT) == code


def test_an_unrated_loss_cannot_be_claimed() -> None:
    assert refusal(sit_down(GAME), ClaimLoss(1, 0), EPOCH + LIMIT) == "not_rated"


def test_a_clock_that_has_run_out_comes_before_a_claim() -> None:
    table = rated_match(DAILY)
    assert refusal(table, ClaimLoss(1, 0), since(table) + LIMIT) == "time_is_up"
