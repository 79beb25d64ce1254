"""SVG drawings of ingredients, cards, cubes and marks, each around its own origin."""

from functools import partial

from domain.games.bakers_brawl.presentation.card_pictures import PICTURES, picture_name
from domain.games.bakers_brawl.presentation.drawings.pastries import CATEGORIES
from domain.games.bakers_brawl.rules.components import BASICS, INGREDIENT_CARDS, INGREDIENTS, Ingredient
from domain.games.bakers_brawl.rules.parts import COLOURS
from domain.kernel import svg
from domain.kernel.drawing.shapes import centred
from domain.kernel.drawing.shapes import symbols as sprite_symbols
from domain.kernel.game import Seat
from domain.kernel.svg import CRUST, INK, Number, element, group

label = partial(svg.label, fill=INK)
"""Draw a line of text, in the ink colour by default."""
SEAT_COLOURS = ("#ad1f4b", "#2a5aa3", "#43702a", "#8f5600")
"""Raspberry, blueberry, pistachio and honey, each dark enough for white letters."""
SEAT_TINTS = ("#f9dce4", "#dbe7f8", "#e1efd3", "#fbe7bd")
LETTERS = tuple(colour[0].upper() for colour in COLOURS)
TINTS = {"basic": "#fff8ea", "special": "#fdebd9"}
"""Background colour of a card by its class."""

ICONS: dict[Ingredient, str] = {
    kind: centred(PICTURES[picture_name(kind)], 54) if picture_name(kind) in PICTURES else "" for kind in INGREDIENTS
}
"""Drawing of each ingredient, about 50 units wide and high."""
SYMBOL = "ingredient-"
"""Id prefix of the ingredient drawings. `with_id_prefix` replaces it by the prefix of one table."""

MARKS = {category: centred(drawing, 28) for category, drawing in CATEGORIES.items()}
"""Mark for each category, about 24 units wide."""


def icon(kind: Ingredient, x: Number, y: Number, scale: Number = 1) -> str:
    """Draw an ingredient around a point. Refers to the drawing defined in `symbols`."""
    return group(x, y, element("use", href=f"#{SYMBOL}{kind}"), scale=scale)


def symbols() -> str:
    """Return the definitions of the ingredient drawings."""
    return element("defs", *(element("g", drawn, id=f"{SYMBOL}{kind}") for kind, drawn in ICONS.items()))


def with_id_prefix(drawn: str, prefix: str) -> str:
    """Return a drawing with this prefix in its ingredient ids, so that a page can show two tables."""
    return drawn.replace(f'"#{SYMBOL}', f'"#{prefix}-').replace(f'id="{SYMBOL}', f'id="{prefix}-')


def short_name(kind: Ingredient) -> str:
    """Return a name short enough to fit under an icon."""
    return "Cream Ch." if kind == "cream_cheese" else INGREDIENT_CARDS[kind].name


def patterns(prefix: str) -> str:
    """Return the pattern of each seat, so that colour is never its only mark."""
    drawn = (
        '<path d="M-2 10L10-2M-2 4L4-2M4 10L10 4" stroke="#fff" stroke-width="2" opacity=".6"/>',
        '<circle cx="4" cy="4" r="1.8" fill="#fff" opacity=".75"/>',
        '<path d="M0 0h4v4h-4zM4 4h4v4h-4z" fill="#fff" opacity=".4"/>',
        '<path d="M0 4q2-4 4 0t4 0" fill="none" stroke="#fff" stroke-width="1.8" opacity=".75"/>',
    )
    made = (
        element(
            "pattern",
            element("rect", width=8, height=8, fill=SEAT_COLOURS[seat]),
            marks,
            id=f"{prefix}-{seat}",
            width=8,
            height=8,
            patternUnits="userSpaceOnUse",
        )
        for seat, marks in enumerate(drawn)
    )
    return element("defs", *made)


def badge(seat: Seat, x: Number, y: Number, radius: Number = 13) -> str:
    """Draw a seat's letter in its colour."""
    return "".join(
        (
            element("circle", cx=x, cy=y, r=radius, fill=SEAT_COLOURS[seat], stroke="#fff", stroke_width=2),
            label(
                x, y + radius * 0.42, LETTERS[seat], round(radius * 1.25), fill="#fff", text_anchor="middle",
                font_weight=700,
            ),
        )
    )  # fmt: skip


def cube(seat: Seat, x: Number, y: Number, size: Number = 14) -> str:
    """Draw a Labor cube, seen slightly from above."""
    colour = SEAT_COLOURS[seat]
    return "".join(
        (
            element("rect", x=x, y=y, width=size, height=size, fill=colour, stroke="#fff", stroke_width=1.5),
            element(
                "path", d=f"M{x} {y}l{size / 4:g} {-size / 3:g}h{size:g}l{-size / 4:g} {size / 3:g}z", fill=colour,
                stroke="#fff", stroke_width=1.5, fill_opacity=0.75,
            ),
        )
    )  # fmt: skip


def blindfold(x: Number, y: Number) -> str:
    """Draw the mark of a card that was played blind."""
    return group(
        x,
        y,
        '<path d="M-10-6q10 5 20 0v8q-10 5-20 0z" fill="#43281a"/><path d="M10-2l6-4M10 0l6 4" stroke="#43281a" '
        'stroke-width="2.5" stroke-linecap="round"/>',
    )


def card(kind: Ingredient, width: Number, height: Number, *more: str) -> str:
    """Draw an Ingredient card with its icon and short name."""
    scale = min(width, height) / 78
    paper = TINTS["basic" if kind in BASICS else "special"]
    return "".join(
        (
            element("rect", y=4, width=width, height=height, rx=10, fill="#000", opacity=0.14),
            element("rect", width=width, height=height, rx=10, fill=paper, stroke=CRUST, stroke_width=2),
            icon(kind, width / 2, height * 0.41, scale),
            label(width / 2, height - 10, short_name(kind), 17, text_anchor="middle"),
            *more,
        )
    )


def sprite() -> str:
    """Return the pictures of all cards as SVG symbols, for pages."""
    return sprite_symbols(PICTURES)
