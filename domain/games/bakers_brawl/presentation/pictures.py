"""SVG drawings of ingredients, cards, cubes and marks, each around its own origin."""

from functools import partial

from domain.games.bakers_brawl.rules.components import BASICS, INGREDIENT_CARDS, Ingredient
from domain.games.bakers_brawl.rules.parts import COLOURS
from domain.kernel import svg
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
    "flour": (
        '<path d="M-14-12q2-4-1-8h30q-3 4-1 8q8 10 6 32q0 4-4 4h-32q-4 0-4-4q-2-22 6-32z" fill="#f3e6cf" '
        'stroke="#8a6a48" stroke-width="2.5"/><path d="M-14-12h28" stroke="#8a6a48" stroke-width="2.5"/>'
        '<path d="M0 16V-4M0 2q-7-1-8-7q7 0 8 7q1-7 8-7q-1 6-8 7M0 11q-7-1-8-7q7 0 8 7q1-7 8-7q-1 6-8 7" '
        'fill="#d9a441" stroke="#a8742a" stroke-width="1.5"/>'
    ),
    "butter": (
        '<path d="M-20 2l12-12h30l-10 12z" fill="#fbe27a" stroke="#a8862a" stroke-width="2.5"/>'
        '<path d="M-20 2h32v14h-32z" fill="#f6cf45" stroke="#a8862a" stroke-width="2.5"/>'
        '<path d="M12 2l10-12V4l-10 12z" fill="#dfb22f" stroke="#a8862a" stroke-width="2.5"/>'
        '<path d="M-25 20h50" stroke="#8b8f98" stroke-width="4" stroke-linecap="round"/>'
    ),
    "milk": (
        '<path d="M-6-24h12v8q8 6 8 14v22q0 4-4 4h-20q-4 0-4-4V-2q0-8 8-14z" fill="#f4fbff" stroke="#6d8597" '
        'stroke-width="2.5"/><path d="M-14 4h28v16q0 4-4 4h-20q-4 0-4-4z" fill="#ffffff" stroke="#6d8597" '
        'stroke-width="2"/><path d="M-7-25h14" stroke="#3f78ad" stroke-width="5" stroke-linecap="round"/>'
    ),
    "eggs": (
        '<ellipse cx="-8" cy="3" rx="12" ry="16" fill="#f7d9b5" stroke="#9c6b3f" stroke-width="2.5" '
        'transform="rotate(-14 -8 3)"/><ellipse cx="11" cy="6" rx="11" ry="15" fill="#fdf1e0" stroke="#9c6b3f" '
        'stroke-width="2.5" transform="rotate(12 11 6)"/>'
    ),
    "sugar": (
        '<path d="M-16-10h32l-4 32h-24z" fill="#eef3f7" stroke="#748090" stroke-width="2.5"/>'
        '<path d="M-13-8q4-14 13-12q10-3 13 12z" fill="#ffffff" stroke="#748090" stroke-width="2.5"/>'
        '<path d="M-6 0h11v11h-11z" fill="#fff" stroke="#748090" stroke-width="2"/><circle cx="-4" cy="-13" r="1.4" '
        'fill="#748090"/><circle cx="5" cy="-14" r="1.4" fill="#748090"/>'
    ),
    "chocolate": (
        '<rect x="-19" y="-20" width="38" height="40" rx="4" fill="#6a3b22" stroke="#3c1f10" stroke-width="2.5"/>'
        '<path d="M-6-19V19M7-19V19M-18-7H18M-18 6H18" stroke="#3c1f10" stroke-width="2.5"/>'
        '<path d="M-15-16h6M-2-16h6M11-16h5" stroke="#9a6242" stroke-width="2.5"/>'
    ),
    "vanilla": (
        '<path d="M-18 20q10-8 16-26q3-10 8-14" fill="none" stroke="#4a2f1b" stroke-width="4.5" '
        'stroke-linecap="round"/><path d="M6-6q-10-3-9-14q9-1 9 8q3-10 13-8q1 9-8 12q10 0 11 9q-9 5-14-2q-1 9-9 10'
        'q-5-8 3-12z" fill="#fff6c9" stroke="#a8862a" stroke-width="2.2"/><circle cx="6" cy="-4" r="3.4" '
        'fill="#e0a526"/>'
    ),
    "cinnamon": (
        '<g stroke="#6b3515" stroke-width="2.5"><rect x="-22" y="-4" width="44" height="11" rx="5" fill="#b5692f" '
        'transform="rotate(-24)"/><rect x="-22" y="-4" width="44" height="11" rx="5" fill="#c97f43" '
        'transform="rotate(22)"/></g><path d="M-17-12q4 0 5 4M-16 9q4-1 6-4" fill="none" stroke="#6b3515" '
        'stroke-width="2"/>'
    ),
    "nuts": (
        '<path d="M-15-3q0 22 15 26q15-4 15-26z" fill="#c58a4c" stroke="#6f4219" stroke-width="2.5"/>'
        '<path d="M-18-3q0-15 18-15t18 15z" fill="#8f5b2a" stroke="#6f4219" stroke-width="2.5"/>'
        '<path d="M0-18v-6" stroke="#6f4219" stroke-width="4" stroke-linecap="round"/>'
        '<path d="M-10-11l6 6M0-14l6 8M9-11l4 5" stroke="#6f4219" stroke-width="1.8"/>'
    ),
    "berries": (
        '<path d="M0-8q2-10 12-14M0-8q-4-9-12-11" fill="none" stroke="#3f6a2c" stroke-width="3"/>'
        '<path d="M2-20q10-6 18 0q-9 6-18 0z" fill="#5d9142" stroke="#3f6a2c" stroke-width="1.8"/>'
        '<g stroke="#5e1236" stroke-width="2.2"><circle cx="-11" cy="1" r="10.5" fill="#b02457"/>'
        '<circle cx="10" cy="1" r="10.5" fill="#7d2a73"/><circle cx="-1" cy="13" r="10.5" fill="#c73a66"/></g>'
        '<g fill="#fff" opacity=".6"><circle cx="-14" cy="-3" r="2.4"/><circle cx="7" cy="-3" r="2.4"/>'
        '<circle cx="-4" cy="9" r="2.4"/></g>'
    ),
    "apple": (
        '<path d="M0-10q-6-6-13-3q-9 4-7 17q3 15 12 18q4 1 8-2q4 3 8 2q9-3 12-18q2-13-7-17q-7-3-13 3z" '
        'fill="#d23b31" stroke="#7c1b16" stroke-width="2.5"/><path d="M0-10q0-8 4-13" fill="none" stroke="#5b3a1d" '
        'stroke-width="3.4" stroke-linecap="round"/><path d="M4-17q8-8 15-4q-5 8-15 4z" fill="#5d9142" '
        'stroke="#3f6a2c" stroke-width="1.8"/><path d="M-13 0q0-6 4-7" stroke="#fff" stroke-width="3" fill="none" '
        'opacity=".7" stroke-linecap="round"/>'
    ),
    "lemon": (
        '<path d="M-24 4q4-2 5-6q6-14 20-14q13 0 18 12q2 3 6 4q-4 2-5 6q-6 14-20 14q-13 0-18-12q-2-3-6-4z" '
        'fill="#f8dc3f" stroke="#9a7c12" stroke-width="2.5"/><path d="M-10-2q3-8 11-8" fill="none" stroke="#fff" '
        'stroke-width="3" stroke-linecap="round" opacity=".8"/>'
    ),
    "cream_cheese": (
        '<path d="M-21-8h42l-5 26q-1 5-6 5h-20q-5 0-6-5z" fill="#f2f6f4" stroke="#5f7d73" stroke-width="2.5"/>'
        '<path d="M-21-8q-2-8 6-8q3-9 12-6q8-6 13 3q11-2 11 11z" fill="#ffffff" stroke="#5f7d73" stroke-width="2.5"/>'
        '<path d="M-18 4h36l-2 9h-32z" fill="#8fb8a8" stroke="#5f7d73" stroke-width="1.5"/>'
    ),
}
"""Drawing of each ingredient, about 50 units wide and high."""
SYMBOL = "ingredient-"
"""Id prefix of the ingredient drawings. `with_id_prefix` replaces it by the prefix of one table."""

MARKS = {
    "cookie": '<circle r="11" fill="#d9a35c" stroke="#7a4f22" stroke-width="2"/><circle cx="-4" cy="-3" r="2" '
    'fill="#5a3214"/><circle cx="4" cy="1" r="2" fill="#5a3214"/><circle cx="-2" cy="5" r="2" fill="#5a3214"/>',
    "cake": '<path d="M-11 9V-1q0-4 11-4t11 4V9z" fill="#f2b8c2" stroke="#8a3f4e" stroke-width="2"/>'
    '<path d="M-11 3q4 4 7 0t8 0t7 0M0-5v-6" fill="none" stroke="#8a3f4e" stroke-width="2"/>',
    "bread": '<path d="M-12 8V-1q-3-8 6-8H7q9 1 5 8v9z" fill="#dba45f" stroke="#7a4f22" stroke-width="2"/>'
    '<path d="M-5-4l3 5M2-4l3 5" stroke="#7a4f22" stroke-width="2"/>',
    "pie": '<path d="M-12 0h24l-5 9H-7z" fill="#c98d4a" stroke="#7a4f22" stroke-width="2"/>'
    '<path d="M-12 0q12-17 24 0z" fill="#efc98d" stroke="#7a4f22" stroke-width="2"/>',
    "pastry": '<path d="M-12 6q-1-14 12-15q13 1 12 15q-6 2-7-4q-5-5-10 0q-1 6-7 4z" fill="#e5ae5d" '
    'stroke="#7a4f22" stroke-width="2"/><path d="M-3-8l-1 7M3-8l1 7" stroke="#7a4f22" stroke-width="2"/>',
}
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
