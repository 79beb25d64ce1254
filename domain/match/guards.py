"""Checks that several commands share. Each raises MatchRefused."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from domain.kernel.game import AnyGame, Seat
from domain.kernel.refusals import MatchRefused
from domain.match.durations import format_duration
from domain.match.state import AnyMatch

MAX_FACTS_PER_EVENT = 1_000
"""The most facts that one move or start may have; the built-in games need up to about 100.

More than that would slow down every later reader of the match, and indicates a bug in the rules."""
MatchLookup = Callable[[int], AnyMatch]
"""Returns the match as it was at an earlier ply."""


def require_fact_limit(game: AnyGame, facts: Sequence[Any]) -> tuple[Any, ...]:
    """Return the facts of one decision. Raise MatchRefused `too_many_facts` if there are too many."""
    if len(facts) > MAX_FACTS_PER_EVENT:
        raise MatchRefused(
            "too_many_facts",
            f"{game.title} can't process this: it would add {len(facts)} facts at once, "
            f"and the maximum is {MAX_FACTS_PER_EVENT}. Nothing has changed. "
            "This is a fault in the game's rules or in the starting position.",
        )
    return tuple(facts)


def earlier_match(match: AnyMatch, ply: int | None, past: MatchLookup | None) -> AnyMatch | None:
    """Return the match at an earlier ply, or None if no existing ply is named. Raise ValueError without `past`."""
    if ply is None or not 1 <= ply <= match.ply:
        return None
    if past is None:
        raise ValueError("a command that names an earlier ply needs `past`")
    return past(ply)


def require_open(match: AnyMatch) -> None:
    """Refuse a command that is only possible before the start."""
    require_not_cancelled(match)
    require_not_opening(match)
    if match.status != "open":
        raise MatchRefused(
            "already_started", "The match has already started: its seats are fixed, and it can't be cancelled."
        )


def require_not_opening(match: AnyMatch) -> None:
    """Refuse a command that would change the table while players open their shares."""
    if match.status == "opening":
        raise MatchRefused(
            "opening", "All seats are taken, and the players are opening their shares. The match starts after that."
        )


def require_not_cancelled(match: AnyMatch) -> None:
    """Refuse a command for a match that was cancelled before it started."""
    if match.status == "over" and match.outcome is None and not match.annulled:
        raise MatchRefused("match_cancelled", "The match was cancelled.")


def require_existing_seat(match: AnyMatch, seat: Seat) -> None:
    """Refuse a seat that the match does not have."""
    if not 0 <= seat < len(match.seats):
        raise MatchRefused("no_such_seat", f"There is no such seat. This match has seats 0 to {len(match.seats) - 1}.")


def require_move_after(match: AnyMatch, ply: int | None, past: MatchLookup | None) -> None:
    """Refuse a takeback to a ply that no move follows. Raise MatchRefused `no_such_move`."""
    if ply is None or not 1 <= ply < match.ply:
        return
    then, next_one = earlier_match(match, ply, past), earlier_match(match, ply + 1, past)
    assert then is not None, "the ply exists"
    assert next_one is not None, "the next ply exists"
    if then.status != "playing" or next_one.draw_count == then.draw_count:
        raise MatchRefused(
            "no_such_move",
            "There is no move to undo there. Choose the move just before the one that you want to undo.",
        )


def require_playing(match: AnyMatch) -> None:
    """Refuse a command that is only possible while the match is being played."""
    require_not_opening(match)
    if match.status != "playing":
        raise MatchRefused("not_playing", "You can only do this while the match is being played.")


def require_duration_in_range(what: str, seconds: int, least: int, most: int) -> None:
    """Raise MatchRefused `bad_clock` if a duration is out of range."""
    if not least <= seconds <= most:
        raise MatchRefused("bad_clock", f"{what} must be between {format_duration(least)} and {format_duration(most)}.")


def require_unretracted_ply(match: AnyMatch, ply: int) -> None:
    """Refuse a ply that does not exist or was taken back."""
    if not 1 <= ply <= match.ply:
        raise MatchRefused("no_such_ply", f"There is no such move. This match has moves 1 to {match.ply}.")
    if is_retracted(match, ply):
        raise MatchRefused("ply_retracted", f"Move {ply} was undone. Choose another move.")


def is_retracted(match: AnyMatch, ply: int) -> bool:
    """Return whether a ply was taken back.

    A match never goes back to a retracted ply, so each span lies after the previous ones or contains them. Searching
    only the outermost spans, from the last one, keeps this fast in a match with many takebacks.
    """
    spans, end = match.retracted_spans, len(match.retracted_spans)
    while end and ply <= spans[end - 1].last:
        outer = spans[end - 1]
        if outer.first <= ply:
            return True
        end = bisect_left(spans, outer.first, hi=end - 1, key=attrgetter("last"))
    return False


MAX_REQUESTS_BETWEEN_MOVES = 20
"""The most proposals and offers that one seat may make between two moves."""


def require_request_limit(match: AnyMatch, seat: Seat) -> None:
    """Raise MatchRefused if the seat has made too many proposals and offers since the last move.

    Every request stays in the log forever, and every audit of the match reads it.
    """
    if match.seats[seat].request_count >= MAX_REQUESTS_BETWEEN_MOVES:
        raise MatchRefused(
            "asked_too_often",
            f"This seat has made {MAX_REQUESTS_BETWEEN_MOVES} requests and offers since the last move, the maximum. "
            "Try again after the next move.",
        )
