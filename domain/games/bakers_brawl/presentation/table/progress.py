"""Progress of the Orders in the Line: the largest connected part of each that is on the board."""

import msgspec
from msgspec import UnsetType

from domain.games.bakers_brawl.presentation.narration import ingredient_name
from domain.games.bakers_brawl.rules.components import NEEDS, ORDERS
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.orders import Grid, largest_part
from domain.games.bakers_brawl.rules.parts import LINE_LIMIT
from domain.kernel.table import TableContext


class Need(msgspec.Struct, frozen=True):
    """An ingredient of an Order, its cell (empty if it is missing) and whether the reader has one."""

    kind: str
    name: str
    cell: str
    mine: bool


class OrderProgress(msgspec.Struct, frozen=True):
    """An Order in the Line and its progress."""

    order: str
    name: str
    category: str
    top: int
    bottom: int
    needs: tuple[Need, ...]
    cells: tuple[str, ...]
    last_chance: bool


def order_progress(context: TableContext) -> list[OrderProgress]:
    """Return the progress of the Orders in the Line, oldest first."""
    view: View = context.view
    grid, mine = Grid(view.board, view.board_size), own_kinds(context)
    found = []
    for n, order_id in enumerate(view.order_line):
        order, part = ORDERS[order_id], largest_part(grid, NEEDS[order_id])
        placed = {view.board[cell].ingredient: cell for cell in part}
        needs = tuple(Need(kind, ingredient_name(kind), placed.get(kind, ""), kind in mine) for kind in order.need)
        full = n == 0 and len(view.order_line) == LINE_LIMIT
        found.append(OrderProgress(order_id, order.name, order.category, order.top, order.bottom, needs, part, full))
    return found


def own_kinds(context: TableContext) -> frozenset[str]:
    """Return the ingredients that the reader could place."""
    if context.seat is None:
        return frozenset()
    own = context.view.seats[context.seat]
    return frozenset((*own.basics, *(() if isinstance(own.hand, UnsetType) else own.hand)))
