"""The moves since the reader's last move."""

from collections.abc import Sequence
from typing import Any

import msgspec

from domain.games.pie_contest.presentation.narration import baker_name
from domain.kernel.events import Moved
from domain.kernel.table import TableContext


class RecapMove(msgspec.Struct, frozen=True):
    """A move of a seat and its results, as sentences."""

    ply: int
    seat: str
    lines: tuple[str, ...]


class Recap(msgspec.Struct, frozen=True):
    """The latest moves, oldest first."""

    title: str
    deeds: tuple[RecapMove, ...]


def build_recap(context: TableContext) -> Recap | None:
    """Return the moves since the reader's last move, or the last round for spectators. None without any."""
    title, shown = context.recap(context.moves, most=len(context.view.seats))
    return Recap(title, describe_events(context, shown)) if shown else None


def describe_events(context: TableContext, events: Sequence[Moved[Any, Any]]) -> tuple[RecapMove, ...]:
    """Return the events that have sentences."""
    narrated = ((event, tuple(context.game.tell(event.facts))) for event in events)
    return tuple(RecapMove(event.ply, baker_name(event.seat), lines) for event, lines in narrated if lines)
