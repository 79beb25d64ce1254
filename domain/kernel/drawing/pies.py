"""Pies and pastries that several games use."""

from domain.kernel.drawing.bakes import LOAF, domed_pie, open_pie
from domain.kernel.drawing.materials import APPLE, CARAMEL, CHOC, CINNAMON, CRUST, LEAF, OUTLINE, SKIN
from domain.kernel.drawing.shapes import Drawing, dots, line, oval, shadow, shine, solid

PIES: dict[str, Drawing] = {
    "apple-pie": (
        shadow(),
        *domed_pie(),
        line("M12 24q12 6 25 0M10 20q14 7 28 0", CRUST.dark, 1.6),
        solid("M24 20q-4-4-7-1t1 8q3 3 6 1 3 2 6-1 4-5 1-8t-7 1z", APPLE, 2),
        line("M24 20q0-3 2-5", OUTLINE, 2),
        solid("M26 16q2-5 8-4-1 5-8 4z", LEAF, 1.5, 1.3),
    ),
    "pecan-pie": (
        shadow(),
        *open_pie(CARAMEL),
        *(
            solid(oval(x, y, 3.6, 2.1), CINNAMON, 1, 1.2)
            for x, y in ((14, 25), (22, 23.5), (30, 24), (35, 27), (20, 28.5), (28, 29))
        ),
        shine("M10 31q3 3 7 4"),
    ),
    "pain-au-chocolat": (
        shadow(),
        solid("M5 29q0-13 9-14h20q9 1 9 14 0 10-6 10H11q-6 0-6-10z", CRUST),
        line("M15 15q-4 11 0 23M24 14v25M33 15q4 11 0 23", CRUST.dark, 1.8),
        dots("9,27 9,33", 2.3, CHOC.dark),
        dots("39,27 39,33", 2.3, CHOC.dark),
        shine("M18 19q3-1.5 5-1"),
    ),
    "babka": (
        shadow(),
        solid(LOAF, CARAMEL),
        line("M8 23q6-8 11-2t11-3 11 4M7 33q7-7 12-1t11-2 11 3", CHOC.base, 3.4),
        line("M12 15q6 1 9 4M27 13q5 2 8 6", CHOC.base, 2.6),
        shine("M11 19q1-2 3-3"),
    ),
    "almond-croissant": (
        shadow(),
        solid("M5 33q0-18 19-21q19 3 19 21q-1 6-7 4q0-8-12-8t-12 8q-6 2-7-4z", CRUST),
        line("M17 15q-3 8 0 14M31 15q3 8 0 14", CRUST.dark),
        *(
            solid(path, SKIN, 1, 1.2)
            for path in ("M12 20l6-2 0 4-5 2z", "M22 15l6 1-1 4-6-1z", "M31 19l5 2-2 4-5-2z", "M20 23l6 1-2 3-5-1z")
        ),
    ),
}
"""Pies and pastries by name."""
