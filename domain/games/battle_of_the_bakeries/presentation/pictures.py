"""The pieces of the picture: chef cards, cakes, stale marks, dice, each as SVG around its own origin."""

from functools import partial
from math import cos, pi, sin

from domain.games.battle_of_the_bakeries.presentation.card_pictures import PICTURES, cake_picture, chef_card_picture
from domain.games.battle_of_the_bakeries.rules.components import CHEF_CARDS, Effect
from domain.games.battle_of_the_bakeries.rules.parts import Cake, Card
from domain.kernel import svg
from domain.kernel.drawing.shapes import centred, symbols
from domain.kernel.svg import CREAM, Number, element, group

INK = "#3b2416"
label = partial(svg.label, fill=INK)
"""Draws a line of text, in ink by default."""
PAPER = "#fdf0d8"
WOOD = "#8a5a34"
SHELF = "#e9cfa6"
CHERRY = "#a3262f"
MINT = "#24563e"
BACK = "#9c4a2f"
BACK_LINE = "#e8b48c"
MUTED = "#6b4a33"

SET_COLOURS = {
    2: ("#f2c12e", INK),
    3: ("#6f3f98", "#ffffff"),
    4: ("#22619c", "#ffffff"),
    5: ("#b3262a", "#ffffff"),
    6: ("#2c6e3f", "#ffffff"),
}
"""Background and text colour of each set. A number and a shape also identify the set."""
TINTS = {2: "#fdf0c4", 3: "#ece0f5", 4: "#dbe9f6", 5: "#fadfdc", 6: "#dcefe0"}
"""Card background of each set."""
EFFECT_WORDS: dict[Effect, str] = {
    "chef": "Chef", "hat": "Hat", "apron": "Apron", "oven": "Oven", "batter": "Batter", "wild": "Wild",
}  # fmt: skip

CARD = (130, 84)
"""Width and height of a chef card."""
SLOT = (62, 146)
"""Width and height of a slot of a bakery case."""


def middle(x: Number, y: Number, words: str, size: int = 22, **attributes: Number | str) -> str:
    """Return a line of text centred on x."""
    return label(x, y, words, size, **{"text_anchor": "middle", **attributes})


def fitted(x: Number, y: Number, words: str, width: Number, size: int = 22, **attributes: Number | str) -> str:
    """Return a centred bold line of text, shrunk to fit the width."""
    fitting = min(size, int(width / (0.66 * max(1, len(words)))))
    return middle(x, y, words, fitting, **{"font_weight": "bold", **attributes})


def box(width: Number, height: Number, radius: Number, **attributes: Number | str) -> str:
    """Return a rectangle with round corners at the origin."""
    return element("rect", width=width, height=height, rx=radius, **attributes)


# -- chef cards -----------------------------------------------------------------------------------------------------


def badge(multiplier: int, radius: Number = 22) -> str:
    """Return a multiplier on a shape in its set's colour: a circle for 2x, a polygon with n corners for nx."""
    if multiplier not in SET_COLOURS:
        return middle(0, radius * 0.36, f"{multiplier}x", int(radius), font_weight="bold")
    colour, ink = SET_COLOURS[multiplier]
    shape = element("circle", r=f"{radius:g}", fill=colour, stroke=INK, stroke_width=2)
    if multiplier > 2:
        spots = " ".join(corner(n, multiplier, radius * 1.12) for n in range(multiplier))
        shape = element("polygon", points=spots, fill=colour, stroke=INK, stroke_width=2, stroke_linejoin="round")
    drop = radius * (0.46 if multiplier == 3 else 0.36)
    return shape + middle(0, round(drop, 1), f"{multiplier}x", int(radius * 0.95), font_weight="bold", fill=ink)


def corner(n: int, corners: int, radius: Number) -> str:
    """Return one corner of a regular polygon with a corner at the top (a square has a flat top)."""
    turn = 2 * pi * n / corners - pi / 2 + (pi / 4 if corners == 4 else 0)
    return f"{radius * cos(turn):.1f},{radius * sin(turn):.1f}"


def card_back() -> str:
    """Return a face-down card."""
    width, height = CARD
    line = element(
        "rect", x=7, y=7, width=width - 14, height=height - 14, rx=6, fill="none", stroke=BACK_LINE, stroke_width=2
    )
    hat = group(width / 2, height / 2 + 2, toque(BACK_LINE))
    return box(width, height, 10, fill=BACK, stroke=INK, stroke_width=2) + line + hat


def card_face(card: Card, lying: bool) -> str:
    """Return a card's face: face up now (`lying`), or remembered, with a dashed edge."""
    width, height = CARD
    known = CHEF_CARDS[card]
    paper = CREAM if known.effect == "wild" else TINTS[known.sets[0]]
    edge: dict[str, Number | str] = (
        {"stroke": CHERRY, "stroke_width": 5}
        if lying
        else {"stroke": MUTED, "stroke_width": 2, "stroke_dasharray": "5 4"}
    )
    badges = [group(26 + 46 * n, 29, badge(multiplier, 20)) for n, multiplier in enumerate(known.sets)]
    return (
        box(width, height, 10, fill=paper, **edge)
        + "".join(badges)
        + group(width - 28, 31, centred(PICTURES[chef_card_picture(card)], 52))
        + middle(width / 2, height - 12, EFFECT_WORDS[known.effect], 22, font_weight="bold")
    )


def card_gone() -> str:
    """Return the empty place of a claimed card."""
    width, height = CARD
    return box(width, height, 10, fill="none", stroke=WOOD, stroke_width=2, stroke_dasharray="4 6", opacity=0.6)


def toque(fill: str = "#ffffff") -> str:
    """Return a chef's hat."""
    return element(
        "path",
        d="M-13 14v-13a10 10 0 0 1 3-19a11 11 0 0 1 20 0a10 10 0 0 1 3 19v13z",
        fill=fill,
        stroke=INK,
        stroke_width=2,
        stroke_linejoin="round",
    )


# -- cakes ----------------------------------------------------------------------------------------------------------


def cake_icon(cake: Cake) -> str:
    """Return a cake on its plate, about 46 wide and 44 high, with its base at the origin."""
    return group(0, -21, centred(PICTURES[cake_picture(cake)], 54))


def stale_marks(count: int) -> str:
    """Return a row of four dots centred on the origin, one filled for each stale card."""
    return "".join(
        group(
            13 * n - 19.5,
            0,
            element("circle", r=5.5, fill=MINT if n < count else "none", stroke=MINT, stroke_width=1.5),
        )
        for n in range(4)
    )


def die(pips: int) -> str:
    """Return a die 56 units wide."""
    spots = {
        1: ((0, 0),),
        2: ((-1, -1), (1, 1)),
        3: ((-1, -1), (0, 0), (1, 1)),
        4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
        5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
        6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    }[pips]
    return box(56, 56, 11, fill="#ffffff", stroke=INK, stroke_width=3) + "".join(
        element("circle", cx=28 + 14 * x, cy=28 + 14 * y, r=5, fill=INK) for x, y in spots
    )


def sprite() -> str:
    """Return the pictures of all cards as SVG symbols, for pages."""
    return symbols(PICTURES)
