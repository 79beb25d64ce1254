"""Draws the Order Line."""

from domain.games.bakers_brawl.presentation.layout import INNER, ORDER_ROW
from domain.games.bakers_brawl.presentation.narration import ingredient_name
from domain.games.bakers_brawl.presentation.pictures import (
    MARKS,
    icon,
    label,
)
from domain.games.bakers_brawl.presentation.text import warning
from domain.games.bakers_brawl.rules.components import (
    ORDERS,
)
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.parts import LINE_LIMIT
from domain.kernel.svg import CREAM, CRUST, Number, element, group, tooltip

CHECK = '<path d="M-6 0l4 6l8-12" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/>'
CUBE = '<path d="M-6-2h10v10h-10zM-6-2l3-4h10l-3 4M7-6v10l-3 4" fill="none" stroke="#fff" stroke-width="2.2"/>'


def order_line(view: View) -> str:
    """Draw the five places, oldest Order at the top, and the boss's count."""
    full = bool(warning(view))
    rows = [group(0, 42 + n * ORDER_ROW, order_place(view, n, is_next=full and n == 0)) for n in range(LINE_LIMIT)]
    heading = "Line full: the top Order is next to go" if full else "Orders, oldest first"
    return "".join((label(4, 26, heading, 20 if full else 22, font_weight=700), boss_counter(view), *rows))


def boss_counter(view: View) -> str:
    """Draw the count of Orders made by the head of the bakery, and the limit."""
    limit, made = view.options.boss_limit, len(view.boss_pile)
    places = [
        element("circle", cx=INNER - 16 - (limit - 1 - n) * 27, cy=18, r=11, fill="#8c2f1b" if n < made else CREAM,
                stroke="#5a3320", stroke_width=2.5)
        for n in range(limit)
    ]  # fmt: skip
    caption = label(INNER - 38 - (limit - 1) * 27, 26, f"Boss {made} of {limit}", 22, text_anchor="end")
    return element("g", tooltip(f"The head of the bakery has made {made} of {limit} Orders."), caption, *places)


def order_place(view: View, n: int, *, is_next: bool) -> str:
    """Draw a place in the Line, with its Order if there is one."""
    frame = {"width": INNER, "height": ORDER_ROW - 8, "rx": 12}
    if n >= len(view.order_line):
        return element("rect", **frame, fill="none", stroke=CRUST, stroke_width=2, stroke_dasharray="8 8")
    order = ORDERS[view.order_line[n]]
    needs = [element("g", tooltip(ingredient_name(kind)), icon(kind, 0, 0, 0.84),
                     transform=f"translate({292 + i * 49} 27)")
             for i, kind in enumerate(order.need)]  # fmt: skip
    last = (
        "The oldest: it goes to the head of the bakery after this round unless an Order is completed."
        if is_next
        else ""
    )
    caption = f"{order.name}, {order.category}. {order.top} for completing, {order.bottom} for the most labor. {last}"
    return element(
        "g",
        tooltip(caption.strip()),
        element("rect", **frame, fill="#fde0cf" if is_next else CREAM, stroke="#8c2f1b" if is_next else CRUST,
                stroke_width=4 if is_next else 2),
        group(24, 27, MARKS[order.category], scale=1.2),
        wrap_order_name(order.name),
        *needs,
        number_badge(INNER - 86, order.top, "#7a3b12", CHECK),
        number_badge(INNER - 32, order.bottom, "#3f5d27", CUBE),
        data_order=order.id,
        class_="order",
    )  # fmt: skip


def wrap_order_name(words: str) -> str:
    """Draw a name on one line if it fits, otherwise on two."""
    if len(words) <= 17:
        return label(46, 35, words, 22, font_weight=700)
    first, last = words.rsplit(" ", 1)
    return label(46, 24, first, 20, font_weight=700) + label(46, 46, last, 20, font_weight=700)


def number_badge(x: Number, points: int, colour: str, mark: str) -> str:
    """Draw one of the two numbers of an Order, with its mark."""
    return "".join(
        (
            element("rect", x=x - 24, y=6, width=48, height=42, rx=10, fill=colour),
            label(x - 9, 36, str(points), 27, fill="#fff", text_anchor="middle", font_weight=700),
            group(x + 11, 27, mark),
        )
    )
