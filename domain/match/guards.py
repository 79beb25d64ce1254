"""Guards: checks that more than one command makes before it is decided. Each raises MatchRefused."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from domain.kernel.game import AnyGame, Seat
from domain.kernel.refusals import MatchRefused
from domain.match.durations import format_duration
from domain.match.state import AnyMatch

MAX_FACTS_PER_EVENT = 1_000
"""So many facts one move or start may have; of the games here the longest has 100 or so. An event with more would be a
burden for ever to everybody who reads the match, and rules that make it have lost count."""
MatchLookup = Callable[[int], AnyMatch]
"""The match as it stood behind an earlier ply."""


def require_fact_limit(game: AnyGame, facts: Sequence[Any]) -> tuple[Any, ...]:
    """The facts of one decision. Raises MatchRefused `too_many_facts` where the rules have lost count."""
    if len(facts) > MAX_FACTS_PER_EVENT:
        raise MatchRefused(
            "too_many_facts",
            f"The rules of {game.title} make {len(facts)} facts of this at once, "
            f"and {MAX_FACTS_PER_EVENT} is the most. Nothing "
            "has happened; it is a fault of these rules, or of the position that the match began from.",
        )
    return tuple(facts)


def earlier_match(match: AnyMatch, ply: int | None, past: MatchLookup | None) -> AnyMatch | None:
    """The match behind a ply of its own; None where none is named or it is not there. Raises ValueError."""
    if ply is None or not 1 <= ply <= match.ply:
        return None
    if past is None:
        raise ValueError("a ruling that names a ply is decided on the match as it stood there")
    return past(ply)


def require_open(match: AnyMatch) -> None:
    """Refuse what can only be done before the start."""
    require_not_cancelled(match)
    if match.status != "open":
        raise MatchRefused("already_started", "The match has started; its seats are fixed.")


def require_not_cancelled(match: AnyMatch) -> None:
    """Refuse what cannot be done any more at a match that never started."""
    if match.status == "over" and match.outcome is None and not match.annulled:
        raise MatchRefused("match_cancelled", "The match was cancelled.")


def require_existing_seat(match: AnyMatch, seat: Seat) -> None:
    """Refuse a seat that the match does not have."""
    if not 0 <= seat < len(match.seats):
        raise MatchRefused("no_such_seat", f"This match has the seats 0 to {len(match.seats) - 1}.")


def require_move_after(match: AnyMatch, ply: int | None, past: MatchLookup | None) -> None:
    """Refuse a takeback to a ply that no move follows. Raises MatchRefused `no_such_move`."""
    if ply is None or not 1 <= ply < match.ply:
        return
    then, next_one = earlier_match(match, ply, past), earlier_match(match, ply + 1, past)
    assert then is not None, "the ply is there"
    assert next_one is not None, "and so is the next"
    if then.status != "playing" or next_one.draw_count == then.draw_count:
        raise MatchRefused(
            "no_such_move", f"No move follows ply {ply}: name the ply just before the move to take back."
        )


def require_playing(match: AnyMatch) -> None:
    """Refuse what makes sense only while the match is played."""
    if match.status != "playing":
        raise MatchRefused("not_playing", "This can be done while the match is being played.")


def require_duration_in_range(what: str, seconds: int, least: int, most: int) -> None:
    """Refuse a length of time outside of its range. Raises MatchRefused `bad_clock`."""
    if not least <= seconds <= most:
        raise MatchRefused("bad_clock", f"{what} is {format_duration(least)} to {format_duration(most)}, in seconds.")


def require_unretracted_ply(match: AnyMatch, ply: int) -> None:
    """Refuse a ply that is not there any more, or not yet."""
    if not 1 <= ply <= match.ply:
        raise MatchRefused("no_such_ply", f"This match has the plies 1 to {match.ply}.")
    if is_retracted(match, ply):
        raise MatchRefused("ply_retracted", f"Ply {ply} was taken back by an earlier ruling.")


def is_retracted(match: AnyMatch, ply: int) -> bool:
    """Whether a ply was taken back.

    Nobody goes back to a ply that was taken back, so a span lies behind an earlier one or takes all of it in. From the
    last one on only the outermost spans are looked at: a match with many takebacks asks this at each of them.
    """
    spans, end = match.retracted_spans, len(match.retracted_spans)
    while end and ply <= spans[end - 1].last:
        outer = spans[end - 1]
        if outer.first <= ply:
            return True
        end = bisect_left(spans, outer.first, hi=end - 1, key=attrgetter("last"))
    return False


MAX_REQUESTS_BETWEEN_MOVES = 20
"""So many questions and offers may come from one seat between two moves."""


def require_request_limit(match: AnyMatch, seat: Seat) -> None:
    """Refuse a seat that has asked and offered again and again while nobody moved. Raises MatchRefused.

    Whatever is asked stays in the log for ever, and every audit of the match reads it.
    """
    if match.seats[seat].request_count >= MAX_REQUESTS_BETWEEN_MOVES:
        raise MatchRefused(
            "asked_too_often",
            f"This seat has asked for or offered something {MAX_REQUESTS_BETWEEN_MOVES} times since the last move, "
            "which is the most. "
            "Behind the next move, of whichever seat, it may ask again.",
        )
