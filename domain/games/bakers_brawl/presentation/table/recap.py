"""What has happened since the reader's last move, turn by turn, with the cells to look at."""

from typing import Any

import msgspec

from domain.games.bakers_brawl.rules.model import COLOURS, IngredientPlaced, OrderCompleted
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


def build_recap(sight: TableContext) -> Recap | None:
    """What the others did since the reader's last move, or the last round where the reader has no seat."""
    moved = sight.moves
    if sight.seat in sight.view.to_move:
        moved = drop_current_turn(moved, sight.seat)
    behind = events_since_own(moved, sight.seat)
    if behind:
        return Recap("Since your last move", tuple(describe_event(sight, event) for event in behind))
    title = "Your last move" if moved and moved[-1].seat == sight.seat else "The last moves"
    last = moved[-1:] if title == "Your last move" else moved[-sight.view.players :]
    return Recap(title, tuple(describe_event(sight, event) for event in last)) if last else None


def drop_current_turn(moved: list[Moved[Any, Any]], seat: int | None) -> list[Moved[Any, Any]]:
    """The events without the seat's own at the end: the first half of a turn that still waits for the other half."""
    others = [n for n, event in enumerate(moved) if event.seat != seat]
    return moved[: others[-1] + 1] if others else []


def events_since_own(moved: list[Moved[Any, Any]], seat: int | None) -> list[Moved[Any, Any]]:
    """The events behind the seat's own last one; none where there is no own one in sight."""
    own = [n for n, event in enumerate(moved) if event.seat == seat]
    return moved[own[-1] + 1 :] if own else []


def describe_event(sight: TableContext, event: Moved[Any, Any]) -> RecapMove:
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
    return RecapMove(event.ply, COLOURS[event.seat], tuple(sight.game.tell(event.facts)), tuple(touched))
