"""Orders: cookies and cakes."""

from domain.kernel.drawing.bakes import LOAF, dollops, drips, plate, tier, wedge
from domain.kernel.drawing.cakes import CAKES
from domain.kernel.drawing.materials import (
    APPLE,
    BERRY,
    BLUE,
    CARAMEL,
    CHOC,
    CINNAMON,
    COCOA,
    CREAM,
    CRUMB,
    CRUST,
    CUSTARD,
    DOUGH,
    FUDGE,
    LEMON,
    NUT,
    OUTLINE,
    PLUM,
    TOFFEE,
    VANILLA,
    WHITE,
)
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

HEART = "M24 41Q3 27 5 16q2-9 10-9 6 0 9 6 3-6 9-6 8 0 10 9 2 11-19 25z"

COOKIES: dict[str, Drawing] = {
    "O01": (
        shadow(),
        solid(oval(24, 25, 18, 16.5), CRUST),
        line("M15 17l5 4-2 6 6 4M28 14l-1 6 6 3 4-1M20 36l5-5 7 2", CINNAMON.base, 2),
        dots("13,25 22,17 33,28 27,26 17,31 36,24", 1.2, CINNAMON.dark),
    ),
    "O02": (
        shadow(),
        solid(oval(24, 26, 18, 14.5), VANILLA),
        solid("M14 27q1-8 10-8t10 8q-1 6-10 6t-10-6z", CINNAMON, 2, 1.4),
        line("M15 27q9 3 18 0M18 22l2 3M24 20v4M30 22l-2 3M19 31l1-2M28 31l-1-2", CINNAMON.dark, 1.3),
    ),
    "O03": (
        shadow(),
        solid("M5 34q0-12 11-12t11 12q-11 5-22 0z", CUSTARD),
        solid("M21 37q0-12 11-12t11 12q-11 5-22 0z", CUSTARD),
        solid(oval(27, 14, 9.5, 8.5), LEMON, 2),
        line("M27 7v14M20 14h14M22 9.5l10 9M32 9.5l-10 9", WHITE, 1.2),
        dots("12,28 18,27 28,30 35,30 32,28", 1.2, WHITE),
    ),
    "O04": (
        shadow(),
        solid(oval(24, 25, 18, 17), CRUMB),
        dots("17,19 28,17 34,27 23,28 15,31 28,36", 2.6, CHOC.dark),
        dots("22,22 35,20 20,36", 1.2, CRUMB.dark),
    ),
    "O05": (
        shadow(),
        solid("M5 21l12-9h26l-10 9z", COCOA, 2),
        solid("M5 21h28v18H5z", CHOC),
        solid("M33 21l10-9v18l-10 9z", CHOC, 2),
        solid("M15 15q3-4 7-2t6-1q4 2 2 5-6 4-12 1-4 0-3-3z", TOFFEE, 1.5, 1.3),
        dots("12,28 20,33 27,27 37,24", 2, TOFFEE.base),
    ),
    "O06": (
        shadow(),
        solid(oval(24, 25, 18, 16), DOUGH),
        line(oval(24, 25, 11, 9.5), DOUGH.dark, 2),
        solid(oval(24, 25, 8.5, 7), BERRY, 3),
        shine("M19 23q2-3 5-3"),
    ),
    "O07": (
        shadow(),
        solid(
            oval(24, 25, 18, 16.5),
            CREAM,
            inside=(area("M24 5h24v40H24z", FUDGE.base), area("M36 12q7 10 2 22-4 6-9 7 10-12 7-29z", FUDGE.dark)),
        ),
        line("M24 9v33", OUTLINE, 1.2),
        shine("M12 19q2-4 6-5"),
    ),
    "O08": (
        shadow(),
        solid(HEART, DOUGH),
        solid("M24 33q-10-7-9-13 1-5 5-5 3 0 4 4 1-4 4-4 4 0 5 5 1 6-9 13z", BERRY, 2, 1.4),
        dots("11,17 37,17 15,28 33,28 24,37", 1.3, WHITE),
    ),
}
"""Cookies by the id of their Order."""
TIER = tier(8, 20, 32, 19)

CAKE_ORDERS: dict[str, Drawing] = {
    "O09": (
        shadow(),
        *wedge(CUSTARD, CREAM),
        area("M5 36q19 3 38 0v4q-19 3-38 1z", NUT.base),
        line("M4 36q20 4 40 0", NUT.dark, 1.3),
    ),
    "O10": (
        shadow(),
        solid(LOAF, CRUST),
        solid("M5 23q0-11 11-11h16q11 0 11 11-2 5-5 1-2 6-5 0-3 6-6 0-3 5-6 0-3 6-6 0-2 5-5 0-3 3-5-1z", CREAM, 3),
        solid(oval(18, 15, 6.5, 4.5), LEMON, 1.5, 1.4),
        solid(oval(30, 15, 6.5, 4.5), LEMON, 1.5, 1.4),
        line("M18 12v6M13 15h10M30 12v6M25 15h10", WHITE, 1),
    ),
    "O11": (
        shadow(),
        *wedge(CUSTARD, BERRY),
        area("M5 36q19 3 38 0v4q-19 3-38 1z", NUT.base),
        solid(oval(25, 20, 3.6), BLUE, 1.5, 1.4),
        solid(oval(33, 17, 3.8), APPLE, 1.5, 1.4),
        solid(oval(35, 24, 3.6), PLUM, 1.5, 1.4),
    ),
    "O12": (
        shadow(),
        solid("M13 22q-2-10 7-11h15q10 1 7 11v13q0 4-4 4H13z", CARAMEL),
        solid("M6 24q-3-10 6-11 9 1 7 11v13q-1 3-3 3H9q-3 0-3-3z", CUSTARD, 3),
        line("M24 12q5 4 13 2", CARAMEL.dark, 2),
    ),
    "O13": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(TIER, CHOC),
        line("M8 27q16 4 32 0M8 33q16 4 32 0", CREAM.base, 2.2),
        solid(drips(21), FUDGE, 3),
        solid("M18 14q0-5 4-5 1-4 4-4-1 3 2 4 3 2 1 5-5 3-11 0z", CREAM, 2),
    ),
    "O14": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(TIER, CINNAMON),
        line("M8 30q16 4 32 0", CREAM.base, 2.6),
        solid(dollops(21), CREAM),
        line("M17 16l6 2M30 15l-5 3M20 13l3 3", CINNAMON.base, 2),
        dots("14,18 34,18 28,13", 1.5, NUT.dark),
    ),
    "O15": CAKES["black-forest-cake"],
    "O16": CAKES["wedding-cake"],
}
"""Cakes by the id of their Order."""
