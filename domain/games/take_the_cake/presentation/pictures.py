"""The pieces of the picture: tiles, ingredients, the Oven, robots and cards, each as SVG around its own origin."""

from functools import partial

from domain.games.take_the_cake.presentation.card_pictures import PICTURES
from domain.games.take_the_cake.rules.components import CARDS, Tag
from domain.games.take_the_cake.rules.parts import Card, Command, Facing, Ingredient
from domain.kernel.drawing.shapes import centred, symbols
from domain.kernel.svg import CREAM, INK, ROUND, Number, element
from domain.kernel.svg import label as plain_label

PAPER = "#fffdf6"
FLOOR = ("#fffaf0", "#f8edd8")
"""Blank tiles, alternating light and slightly darker."""
PANTRY = "#fbe3b6"
"""Ingredient tiles."""
STONE = ("#5d5a57", "#75716d", "#474441")
"""Walls: face, lit edge, shadow."""
PAINT = {
    "red": ("#d65a4f", "#fbe0dc", "#7a1f1b"),
    "blue": ("#5f93d8", "#dde9f9", "#1d3f70"),
    "green": ("#62a862", "#def0dc", "#1f5226"),
    "yellow": ("#f0c13a", "#fdf0c2", "#6b5000"),
}
"""The colours of each seat: body, pale and outline."""
BADGE: dict[Tag, str] = {
    "cake": "#8c2f5f",
    "pie": "#8a4510",
    "bread": "#6b4e16",
    "fruit": "#a3263a",
    "chocolate": "#5c3526",
    "nut": "#6d4a24",
    "warm": "#a83c12",
    "cold": "#1f5583",
}
"""The background colours of tags, with white text."""
CARD = (124, 168)
"""Width and height of a card."""
TURN: dict[Facing, int] = {"N": 0, "E": 90, "S": 180, "W": 270}
Marks = dict[str, Number | str]
label = partial(plain_label, fill=INK)
"""Return a line of text in ink."""


def box(x: Number, y: Number, width: Number, height: Number, fill: str, rx: Number = 8, **more: Number | str) -> str:
    """Return a rectangle with round corners."""
    return element("rect", x=x, y=y, width=width, height=height, rx=rx, fill=fill, **more)


def circle(x: Number, y: Number, r: Number, fill: str, **more: Number | str) -> str:
    """Return a disc."""
    return element("circle", cx=x, cy=y, r=r, fill=fill, **more)


def path(d: str, fill: str = "none", **more: Number | str) -> str:
    """Return a path."""
    return element("path", d=d, fill=fill, **more)


def line(d: str, stroke: str, width: Number, **more: Number | str) -> str:
    """Return a line with round ends."""
    return element("path", d=d, fill="none", stroke=stroke, stroke_width=width, **ROUND, **more)


# -- tiles ------------------------------------------------------------------------------------------------------------


def wall(size: Number) -> str:
    """Return a wall: a raised counter of dark stone."""
    face, lit, shadow = STONE
    return (
        box(1, 3, size - 2, size - 3, shadow, 7)
        + box(1, 1, size - 2, size - 8, face, 7)
        + line(f"M8 6H{size - 8}", lit, 3)
        + line(f"M14 {size / 2 - 6:g}h14M{size - 30} {size / 2 + 4:g}h16", lit, 2.5)
    )


def floor(size: Number, dark: bool) -> str:
    """Return a blank tile."""
    return box(1, 1, size - 2, size - 2, FLOOR[dark], 4)


def shelf(size: Number) -> str:
    """Return an ingredient tile."""
    dashes: Marks = {"stroke": "#c28a3a", "stroke_width": 2, "stroke_dasharray": "5 4"}
    return box(1, 1, size - 2, size - 2, PANTRY, 4) + box(5, 5, size - 10, size - 10, "none", 8, **dashes)


def corner(size: Number, colour: str) -> str:
    """Return a start corner in the colour of its seat."""
    body, pale, _ = PAINT[colour]
    return box(1, 1, size - 2, size - 2, pale, 4) + box(
        6, 6, size - 12, size - 12, "none", 10, stroke=body, stroke_width=4
    )


def oven(size: Number) -> str:
    """Return the Oven on its four squares from above: iron, four burners and a fire behind glass."""
    wide = 2 * size
    parts = [
        box(2, 4, wide - 4, wide - 4, "#000", 14, opacity=0.18),
        box(2, 2, wide - 4, wide - 8, "#3d3431", 14),
        box(9, 9, wide - 18, wide - 22, "#57493f", 10),
        box(size - 30, size - 24, 60, 46, "#241a16", 10),
        path(
            f"M{size - 20} {size + 18}q-4 -16 8 -24q0 10 7 10q-3 -14 8 -22q-1 12 8 16q6 4 3 20z",
            "#f08a24",
        ),
        path(f"M{size - 8} {size + 18}q-2 -10 6 -14q0 5 5 6q4 2 3 8z", "#ffd65c"),
    ]
    for x in (30, wide - 30):
        for y in (30, wide - 36):
            parts += [
                circle(x, y, 15, "#2c2421", stroke="#8d6f57", stroke_width=3),
                circle(x, y, 6, "none", stroke="#e2703a", stroke_width=3),
            ]
    return "".join(parts)


# -- ingredients ------------------------------------------------------------------------------------------------------


def ingredient(name: Ingredient) -> str:
    """Return an ingredient, about 40 units wide and high around its centre."""
    return centred(PICTURES[name], 46)


# -- robots -----------------------------------------------------------------------------------------------------------


def robot(colour: str, facing: Facing) -> str:
    """Return a robot baker from above, 52 units wide: wheels, a chef's hat with its letter, and a nose in front."""
    body, pale, edge = PAINT[colour]
    sides: Marks = {"stroke": edge, "stroke_width": 2.5}
    turned = element(
        "g",
        box(-25, -12, 9, 28, "#3d3431", 4),
        box(16, -12, 9, 28, "#3d3431", 4),
        path("M-9 -16L0 -31L9 -16z", "#f08a24", stroke=INK, stroke_width=2.2, **ROUND, class_="nose"),
        box(-18, -19, 36, 40, body, 13, **sides),
        circle(-8, -12, 4.2, "#ffffff", **sides),
        circle(8, -12, 4.2, "#ffffff", **sides),
        circle(-8, -13, 1.8, INK),
        circle(8, -13, 1.8, INK),
        transform=f"rotate({TURN[facing]})",
        class_="turned",
    )
    hat = circle(0, 3, 13, "#ffffff", **sides) + circle(0, 3, 9, pale)
    return turned + hat + label(0, 9, colour[0].upper(), 17, text_anchor="middle", font_weight=700)


def tick(colour: str) -> str:
    """Return a tick in a seat's colour, 16 units wide."""
    body, _, edge = PAINT[colour]
    return circle(0, 0, 8, body, stroke=edge, stroke_width=1.6) + line("M-3.6 .4l2.6 2.8l4.8 -5.6", "#ffffff", 2.4)


# -- cards ------------------------------------------------------------------------------------------------------------

ARROW = "M0 -27L21 -2H8V26H-8V-2H-21z"


def sign(command: Command, colour: str) -> str:
    """Return the sign of a command, about 54 units high around its centre."""
    match command:
        case "forward":
            return path(ARROW, colour)
        case "backward":
            return element("g", path(ARROW, colour), transform="rotate(180)")
        case "left":
            return line("M14 25V0q0 -14 -14 -14h-6", colour, 10) + path("M-8 -29L-28 -14L-8 1z", colour)
        case "right":
            return element("g", sign("left", colour), transform="scale(-1 1)")
        case "around":
            return line("M15 25V-6a15 15 0 0 0 -30 0v8", colour, 10) + path("M-30 2L-15 25L0 2z", colour)
        case "jump":
            return (
                box(-11, 10, 22, 16, "#8b8580", 3)
                + line("M-24 24Q-20 -24 10 -12", colour, 8)
                + path("M8 -25L29 0L-2 3z", colour)
            )


def card(name: Card, live: bool) -> str:
    """Return a player card. Dead Ifs are grey."""
    width, height = CARD
    face = CARDS[name]
    ink = "#6a625b" if not live else "#8c3a12" if face.tag else "#1f5226" if face.factor else "#27507f"
    edge = "#c9831f" if live and face.tag else "#b59a78"
    parts = [
        box(0, 3, width, height, "#000", 13, opacity=0.13),
        box(0, 0, width, height, PAPER if live else "#ece6dd", 13, stroke=edge, stroke_width=4 if face.tag else 2.5),
    ]
    if face.factor:
        parts += [
            line("M38 96A30 30 0 1 1 76 108", ink, 8),
            path("M84 96L60 104L80 120z", ink),
            label(width / 2, 90, f"x{face.factor}", 32, text_anchor="middle", font_weight=700, fill=ink),
        ]
    elif face.tag:
        parts += [
            box(8, 8, width - 16, 34, BADGE[face.tag] if live else "#6a625b", 8),
            label(
                width / 2,
                32,
                f"{face.tag}?",
                20 if len(face.tag) < 6 else 18,
                text_anchor="middle",
                font_weight=700,
                fill="#ffffff",
            ),
            *small_signs(face.commands, ink),
        ]
    else:
        parts.append(element("g", sign(face.commands[0], ink), transform=f"translate({width / 2:g} 72) scale(1.35)"))
    return "".join((*parts, caption(name)))


def small_signs(commands: tuple[Command, ...], ink: str) -> list[str]:
    """Return the command signs of an If card in a row."""
    width = CARD[0]
    gap = width / (len(commands) + 0.35)
    first = width / 2 - gap * (len(commands) - 1) / 2
    return [
        element(
            "g", sign(command, ink), transform=f"translate({first + n * gap:g} 86) scale({0.8 if gap > 40 else 0.62})"
        )
        for n, command in enumerate(commands)
    ]


def caption(name: Card) -> str:
    """Return the caption at the bottom of a card."""
    face = CARDS[name]
    words = face.name.removeprefix("Turn ").capitalize()
    if face.tag:
        words = "+".join(SHORT[command] for command in face.commands)
    return label(CARD[0] / 2, CARD[1] - 16, words, 21, text_anchor="middle", font_weight=600)


SHORT: dict[Command, str] = {
    "forward": "F",
    "backward": "B",
    "left": "L",
    "right": "R",
    "around": "U",
    "jump": "J",
}
"""The letters of the commands (12.4)."""


def card_back() -> str:
    """Return a face-down card, 56 by 76 units."""
    return (
        box(0, 2, 56, 76, "#000", 9, opacity=0.14)
        + box(0, 0, 56, 76, "#a4502c", 9, stroke=CREAM, stroke_width=3)
        + path("M28 16l12 12h-6v14h12l-18 20l-18 -20h12v-14h-6z", "#f3c98b")
    )


def pill(x: Number, y: Number, tag: Tag) -> tuple[str, Number]:
    """Return a tag of the featured item and its width."""
    width = 13 * len(tag) + 30
    drawn = box(x, y, width, 32, BADGE[tag], 16) + label(
        x + width / 2, y + 23, tag, 21, text_anchor="middle", font_weight=600, fill="#ffffff"
    )
    return drawn, width


def sprite() -> str:
    """Return the pictures of all cards as SVG symbols, for pages."""
    return symbols(PICTURES)
