"""Whole cakes that several games use."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

CAKES: dict[str, Drawing] = {
    "sheet-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M5 28l8-8h30l-6 8z", ink.PINK, 2),
        solid("M5 28h32v12H5z", ink.DOUGH, 3),
        area("M5 28h32v4q-3 3-5 0q-3 3-5 0q-3 3-6 0q-3 3-5 0q-3 3-6 0q-3 3-5-1z", ink.PINK.base),
        solid("M37 28l6-8v12l-6 8z", ink.TOFFEE, 2),
    ),
    "lemon-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M8 26h32v13q-16 4-32 0z", ink.CUSTARD),
        solid("M7 26q1-9 17-9t17 9q-1 5-5 2q-3 4-6 0q-3 4-6 0q-4 4-6 0q-3 4-6 0q-4 2-5-2z", ink.LEMON),
        solid(oval(24, 15, 6, 5.5), ink.LEMON, 2),
        line("M24 10v10M19 15h10M20.5 11.5l7 7M27.5 11.5l-7 7", ink.WHITE, 1),
    ),
    "bundt-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M5 39q-1-15 5-20q6-5 14-5t14 5q6 5 5 20q-19 5-38 0z", ink.CRUMB),
        line("M14 17q-4 8-3 23M20 15q-2 8-2 26M28 15q2 8 2 26M34 17q4 8 3 23", ink.CRUMB.dark, 1.5),
        solid("M9 20q4-7 15-7t15 7q1 5-2 3q-2 5-5 0q-2 6-4 0q-2 7-4 0q-3 6-5 0q-3 5-5 0q-5 3-5-3z", ink.CREAM, 2),
        area("M19 17a5 1.7 0 1 1 10 0a5 1.7 0 1 1 -10 0z", ink.CRUMB.dark),
    ),
    "cinnamon-coffee-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M8 25h32v14q-16 4-32 0z", ink.CRUMB),
        area("M9 31.5q15 3 30 0v2.6q-15 3-30 0z", ink.CRUMB.dark),
        solid("M7 25q-1-5 5-5q2-4 7-3q5-4 9 0q5-2 7 2q7 0 6 6q-17 5-34 0z", ink.TOFFEE),
        dots("13,23 19,21 25,22 31,21 36,24 22,25 29,25", 1.3, ink.CRUMB.dark),
    ),
    "black-forest-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M8 23h32v16q-16 4-32 0z", ink.CHOC),
        area("M8 29q16 3.5 32 0v3.4q-16 3.5-32 0z", ink.CREAM.base),
        solid("M7 24q0-8 17-8t17 8q-2 4-5 1q-3 3-6 0q-3 3-6 0q-3 3-6 0q-3 3-6 0q-3 3-5-1z", ink.CREAM),
        solid(oval(14, 17, 3.4), ink.APPLE, 1.5),
        solid(oval(24, 13.5, 3.4), ink.APPLE, 1.5),
        solid(oval(34, 17, 3.4), ink.APPLE, 1.5),
    ),
    "german-chocolate-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M8 22h32v17q-16 4-32 0z", ink.CHOC),
        area("M8 28q16 3.5 32 0v3q-16 3.5-32 0z", ink.WOOD.base),
        solid(oval(24, 21, 16, 6), ink.TOFFEE, 3),
        line("M14 21l2-1.5", ink.NUT.dark, 1.5),
        line("M19 19l2-1.5", ink.NUT.dark, 1.5),
        line("M24 22l2-1.5", ink.NUT.dark, 1.5),
        line("M29 19l2-1.5", ink.NUT.dark, 1.5),
        line("M33 21l2-1.5", ink.NUT.dark, 1.5),
        line("M20 24l2-1.5", ink.NUT.dark, 1.5),
        line("M28 24.5l2-1.5", ink.NUT.dark, 1.5),
    ),
    "pineapple-upside-down-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M7 27h34v12q-17 4-34 0z", ink.HONEY),
        solid(oval(24, 26, 17, 8), ink.LEMON, 3),
        line("M10.4 25a4.6 2.8 0 1 1 9.2 0a4.6 2.8 0 1 1 -9.2 0z", ink.HONEY.dark, 1.5),
        area("M13.3 25a1.7 1.2 0 1 1 3.4 0a1.7 1.2 0 1 1 -3.4 0z", ink.APPLE.base),
        line("M19.4 22.5a4.6 2.8 0 1 1 9.2 0a4.6 2.8 0 1 1 -9.2 0z", ink.HONEY.dark, 1.5),
        area("M22.3 22.5a1.7 1.2 0 1 1 3.4 0a1.7 1.2 0 1 1 -3.4 0z", ink.APPLE.base),
        line("M28.4 25a4.6 2.8 0 1 1 9.2 0a4.6 2.8 0 1 1 -9.2 0z", ink.HONEY.dark, 1.5),
        area("M31.3 25a1.7 1.2 0 1 1 3.4 0a1.7 1.2 0 1 1 -3.4 0z", ink.APPLE.base),
        line("M19.4 29a4.6 2.8 0 1 1 9.2 0a4.6 2.8 0 1 1 -9.2 0z", ink.HONEY.dark, 1.5),
        area("M22.3 29a1.7 1.2 0 1 1 3.4 0a1.7 1.2 0 1 1 -3.4 0z", ink.APPLE.base),
    ),
    "wedding-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M8 31h32v9q-16 4-32 0z", ink.CREAM),
        solid("M13 21h22v10q-11 3-22 0z", ink.CREAM),
        solid("M18 12h12v9q-6 2-12 0z", ink.CREAM),
        line("M9 34q3 3 5 0q3 3 5 0q3 3 5 0q3 3 5 0q3 3 5 0q2 3 4 0", ink.PINK.base, 2),
        line("M14 25q3 3 5 0q3 3 5 0q3 3 5 0q3 3 5 0", ink.PINK.base, 2),
        solid("M24 12q-5-4-4-7q3-2 4 1q1-3 4-1q1 3-4 7z", ink.APPLE, 1.5),
    ),
    "birthday-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M8 25h32v14q-16 4-32 0z", ink.SKY),
        solid("M7 25q1-6 17-6t17 6q-1 6-5 3q-3 4-6 0q-3 4-6 0q-4 4-6 0q-3 4-6 0q-5 2-5-3z", ink.PINK, 2),
        solid(
            "M15.2 13h1.6q0.8 0 0.8 0.8v7.4q0 0.8 -0.8 0.8h-1.6q-0.8 0 -0.8 -0.8v-7.4q0 -0.8 0.8 -0.8z",
            ink.LEMON,
            1,
            1.2,
        ),
        area("M16 7q3 3 0 5q-3-2 0-5z", ink.FLAME.base),
        solid(
            "M23.2 12h1.6q0.8 0 0.8 0.8v7.4q0 0.8 -0.8 0.8h-1.6q-0.8 0 -0.8 -0.8v-7.4q0 -0.8 0.8 -0.8z",
            ink.LEAF,
            1,
            1.2,
        ),
        area("M24 6q3 3 0 5q-3-2 0-5z", ink.FLAME.base),
        solid(
            "M31.2 13h1.6q0.8 0 0.8 0.8v7.4q0 0.8 -0.8 0.8h-1.6q-0.8 0 -0.8 -0.8v-7.4q0 -0.8 0.8 -0.8z",
            ink.APPLE,
            1,
            1.2,
        ),
        area("M32 7q3 3 0 5q-3-2 0-5z", ink.FLAME.base),
    ),
    "mississippi-mud-cake": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M7 25h34v14q-17 4-34 0z", ink.CHOC),
        solid(
            "M6 25q1-8 18-8t18 8q0 6-3 8q-3 0-3-5q-3 2-4 6q-4 2-4-5q-3-1-4 2q-3 2-5-2q-3 0-4 6q-4 1-4-5q-5 2-5-5z",
            ink.FUDGE,
        ),
        solid(
            "M15.5 14h3q1.5 0 1.5 1.5v2q0 1.5 -1.5 1.5h-3q-1.5 0 -1.5 -1.5v-2q0 -1.5 1.5 -1.5z", ink.PORCELAIN, 1.5, 1.3
        ),
        solid(
            "M23.5 11.5h3q1.5 0 1.5 1.5v2q0 1.5 -1.5 1.5h-3q-1.5 0 -1.5 -1.5v-2q0 -1.5 1.5 -1.5z",
            ink.PORCELAIN,
            1.5,
            1.3,
        ),
        solid(
            "M31.5 15h3q1.5 0 1.5 1.5v2q0 1.5 -1.5 1.5h-3q-1.5 0 -1.5 -1.5v-2q0 -1.5 1.5 -1.5z", ink.PORCELAIN, 1.5, 1.3
        ),
    ),
    "boston-cream-pie": (
        shadow(26, 43, 19, 3),
        solid(oval(24, 41, 19, 3), ink.PORCELAIN, 1.5, 1.4),
        solid("M7 28h34v11q-17 4-34 0z", ink.CRUST),
        area("M8 31.5q16 3.5 32 0v3.6q-16 3.5-32 0z", ink.LEMON.light),
        solid(
            "M6 27q1-10 18-10t18 10q1 4-3 4q-3-1-4 1q-3 3-5-1q-4-1-6 1q-4 3-6-1q-3-2-5 1q-4 3-4-1q-3-2-3-4z", ink.CHOC
        ),
        shine("M13 23q4-3 9-3"),
    ),
}
"""Cakes by name."""
