"""A short recap of events since the reader's last move, for the lobby and for tables without a recap of their own."""

from collections.abc import Sequence

from domain.kernel.events import AnyEvent, Moved, without_retracted
from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from service.app_context import services
from service.matches.seats import seat_to_play
from service.web.match_history import event_lines, stored_events
from service.web.seating import seat_infos

RECAP_PLIES = 20
"""How many plies a recap covers at most."""
RECAP_LINES = 3
"""Number of lines shown. A longer recap begins with a count of what was left out."""


def since_last_move(head: AnyMatch, reader: str) -> list[str]:
    """Return what happened since the reader's last move, oldest first."""
    own = head.seats_of(reader)
    if not own or head.status != "playing":
        return []
    seat = seat_to_play(head, reader)
    events = services().matches.repository.visible_events(head, seat, after=max(0, head.ply - RECAP_PLIES))
    return recap_lines(head, after_own_last_move(events, own), reader)


def after_own_last_move(events: Sequence[AnyEvent], own: Sequence[Seat]) -> list[AnyEvent]:
    """Return the events after the last move of these seats, or all events if they have not moved."""
    kept = without_retracted(events)
    moves = [n for n, event in enumerate(kept) if isinstance(event, Moved) and event.seat in own]
    return kept[moves[-1] + 1 :] if moves else kept


def recap_lines(head: AnyMatch, events: Sequence[AnyEvent], reader: str) -> list[str]:
    """Return the events as text, shortened to the latest lines."""
    table = seat_infos(head, reader)
    words = [line for event in events for line in event_lines(head, event, table, stored_events(head))]
    before = [f"{len(words) - RECAP_LINES} earlier events, then:"] if len(words) > RECAP_LINES + 1 else []
    return [*before, *words[-RECAP_LINES:]] if before else words
