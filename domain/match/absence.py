"""Players who never make a first move: who counts as absent, and whose seat can be handed over because of that."""

from datetime import datetime, timedelta

from domain.kernel.events import TimeControl
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.durations import DAY
from domain.match.state import AnyMatch

FIRST_MOVE_SECONDS = 3 * DAY
"""Minimum time for a seat's first move, counted from when the others start to wait for it."""
NOT_LAPSED = (
    "This seat has not run out of time, and its player has moved or still has time for a first move. "
    "Only its player can hand it over."
)


def first_move_seconds(plan: TimeControl | None) -> int:
    """Return how many seconds a seat has for its first move, even in a match without a clock."""
    per_move = plan.seconds if plan is not None and plan.kind == "per_move" else 0
    return max(FIRST_MOVE_SECONDS, per_move)


def first_move_deadline(match: AnyMatch, seat: Seat) -> datetime | None:
    """Return when the seat becomes absent, or None if it does not: it has moved, owes no move, or the match is
    paused."""
    state = match.seats[seat]
    if state.kind != "human" or state.has_moved or seat not in match.to_move or state.standin is not None:
        return None
    return end_of_wait(match)


def end_of_wait(match: AnyMatch) -> datetime | None:
    """Return when a seat becomes absent if it has owed its first move since the last event, or None during a pause."""
    if match.waiting_since is None or match.paused:
        return None
    return match.waiting_since + timedelta(seconds=first_move_seconds(match.time_control))


def is_absent(match: AnyMatch, seat: Seat, now: datetime) -> bool:
    """Return whether the player of this seat has not made a first move in time."""
    state = match.seats[seat]
    if match.status != "playing" or state.kind != "human" or state.has_moved:
        return False
    deadline = first_move_deadline(match, seat)
    return state.has_timed_out or (deadline is not None and deadline <= now)


def absent_seats(match: AnyMatch, now: datetime, asking: Seat | None = None) -> tuple[Seat, ...]:
    """Return the absent seats. The seats of the player who is `asking` don't count."""
    player = None if asking is None else match.seats[asking].player
    return tuple(
        seat for seat, state in enumerate(match.seats) if state.player != player and is_absent(match, seat, now)
    )


def require_replaceable(match: AnyMatch, seat: Seat, now: datetime) -> None:
    """Refuse to hand over a seat whose player has neither run out of time nor missed the first move.

    Raises MatchRefused `not_lapsed` or `rated`.
    """
    if match.seats[seat].has_timed_out:
        return
    if not is_absent(match, seat, now):
        raise MatchRefused("not_lapsed", NOT_LAPSED)
    if match.was_created_rated:
        raise MatchRefused(
            "rated", "You can't hand over a seat in a rated match. You can claim the loss of this player instead."
        )
