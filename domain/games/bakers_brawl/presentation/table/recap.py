"""The recap: moves since the reader's last turn, with the cells they changed."""

from typing import Any

import msgspec

from domain.games.bakers_brawl.rules.facts import IngredientPlaced, OrderCompleted
from domain.games.bakers_brawl.rules.parts import COLOURS
from domain.kernel.events import Moved
from domain.kernel.table import TableContext


class RecapMove(msgspec.Struct, frozen=True):
    """The narration of one move; `cells` are those that it changed."""

    ply: int
    seat: str
    lines: tuple[str, ...]
    cells: tuple[str, ...]


class Recap(msgspec.Struct, frozen=True):
    """The latest moves, oldest first."""

    title: str
    deeds: tuple[RecapMove, ...]


def build_recap(context: TableContext) -> Recap | None:
    """Return the moves since the reader's last one, or the last round if the reader has no seat."""
    moved = context.moves
    if context.seat in context.view.to_move:
        moved = drop_current_turn(moved, context.seat)
    title, shown = context.recap(moved, most=context.view.players)
    return Recap(title, tuple(describe_event(context, event) for event in shown)) if shown else None


def drop_current_turn(moved: list[Moved[Any, Any]], seat: int | None) -> list[Moved[Any, Any]]:
    """Return the events without the seat's own at the end, which belong to its unfinished turn."""
    others = [n for n, event in enumerate(moved) if event.seat != seat]
    return moved[: others[-1] + 1] if others else []


def describe_event(context: TableContext, event: Moved[Any, Any]) -> RecapMove:
    """Return the narration of one event."""
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
