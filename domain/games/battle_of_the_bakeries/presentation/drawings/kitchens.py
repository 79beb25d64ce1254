"""Hire a Chef cards: ovens, batters and borrowed tools; the shapes of the multipliers and the stale card."""

from domain.games.battle_of_the_bakeries.presentation.drawings.chefs import SETS
from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.avatars_bakers import TOOLS
from domain.kernel.drawing.bakes import pan
from domain.kernel.drawing.materials import Material
from domain.kernel.drawing.shapes import Drawing, Shape, area, box, dots, line, oval, rope, shadow, solid

FIRE = "M18 36q-2-7 4-12 0 3 2 4 2-5 1-8 6 4 6 10 2-1 2-3 3 5-1 9z"
PLAQUE = "M15 6h18q3 0 3 3t-3 3H15q-3 0-3-3t3-3z"


def oven(multiplier: int) -> Drawing:
    """Return an oven with a plaque in the colour of its set."""
    plaque = solid(PLAQUE, SETS[multiplier], 1.5, 1.4)
    fire = (area(FIRE, ink.FLAME.base), area("M21 36q-1-5 3-8 0 3 2 4 2 2 0 4z", ink.LEMON.light))
    match multiplier:
        case 2:
            body: tuple[Shape, ...] = (
                solid(box(8, 9, 32, 32, 3), ink.STEEL, 3),
                solid(box(14, 19, 20, 18, 2), ink.CAST, 2),
                dots("13,14 35,14", 1.6),
            )
        case 3:
            body = (
                solid("M10 38l-4 5M38 38l4 5", ink.CAST, 1),
                solid("M6 37V22Q8 9 24 9t18 13v15q-18 5-36 0z", ink.LEAF, 3),
                solid(box(14, 20, 20, 17, 3), ink.CAST, 2),
                solid(box(36, 3, 6, 12, 1), ink.CAST, 1.5),
            )
        case 4:
            body = (
                solid("M5 41V24Q6 8 24 8t19 16v17z", ink.MEAT, 3),
                line("M6 24h8M34 24h8M6 32h8M34 32h8M10 24v8M38 24v8M12 14l5 4M36 14l-5 4M24 9v6", ink.CREAM.dark, 1.5),
                solid("M14 41V28q0-9 10-9t10 9v13z", ink.CAST, 2),
            )
        case 5:
            body = (
                solid(box(7, 9, 34, 32, 3), ink.CAST, 3),
                solid(box(13, 20, 22, 17, 2), ink.FUDGE, 2),
                line("M16 17h16", ink.STEEL.base, 2.4),
                dots("12,14 36,14", 2, ink.STEEL.base),
            )
        case _:
            body = (
                solid(box(7, 10, 34, 31, 4), ink.HONEY, 3),
                solid("M13 38V28q0-9 11-9t11 9v10z", ink.CAST, 2),
                line("M10 14v23M38 14v23", ink.HONEY.dark, 1.6),
                dots("10,14 38,14", 2, ink.APPLE.base),
            )
    return (shadow(), *body, *fire, plaque)


BATTERS: dict[int, Material] = {2: ink.CUSTARD, 3: ink.PLUM, 4: ink.CRUST, 5: ink.APPLE, 6: ink.CREAM}
"""The batter of each set: scone, plum, muffin, velvet and meringue."""
TINS: dict[int, Material] = {2: ink.STEEL, 3: ink.CARAMEL, 4: ink.SKY, 5: ink.CAST, 6: ink.PINK}


def batter(multiplier: int) -> Drawing:
    """Return a tin of batter with a spoon."""
    content = BATTERS[multiplier]
    match multiplier:
        case 2:
            marks: tuple[Shape, ...] = (dots("16,26 22,28 31,26.5 27,24", 1.5, ink.SHELL.dark),)
        case 3:
            marks = (solid(oval(17, 25, 3.4, 2.6), ink.BERRY, 1, 1.2), solid(oval(31, 26, 3.4, 2.6), ink.BERRY, 1, 1.2))
        case 4:
            marks = (dots("15,26 21,24 24,28 32,27 28,24.5", 1.8, ink.BLUE.dark),)
        case 5:
            marks = (line("M13 26q5 3 10 0t11 0", ink.APPLE.light, 1.8),)
        case _:
            marks = (solid("M13 26q0-5 5-5 1-5 6-8 4 3 5 8 5 0 6 5-11 4-22 0z", ink.CREAM, 2, 1.4),)
    spoon = rope("M27 25L37 8", ink.CRUMB.base, 2.6) if multiplier != 6 else ()
    return (shadow(), *pan(content, TINS[multiplier]), *marks, *spoon)


KITCHENS: dict[str, Drawing] = {
    **{f"oven-{n}": oven(n) for n in SETS},
    **{f"batter-{n}": batter(n) for n in SETS},
    "wild-23": TOOLS["whisk"],
    "wild-45": TOOLS["pin"],
}
"""Ovens, batters and tools by card."""
SHAPES: dict[str, Drawing] = {
    "shape-2": (solid(oval(24, 24, 19), SETS[2]),),
    "shape-3": (solid("M24 5l20 36q0 1-1 1H5q-1 0-1-1z", SETS[3]),),
    "shape-4": (solid(box(6, 6, 36, 36, 3), SETS[4]),),
    "shape-5": (solid("M24 4l20 15-7 23H11L4 19z", SETS[5]),),
    "shape-6": (solid("M14 6h20l10 18-10 18H14L4 24z", SETS[6]),),
}
"""The shape of each multiplier. Its number is text on the page."""
PARTS: dict[str, Drawing] = {
    "stale": (
        shadow(),
        solid("M4 28L34 12q9 5 10 16z", ink.MOULD, 3),
        solid("M4 28h40v11q-20 4-40 1z", ink.TOFFEE, 3),
        line("M6 34q19 4 37 0", ink.MOULD.dark, 2.4),
        line("M21 29l-3 4 4 3-2 4M35 28l2 4-3 3", ink.SHELL.dark, 1.6),
        dots("24,22 31,18 36,23 29,25", 2.1, ink.LEAF.dark),
        line("M12 16q-3-3 0-6M20 12q-3-3 0-6", ink.MOULD.dark, 2),
    ),
    "money": (
        shadow(),
        solid("M5 31v5q0 6 12 6t12-6v-5z", ink.HONEY, 3),
        solid(oval(17, 31, 12, 5), ink.HONEY, 2),
        solid("M19 21v5q0 6 12 6t12-6v-5z", ink.HONEY, 3),
        solid(oval(31, 21, 12, 5), ink.HONEY, 2),
        solid(oval(16, 14, 9), ink.HONEY, 3),
        line("M18.5 11.5q-3-2-5 0t2.5 3 2.5 3-5 0M16 9v2M16 18.5v1", ink.HONEY.dark, 1.8),
    ),
    "hourglass": (
        shadow(),
        solid("M12 8h24q0 10-9 16 9 6 9 16H12q0-10 9-16-9-6-9-16z", ink.GLASS, 3),
        area("M15 38q2-7 9-9 7 2 9 9zM16 14h16q-2 5-8 8-6-3-8-8z", ink.FLAME.base),
        solid(box(9, 4, 30, 5, 2), ink.CRUMB, 1.5),
        solid(box(9, 38, 30, 5, 2), ink.CRUMB, 1.5),
    ),
}
"""Other parts of the table."""
