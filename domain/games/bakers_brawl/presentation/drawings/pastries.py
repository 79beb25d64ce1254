"""Orders: pastries; and the marks of the five categories."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.avatars_bread import BREAD
from domain.kernel.drawing.avatars_sweets import SWEETS
from domain.kernel.drawing.bakes import domed_pie, plate
from domain.kernel.drawing.pies import PIES
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, solid

PASTRIES: dict[str, Drawing] = {
    "O33": (
        shadow(),
        solid("M5 38L24 9l19 29q-2 4-6 2-3 2-6 0-3 2-7 0-3 2-6 0-3 2-7 0-4 1-6-2z", ink.CARAMEL),
        line("M24 17l-7 16M24 17l7 16", ink.CARAMEL.dark, 1.6),
        solid("M24 29q-3-3-5-1t1 6q2 3 4 1 2 2 4-1 3-4 1-6t-5 1z", ink.APPLE, 1.5, 1.3),
    ),
    "O34": PIES["pain-au-chocolat"],
    "O35": (
        shadow(),
        solid("M4 36q0 5 10 5t10-5z", ink.CRUST, 2),
        solid("M3 35q3-4 6-1t6 0 6 0q4 0 3 3-11 3-21 0z", ink.CREAM, 1.5, 1.4),
        solid("M5 33q0-11 9-11t9 11q-9 3-18 0z", ink.CRUST, 3),
        solid("M24 33q0 6 10 6t10-6z", ink.CRUST, 2),
        solid("M23 31q3-4 6-1t6 0 6 0q4 0 3 3-11 3-21 0z", ink.CREAM, 1.5, 1.4),
        solid("M25 29q0-14 9-14t9 14q-9 3-18 0z", ink.CRUST, 3),
        area("M28 20q3-5 11-2-2 4-11 2zM8 26q3-3 9-2-2 4-9 2z", ink.WHITE, 0.85),
    ),
    "O36": (
        shadow(),
        solid("M4 24v12l20 8 20-8V24z", ink.CRUST, 2),
        line("M4 28l20 8 20-8M4 32l20 8 20-8", ink.CRUST.dark, 1.5),
        solid("M24 12l20 12-20 10L4 24z", ink.CARAMEL, 3),
        dots("24,20 19,24 29,24 24,28 15,23 33,23", 1.9, ink.LIME.base),
        dots("22,23 27,26 20,27", 1.2, ink.LIME.dark),
    ),
    "O37": (
        shadow(),
        solid("M6 12q9 3 18 3t18-3q-3 7-3 14t3 14q-9-2-18-2T6 40q3-7 3-14T6 12z", ink.CRUST),
        line("M9 15l9 6M39 15l-9 6M9 37l9-5M39 37l-9-5", ink.CRUST.dark, 2),
        solid(oval(24, 26, 10, 8.5), ink.CREAM, 2, 1.4),
        solid(oval(20, 24, 3.6), ink.BERRY, 1.5, 1.3),
        solid(oval(27, 23, 3.6), ink.PLUM, 1.5, 1.3),
        solid(oval(24, 29, 3.6), ink.BLUE, 1.5, 1.3),
    ),
    "O38": (
        shadow(),
        solid("M5 30q-3-9 5-11h27q8 2 6 11-2 4-6 4H10q-4 0-5-4z", ink.CUSTARD),
        solid("M7 37q-2-8 5-9h25q7 1 5 9-2 4-6 4H13q-4 0-6-4z", ink.CUSTARD),
        line("M14 29q3 5 0 11M21 29q3 5 0 11M29 29q3 5 0 11", ink.CUSTARD.dark, 1.6),
        solid("M14 20q0-6 6-5 4-5 8 0 6-1 6 5-10 4-20 0z", ink.CREAM, 2),
        solid("M30 17q-1-8 6-9 6 3 4 10-5 2-10-1z", ink.LEMON, 1.5, 1.4),
        line("M36 10l-2 7M33 12l6 4", ink.WHITE, 1.2),
    ),
    "O39": (
        *SWEETS["strudel"],
        solid("M33 26q-4-4-7-1t1 9q3 4 6 2 3 2 6-2 4-6 1-9t-7 1z", ink.APPLE, 2),
        line("M33 26q0-3 2-5", ink.OUTLINE, 2),
    ),
    "O40": (
        shadow(26, 43, 17, 2.6),
        *(solid(oval(x, y, 6), ink.CARAMEL, 2.5, 1.5) for x, y in ((10, 37), (19.5, 37), (29, 37), (38, 37))),
        *(solid(oval(x, y, 5.5), ink.CARAMEL, 2.5, 1.5) for x, y in ((15, 28), (24, 28), (33, 28))),
        *(solid(oval(x, y, 5), ink.CARAMEL, 2, 1.5) for x, y in ((19.5, 19.5), (28.5, 19.5))),
        solid(oval(24, 11, 4.8), ink.CARAMEL, 2, 1.5),
        line("M17 11q-7 14-8 22M31 11q7 14 8 22M14 21q10 8 22 2", ink.CREAM.base, 1.3),
    ),
}
"""Pastries by the id of their Order."""
CATEGORIES: dict[str, Drawing] = {
    "cookie": SWEETS["cookie"],
    "cake": (
        shadow(26, 43, 19, 3),
        plate(),
        solid("M5 28l8-8h30l-6 8z", ink.PINK, 2),
        solid("M5 28h32v12H5z", ink.DOUGH, 3),
        area("M5 28h32v4q-3 3-5 0q-3 3-5 0q-3 3-6 0q-3 3-5 0q-3 3-6 0q-3 3-5-1z", ink.PINK.base),
        solid("M37 28l6-8v12l-6 8z", ink.TOFFEE, 2),
    ),
    "bread": BREAD["bread"],
    "pie": (shadow(), *domed_pie(), line("M18 19l2 5M24 17v6M30 19l-2 5", ink.CRUMB.dark, 1.8)),
    "pastry": BREAD["croissant"],
}
"""The mark of each category of Orders."""
