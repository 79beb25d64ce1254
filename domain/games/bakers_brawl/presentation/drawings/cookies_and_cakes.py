"""Orders: cookies and cakes."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.bakes import LOAF, dollops, drips, plate, tier, wedge
from domain.kernel.drawing.cakes import CAKES
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

HEART = "M24 41Q3 27 5 16q2-9 10-9 6 0 9 6 3-6 9-6 8 0 10 9 2 11-19 25z"

COOKIES: dict[str, Drawing] = {
    "O01": (
        shadow(),
        solid(oval(24, 25, 18, 16.5), ink.CRUST),
        line("M15 17l5 4-2 6 6 4M28 14l-1 6 6 3 4-1M20 36l5-5 7 2", ink.CINNAMON.base, 2),
        dots("13,25 22,17 33,28 27,26 17,31 36,24", 1.2, ink.CINNAMON.dark),
    ),
    "O02": (
        shadow(),
        solid(oval(24, 26, 18, 14.5), ink.VANILLA),
        solid("M14 27q1-8 10-8t10 8q-1 6-10 6t-10-6z", ink.CINNAMON, 2, 1.4),
        line("M15 27q9 3 18 0M18 22l2 3M24 20v4M30 22l-2 3M19 31l1-2M28 31l-1-2", ink.CINNAMON.dark, 1.3),
    ),
    "O03": (
        shadow(),
        solid("M5 34q0-12 11-12t11 12q-11 5-22 0z", ink.CUSTARD),
        solid("M21 37q0-12 11-12t11 12q-11 5-22 0z", ink.CUSTARD),
        solid(oval(27, 14, 9.5, 8.5), ink.LEMON, 2),
        line("M27 7v14M20 14h14M22 9.5l10 9M32 9.5l-10 9", ink.WHITE, 1.2),
        dots("12,28 18,27 28,30 35,30 32,28", 1.2, ink.WHITE),
    ),
    "O04": (
        shadow(),
        solid(oval(24, 25, 18, 17), ink.CRUMB),
        dots("17,19 28,17 34,27 23,28 15,31 28,36", 2.6, ink.CHOC.dark),
        dots("22,22 35,20 20,36", 1.2, ink.CRUMB.dark),
    ),
    "O05": (
        shadow(),
        solid("M5 21l12-9h26l-10 9z", ink.COCOA, 2),
        solid("M5 21h28v18H5z", ink.CHOC),
        solid("M33 21l10-9v18l-10 9z", ink.CHOC, 2),
        solid("M15 15q3-4 7-2t6-1q4 2 2 5-6 4-12 1-4 0-3-3z", ink.TOFFEE, 1.5, 1.3),
        dots("12,28 20,33 27,27 37,24", 2, ink.TOFFEE.base),
    ),
    "O06": (
        shadow(),
        solid(oval(24, 25, 18, 16), ink.DOUGH),
        line(oval(24, 25, 11, 9.5), ink.DOUGH.dark, 2),
        solid(oval(24, 25, 8.5, 7), ink.BERRY, 3),
        shine("M19 23q2-3 5-3"),
    ),
    "O07": (
        shadow(),
        solid(
            oval(24, 25, 18, 16.5),
            ink.CREAM,
            inside=(
                area("M24 5h24v40H24z", ink.FUDGE.base),
                area("M36 12q7 10 2 22-4 6-9 7 10-12 7-29z", ink.FUDGE.dark),
            ),
        ),
        line("M24 9v33", ink.OUTLINE, 1.2),
        shine("M12 19q2-4 6-5"),
    ),
    "O08": (
        shadow(),
        solid(HEART, ink.DOUGH),
        solid("M24 33q-10-7-9-13 1-5 5-5 3 0 4 4 1-4 4-4 4 0 5 5 1 6-9 13z", ink.BERRY, 2, 1.4),
        dots("11,17 37,17 15,28 33,28 24,37", 1.3, ink.WHITE),
    ),
}
"""Cookies by the id of their Order."""
TIER = tier(8, 20, 32, 19)

CAKE_ORDERS: dict[str, Drawing] = {
    "O09": (
        shadow(),
        *wedge(ink.CUSTARD, ink.CREAM),
        area("M5 36q19 3 38 0v4q-19 3-38 1z", ink.NUT.base),
        line("M4 36q20 4 40 0", ink.NUT.dark, 1.3),
    ),
    "O10": (
        shadow(),
        solid(LOAF, ink.CRUST),
        solid("M5 23q0-11 11-11h16q11 0 11 11-2 5-5 1-2 6-5 0-3 6-6 0-3 5-6 0-3 6-6 0-2 5-5 0-3 3-5-1z", ink.CREAM, 3),
        solid(oval(18, 15, 6.5, 4.5), ink.LEMON, 1.5, 1.4),
        solid(oval(30, 15, 6.5, 4.5), ink.LEMON, 1.5, 1.4),
        line("M18 12v6M13 15h10M30 12v6M25 15h10", ink.WHITE, 1),
    ),
    "O11": (
        shadow(),
        *wedge(ink.CUSTARD, ink.BERRY),
        area("M5 36q19 3 38 0v4q-19 3-38 1z", ink.NUT.base),
        solid(oval(25, 20, 3.6), ink.BLUE, 1.5, 1.4),
        solid(oval(33, 17, 3.8), ink.APPLE, 1.5, 1.4),
        solid(oval(35, 24, 3.6), ink.PLUM, 1.5, 1.4),
    ),
    "O12": (
        shadow(),
        solid("M13 22q-2-10 7-11h15q10 1 7 11v13q0 4-4 4H13z", ink.CARAMEL),
        solid("M6 24q-3-10 6-11 9 1 7 11v13q-1 3-3 3H9q-3 0-3-3z", ink.CUSTARD, 3),
        line("M24 12q5 4 13 2", ink.CARAMEL.dark, 2),
    ),
    "O13": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(TIER, ink.CHOC),
        line("M8 27q16 4 32 0M8 33q16 4 32 0", ink.CREAM.base, 2.2),
        solid(drips(21), ink.FUDGE, 3),
        solid("M18 14q0-5 4-5 1-4 4-4-1 3 2 4 3 2 1 5-5 3-11 0z", ink.CREAM, 2),
    ),
    "O14": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(TIER, ink.CINNAMON),
        line("M8 30q16 4 32 0", ink.CREAM.base, 2.6),
        solid(dollops(21), ink.CREAM),
        line("M17 16l6 2M30 15l-5 3M20 13l3 3", ink.CINNAMON.base, 2),
        dots("14,18 34,18 28,13", 1.5, ink.NUT.dark),
    ),
    "O15": CAKES["black-forest-cake"],
    "O16": CAKES["wedding-cake"],
}
"""Cakes by the id of their Order."""
