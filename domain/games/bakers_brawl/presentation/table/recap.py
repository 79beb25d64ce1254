"""What has happened since the reader's last move, turn by turn, with the cells to look at."""

from typing import Any

import msgspec

from domain.games.bakers_brawl.rules.facts import IngredientPlaced, OrderCompleted
from domain.games.bakers_brawl.rules.parts import COLOURS
from domain.kernel.events import Moved
from domain.kernel.table import TableContext


class RecapMove(msgspec.Struct, frozen=True):
    """One move of one seat in words; `cells` are those that it touched."""

    ply: int
    seat: str
    lines: tuple[str, ...]
    cells: tuple[str, ...]


class Recap(msgspec.Struct, frozen=True):
    """The last deeds, oldest first."""

    title: str
    deeds: tuple[RecapMove, ...]


def build_recap(context: TableContext) -> Recap | None:
    """What the others did since the reader's last move, or the last round where the reader has no seat."""
    moved = context.moves
    if context.seat in context.view.to_move:
        moved = drop_current_turn(moved, context.seat)
    title, shown = context.recap(moved, most=context.view.players)
    return Recap(title, tuple(describe_event(context, event) for event in shown)) if shown else None


def drop_current_turn(moved: list[Moved[Any, Any]], seat: int | None) -> list[Moved[Any, Any]]:
    """The events without the seat's own at the end: the first half of a turn that still waits for the other half."""
    others = [n for n, event in enumerate(moved) if event.seat != seat]
    return moved[: others[-1] + 1] if others else []


def describe_event(context: TableContext, event: Moved[Any, Any]) -> RecapMove:
    """One event."""
    touched: dict[str, None] = {}
    for fact in event.facts:
        match fact:
            case IngredientPlaced(cell=cell):
                touched[cell] = None
            case OrderCompleted(cells=cells):
                touched |= dict.fromkeys(cells)
            case _:
                pass
    return RecapMove(event.ply, COLOURS[event.seat], tuple(context.game.tell(event.facts)), tuple(touched))
