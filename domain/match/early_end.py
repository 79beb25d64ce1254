"""Matches that end early: a player aborts an unrated match, or ends it or claims a loss because a player is absent.

If a seat is absent, any other player can end an unrated match, or claim the seat's loss in a rated one. A player who
has not moved yet can abort an unrated match for any reason.
"""

from datetime import datetime
from typing import Any

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent, Cancelled, Expired
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.absence import FIRST_MOVE_SECONDS, absent_seats, first_move_deadline
from domain.match.commands import Abort, ClaimLoss
from domain.match.durations import format_duration
from domain.match.event_recorder import EventRecorder
from domain.match.guards import require_existing_seat, require_not_cancelled, require_playing
from domain.match.opening import cancellation_events
from domain.match.play import resign
from domain.match.state import AnyMatch


def is_abort_costly(match: AnyMatch, seat: Seat) -> bool:
    """Return whether an abort by this seat counts against its player: other people play, and the luck is known."""
    others = {state.player for state in match.seats if state.kind == "human"} - {match.seats[seat].player}
    return bool(others) and match.status == "playing"


def may_abort(match: AnyMatch, seat: Seat) -> bool:
    """Return whether the player of this seat can still abort the match: it is unrated, and they have not moved."""
    player = match.seats[seat].player
    if match.status != "playing" or match.was_created_rated or player is None:
        return False
    own = (match.seats[number] for number in match.seats_of(player))
    return not any(state.has_moved or state.has_resigned or state.former_players for state in own)


def abort(match: AnyMatch, command: Abort, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Return the events that end a match early. If another seat is absent, the abort doesn't count as the player's own.

    Raises MatchRefused `rated` or `moved_already`.
    """
    require_existing_seat(match, command.seat)
    require_not_cancelled(match)
    require_playing(match)
    if match.was_created_rated:
        raise MatchRefused(
            "rated",
            "You can't abort a rated match. If another player never makes a first move, you can claim their loss.",
        )
    if absent := absent_seats(match, now, command.seat):
        return cancellation_events(match, early_end(match, command.seat, now, absent), luck)
    if not may_abort(match, command.seat):
        raise MatchRefused(
            "moved_already",
            "You can only abort a match before your first move. You can resign instead.",
        )
    return cancellation_events(match, early_end(match, command.seat, now, ()), luck)


def early_end(match: AnyMatch, seat: Seat, now: datetime, absent: tuple[Seat, ...]) -> Cancelled[Any, Any]:
    """Return the event that ends a match at the request of a seat, because of absent seats or (none) as its abort."""
    parts: dict[str, Any] = {"ply": match.ply + 1, "seat": seat, "at": now, "first_fact": match.fact_count}
    return Cancelled(**parts, reason="absent", seats=absent) if absent else Cancelled(**parts, reason="aborted")


def claim_loss(record: EventRecorder, command: ClaimLoss, now: datetime, luck: Luck) -> None:
    """Let an absent seat of a rated match resign, because another player claims its loss.

    Raises MatchRefused `no_such_seat`, `not_rated`, `own_seat` or `not_absent`.
    """
    record.emit(claimed_expiry(record.match, command, now))
    resign(record, command.of, now, luck)


def claimed_expiry(match: AnyMatch, command: ClaimLoss, now: datetime) -> Expired[Any, Any]:
    """Return the event of a claim. Its deadline is the end of the time for the first move. Raises MatchRefused."""
    require_existing_seat(match, command.seat)
    require_existing_seat(match, command.of)
    require_not_cancelled(match)
    require_playing(match)
    if not match.was_created_rated:
        raise MatchRefused(
            "not_rated",
            "You can only claim a loss in a rated match. You can end this match, or replace the absent player.",
        )
    if match.seats[command.of].player == match.seats[command.seat].player:
        raise MatchRefused("own_seat", "This is your own seat. You can make a move there or resign.")
    deadline = first_move_deadline(match, command.of)
    if deadline is None or deadline > now:
        raise MatchRefused(
            "not_absent",
            "This player has moved or still has time for a first move, which is at least "
            f"{format_duration(FIRST_MOVE_SECONDS)}. Try again later.",
        )
    return Expired(
        ply=match.ply + 1,
        seat=command.of,
        at=now,
        first_fact=match.fact_count,
        deadline=deadline,
        consequence="resigns",
        level=None,
        by=command.seat,
    )
