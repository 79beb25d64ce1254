"""Avatars: bread, rolls and savoury bakes."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, box, dots, hoop, line, oval, rope, shadow, shine, solid

PRETZEL = "M13 40L31 24Q43 10 33 9.5Q25 10 24 22Q23 10 15 9.5Q5 10 17 24L35 40"

BREAD: dict[str, Drawing] = {
    "bagel": (
        shadow(),
        solid(hoop(24, 25, 17.5, 15.5, 5.5, 4.6), ink.CRUMB),
        line("M15 17l1 2M24 14l1 2M33 18l1 2M36 27l1 2M31 35l1 2M14 31l1 2M21 37l1 2", ink.CREAM.base, 2),
    ),
    "baguette": (
        shadow(),
        solid("M7 41q-5-5 1-11L31 9q7-5 10-1t-2 11L17 40q-6 5-10 1z", ink.CARAMEL, 3),
        line("M13 29q4 1 6 6M21 22q4 1 6 6M29 15q4 1 6 6", ink.CREAM.dark, 2.6),
    ),
    "biscuit": (
        shadow(),
        solid(oval(24, 25, 18, 16), ink.DOUGH),
        line(oval(24, 24.5, 13.5, 11.5), ink.DOUGH.dark, 1.4),
        dots("18,20 24,18.5 30,20 17,25.5 24,25 31,25.5 20,30.5 28,30.5", 1.3, ink.DOUGH.dark),
    ),
    "blini": (
        shadow(),
        solid("M5 30v3q0 8 19 8t19-8v-3q0-8-19-8T5 30z", ink.CRUST),
        line("M6 31q1 6 18 6t18-6", ink.CRUST.dark, 1.4),
        solid("M11 27q1-5 6-5q1-6 7-7q6 1 7 6q6 1 6 6q-13 5-26 0z", ink.CREAM, 3),
        dots("21,20 25,17.5 28.5,21.5 24,23", 2.3, ink.CARROT.base),
    ),
    "bread": (
        shadow(),
        solid("M7 24q-4-10 6-12h23q9 2 5 12v15q0 3-3 3H10q-3 0-3-3z", ink.CRUST),
        line("M17 18l4 7M25 17l4 7M33 18l3 6", ink.NUT.dark, 1.8),
    ),
    "brioche": (
        shadow(),
        solid("M6 29q0-4 5-4h26q5 0 5 4l-5 11q-13 3-26 0z", ink.CARAMEL),
        line("M14 29l2 11M21 30l1 11M27 30l-1 11M34 29l-2 11", ink.CARAMEL.dark, 1.5),
        solid("M7 28q0-11 17-11t17 11q-17 5-34 0z", ink.CARAMEL),
        solid(oval(24, 14, 8.5, 7.5), ink.CARAMEL, 3),
    ),
    "bun": (
        shadow(),
        solid("M5 31q0-18 19-18t19 18q0 9-7 9H12q-7 0-7-9z", ink.CARAMEL),
        line("M24 14v25M7 27q17 6 34 0", ink.CREAM.base, 3.4),
        shine("M12 22q2-4 6-5"),
    ),
    "cracker": (
        shadow(),
        solid(box(7, 9, 34, 32, 4), ink.CRUST),
        line("M11 13h26v24H11z", ink.CRUST.dark, 1.2),
        dots("17,19 24,19 31,19 17,25.5 24,25.5 31,25.5 17,32 24,32 31,32", 1.5, ink.NUT.dark),
    ),
    "croissant": (
        shadow(),
        solid("M5 33q0-18 19-21q19 3 19 21q-1 6-7 4q0-8-12-8t-12 8q-6 2-7-4z", ink.CRUST),
        line("M17 15q-3 8 0 14M31 15q3 8 0 14M9 23q3 4 5 9M39 23q-3 4-5 9", ink.NUT.dark),
    ),
    "crouton": (
        shadow(),
        solid(box(14, 8, 18, 17, 3), ink.CRUST, 3),
        solid(box(5, 23, 18, 17, 3), ink.CRUST, 3),
        solid(box(25, 24, 18, 17, 3), ink.CRUST, 3),
        dots("20,14 26,19 11,30 17,35 32,31 37,36 25,12", 1.3, ink.NUT.dark),
    ),
    "crumpet": (
        shadow(),
        solid("M5 23v10q0 8 19 8t19-8V23z", ink.CARAMEL),
        solid(oval(24, 23, 19, 9), ink.DOUGH, 2),
        dots("14,21 20,18 27,19 34,21 17,25 24,24 31,26 37,24 22,28.5", 1.5, ink.NUT.dark),
        solid("M20 17l9-2 4 5-9 3z", ink.LEMON, 1.5, 1.4),
    ),
    "dumpling": (
        shadow(),
        solid("M5 31q2-13 12-16q3-5 7-5t7 5q10 3 12 16q0 9-19 9T5 31z", ink.CREAM),
        line("M24 12v9M18 15.5l2 8M30 15.5l-2 8M12 20l5 7M36 20l-5 7", ink.CREAM.dark, 1.8),
        line("M20 11q4 3 8 0", ink.OUTLINE, 1.5),
    ),
    "focaccia": (
        shadow(),
        solid("M4 24q0-8 9-8h22q9 0 9 8v9q0 6-7 6H11q-7 0-7-6z", ink.CRUST),
        area("M6 24q0-6 7-6h22q7 0 7 6t-7 6H13q-7 0-7-6z", ink.HONEY.light, 0.55),
        dots("13,21 24,20 35,21 18,26 30,26", 2.6, ink.APPLE.base),
        line("M14 27l5-5M25 26l5-5M34 26l3-3", ink.LEAF.dark, 2),
    ),
    "panini": (
        shadow(),
        solid("M5 31h38v4q0 5-6 5H11q-6 0-6-5z", ink.CRUST, 3),
        solid("M4 27q2-2 5 0t5 0 5 0 5 0 5 0 5 0 5 0 5 0v4H4z", ink.LEAF, 1.5),
        solid("M5 24h38v4H5z", ink.PINK, 1.5),
        solid("M5 24v-3q0-9 19-9t19 9v3z", ink.CRUST, 3),
        line("M13 14.5l4 7M21 13l4 8M29 13l4 7", ink.SHELL.base, 2.2),
    ),
    "pita": (
        shadow(),
        solid("M7 24q1-8 7-5q3-6 9-3q5-4 9 1q6-2 7 2q4 0 3 6z", ink.LEAF, 3),
        dots("16,21 31,21", 3.2, ink.APPLE.base),
        solid("M4 23q20 5 40 0q0 18-20 18T4 23z", ink.DOUGH),
        dots("15,32 23,35 31,31 27,29", 1.6, ink.DOUGH.dark),
    ),
    "popover": (
        shadow(),
        solid("M14 41l-3-15q-7-2-5-9q2-6 9-4q4-6 10-5q7-1 9 5q8-1 8 6q-1 6-6 7l-3 15q-9 3-19 0z", ink.CARAMEL),
        line("M12 26q6-3 9 0q6-4 9 0q4-2 6 0", ink.CARAMEL.dark, 1.8),
        line("M19 30l1 9M28 30l-1 9", ink.CARAMEL.dark, 1.5),
        shine("M12 18q2-3 5-3"),
    ),
    "pretzel": (
        shadow(),
        *rope(PRETZEL, ink.CRUMB.base, 5.2),
        line("M16 12q-1 4 2 7M32 12q1 4-2 7", ink.CRUMB.light, 1.6),
        dots("16,10.5 32,10.5 24,29 19,35 29,35", 1.3, ink.WHITE),
    ),
    "rusk": (
        shadow(),
        solid("M21 38V18q0-8 11-8t11 8v20q-11 3-22 0z", ink.CARAMEL, 3),
        solid("M5 39V20q0-8 11-8t11 8v19q-11 3-22 0z", ink.CRUST, 3),
        dots("11,22 19,20 15,27 21,29 11,33 18,35", 1.4, ink.NUT.dark),
    ),
    "scone": (
        shadow(),
        solid("M8 38q-3-8 3-11q-3-8 5-11q8-5 16 0q8 3 5 11q6 3 3 11q-16 5-32 0z", ink.DOUGH),
        line("M11 28q13 5 26 0", ink.DOUGH.dark, 1.8),
        dots("18,21 27,19 32,23 23,25 17,34 29,35", 1.9, ink.SHELL.dark),
    ),
}
"""Bread and rolls by name."""
