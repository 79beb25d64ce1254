"""The moves since the reader's last move, as narration and dice."""

from collections.abc import Iterator

import msgspec

from domain.games.battle_of_the_bakeries.presentation.narration import tell
from domain.games.battle_of_the_bakeries.rules.facts import DieRolled
from domain.kernel.events import AnyEvent
from domain.kernel.table import TableContext

SPECTATOR_PLIES = 3
"""Number of recent plies shown to a spectator, who has no last move."""


class RecapEvent(msgspec.Struct, frozen=True):
    """The narration of one ply, and the dice rolled in it."""

    ply: int
    dice: tuple[int, ...]
    lines: tuple[str, ...]


def recent_events(context: TableContext) -> list[RecapEvent]:
    """Return the reader's last move and everything after it, oldest first."""
    moved = context.moves
    own = [n for n, event in enumerate(moved) if event.seat == context.seat]
    recent = moved[-SPECTATOR_PLIES:] if context.seat is None else moved[own[-1] if own else 0 :]
    return [RecapEvent(event.ply, tuple(rolled_faces(event)), tuple(tell(event.facts))) for event in recent]


def rolled_faces(event: AnyEvent) -> Iterator[int]:
    """Yield the faces rolled in an event."""
    for fact in event.facts:
        if isinstance(fact, DieRolled):
            yield fact.value
        yield from getattr(fact, "dice", ())
