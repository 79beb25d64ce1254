"""Opening the shares of a full table (luck protocol 2, level `sealed`).

While shares are being opened, nobody can sit down, leave or cancel: if a seat that has opened could be filled again,
the server could choose the luck. The match starts when the last share is opened. If someone does not open in time, or
reports their share as lost, the match is cancelled, and the event names their seats.
"""

from datetime import datetime

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent, Cancelled, ShareOpened
from domain.kernel.game import Seat
from domain.kernel.luck import is_share, share_seal, table_hash
from domain.kernel.refusals import MatchRefused
from domain.match.clock import is_opening_overdue, opening_deadline
from domain.match.commands import LoseShare, OpenShare
from domain.match.event_recorder import EventRecorder
from domain.match.guards import require_not_cancelled
from domain.match.luck import revelation, unopened_seats
from domain.match.start import start_events_if_full
from domain.match.state import AnyMatch


def open_share(record: EventRecorder, command: OpenShare, now: datetime, luck: Luck) -> None:
    """Open a player's share, for every seat that they sealed with it. The match starts when all shares are open.

    Raises MatchRefused.
    """
    match = record.match
    sealed = require_own_seals(match, command.player)
    require_share_form(command.share)
    if command.table != full_table_hash(match):
        raise MatchRefused(
            "table_differs",
            "Your table differs from the table of this match. Don't open your share. Compare the commitment and the "
            "seals with those that the other players see.",
        )
    fitting = tuple(seat for seat in sealed if seal_of(match, seat, command.share) == match.seats[seat].seal)
    if not fitting:
        raise MatchRefused("share_does_not_fit", "This share doesn't match the seal that you sent for your seat.")
    for seat in require_unopened(match, fitting):
        opened: AnyEvent = ShareOpened(
            ply=record.match.ply + 1,
            seat=seat,
            at=now,
            first_fact=match.fact_count,
            share=command.share,
            table=command.table,
        )
        record.emit(opened)
    start_events_if_full(record, now, luck)


def seal_of(match: AnyMatch, seat: Seat, share: str) -> str:
    """Return the seal of a share for a seat of this match."""
    return share_seal(match.id, seat, match.commitment, share)


def lose_share(match: AnyMatch, command: LoseShare, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Return the events that cancel a match because a player reports their share as lost.

    A player who has opened their share can't discard the match. Raises MatchRefused.
    """
    seats = require_unopened(match, require_own_seals(match, command.player))
    event: AnyEvent = Cancelled(ply=match.ply + 1, at=now, first_fact=match.fact_count, reason="lost", seats=seats)
    return cancellation_events(match, event, luck)


def cancel_unopened(match: AnyMatch, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Return the events that cancel a match because someone did not open their share in time."""
    if not is_opening_overdue(match, now):
        raise MatchRefused("not_due", "Players can still open their shares.")
    event: AnyEvent = Cancelled(
        ply=match.ply + 1, at=now, first_fact=match.fact_count, reason="not_opened", seats=unopened_seats(match)
    )
    return cancellation_events(match, event, luck)


def cancellation_events(match: AnyMatch, event: AnyEvent, luck: Luck) -> list[AnyEvent]:
    """Return the end of a match that never started, and its secrets."""
    return [event, revelation(match, match.ply + 2, event.at, luck)]


def full_table_hash(match: AnyMatch) -> str:
    """Return the hash of a full table, which every player states when opening a share."""
    return table_hash(match.id, match.commitment, [seat.seal for seat in match.seats])


def require_own_seals(match: AnyMatch, player: str) -> tuple[Seat, ...]:
    """Return the seats that the player has sealed, if shares are being opened. Raise MatchRefused."""
    if player in match.discarded_by and was_cancelled_at_deadline(match):
        raise MatchRefused("time_is_up", "The time for opening the shares is over, so the match was cancelled.")
    require_not_cancelled(match)
    if match.status not in ("open", "opening"):
        raise MatchRefused("already_started", "The match has already started. All shares are open.")
    sealed = tuple(seat for seat in match.seats_of(player) if match.seats[seat].seal is not None)
    if not sealed:
        raise MatchRefused("not_your_seal", "You have no seal in this match, so you have no share to open.")
    if match.status == "open":
        raise MatchRefused("not_full", "A seat is still open. Keep your share until all seats are taken.")
    return sealed


def require_unopened(match: AnyMatch, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return those seats whose share is not open. Raise MatchRefused `already_open` if there are none."""
    unopened = tuple(seat for seat in seats if match.seats[seat].share is None)
    if not unopened:
        raise MatchRefused(
            "already_open", "You have already opened your share. The match starts when all shares are open."
        )
    return unopened


def was_cancelled_at_deadline(match: AnyMatch) -> bool:
    """Return whether the match was cancelled because shares were not opened in time."""
    until = opening_deadline(match)
    return match.status == "over" and until is not None and until <= match.last_event_at


def require_share_form(share: str) -> None:
    """Refuse a share that is not well-formed. Raise MatchRefused."""
    if not is_share(share):
        raise MatchRefused("bad_share", "A share has 64 lower-case hex digits, not all of them zero.")
