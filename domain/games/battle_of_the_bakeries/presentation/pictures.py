"""The pieces of the picture: chef cards, cakes, stale marks, dice, each as SVG around its own origin."""

from functools import partial
from math import cos, pi, sin

from domain.games.battle_of_the_bakeries.rules.components import CHEF_CARDS, Effect
from domain.games.battle_of_the_bakeries.rules.parts import Cake, Card
from domain.kernel import svg
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

CAKE_COLOURS: dict[Cake, tuple[str, str]] = {
    "wedding_cake": ("#f4ead9", "#fffdf8"),
    "boston_cream_pie": ("#f3d98b", "#5a3420"),
    "pineapple_upside_down_cake": ("#e9b949", "#f8df7a"),
    "cinnamon_coffee_cake": ("#c08a55", "#8a5328"),
    "sheet_cake": ("#f7d9b5", "#ef9fb2"),
    "lemon_cake": ("#fbf0b0", "#f5dc3d"),
    "bundt_cake": ("#b9773f", "#fff3dc"),
    "german_chocolate_cake": ("#6b4028", "#d8ab6a"),
    "black_forest_cake": ("#4a2a20", "#fff3ee"),
    "mississippi_mud_cake": ("#38201a", "#7a4a34"),
    "birthday_cake": ("#9fd0e6", "#fbd3df"),
}
"""Crumb and icing colour of each cake."""


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
        + group(width - 28, 31, EFFECT_ICONS[known.effect]())
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


def chef() -> str:
    """Return a chef: a face under a hat."""
    face = element("circle", cy=12, r=12, fill="#f3c9a0", stroke=INK, stroke_width=2)
    eyes = element("circle", cx=-4, cy=12, r=1.6, fill=INK) + element("circle", cx=4, cy=12, r=1.6, fill=INK)
    smile = element("path", d="M-5 17q5 4 10 0", fill="none", stroke=INK, stroke_width=2, stroke_linecap="round")
    return face + eyes + smile + element("g", toque(), transform="translate(0 -8) scale(.8)")


def apron() -> str:
    """Return an apron with a pocket."""
    return element(
        "path",
        d="M-8 -18h16l4 12l6 4v20h-36v-20l6 -4zM-9 4h18v9h-18z",
        fill="#ffffff",
        fill_rule="evenodd",
        stroke=INK,
        stroke_width=2,
        stroke_linejoin="round",
    )


def oven() -> str:
    """Return an oven with a glowing window."""
    return (
        element("rect", x=-19, y=-18, width=38, height=37, rx=4, fill="#ffffff", stroke=INK, stroke_width=2)
        + element("rect", x=-13, y=-4, width=26, height=17, rx=3, fill="#f39a3c", stroke=INK, stroke_width=2)
        + element("path", d="M-12 -11h4m6 0h4m6 0h4", stroke=INK, stroke_width=3, stroke_linecap="round")
    )


def batter() -> str:
    """Return a bowl of batter with a spoon."""
    return (
        element("path", d="M6 -2l12 -17", stroke=WOOD, stroke_width=5, stroke_linecap="round")
        + element("ellipse", cy=-1, rx=19, ry=6, fill="#f6dc8e", stroke=INK, stroke_width=2)
        + element("path", d="M-19 -1a19 19 0 0 0 38 0z", fill="#ffffff", stroke=INK, stroke_width=2)
    )


def whisk() -> str:
    """Return a whisk."""
    return element(
        "path",
        d="M0 19v-15m0 0c-13 -6 -10 -22 0 -22c10 0 13 16 0 22c-5 -6 -5 -22 0 -22c5 0 5 16 0 22",
        fill="none",
        stroke=INK,
        stroke_width=3,
        stroke_linecap="round",
    )


EFFECT_ICONS = {"chef": chef, "hat": toque, "apron": apron, "oven": oven, "batter": batter, "wild": whisk}


# -- cakes ----------------------------------------------------------------------------------------------------------


def cake_icon(cake: Cake) -> str:
    """Return a cake on its plate, about 46 wide and 44 high, with its base at the origin."""
    crumb, icing = CAKE_COLOURS[cake]
    plate = element("ellipse", cy=-1, rx=24, ry=4, fill="#ffffff", stroke=INK, stroke_width=1.5)
    line: dict[str, Number | str] = {"stroke": INK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    match cake:
        case "wedding_cake":
            body = "".join(
                element("rect", x=-w, y=y, width=2 * w, height=11, rx=2, fill=fill, **line)
                for w, y, fill in ((20, -13, crumb), (14, -24, icing), (8, -35, crumb))
            )
            return plate + body + element("circle", cy=-39, r=4, fill=CHERRY)
        case "bundt_cake":
            ring = element("path", d="M-20 -2c-3 -26 43 -26 40 0z", fill=crumb, **line)
            drip = element("path", d="M-12 -17q3 10 7 0q4 10 9 0q4 8 8 1q-12 -8 -24 -1z", fill=icing)
            return plate + ring + drip
        case "sheet_cake":
            body = element("rect", x=-22, y=-18, width=44, height=16, rx=2, fill=crumb, **line)
            top = element("rect", x=-22, y=-23, width=44, height=9, rx=3, fill=icing, **line)
            return plate + body + top
        case _:
            body = element("rect", x=-19, y=-24, width=38, height=22, rx=3, fill=crumb, **line)
            top = element(
                "path", d="M-20 -23a4 5 0 0 1 4 -5h32a4 5 0 0 1 4 5v3q-4 8 -8 0q-4 9 -8 0q-4 7 -8 0t-8 0t-8 0z",
                fill=icing, **line,
            )  # fmt: skip
            return plate + body + top + topping(cake)


def topping(cake: Cake) -> str:
    """Return the topping that identifies a round cake as well as its colours."""
    match cake:
        case "birthday_cake":
            return "".join(
                element("rect", x=x - 1.5, y=-39, width=3, height=11, fill=CHERRY)
                + element("circle", cx=x, cy=-42, r=2.5, fill="#f0b03c")
                for x in (-10, 0, 10)
            )
        case "black_forest_cake":
            return "".join(element("circle", cx=x, cy=-31, r=4.5, fill=CHERRY) for x in (-10, 0, 10))
        case "pineapple_upside_down_cake":
            return "".join(
                element("circle", cx=x, cy=-28, r=6, fill="#f8df7a", stroke="#b07c12", stroke_width=3)
                for x in (-10, 10)
            ) + element("circle", cy=-30, r=3.5, fill=CHERRY)
        case "lemon_cake":
            return element("ellipse", cy=-30, rx=8, ry=5, fill="#f5dc3d", stroke="#8a7410", stroke_width=1.5)
        case "cinnamon_coffee_cake":
            return element("path", d="M-6 -29a6 5 0 1 1 6 4a3 3 0 1 1 1 -4", fill="none", stroke=INK, stroke_width=2.5)
        case "german_chocolate_cake":
            return "".join(element("circle", cx=x, cy=-29, r=2.5, fill="#fff3dc") for x in (-12, -4, 4, 12))
        case "mississippi_mud_cake":
            return "".join(
                element("rect", x=x - 4, y=-33, width=8, height=7, rx=2, fill="#ffffff", stroke=INK)
                for x in (-9, 3, 12)
            )
        case _:
            return element("path", d="M-8 -30q8 -8 16 0z", fill="#fffdf5", stroke=INK, stroke_width=1.5)


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
