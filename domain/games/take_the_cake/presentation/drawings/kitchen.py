"""The kitchen: the oven, walls and the bakers, who are drawn from above and face north."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.materials import Material
from domain.kernel.drawing.seats import SYMBOLS
from domain.kernel.drawing.shapes import Drawing, area, box, dots, line, oval, shadow, solid
from domain.kernel.svg import group

HAT = (
    "M24 14.5q4.5-2 6.5 2.4 4.4 2 2.4 6.6 2 4.5-2.4 6.6-2 4.4-6.5 2.4"
    "-4.5 2-6.5-2.4-4.4-2-2.4-6.6-2-4.5 2.4-6.6 2-4.4 6.5-2.4z"
)
"""A baker's hat from above."""
SEATS = {"red": 3, "blue": 2, "green": 4, "yellow": 1}
"""The seat colour of each baker, as a number of the design tokens."""
BODIES: dict[str, Material] = {
    "red": Material(ink.SEAT_FILLS[2], ink.APPLE.light, ink.APPLE.dark),
    "blue": Material(ink.SEAT_FILLS[1], ink.BLUE.light, ink.BLUE.dark),
    "green": Material(ink.SEAT_FILLS[3], ink.LIME.light, ink.LIME.dark),
    "yellow": Material(ink.SEAT_FILLS[0], ink.HONEY.light, ink.HONEY.dark),
}


def baker(colour: str) -> Drawing:
    """Return a baker without the symbol on the hat, which stays upright when the baker turns."""
    return (
        solid("M17 9l7-8 7 8z", ink.HONEY, 1.5),
        solid(box(2, 16, 9, 18, 4), ink.CAST, 2),
        solid(box(37, 16, 9, 18, 4), ink.CAST, 2),
        solid("M9 11q0-4 4-4h22q4 0 4 4v25q0 8-15 8T9 36z", BODIES[colour], 3),
        solid(oval(17.5, 12, 3.2), ink.CREAM, 0.5, 1.3),
        solid(oval(30.5, 12, 3.2), ink.CREAM, 0.5, 1.3),
        dots("17.5,11.2 30.5,11.2", 1.5),
        group(24, 27, group(-24, -23.5, area(HAT, ink.CREAM.base) + line(HAT, ink.OUTLINE, 1.3)), scale=1.12),
    )


def portrait(colour: str) -> Drawing:
    """Return a baker with the symbol of its seat, for lists and rules."""
    seat = SEATS[colour]
    mark = group(18.6, 21.6, area(SYMBOLS[seat - 1], BODIES[colour].dark), scale=0.45)
    return (shadow(27, 27, 20, 19), *baker(colour), mark)


KITCHEN: dict[str, Drawing] = {
    **{f"baker-{colour}": baker(colour) for colour in BODIES},
    **{f"portrait-{colour}": portrait(colour) for colour in BODIES},
    "oven": (
        solid(box(2, 2, 44, 44, 5), ink.CAST, 3),
        line("M7 6h34", ink.CAST.light, 1.6),
        *(solid(oval(x, 11.5, 5), ink.FUDGE, 1, 1.2) for x in (10.5, 37.5)),
        *(line(oval(x, 11.5, 2.3), ink.CARROT.base, 1.2) for x in (10.5, 37.5)),
        line("M15 17.5h18", ink.STEEL.base, 2.2),
        solid(box(8, 21, 32, 20, 4), ink.FUDGE, 1.5),
        area("M11 39.5q1-12 13-14 12 2 13 14z", ink.CARROT.base, 0.5),
        area(
            "M24 24.5c6 5 7 7 7 9.5a7 6 0 0 1-14 0c0-2 1.5-3.5 2.5-5 1 1 2 1.8 3 1.4 1.5-1.4.5-3.8 1.5-5.9z",
            ink.CARROT.base,
        ),
        area("M24.5 30.5c3 2.5 3.5 4 3.5 5.5a3.7 3.5 0 0 1-7.4 0c0-1.5 1-2 1.5-3 1.5.5 2-1 2.4-2.5z", ink.LEMON.light),
    ),
    "wall": (
        solid(box(1, 1, 46, 46, 5), ink.CAST, 3),
        area("M2 36h44v6q0 4-4 4H6q-4 0-4-4z", ink.CAST.dark),
        line("M9 17h13M24 26h13", ink.CAST.light, 1.4, 0.8),
    ),
}
"""Parts of the kitchen by name."""
