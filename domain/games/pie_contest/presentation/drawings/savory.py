"""Spices, savory ingredients and crusts."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

SAVORY: dict[str, Drawing] = {
    "nutmeg": (
        shadow(),
        solid(oval(19, 28, 12, 13), ink.SHELL),
        line("M14 20q4 8 0 15M20 18q4 10 0 20M26 21q2 7-1 13", ink.SHELL.dark, 1.3),
        solid("M28 12l14 4l-4 24q-6 1-9-1z", ink.STEEL, 3),
        dots("33,19 38,20 32,25 37,26 32,31 36,32 33,36", 1.2),
    ),
    "ginger": (
        shadow(),
        solid(
            "M6 29q-1-6 5-6q5 0 6-5q0-8 7-8q6 1 5 8q1 3 5 1q8-2 8 5q0 6-6 6q-4 0-5 4q-1 8-9 7q-5-1-5-6"
            "q-1-3-4-2q-6 1-7-4z",
            ink.CRUST,
        ),
        line("M11 26q1 2 3 1M24 14q3 0 3 2M36 23q1 3 3 2M24 37q2 1 3-1", ink.SHELL.base, 1.4),
        area("M35 24.5a3 2.6 0 1 1 6 0a3 2.6 0 1 1 -6 0z", ink.CUSTARD.base),
    ),
    "mint": (
        shadow(),
        solid("M23 41q-1-10-11-10q-7-2-7-10q10-2 15 3q4 5 3 17z", ink.LEAF, 2, 1.4),
        solid("M24 41q1-10 10-11q8-2 9-11q-11-2-16 4q-4 6-3 18z", ink.LEAF, 2, 1.4),
        solid("M24 28q-9-7-8-14q2-7 8-9q6 2 8 9q1 7-8 14z", ink.LEAF, 2, 1.4),
        line("M24 41V10M10 24q8 4 12 12M38 22q-8 4-12 13", ink.LEAF.dark, 1.4),
    ),
    "beef": (
        shadow(),
        solid("M6 27q0-12 14-15q15-3 21 6q4 8-3 12q-6 2-9 7q-5 6-13 4q-9-2-10-14z", ink.MEAT),
        solid(oval(17, 26, 5.5, 5), ink.CREAM, 2),
        area("M14.6 26a2.4 2.2 0 1 1 4.8 0a2.4 2.2 0 1 1 -4.8 0z", ink.WOOD.base),
        line("M26 17q5-2 9 1M29 23q4-2 7-1M22 36q4 0 6-4", ink.CHERRY.light, 2),
    ),
    "chicken": (
        shadow(),
        solid("M27 27q-4-6 1-13q6-7 12-5q6 6 2 14q-5 8-13 8q-4 0-6 3l-8 7q1 4-3 4q-4-1-3-4q-4 0-4-4q2-4 5-2z", ink.NUT),
        area("M20 29l-8 7l-2 3l3 2l3-3l7-7z", ink.CREAM.base),
        line("M22 27.5l-9 8.5q-3-2-4.5 1.5t3.5 4q0 4 3.5 3.5t2-4l8-8"),
        shine("M30 16q3-4 7-4"),
    ),
    "mushroom": (
        shadow(),
        solid("M18 25h12q-1 8 2 14q-8 5-16 0q3-6 2-14z", ink.CREAM),
        solid("M6 25q1-16 18-16t18 16q-18 6-36 0z", ink.CRUMB),
        area("M14.4 17a2.6 2 0 1 1 5.2 0a2.6 2 0 1 1 -5.2 0z", ink.SKIN.light),
        area("M24.6 14.5a2.4 1.8 0 1 1 4.8 0a2.4 1.8 0 1 1 -4.8 0z", ink.SKIN.light),
        area("M30.6 20a2.4 1.8 0 1 1 4.8 0a2.4 1.8 0 1 1 -4.8 0z", ink.SKIN.light),
    ),
    "potato": (
        shadow(),
        solid("M7 27q1-12 13-15q15-4 20 7q5 13-6 20q-11 6-21 1q-7-4-6-13z", ink.TOFFEE),
        line("M17 22q1.5 1.5 3 0", ink.CRUMB.dark),
        line("M28 18q1.5 1.5 3 0", ink.CRUMB.dark),
        line("M33 28q1.5 1.5 3 0", ink.CRUMB.dark),
        line("M21 33q1.5 1.5 3 0", ink.CRUMB.dark),
        line("M12 29q1.5 1.5 3 0", ink.CRUMB.dark),
    ),
    "pumpkin": (
        shadow(),
        solid("M24 15q8-5 14 1q6 6 3 15q-3 9-10 10q-4 1-7 0q-3 1-7 0q-7-1-10-10q-3-9 3-15q6-6 14-1z", ink.PUMPKIN),
        line("M24 15q-7 12 0 26M24 15q7 12 0 26M16 14q-8 12 0 26M32 14q8 12 0 26", ink.CARAMEL.dark, 1.5),
        solid("M21 15q1-6-2-8l6-2q3 4 3 10z", ink.LEAF, 2),
    ),
    "shortcrust": (
        shadow(),
        solid("M9 29h30l-4 10q-1 3-4 3H17q-3 0-4-3z", ink.STEEL),
        solid("M5 29q-1-5 4-5q2-4 6-2q3-4 6-1q3-3 6 0q4-3 6 1q4-2 6 2q5 0 4 5q-19 6-38 0z", ink.CRUST),
        area("M12 26a12 2.6 0 1 1 24 0a12 2.6 0 1 1 -24 0z", ink.DOUGH.dark),
    ),
    "puff-pastry": (
        shadow(),
        solid("M6 33q-1 7 3 8h30q4-1 3-8z", ink.CRUST),
        solid("M6 27q-1 6 0 8h36q1-2 0-8z", ink.DOUGH, 2),
        solid("M6 21q-1 5 0 7h36q1-2 0-7z", ink.CRUST, 2),
        solid("M6 21q3-10 18-10t18 10q-18 4-36 0z", ink.CRUST),
        line("M16 15l3 5M24 13.5v6M32 15l-3 5", ink.CARAMEL.dark, 1.6),
    ),
    "graham-crumbs": (
        shadow(),
        solid("M7 20l20-10l14 9l-20 11z", ink.TOFFEE, 2),
        line("M17 15l14 9M13.5 24.5l20-10.5", ink.NUT.dark, 1.4),
        dots("16,20 22,15 27,20 33,19 22,25", 0.9, ink.NUT.dark),
        solid(oval(9, 37, 3), ink.TOFFEE, 1.5, 1.3),
        solid(oval(17, 40, 2.5), ink.TOFFEE, 1.5, 1.3),
        solid(oval(16, 34, 2.5), ink.TOFFEE, 1.5, 1.3),
        solid(oval(25, 37, 3.2), ink.TOFFEE, 1.5, 1.3),
        solid(oval(33, 40, 2.6), ink.TOFFEE, 1.5, 1.3),
        solid(oval(34, 33, 2.8), ink.TOFFEE, 1.5, 1.3),
        solid(oval(41, 37, 2.5), ink.TOFFEE, 1.5, 1.3),
    ),
    "lattice-top": (
        shadow(),
        solid(oval(24, 26, 19, 14), ink.APPLE),
        line("M12 16l24 20M20 12.5l20 17M8 24l17 15.5", ink.OUTLINE, 6),
        line("M12 16l24 20M20 12.5l20 17M8 24l17 15.5", ink.CARAMEL.light, 3.2),
        line("M36 16l-24 20M28 12.5l-20 17M40 24l-17 15.5", ink.OUTLINE, 6),
        line("M36 16l-24 20M28 12.5l-20 17M40 24l-17 15.5", ink.CARAMEL.light, 3.2),
        line("M6 26a18 13 0 1 1 36 0a18 13 0 1 1 -36 0z", ink.OUTLINE, 6.5),
        line("M6 26a18 13 0 1 1 36 0a18 13 0 1 1 -36 0z", ink.CRUST.base, 3.4),
    ),
    "oven-ready-crust": (
        shadow(),
        solid("M9 29h30l-4 10q-1 3-4 3H17q-3 0-4-3z", ink.FOIL),
        line("M16 32l2 8M24 32v8M32 32l-2 8", ink.FOIL.dark, 1.5),
        solid(oval(24, 28, 19, 5.5), ink.CRUST, 3),
        area("M10.5 28.5a13.5 3 0 1 1 27 0a13.5 3 0 1 1 -27 0z", ink.DOUGH.light),
        line("M16 18q-3-4 0-7t0-7M24 18q-3-4 0-7t0-7M32 18q-3-4 0-7t0-7", ink.CRUMB.base, 2),
    ),
}
"""Spices, savory ingredients and crusts by name."""
