"""Draws the whole table (rules, section 13)."""

from zlib import crc32

from domain.games.bakers_brawl.presentation.board import board
from domain.games.bakers_brawl.presentation.layout import BOARD, BOARD_RIM, LIST_ROW, MARGIN, ORDER_ROW, SEAT_ROW, WIDTH
from domain.games.bakers_brawl.presentation.narration import ingredient_name
from domain.games.bakers_brawl.presentation.order_line import order_line
from domain.games.bakers_brawl.presentation.panels import (
    bakers,
    collected_lists,
    note_block,
    own_cards,
    own_seat,
    store,
)
from domain.games.bakers_brawl.presentation.pictures import (
    label,
    patterns,
    symbols,
    with_id_prefix,
)
from domain.games.bakers_brawl.presentation.text import describe_tile, status, text
from domain.games.bakers_brawl.rules.components import (
    ORDERS,
    Order,
)
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.parts import LINE_LIMIT
from domain.kernel.game import Seat
from domain.kernel.svg import WOOD, element, group, planks

TOP_BAR = 64
LINE = LINE_LIMIT * ORDER_ROW + 52
STORE = 168
OWN_CARDS = 190


def svg(view: View, seat: Seat | None) -> str:
    """Draw the table.

    The page uses these attributes: `[data-cell]` for each cell, `[data-order]` for each Order in the Line,
    `[data-zone][data-card]` for each card in the Pantry (`pantry`) and in the viewer's hand (`hand`), Basics (`basics`)
    and drawn cards (`drawn`), and `[data-zone="deck"]` for the Special deck.
    """
    prefix = id_prefix(view, seat)
    sections = (
        (LINE, order_line(view)),
        (BOARD + BOARD_RIM + 24, board(view, prefix)),
        (STORE, store(view)),
        (SEAT_ROW * view.players + 8, bakers(view, seat, prefix)),
        (OWN_CARDS if own_seat(view, seat) is not None else 0, own_cards(view, seat)),
        *((LIST_ROW * len(lines) + 44, note_block(head, lines)) for head, lines in collected_lists(view)),
    )
    parts, y = [], TOP_BAR
    for height, drawn in sections:
        parts.append(group(MARGIN, y, drawn) if height else "")
        y += height
    drawn = element(
        "svg",
        element("title", f"Baker's Brawl. Round {view.round}. {status(view)}.", id=f"{prefix}-title"),
        element("desc", description(view), id=f"{prefix}-desc"),
        patterns(prefix),
        symbols(),
        element("rect", width=WIDTH, height=y, rx=22, fill=WOOD),
        planks(WIDTH, range(120, y - 20, 120)),
        top_bar(view),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {y}",
        role="img",
        aria_labelledby=f"{prefix}-title {prefix}-desc",
        class_="table bakers-brawl",
        font_family="'Trebuchet MS', 'Segoe UI', Verdana, sans-serif",
    )
    return with_id_prefix(drawn, prefix)


def id_prefix(view: View, seat: Seat | None) -> str:
    """Return the prefix of the ids in the picture, different for every table."""
    return f"bakers-brawl-{crc32(text(view, seat).encode()):08x}"


def description(view: View) -> str:
    """Describe the table in a few sentences for screen readers."""
    orders = "; ".join(f"{order.name}: {', '.join(map(ingredient_name, order.need))}" for order in orders_in_line(view))
    tiles = ". ".join(describe_tile(cell, tile) for cell, tile in view.board.items())
    return f"Orders, oldest first: {orders or 'none'}. On the board: {tiles or 'nothing'}."


def orders_in_line(view: View) -> list[Order]:
    """Return the Orders in the Line."""
    return [ORDERS[order_id] for order_id in view.order_line]


def top_bar(view: View) -> str:
    """Draw the bar with the round and the status."""
    return "".join(
        (
            element("path", d=f"M0 {TOP_BAR - 10}V22A22 22 0 0 1 22 0H{WIDTH - 22}a22 22 0 0 1 22 22V{TOP_BAR - 10}z",
                    fill="#5a3320"),
            label(20, 36, f"Round {view.round}", 24, fill="#fff3dc", font_weight=700),
            label(WIDTH - 20, 36, status(view), 22 if len(status(view)) < 46 else 17, fill="#fff3dc",
                  text_anchor="end"),
        )
    )  # fmt: skip
