"""What has happened since the reader's last move, move by move."""

from typing import Any

import msgspec

from domain.games.pie_contest.presentation.narration import baker
from domain.kernel.events import Moved
from domain.kernel.table import Sight


class Deed(msgspec.Struct, frozen=True):
    """One move of one seat, and what followed from it, in words."""

    ply: int
    seat: str
    lines: tuple[str, ...]


class Recap(msgspec.Struct, frozen=True):
    """The last deeds, oldest first."""

    title: str
    deeds: tuple[Deed, ...]


def recap(sight: Sight) -> Recap | None:
    """What the others did since the reader's last move, or the last round where the reader has no seat."""
    moved = sight.moves
    behind = since_own(moved, sight.seat)
    if behind:
        return Recap("Since your last move", deeds(sight, behind))
    if moved and moved[-1].seat == sight.seat:
        return Recap("Your last move", deeds(sight, moved[-1:]))
    last = moved[-len(sight.view.seats) :]
    return Recap("The last moves", deeds(sight, last)) if last else None


def since_own(moved: list[Moved[Any, Any]], seat: int | None) -> list[Moved[Any, Any]]:
    """The events behind the seat's own last one; none where there is no own one in sight."""
    own = [n for n, event in enumerate(moved) if event.seat == seat]
    return moved[own[-1] + 1 :] if own else []


def deeds(sight: Sight, events: list[Moved[Any, Any]]) -> tuple[Deed, ...]:
    """The events in words."""
    told = ((event, tuple(sight.game.tell(event.facts))) for event in events)
    return tuple(Deed(event.ply, baker(event.seat), lines) for event, lines in told if lines)
