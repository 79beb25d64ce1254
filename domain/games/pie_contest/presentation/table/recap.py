"""What has happened since the reader's last move, move by move."""

from collections.abc import Sequence
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


def build_recap(context: TableContext) -> Recap | None:
    """What the others did since the reader's last move, or the last round where the reader has no seat."""
    title, shown = context.recap(context.moves, most=len(context.view.seats))
    return Recap(title, describe_events(context, shown)) if shown else None


def describe_events(context: TableContext, events: Sequence[Moved[Any, Any]]) -> tuple[RecapMove, ...]:
    """The events in words."""
    told = ((event, tuple(context.game.tell(event.facts))) for event in events)
    return tuple(RecapMove(event.ply, baker_name(event.seat), lines) for event, lines in told if lines)
