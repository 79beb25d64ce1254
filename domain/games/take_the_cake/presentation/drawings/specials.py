"""The specials of the day."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.bakes import LOAF, open_pie, plate, tier, wedge
from domain.kernel.drawing.cakes import CAKES
from domain.kernel.drawing.pies import PIES
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

SPECIALS: dict[str, Drawing] = {
    "feat-01": CAKES["pineapple-upside-down-cake"],
    "feat-02": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(tier(8, 29, 32, 10), ink.DOUGH, 3),
        solid("M6 28q4-5 9-1 5-4 9 0 5-4 9 0 6-3 9 1 0 4-5 3-4 4-7 0-3 4-7 0-3 4-7 0-4 3-6 0-5 1-4-3z", ink.CREAM, 2),
        solid("M9 24q0-10 15-10t15 10q-15 5-30 0z", ink.DOUGH, 3),
        solid("M19 10q-1-6 5-6t5 6q0 6-5 9-5-3-5-9z", ink.APPLE, 2, 1.4),
        dots("22,9 26,9 24,13", 0.8, ink.CUSTARD.light),
        solid(oval(13, 27, 3.2), ink.APPLE, 1, 1.3),
        solid(oval(34, 27, 3.2), ink.APPLE, 1, 1.3),
    ),
    "feat-03": (
        shadow(26, 43, 19, 3),
        plate(),
        solid("M11 20q0-4 13-4t13 4l3 19q-16 4-32 0z", ink.CRUMB),
        solid("M17 24q2-9 8-9t8 8q0 7-3 9t-2 8q6 1 6 3-10 2-18 0 0-3 5-4-1-6-3-8t-1-7z", ink.CHOC, 3),
        shine("M22 20q2-1.5 4-1"),
        area("M12 19q2-3 8-3l-2 3z", ink.WHITE, 0.7),
    ),
    "feat-04": (
        shadow(26, 42, 18, 2.6),
        solid("M5 20l10-7h28l-8 7z", ink.CREAM, 2),
        solid("M5 20h30v19H5z", ink.CREAM, 3),
        area("M5.8 24h28.4v3H5.8zM5.8 30h28.4v3H5.8zM5.8 36h28.4v2.5H5.8z", ink.FUDGE.base),
        solid("M35 20l8-7v19l-8 7z", ink.CREAM, 2),
        line("M36 24.5l6-5M36 31l6-5M36 37l6-5", ink.FUDGE.base, 2.4),
        line("M17 17l3-1M25 17l3-1M32 16l2-1", ink.CHOC.base, 2),
        line("M10 9l1.5 1.5M11.5 9L10 10.5M20 6l2 2M22 6l-2 2M36 6l2 2M38 6l-2 2", ink.SKY.base, 1.6),
    ),
    "feat-05": (
        shadow(),
        solid("M6 22L24 11l18 11v14q0 4-4 4H10q-4 0-4-4z", ink.CRUMB),
        line("M7 30h34", ink.CREAM.base, 3),
        solid("M6 22L24 10l18 12q-3 4-7 1-4 5-8 1-4 4-8 0-4 4-7 0-3 2-6-2z", ink.DOUGH, 3),
        solid("M18 16q3-4 6-1 4-3 6 1-2 5-6 4-5 1-6-4z", ink.TOFFEE, 1.5, 1.3),
    ),
    "feat-06": (
        shadow(),
        *wedge(ink.NUT, ink.CHOC),
        line("M5 32q19 3 38 0M5 36q19 3 38 0", ink.CREAM.base, 2),
        solid("M29 19q0-6 5-6t5 6q-1 5-5 6-4-1-5-6z", ink.CINNAMON, 1.5, 1.4),
        solid("M28.5 18q1-6 5.5-6t5.5 6q-5 2-11 0z", ink.TOFFEE, 1.5, 1.3),
        solid(oval(22, 23, 3, 2.6), ink.CINNAMON, 1, 1.3),
    ),
    "feat-07": PIES["apple-pie"],
    "feat-08": (
        shadow(),
        *open_pie(ink.LIME, ink.TOFFEE),
        solid("M9 25q-1-5 4-5 1-4 5-4 3-3 6 0 4-3 7 1 4 0 4 4 5 1 4 4-14 4-30 0z", ink.CREAM, 3),
        solid(oval(29, 14, 8.5), ink.LIME, 2),
        solid(oval(29, 14, 5.8), ink.LIME, 1, 0),
        line("M29 8.5v11M23.5 14h11M25 10l8 8M33 10l-8 8", ink.CUSTARD.light, 1.1),
    ),
    "feat-09": (
        shadow(),
        *open_pie(ink.FUDGE),
        solid("M14 26q1-4 4-4t4 3 5-1 6 2q-1 3-9 3t-10-3z", ink.CHOC, 2, 1.3),
        line("M17 15q-3-3 0-7M25 14q-3-3 0-7M33 15q-3-3 0-7", ink.CHOC.light, 2),
        shine("M10 30q3 3 7 4"),
    ),
    "feat-10": (
        shadow(),
        *open_pie(ink.CHOC, ink.FUDGE),
        solid("M8 26q1-7 8-6 1-6 8-6t8 6q7-1 8 6-16 4-32 0z", ink.COCOA),
        line("M14 22q10 4 20 0M18 18q6 3 12 0", ink.COCOA.dark, 1.8),
        solid("M20 14q-1-5 4-7 5 2 4 7-4 2-8 0z", ink.CREAM, 2, 1.4),
    ),
    "feat-11": PIES["pecan-pie"],
    "feat-12": (
        shadow(),
        *open_pie(ink.NUT),
        solid("M9 26q0-6 6-5 2-5 9-5t9 5q6-1 6 5-15 4-30 0z", ink.CREAM),
        solid("M16 15q-3-6 3-7 3 0 4 3 5-2 7 2 1 6-6 6-3 0-4-2-3 0-4-2z", ink.TOFFEE, 2, 1.4),
        line("M19 11l1 2M26 13l1 2M22 12l0 1.5", ink.TOFFEE.dark, 1.3),
        line("M14 23q3 1 5 0M29 23q3 1 5 0", ink.NUT.dark, 1.6),
    ),
    "feat-13": (
        shadow(),
        solid("M5 31q0-18 19-18t19 18q0 9-7 9H12q-7 0-7-9z", ink.CRUST),
        *(
            solid(oval(x, y, 3), ink.BLUE, 1, 1.3)
            for x, y in ((15, 22), (25, 18), (34, 25), (23, 28), (12, 32), (34, 34))
        ),
        line("M17 9q-3-2 0-5M25 9q-3-2 0-5M33 9q-3-2 0-5", ink.CRUMB.light, 1.8),
    ),
    "feat-14": (
        shadow(),
        solid("M4 27q-2-9 6-10h19q8 1 6 10v10q0 3-3 3H7q-3 0-3-3z", ink.NUT),
        dots("10,27 17,32 25,28 29,35 12,36", 1.4, ink.SHELL.dark),
        solid("M20 9q2 10 13 12 8 1 11-4l-2-4q-5 3-11-1-4-3-5-6-5-3-6 3z", ink.LEMON, 3),
        line("M23 7l-1-3M43 14l2-1", ink.SHELL.dark, 2.6),
        line("M25 11q3 6 10 7", ink.LEMON.dark, 1.4),
    ),
    "feat-15": PIES["pain-au-chocolat"],
    "feat-16": PIES["babka"],
    "feat-17": PIES["almond-croissant"],
    "feat-18": (
        shadow(),
        solid(LOAF, ink.LIME),
        solid("M5 22q0-9 11-9h16q11 0 11 9-2 5-5 1-3 5-6 0-3 4-6 0-3 5-6 0-3 4-6 0-3 3-6 0-2 2-3-1z", ink.CREAM, 3),
        *(
            solid(oval(x, y, 2.6, 1.7), ink.LEAF, 1, 1.1)
            for x, y in ((14, 17), (22, 15.5), (30, 16), (36, 19), (19, 20), (27, 20.5))
        ),
        dots("13,31 21,35 29,31 36,35", 1.6, ink.LEAF.dark),
    ),
}
"""Specials by card."""
