"""Cream, sweets and nuts."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dot, dots, line, oval, shadow, shine, solid

SWEET: dict[str, Drawing] = {
    "vanilla-custard": (
        shadow(),
        solid("M9 22h30l-3 16q-1 4-5 4H17q-4 0-5-4z", ink.PORCELAIN),
        line("M14.5 26l1.5 14M20 27l0.7 14M28 27l-0.7 14M33.5 26l-1.5 14", ink.PORCELAIN.dark, 1.4),
        solid(oval(24, 21, 16.5, 7.5), ink.LEMON, 3),
        dots("20,19 27,22 30,19 16,22", 0.9, ink.SHELL.dark),
        shine("M14 18q4-2.5 9-2.5"),
    ),
    "meringue": (
        shadow(),
        solid(
            "M7 38q-1-7 5-8q-1-7 5-8q0-7 4-9q0-5 4-8q0 5 3 8q5 3 3 9q6 1 5 8q6 1 5 8q-8 5-17 4q-10 1-17-4z", ink.CREAM
        ),
        line("M12 30q11 5 24 0M17 22q7 4 14 0M21 13q3 2 7 0", ink.TOFFEE.base, 1.5),
    ),
    "spoiled-milk": (
        shadow(),
        solid("M14 42q-3 0-3-3V21l6-8V6h14v7l6 8v18q0 3-3 3z", ink.MOULD),
        line("M11 21h26M17 13h14"),
        solid("M17.5 4h13q1.5 0 1.5 1.5v2q0 1.5 -1.5 1.5h-13q-1.5 0 -1.5 -1.5v-2q0 -1.5 1.5 -1.5z", ink.LEAF, 2),
        area("M12 27q6-4 12 0t12 0v11q0 3-3 3H15q-3 0-3-3z", ink.MOULD.dark),
        dot(17, 33, 1.8, ink.LEAF.base),
        dot(24, 36, 2.2, ink.LEAF.base),
        dot(30, 32, 1.6, ink.LEAF.base),
        line("M14 42q-3 0-3-3V21l6-8V6h14v7l6 8v18q0 3-3 3z"),
        line("M39 14q3-2 1-5M42 18q4-2 2-6", ink.LIME.dark, 1.6),
    ),
    "honey": (
        shadow(),
        solid("M13 17h22q3 2 3 6v14q0 5-5 5H15q-5 0-5-5V23q0-4 3-6z", ink.HONEY),
        solid("M14 9h20q2 0 2 2v4q0 2 -2 2h-20q-2 0 -2 -2v-4q0 -2 2 -2z", ink.CRUST, 2),
        area("M16 24h16q2 0 2 2v8q0 2 -2 2h-16q-2 0 -2 -2v-8q0 -2 2 -2z", ink.CREAM.base),
        line("M16 24h16q2 0 2 2v8q0 2 -2 2h-16q-2 0 -2 -2v-8q0 -2 2 -2z", ink.OUTLINE, 1.2),
        area("M24 26l4 2.3v3.6l-4 2.3l-4-2.3v-3.6z", ink.HONEY.base),
        line("M24 26l4 2.3v3.6l-4 2.3l-4-2.3v-3.6z", ink.OUTLINE, 1.1),
    ),
    "maple-syrup": (
        shadow(),
        solid("M19 5h10v7q8 3 8 12v14q0 4-4 4H15q-4 0-4-4V24q0-9 8-12z", ink.CINNAMON),
        solid("M19.5 4h9q1.5 0 1.5 1.5v2q0 1.5 -1.5 1.5h-9q-1.5 0 -1.5 -1.5v-2q0 -1.5 1.5 -1.5z", ink.APPLE, 2),
        area("M16 25h16q2 0 2 2v8q0 2 -2 2h-16q-2 0 -2 -2v-8q0 -2 2 -2z", ink.CREAM.base),
        area("M24 26l1.3 3l3-1l-1 3l2 1l-4 2l-0.5 2h-1.6l-0.5-2l-4-2l2-1l-1-3l3 1z", ink.APPLE.base),
    ),
    "caramel": (
        shadow(),
        solid("M8 34q0-3 4-3q-1-9 3-13q3-5 9-5t9 5q4 4 3 13q4 0 4 3q0 7-16 8q-16-1-16-8z", ink.PORCELAIN),
        solid(
            "M12 31q-1-9 3-13q3-5 9-5t9 5q4 4 3 13q0 3-3 1q-1-4-3-1q0 6-3 2q-1-4-3 0q-2 6-4-1q-2-3-4 1q-4 3-5-3z",
            ink.CARAMEL,
        ),
        shine("M17 22q1-4 4-5"),
    ),
    "marshmallow": (
        shadow(),
        solid("M7 24q0-3 8-3t8 3v13q0 4-8 4t-8-4z", ink.PINK),
        area("M8 24.5a7 2.6 0 1 1 14 0a7 2.6 0 1 1 -14 0z", ink.ICING.light),
        solid("M24 28q0-3 8.5-3t8.5 3v10q0 4-8.5 4t-8.5-4z", ink.PORCELAIN),
        solid("M15 11q0-3 8.5-3t8.5 3v9q0 4-8.5 4t-8.5-4z", ink.PORCELAIN),
        area("M16 11.5a7.5 2.4 0 1 1 15 0a7.5 2.4 0 1 1 -15 0z", ink.WHITE),
    ),
    "pecan": (
        shadow(),
        solid("M24 5q12 8 12 20t-12 18q-12-6-12-18t12-20z", ink.CRUMB),
        line("M24 8v32", ink.SHELL.dark, 2),
        line("M19 14q-3 10 0 22M29 14q3 10 0 22M15 22q-1 5 1 9M33 22q1 5-1 9", ink.SHELL.dark, 1.4),
    ),
    "walnut": (
        shadow(),
        solid(oval(24, 26, 17, 15.5), ink.TOFFEE),
        line("M24 10.5q-3 8 0 15t0 15.5", ink.SHELL.dark, 2),
        line(
            "M17 16q-5 2-4 7q5-1 6 3t-5 6M31 16q5 2 4 7q-5-1-6 3t5 6M18 35q2-4 4-2M30 35q-2-4-4-2", ink.SHELL.dark, 1.5
        ),
    ),
    "hazelnut": (
        shadow(),
        solid("M24 9q15 6 15 19q0 14-15 15q-15-1-15-15q0-13 15-19z", ink.CINNAMON),
        solid("M10 24q1-11 14-15q13 4 14 15q-3 3-5-1q-2 4-5 0q-2 4-4 0q-2 4-4 0q-3 4-5 0q-2 4-5 1z", ink.SKIN, 2),
    ),
    "almond": (
        shadow(),
        solid("M33 6q8 12 3 23q-5 13-19 12q-8-9-3-20q5-11 19-15z", ink.NUT),
        line("M32 11q-11 8-14 27M35 18q-7 7-9 20M26 13q-9 8-11 19", ink.CRUMB.dark, 1.4),
    ),
}
"""Cream, sweets and nuts by name."""
