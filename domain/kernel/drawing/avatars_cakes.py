"""Avatars: cakes, tarts and puddings."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.bakes import case, plate, ring_tin, tier
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, rope, shadow, shine, solid

CAKES: dict[str, Drawing] = {
    "brownie": (
        shadow(),
        solid("M5 21l12-9h26l-10 9z", ink.COCOA, 2),
        solid("M5 21h28v18H5z", ink.CHOC),
        solid("M33 21l10-9v18l-10 9z", ink.CHOC, 2),
        dots("16,17.5 24,15.5 33,16 27,18.5", 1.8, ink.NUT.light),
        dots("12,28 20,33 27,27", 1.6, ink.COCOA.light),
    ),
    "cobbler": (
        shadow(),
        solid("M5 26h38l-4 12q-15 4-30 0z", ink.BLUE),
        solid(oval(24, 26, 19, 6), ink.BERRY, 2),
        solid(oval(14, 23, 7, 5), ink.DOUGH, 3),
        solid(oval(33, 23, 7, 5), ink.DOUGH, 3),
        solid(oval(24, 20, 8, 5.5), ink.DOUGH, 3),
    ),
    "crepe": (
        shadow(),
        solid("M5 16q19-10 38 0L24 42z", ink.CRUST),
        line("M24 41q-2-16 5-28", ink.CRUST.dark, 1.6),
        line("M12 20l8 5 1-8 9 7 1-9 7 5", ink.CHOC.base, 2),
        solid("M31 11q5-5 9 0q1 6-5 9q-5-4-4-9z", ink.APPLE, 1.5),
        line("M33 9q2 2 5 0", ink.LEAF.dark, 2.2),
    ),
    "crostata": (
        shadow(),
        solid(oval(24, 26, 19, 13), ink.BERRY),
        *rope("M8 26h32M11 19h26M11 33h26", ink.CRUST.base, 2.6),
        *rope("M16 15v22M24 13v26M32 15v22", ink.CRUST.base, 2.6),
        *rope(oval(24, 26, 18, 13), ink.CRUST.base, 3.4),
    ),
    "cupcake": (
        shadow(),
        *case(ink.SKY),
        solid("M8 29q-3-7 5-9q0-6 6-7q1-5 6-7q-1 5 4 7q6 1 5 7q8 2 6 9q-16 4-32 0z", ink.PINK),
        line("M14 24q8 3 14-1M19 17q5 3 9-1", ink.PINK.dark, 1.8),
        dots("17,20 30,19 24,23 34,26 15,27", 1.4, ink.WHITE),
        solid(oval(24, 8, 3.6), ink.APPLE, 1.5),
    ),
    "galette": (
        shadow(),
        solid("M24 8l11 3 8 9v10l-8 9-11 3-11-3-8-9V20l8-9z", ink.CRUST),
        line(
            "M24 8v6M35 11l-4 6M43 21l-6 3M43 30l-6-2M35 39l-4-5M13 39l4-5M5 30l6-2M5 20l6 3M13 11l4 6",
            ink.CRUST.dark,
            1.8,
        ),
        solid(oval(24, 25.5, 13, 11), ink.PEACH, 3),
        line("M18 21q5-4 11 0M16 26q8-5 16 0M18 31q6-4 12 0", ink.PEACH.dark, 1.8),
    ),
    "muffin": (
        shadow(),
        *case(ink.PORCELAIN),
        solid("M7 28q-3-6 4-10q3-8 13-8t13 8q7 4 4 10q-3 4-8 2q-9 3-18 0q-5 2-8-2z", ink.CRUMB),
        dots("17,19 27,16 33,23 22,25 13,25", 2.5, ink.BLUE.dark),
        shine("M15 16q2-3 6-3"),
    ),
    "pancake": (
        shadow(),
        *(solid(f"M6 {y}v4q0 6 18 6t18-6v-4q0-6-18-6T6 {y}z", ink.CRUST, 3) for y in (31, 25, 19)),
        area("M10 20q0-4 14-4t14 4q-2 3-3 8-3 3-4-2-3-2-5 1-2 6-5 1-4-4-6 0-3 2-3-3z", ink.CARAMEL.base),
        solid("M19 18l6-3 6 3-6 3z", ink.CUSTARD, 1.5, 1.4),
    ),
    "profiterole": (
        shadow(),
        solid("M6 32q0 9 18 9t18-9q-18-5-36 0z", ink.CRUST),
        solid("M6 30q4-4 8-1t8 0 8 0 8 0q4 1 4 3-18 6-36 0z", ink.CREAM, 2),
        solid("M7 28q0-15 17-15t17 15q-17 4-34 0z", ink.CRUST),
        solid("M11 23q1-11 13-11t13 11q-3 4-5 0-3 5-6 0-3 6-6 1-2 4-5 0-3 3-4-1z", ink.CHOC, 3),
        shine("M17 17q2-2 5-2"),
    ),
    "pudding": (
        shadow(),
        plate(),
        solid("M7 39q-2-24 17-24t17 24q-17 5-34 0z", ink.CHOC),
        dots("13,31 20,35 31,34 35,29 27,30", 1.6, ink.CARAMEL.base),
        solid("M12 24q1-11 12-11t12 11q-3 5-5 0-3 8-6 1-3 6-6 1-2 5-4 0-2 2-3-2z", ink.CREAM, 3),
        solid("M23 13q-8 1-9-5 8-2 9 5zM25 13q8 1 9-5-8-2-9 5z", ink.LEAF, 1.5),
        solid(oval(24, 11.5, 3), ink.APPLE, 1.5),
    ),
    "sponge": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(tier(8, 30, 32, 9), ink.CRUST, 3),
        solid("M7 29h34q1 4-3 3-3 3-6 0-3 3-6 0-3 3-6 0-3 3-6 0-3 3-6 0-3 0-1-3z", ink.BERRY, 1.5),
        solid("M8 17q16-5 32 0v11q-16 4-32 0z", ink.CRUST, 3),
        area("M9 17q15-5 30 0-15 5-30 0z", ink.WHITE, 0.85),
    ),
    "tartlet": (
        shadow(),
        *ring_tin(ink.CRUST),
        solid(oval(24, 25, 19, 7), ink.CUSTARD, 2),
        solid(oval(15, 22, 4.5), ink.APPLE, 2),
        solid(oval(33, 22, 4.5), ink.APPLE, 2),
        solid(oval(24, 19.5, 5), ink.APPLE, 2),
        line("M24 15q3-4 7-3", ink.LEAF.dark, 2.4),
    ),
    "meringue": (
        shadow(),
        solid("M6 36q-2-7 5-9q-2-7 5-9q-1-6 5-8q1-4 4-6q0 4 4 6q5 3 3 8q6 2 4 9q7 2 6 9q-2 5-18 5T6 36z", ink.CREAM),
        line("M11 28q13 5 26 0M16 18.5q8 4 15 0M7 35q17 6 34 0", ink.CREAM.dark, 1.8),
        shine("M17 14q1-2 3-3"),
    ),
    "doughnut": (
        shadow(),
        solid("M5 26a19 16 0 1 1 38 0a19 16 0 1 1-38 0zM19 25a5 4.2 0 1 0 10 0a5 4.2 0 1 0-10 0z", ink.CRUMB),
        solid(
            "M6 24q1-13 18-13t18 13q-1 6-5 3-2 6-6 2-2-1-2-4a5 4.2 0 0 0-10 0q0 5-4 4-4 4-6-1-3 1-3-4z",
            ink.PINK,
        ),
        line("M13 20l2 2M20 15l2 1M29 14l-1 2M35 19l-2 1M37 24l-2-1", ink.BLUE.base, 2),
        line("M16 25l1-2M25 17l2 1M33 24l1 2", ink.CUSTARD.base, 2),
    ),
    "eclair": (
        shadow(),
        solid("M5 32q-1-9 8-10h22q9 1 8 10q-1 8-9 8H14q-8 0-9-8z", ink.CRUST),
        solid("M7 26q2-9 10-9h16q7 1 8 9q-2 5-5 1q-4 5-7 0q-3 4-6 0q-4 5-7 0q-3 4-6 0q-2 2-3-1z", ink.CHOC),
        shine("M13 21q2-2 6-2"),
    ),
    "turnover": (
        shadow(),
        solid("M4 35q1-23 20-23t20 23q0 4-4 4-3-3-6 0-3-3-6 0-4-3-8 0-3-3-6 0-3-3-6 0-4 0-4-4z", ink.CARAMEL),
        line("M18 21l-2 7M24 19v8M30 21l2 7", ink.CINNAMON.dark, 2.2),
        line("M9 33q15 3 30 0", ink.CARAMEL.dark, 1.5),
    ),
    "danish": (
        shadow(),
        solid(oval(24, 25, 19, 16), ink.CRUST),
        line("M10 24a14 11 0 0 1 28 1a13 11 0 0 1-25 4M38 29a13 11 0 0 1-22 5", ink.CRUST.dark, 2),
        solid(oval(24, 25, 8, 6.5), ink.BERRY, 2),
        line("M9 19l9 17M17 13l13 26M27 11l11 20", ink.DOUGH.light, 2),
    ),
}
"""Cakes, tarts and puddings by name."""
