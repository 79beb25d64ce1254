"""The parts of the picture: slices, icing, plates and mice, each as SVG relative to its own origin."""

from functools import partial

from domain.games.mice_cake.rules.components import DOMINOES
from domain.games.mice_cake.rules.parts import Piece, SeatName
from domain.kernel import svg
from domain.kernel.svg import CREAM, CRUST, INK, ROUND, Number, element

Spacing = tuple[Number, Number, Number]
"""The spacing of pips: horizontal, vertical, and their radius."""
label = partial(svg.label, fill=INK)
"""A line of text, in ink colour by default."""
RING = "#b8860b"
TASTES = ("#f6e3b8", "#f8e06a", "#f0b544", "#ee9555", "#c99c70", "#e58a97", "#7d4e33")
"""The colour of a half by its pips: sponge, lemon, honey, carrot, walnut, cherry, chocolate."""
PIPS_ON = (INK, INK, INK, INK, INK, INK, "#fff3dc")
FUR = {"yellow": ("#f5c93f", "#fdeeb4", "#7a5400"), "blue": ("#6f9fdc", "#dbe8f8", "#1d3f70")}
"""The colours of each family: fur, belly and outline."""
SPOTS = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
}
"""The places of the pips on a half, relative to its middle. Sixes have two rows, since dominoes lie horizontally."""

SLICE = (144, 66)
"""Width and height of a slice on the cake, including its visible side (`SIDE`)."""
SIDE = 14


# -- cake -----------------------------------------------------------------------------------------------------------


def slice_of_cake(piece: Piece) -> str:
    """Draw a face-up domino on the cake: two halves in the colours of their flavours, seen slightly from above."""
    width, height = SLICE
    top, half = height - SIDE, width / 2
    domino = DOMINOES[piece]
    return "".join(
        (
            element("rect", y=6, width=width, height=height - 2, rx=12, fill="#000", opacity=0.12),
            element("rect", width=width, height=height, rx=11, fill=CRUST),
            element("path", d=f"M2 {top + 4}h{width - 4}", stroke=CREAM, stroke_width=4, opacity=0.85),
            element("path", d=f"M11 0H{half}V{top}H11a11 11 0 0 1-11-11V11A11 11 0 0 1 11 0z", fill=TASTES[domino.low]),
            element(
                "path",
                d=f"M{half} 0H{width - 11}a11 11 0 0 1 11 11V{top - 11}a11 11 0 0 1-11 11H{half}z",
                fill=TASTES[domino.high],
            ),
            element("path", d=f"M{half} 4V{top - 4}", stroke=CREAM, stroke_width=4, **ROUND),
            element(
                "path", d=f"M12 3.5H{width - 12}", stroke="#fff", stroke_width=3, opacity=0.5, stroke_linecap="round"
            ),
            spots(domino.low, half / 2 - 1, top / 2 + 1, (20, 13, 5.6)),
            spots(domino.high, half * 1.5 + 1, top / 2 + 1, (20, 13, 5.6)),
        )
    )


def spots(number: int, x: Number, y: Number, spacing: Spacing) -> str:
    """Draw the pips of a half around its middle."""
    across, down, radius = spacing
    return "".join(
        element("circle", cx=f"{x + dx * across:g}", cy=f"{y + dy * down:g}", r=f"{radius:.3g}", fill=PIPS_ON[number])
        for dx, dy in SPOTS[number]
    )


def iced_slice() -> str:
    """Draw a face-down domino: icing with drips and sprinkles."""
    width, height = SLICE
    drips = (
        f"M0 12A12 12 0 0 1 12 0H{width - 12}a12 12 0 0 1 12 12V50q-4 9-10 2q-6-5-10 3q-6 10-12 0q-5-6-11-1q-6 11-13 1"
    )
    drips += "q-6-6-11 0q-7 12-13-1q-6-5-11 2q-6 9-12-1q-5-6-11 0q-6 9-12-1q-7-5-10 1q-4 6-8-2z"
    sprinkles = (
        ("#c8553d", "M30 16l7 4"), ("#4f8a5b", "M58 32l6-5"), ("#d08a1d", "M84 14l6 5"), ("#5b7fb5", "M112 30l7-3"),
        ("#4f8a5b", "M118 12l-5 5"), ("#d08a1d", "M24 36l6-4"), ("#c8553d", "M88 37l7 1"), ("#5b7fb5", "M56 12l1 7"),
    )  # fmt: skip
    return "".join(
        (
            element("rect", y=6, width=width, height=height - 2, rx=12, fill="#000", opacity=0.12),
            element("rect", width=width, height=height, rx=11, fill=CRUST),
            element("path", d=drips, fill="#fbe4e2", stroke="#e9bfbf", stroke_width=1.5),
            element(
                "path", d=f"M14 6H{width - 14}", stroke="#fff", stroke_width=4, stroke_linecap="round", opacity=0.9
            ),
            *(element("path", d=line, stroke=colour, stroke_width=3.4, **ROUND) for colour, line in sprinkles),
        )
    )


def plate() -> str:
    """Draw an empty place: a plate with a few crumbs."""
    width, height = SLICE
    x, y = width / 2, height / 2 + 2
    return "".join(
        (
            element("ellipse", cx=x, cy=y + 3, rx=50, ry=24, fill="#000", opacity=0.07),
            element("ellipse", cx=x, cy=y, rx=50, ry=24, fill="#fffdf8", stroke="#dcc9a6", stroke_width=2),
            element("ellipse", cx=x, cy=y, rx=33, ry=14, fill="none", stroke="#e8dabd", stroke_width=2),
            element("circle", cx=x - 9, cy=y + 3, r=2.4, fill=CRUST),
            element("circle", cx=x + 6, cy=y - 4, r=1.8, fill=CRUST),
            element("circle", cx=x + 13, cy=y + 4, r=1.5, fill=CRUST),
        )
    )


def biscuit(piece: Piece, width: int, height: int) -> str:
    """Draw a small domino, for stashes and the list of face-down dominoes."""
    domino = DOMINOES[piece]
    half, radius = width / 2, height / 5
    spacing = half / 3.4, height / 3.6, height / 9.5
    return "".join(
        (
            element("rect", width=width, height=height, rx=f"{radius:g}", fill=TASTES[domino.low]),
            element(
                "path",
                d=f"M{half:g} 0H{width - radius:g}a{radius:g} {radius:g} 0 0 1 {radius:g} {radius:g}"
                f"V{height - radius:g}a{radius:g} {radius:g} 0 0 1-{radius:g} {radius:g}H{half:g}z",
                fill=TASTES[domino.high],
            ),
            element("path", d=f"M{half:g} 2V{height - 2}", stroke=CREAM, stroke_width=2),
            spots(domino.low, half / 2, height / 2, spacing),
            spots(domino.high, half * 1.5, height / 2, spacing),
            element(
                "rect",
                width=width,
                height=height,
                rx=f"{radius:g}",
                fill="none",
                stroke=CRUST,
                stroke_width=1.5,
            ),
        )
    )


# -- mice -----------------------------------------------------------------------------------------------------------


def mouse(name: SeatName) -> str:
    """Draw a sitting mouse, about 46 wide and 60 high, with its feet at the origin. Yellow mice wear a baker's hat."""
    fur, belly, line = FUR[name]
    pen = outline(line)
    return "".join(
        (
            element("path", d="M13-6c10 4 12-8 5-12", fill="none", stroke=line, stroke_width=3, **ROUND),
            element("ellipse", cx=0, cy=-15, rx=16, ry=15, fill=fur, **pen),
            element("ellipse", cx=0, cy=-12, rx=9, ry=10, fill=belly),
            element("circle", cx=-12, cy=-45, r=8, fill=fur, **pen),
            element("circle", cx=12, cy=-45, r=8, fill=fur, **pen),
            element("circle", cx=-12, cy=-45, r=4, fill="#f2b6b0"),
            element("circle", cx=12, cy=-45, r=4, fill="#f2b6b0"),
            element("ellipse", cx=0, cy=-34, rx=14, ry=13, fill=fur, **pen),
            baker_hat() if name == "yellow" else neckerchief(),
            element("circle", cx=-5, cy=-36, r=2.1, fill="#2b1a10"),
            element("circle", cx=5, cy=-36, r=2.1, fill="#2b1a10"),
            element("path", d="M-8-28l-9-2M-8-26l-9 2M8-28l9-2M8-26l9 2", stroke=line, stroke_width=1.1),
            element("ellipse", cx=0, cy=-29, rx=3, ry=2.2, fill="#d9656b"),
            element("ellipse", cx=-7, cy=-1.5, rx=6, ry=3, fill="#f2b6b0", stroke=line, stroke_width=1.5),
            element("ellipse", cx=7, cy=-1.5, rx=6, ry=3, fill="#f2b6b0", stroke=line, stroke_width=1.5),
        )
    )


def outline(colour: str) -> dict[str, Number | str]:
    """Return the stroke attributes for a mouse."""
    return {"stroke": colour, "stroke_width": 2}


def baker_hat() -> str:
    """Draw a small white hat."""
    return element(
        "path",
        d="M-7-44v-7c-6-1-5-9 1-8c1-5 11-5 12 0c6-1 7 7 1 8v7q-7 3-14 0z",
        fill="#fffdf8",
        stroke="#a98f63",
        stroke_width=1.5,
    )


def neckerchief() -> str:
    """Draw a red neckerchief."""
    return element("path", d="M-11-24q11 7 22 0l-3 5-8 8-8-8z", fill="#c8473d", stroke="#7d211b", stroke_width=1.5)


def sleeping_mouse(name: SeatName) -> str:
    """Draw a mouse lying on its side, about 54 wide and 30 high, with its feet at the origin."""
    fur, belly, line = FUR[name]
    pen = outline(line)
    return "".join(
        (
            element("path", d="M20-6c10 3 13-4 7-10", fill="none", stroke=line, stroke_width=3, **ROUND),
            element("ellipse", cx=6, cy=-11, rx=18, ry=11, fill=fur, **pen),
            element("ellipse", cx=7, cy=-7, rx=11, ry=5.5, fill=belly),
            element("circle", cx=-9, cy=-21, r=6, fill=fur, **pen),
            element("circle", cx=-9, cy=-21, r=3, fill="#f2b6b0"),
            element("ellipse", cx=-14, cy=-10, rx=12, ry=9.5, fill=fur, **pen),
            element(
                "path", d="M-19-12q3 3 6 0", fill="none", stroke="#2b1a10", stroke_width=1.8, stroke_linecap="round"
            ),
            element("ellipse", cx=-25, cy=-8, rx=2.4, ry=2, fill="#d9656b"),
            label(14, -24, "z", 17, font_style="italic", font_weight=700),
            label(23, -32, "z", 13, font_style="italic", font_weight=700),
        )
    )


def sprite() -> str:
    """Return the pictures of the match page as SVG symbols."""
    from domain.games.mice_cake.presentation.sprite import sprite as symbols  # noqa: PLC0415 -- uses this module

    return symbols()
