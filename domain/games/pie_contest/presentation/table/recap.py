"""What has happened since the reader's last move, move by move."""

from typing import Any

import msgspec

from domain.games.pie_contest.presentation.narration import baker_name
from domain.kernel.events import Moved
from domain.kernel.table import TableContext


class RecapMove(msgspec.Struct, frozen=True):
    """One move of one seat, and what followed from it, in words."""

    ply: int
    seat: str
    lines: tuple[str, ...]


class Recap(msgspec.Struct, frozen=True):
    """The last deeds, oldest first."""

    title: str
    deeds: tuple[RecapMove, ...]


def build_recap(sight: TableContext) -> Recap | None:
    """What the others did since the reader's last move, or the last round where the reader has no seat."""
    moved = sight.moves
    behind = events_since_own(moved, sight.seat)
    if behind:
        return Recap("Since your last move", describe_events(sight, behind))
    if moved and moved[-1].seat == sight.seat:
        return Recap("Your last move", describe_events(sight, moved[-1:]))
    last = moved[-len(sight.view.seats) :]
    return Recap("The last moves", describe_events(sight, last)) if last else None


def events_since_own(moved: list[Moved[Any, Any]], seat: int | None) -> list[Moved[Any, Any]]:
    """The events behind the seat's own last one; none where there is no own one in sight."""
    own = [n for n, event in enumerate(moved) if event.seat == seat]
    return moved[own[-1] + 1 :] if own else []


def describe_events(sight: TableContext, events: list[Moved[Any, Any]]) -> tuple[RecapMove, ...]:
    """The events in words."""
    told = ((event, tuple(sight.game.tell(event.facts))) for event in events)
    return tuple(RecapMove(event.ply, baker_name(event.seat), lines) for event, lines in told if lines)
