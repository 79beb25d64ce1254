"""The table as a picture (rules, section 13): the frame and both bakeries.

The viewer's bakery is at the bottom; spectators see the table from seat 0.
"""

from domain.games.battle_of_the_bakeries.presentation.board import middle_panel
from domain.games.battle_of_the_bakeries.presentation.layout import GAP, MARGIN, WIDTH
from domain.games.battle_of_the_bakeries.presentation.narration import (
    dollars,
    seat_name,
)
from domain.games.battle_of_the_bakeries.presentation.pictures import (
    CHERRY,
    INK,
    MINT,
    MUTED,
    PAPER,
    SHELF,
    SLOT,
    WOOD,
    badge,
    box,
    cake_icon,
    fitted,
    label,
    middle,
    stale_marks,
)
from domain.games.battle_of_the_bakeries.presentation.text import is_sold, prompt, sides
from domain.games.battle_of_the_bakeries.rules.components import (
    BAKERIES,
    CAKE_CARDS,
    FACTORS,
    PRICES,
    SET_COLOURS,
)
from domain.games.battle_of_the_bakeries.rules.model import View
from domain.games.battle_of_the_bakeries.rules.parts import (
    MAX_STALE,
    SLOT_KEYS,
    SLOTS,
    Cake,
)
from domain.games.battle_of_the_bakeries.rules.scoring import sale_amount
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, Number, element, group, tooltip

LAMPS = (("Chefs", ("order", "hire", "last_chance")), ("Stock", ("stock",)), ("Sale", ("sale", "catch_up")))
FONT = "ui-rounded, 'Nunito', 'Trebuchet MS', system-ui, sans-serif"


def svg(view: View, seat: Seat | None) -> str:
    """Return the picture: the opponent's bakery, the board of the phase and the viewer's bakery."""
    top, own = sides(seat)
    parts, y = [header(view)], 128
    parts.append(group(MARGIN, y, bakery(view, top, seat)))
    y += bakery_height(view) + GAP
    board, height = middle_panel(view, own, seat)
    parts.append(group(MARGIN, y, board))
    y += height + GAP
    parts.append(group(MARGIN, y, bakery(view, own, seat)))
    y += bakery_height(view) + MARGIN
    return element(
        "svg",
        tooltip(f"Battle of the Bakeries, round {view.round} of {view.options.rounds}: {prompt(view)}"),
        box(WIDTH, y, 18, fill=PAPER),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {y}",
        role="img",
        class_="board battle-of-the-bakeries",
        font_family=FONT,
    )


def header(view: View) -> str:
    """Return the round, one lamp for each phase, and the prompt."""
    lamps = []
    for n, (words, phases) in enumerate(LAMPS):
        lit = view.phase in phases
        lamps.append(
            group(
                200 + 168 * n,
                16,
                box(160, 40, 20, fill=MINT if lit else SHELF),
                element("circle", cx=21, cy=20, r=9, fill="#ffd76a" if lit else PAPER, stroke=INK, stroke_width=2),
                label(38, 28, words, 21, fill="#ffffff" if lit else INK, font_weight="bold" if lit else "normal"),
            )
        )
    return (
        label(MARGIN, 45, f"Round {view.round} of {view.options.rounds}", 22, font_weight="bold")
        + "".join(lamps)
        + group(MARGIN, 68, box(WIDTH - 2 * MARGIN, 48, 12, fill=INK))
        + fitted(WIDTH / 2, 101, prompt(view), WIDTH - 3 * MARGIN, 26, fill=CREAM)
    )


def bakery_height(view: View) -> int:
    """Return the height of a bakery: its plate, and its case once it is in use."""
    return 56 + (SLOT[1] + 6 if view.cases else 0)


def bakery(view: View, side: Seat, seat: Seat | None) -> str:
    """Return a bakery: its plate and, after phase one, its case."""
    case = group(0, 62, case_row(view, side, seat)) if view.cases else ""
    return plate(view, side, seat) + case


def plate(view: View, side: Seat, seat: Seat | None) -> str:
    """Return name, score, chef and rounds won, with a red edge for the seat to move."""
    acting = view.actor == side
    own = seat == side
    edge: dict[str, Number | str] = {"stroke": CHERRY if acting else WOOD, "stroke_width": 5 if acting else 2}
    stars = "★" * view.rounds_won[side]
    width = WIDTH - 2 * MARGIN
    chef = view.multipliers[side]
    words = f"{SET_COLOURS[chef]} chef, {chef}x" if chef in SET_COLOURS else "no chef, 1x"
    return element(
        "g",
        tooltip(
            f"{BAKERIES[side].name}{' (you)' if own else ''}: {dollars(view.scores[side])}, {words}, "
            f"rounds won: {view.rounds_won[side]}"
        ),
        box(width, 54, 12, fill="#ffffff" if own else CREAM, **edge),
        element("path", d="M14 17l16 10l-16 10z", fill=CHERRY) if acting else "",
        label(40, 36, BAKERIES[side].name, 24, font_weight="bold"),
        label(412, 36, stars, 22, fill=CHERRY),
        label(width - 76, 37, dollars(view.scores[side]), 27, font_weight="bold", text_anchor="end"),
        group(width - 36, 28, badge(chef, 20)),
    )


def case_row(view: View, side: Seat, seat: Seat | None) -> str:
    """Return the eleven slots of a case."""
    return "".join(group(SLOT[0] * n, 0, slot_card(view, side, slot, seat)) for n, slot in enumerate(SLOTS))


def slot_card(view: View, side: Seat, slot: int, seat: Seat | None) -> str:
    """Return a slot with its cake, price and stale marks, or what the drawn cake would earn there."""
    width, height = SLOT
    key = SLOT_KEYS[slot - 2]
    cake = view.cases[side][key] if view.cases else None
    sold = is_sold(view, side, slot)
    stale = view.stale[side][key] if view.stale else 0
    playable = can_click(view, side, slot, seat)
    edge: dict[str, Number | str] = {"stroke": CHERRY if playable else WOOD, "stroke_width": 4 if playable else 2}
    parts = [
        tooltip(describe_slot(view, side, slot, cake)),
        box(width - 2, height, 8, fill=SHELF if cake is None else CREAM, **edge),
        box(width - 2, 32, 8, fill=WOOD),
        middle(width / 2 - 1, 25, str(slot), 26, fill="#ffffff", font_weight="bold"),
        middle(width / 2 - 1, 54, f"x{FACTORS[slot]}", 22, font_weight="bold", fill=MUTED),
    ]
    if cake is not None:
        parts += [
            group(width / 2 - 1, 102, cake_icon(cake), opacity=0.35 if sold else 1),
            middle(width / 2 - 1, 124, dollars(PRICES[cake]), 20, font_weight="bold"),
        ]
        if view.stale:
            parts.append(group(width / 2 - 1, 136, stale_marks(stale)))
    elif view.drawn:
        gain = sale_amount(view.multipliers[side], slot, view.drawn, 0)
        parts.append(middle(width / 2 - 1, 104, f"{gain}", 20 if gain < 10000 else 18, font_weight="bold", fill=MINT))
    if sold:
        parts.append(sold_stamp())
    return element("g", *parts, class_="slot playable" if playable else "slot", data_case=side, data_slot=slot)


def can_click(view: View, side: Seat, slot: int, seat: Seat | None) -> bool:
    """Return whether this viewer can choose the slot by a click now."""
    if seat is None or seat != view.actor or view.cases is None:
        return False
    key = SLOT_KEYS[slot - 2]
    if view.phase == "stock":
        return view.cases[side][key] is None
    stale = view.stale[side][key] if view.stale else 0
    return view.step == "stale" and side != seat and not is_sold(view, side, slot) and stale < MAX_STALE


def describe_slot(view: View, side: Seat, slot: int, cake: Cake | None) -> str:
    """Return the tooltip of a slot."""
    where = f"{seat_name(side)} {slot} (x{FACTORS[slot]})"
    if cake is None:
        if view.drawn is None:
            return f"{where}: empty"
        gain = sale_amount(view.multipliers[side], slot, view.drawn, 0)
        return f"{where}: empty; a {CAKE_CARDS[view.drawn].name} sold here earns {dollars(gain)}"
    stale = view.stale[side][SLOT_KEYS[slot - 2]] if view.stale else 0
    content = f"{where}: {CAKE_CARDS[cake].name}, {dollars(PRICES[cake])}"
    if is_sold(view, side, slot):
        return f"{content}, sold"
    worth = sale_amount(view.multipliers[side], slot, cake, stale)
    return f"{content}{f', stale cards: {stale}' if stale else ''}; earns {dollars(worth)}"


def sold_stamp() -> str:
    """Return the stamp across a sold cake."""
    return group(
        SLOT[0] / 2 - 1,
        84,
        element(
            "g",
            element("rect", x=-27, y=-12, width=54, height=24, rx=4, fill=CREAM, stroke=CHERRY, stroke_width=3),
            middle(0, 7, "SOLD", 18, fill=CHERRY, font_weight="bold"),
            transform="rotate(-14)",
        ),
    )
