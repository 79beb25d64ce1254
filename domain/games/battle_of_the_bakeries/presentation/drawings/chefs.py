"""Hire a Chef cards: the chefs, with their hats and aprons, in the colour of their set."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.materials import Material
from domain.kernel.drawing.shapes import Drawing, Shape, area, box, dots, line, oval, shadow, solid

SETS: dict[int, Material] = {2: ink.LEMON, 3: ink.PLUM, 4: ink.BLUE, 5: ink.APPLE, 6: ink.LEAF}
"""The material of each set, by its multiplier."""
HATS = {
    2: "M11 20q-5-2-2-7 6-8 15-8 13 0 15 9 1 5-3 6z",
    3: "M14 20q-7-1-6-7 2-5 7-4 3-5 9-5t9 5q5-1 7 4 1 6-6 7z",
    4: "M12 20q-5-4-1-9 4-6 13-6t13 6q4 5-1 9z",
    5: "M15 20V8q0-3 9-3t9 3v12z",
    6: "M15 20L11 7q3-4 6-1 3-4 7-2 4-2 7 2 3-3 6 1l-4 13z",
}
"""The path of each chef's hat above the head: cap, toque, bonnet, tall toque and crown toque."""
HAIR: dict[int, Shape] = {
    2: solid("M12 24q-4 8 1 11 3 0 3-5zM36 24q4 8-1 11-3 0-3-5z", ink.CARAMEL, 1.5, 1.4),
    3: line("M18 33q3-3 6-1 3-2 6 1", ink.SHELL.dark, 3),
    4: solid("M12 22q-3 7 0 14l4-3zM36 22q3 7 0 14l-4-3z", ink.COCOA, 1.5, 1.4),
    5: solid("M15 31q9 4 18 0 1 8-9 9-10-1-9-9z", ink.CINNAMON, 1.5, 1.4),
    6: solid("M12 23q-2 4 1 8l3-6zM36 23q2 4-1 8l-3-6z", ink.STEEL, 1.5, 1.4),
}
"""What tells the chefs apart: braids, moustache, bob, beard and grey temples."""


def chef(multiplier: int) -> Drawing:
    """Return the portrait of a chef."""
    colour = SETS[multiplier]
    return (
        shadow(),
        solid("M8 42q1-9 16-9t16 9z", colour, 3),
        solid(oval(24, 27, 11.5, 11.5), ink.SKIN, 3),
        HAIR[multiplier],
        dots("20,26 28,26", 1.6),
        line("M21 31.5q3 2 6 0", ink.OUTLINE, 1.5) if multiplier not in (3, 5) else "",
        solid(HATS[multiplier], colour if multiplier in (2, 4) else ink.CREAM, 3),
        solid(box(13, 18, 22, 4.5, 1.5), colour, 1.5),
    )


def hat(multiplier: int) -> Drawing:
    """Return a hat on its own."""
    colour = SETS[multiplier]
    match multiplier:
        case 2:
            body: Drawing = (
                solid("M9 32q-6-4-2-12 6-10 18-10 17 0 17 13 0 6-4 9z", colour),
                line("M16 17q-4 5-2 12M26 14q-2 7 0 15M35 18q2 5 0 11", colour.dark, 1.8),
                solid("M9 31q15-4 29 0v7q-14 4-29 0z", ink.CREAM, 3),
                solid(oval(26, 10.5, 3), ink.CREAM, 1.5, 1.4),
            )
        case 3:
            body = (
                solid("M13 27q-9-1-7-9q2-7 9-5q2-7 9-7t9 7q7-2 9 5q2 8-7 9v12q-11 3-22 0z", ink.CREAM),
                solid("M12 31q12 4 24 0v8q-12 4-24 0z", colour, 3),
                line("M20 17q-2 5 0 10M28 17q2 5 0 10", ink.CREAM.dark, 1.8),
            )
        case 4:
            body = (
                solid("M6 32Q4 8 24 8t18 24q-6-5-18-5T6 32z", colour),
                solid("M5 33q19-10 38 0 2 4-2 6-17-8-34 0-4-2-2-6z", ink.CREAM, 3),
                dots("16,17 24,14 32,17 20,22 29,22", 1.8, ink.WHITE),
                line("M12 38q2 4 6 4", colour.dark, 2.4),
            )
        case 5:
            body = (
                solid("M14 33L12 9q12-5 24 0l-2 24z", colour),
                line("M19 12l1 20M24 11v21M29 12l-1 20", colour.dark, 1.8),
                solid("M11 31q13 4 26 0v8q-13 4-26 0z", ink.CREAM, 3),
            )
        case _:
            body = (
                solid("M13 31L7 14q3-6 8-3 3-6 9-4 6-2 9 4 5-3 8 3l-6 17z", ink.CREAM),
                line("M17 14l2 16M24 11v19M31 14l-2 16", ink.CREAM.dark, 1.8),
                solid("M12 30q12 4 24 0v9q-12 4-24 0z", colour, 3),
                solid("M24 32l1.6 2.6 3 .7-2 2.3.3 3-2.9-1.2-2.9 1.2.3-3-2-2.3 3-.7z", ink.HONEY, 1, 1.1),
            )
    return (shadow(), *body)


APRON = "M16 6q8 9 16 0v11q3 4 8 6l-2 18q-14 4-28 0L8 23q5-2 8-6z"


def apron(multiplier: int) -> Drawing:
    """Return an apron."""
    colour = SETS[multiplier]
    match multiplier:
        case 2:
            marks: tuple[Shape, ...] = (solid("M15 27q0-5 6-4 5-3 7 2 5 1 3 6-6 6-12 2-5-1-4-6z", ink.CUSTARD, 2, 1.3),)
        case 3:
            marks = (
                solid(box(16, 28, 16, 9, 2), ink.PLUM, 2, 1.4),
                solid("M18 20q2-3 5-1 5-1 4 4-3 3-6 1-4 0-3-4z", ink.BERRY, 1.5, 1.2),
            )
        case 4:
            squares = "M12 24h4v17h-4zM20 14h4v28h-4zM28 14h4v27h-4zM36 24h3v16h-3zM8 25h32v4H8zM9 33h30v4H9z"
            return (shadow(), solid(APRON, ink.CREAM, inside=(area(squares, colour.base, 0.55),)), _strings(colour))
        case 5:
            marks = (solid("M14 27h20v10q-10 3-20 0z", ink.APPLE, 3, 1.4), line("M14 27h20", ink.CREAM.base, 2.2))
        case _:
            marks = (
                line("M14 24q3 8-1 17M34 24q-3 8 1 17M24 17v24", colour.light, 2),
                solid("M24 24q-8-6-9 0t9 0q8 6 9 0t-9 0z", ink.HONEY, 1.5, 1.3),
            )
    return (shadow(), solid(APRON, colour), *marks, _strings(colour))


def _strings(colour: Material) -> str:
    return line("M16 6q-1-2 1-3M32 6q1-2-1-3", colour.dark, 2.4)


CHEFS: dict[str, Drawing] = {
    **{f"chef-{n}": chef(n) for n in SETS},
    **{f"hat-{n}": hat(n) for n in SETS},
    **{f"apron-{n}": apron(n) for n in SETS},
}
"""Chefs, hats and aprons by card."""
