"""Recipes and the ten ingredients."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.avatars_cakes import CAKES as AVATAR_CAKES
from domain.kernel.drawing.avatars_sweets import SWEETS
from domain.kernel.drawing.bakes import plate, ring_tin
from domain.kernel.drawing.cakes import CAKES
from domain.kernel.drawing.food import FOOD
from domain.kernel.drawing.shapes import Drawing, area, box, dots, line, oval, shadow, shine, solid

INGREDIENTS: dict[str, Drawing] = {
    **{name: FOOD[name] for name in ("flour", "sugar", "eggs", "butter", "milk", "berries", "nuts")},
    "cream": FOOD["whipped-cream"],
    "spice": FOOD["cinnamon"],
    "chocolate": FOOD["chocolate"],
}
"""Ingredients by id."""
RECIPES: dict[str, Drawing] = {
    "rec-01": SWEETS["shortbread"],
    "rec-02": (
        shadow(),
        solid("M6 32q-2-6 4-7 2-5 7-4 3-3 7-3t7 3q5-1 7 4 6 1 4 7-3 8-18 8T6 32z", ink.CREAM),
        line("M10 31q14 6 28 0M16 24q8 3 16 0", ink.CREAM.dark, 1.8),
        solid(oval(16, 18, 4.5), ink.APPLE, 1.5, 1.4),
        solid(oval(25, 13.5, 4.8), ink.BERRY, 1.5, 1.4),
        solid(oval(33, 18.5, 4.5), ink.PLUM, 1.5, 1.4),
        solid(oval(25, 21, 4.2), ink.BLUE, 1.5, 1.4),
    ),
    "rec-03": (
        shadow(),
        solid("M4 24h19l-2 13q-7 3-15 0z", ink.PORCELAIN, 3),
        solid(oval(13.5, 24, 9.5, 4), ink.CHOC, 2),
        solid("M25 27h19l-2 13q-7 3-15 0z", ink.PORCELAIN, 3),
        solid(oval(34.5, 27, 9.5, 4), ink.CHOC, 2),
        solid("M30 26q0-5 4-6 4 1 5 6-4 2-9 0z", ink.CREAM, 1.5, 1.3),
        line("M10 32h8M31 35h8", ink.SKY.base, 2),
        line("M8 18q-2-3 0-6M16 17q-2-3 0-6", ink.CHOC.light, 1.8),
    ),
    "rec-04": (
        shadow(),
        solid("M8 20q0-10 16-10t16 10q-16 5-32 0z", ink.NUT),
        solid("M7 23q0-3 3-3h28q3 0 3 3t-3 4H10q-3 0-3-4z", ink.CHOC, 2),
        solid("M8 27q16 4 32 0 0 13-16 13T8 27z", ink.NUT, 3),
        line("M9 20q2 2 3 0t3 0 3 0 3 0 3 0 3 0 3 0 3 0 3 0 3 0", ink.NUT.dark, 1.5),
        solid("M31 12q3-8 8-3 3 6-3 9-5-1-5-6z", ink.CINNAMON, 1.5, 1.4),
        shine("M14 16q3-2 6-2"),
    ),
    "rec-05": AVATAR_CAKES["eclair"],
    "rec-06": (
        shadow(),
        solid("M9 22h30v18H9z", ink.CINNAMON),
        solid("M24 5l21 18q-2 4-6 2-3 3-6 0-3 3-6 0-3 3-6 0-3 3-6 0-3 3-6 0-4 1-6-2z", ink.CREAM, 3),
        area("M24 9l13 11H11z", ink.CRUMB.base),
        solid("M20 40V31q0-4 4-4t4 4v9z", ink.CHOC, 2, 1.4),
        solid(box(11, 28, 6, 6, 1), ink.LEMON, 1, 1.2),
        solid(box(31, 28, 6, 6, 1), ink.LEMON, 1, 1.2),
        dots("24,16 18,19 30,19", 1.8, ink.APPLE.base),
        dots("33,38 14,38", 1.5, ink.LEAF.base),
    ),
    "rec-07": (
        shadow(),
        solid("M14 20q3-13 17-13 13 2 13 14-1 5-6 3-1-6-8-6-6 0-9 5-4 2-7-3z", ink.CRUST, 3),
        solid("M4 36q0-15 16-17 16 2 16 17-1 5-6 3 0-7-10-7t-10 7q-5 2-6-3z", ink.CRUST),
        line("M14 22q-2 6 0 11M26 22q2 6 0 11", ink.CRUST.dark, 1.6),
        *(
            solid(path, ink.SKIN, 1, 1.2)
            for path in ("M9 25l5-2 0 4-4 1z", "M18 22l5 0-1 4-4 0z", "M27 25l4 3-3 2-3-2z")
        ),
    ),
    "rec-08": (
        shadow(),
        *ring_tin(ink.CRUST),
        solid(oval(24, 25, 19, 7), ink.CUSTARD, 2),
        solid(oval(14, 23, 4.2), ink.BLUE, 1.5, 1.4),
        solid(oval(23, 25.5, 4.2), ink.BERRY, 1.5, 1.4),
        solid(oval(34, 23.5, 4.2), ink.PLUM, 1.5, 1.4),
        solid(oval(20, 19.5, 4.2), ink.APPLE, 1.5, 1.4),
        solid(oval(29, 19.5, 4.2), ink.BLUE, 1.5, 1.4),
    ),
    "rec-09": AVATAR_CAKES["brownie"],
    "rec-10": (
        shadow(26, 43, 19, 3),
        plate(),
        solid("M5 39q-1-15 5-20q6-5 14-5t14 5q6 5 5 20q-19 5-38 0z", ink.CINNAMON),
        line("M14 17q-4 8-3 23M20 15q-2 8-2 26M28 15q2 8 2 26M34 17q4 8 3 23", ink.CINNAMON.dark, 1.5),
        solid("M9 20q4-7 15-7t15 7q1 5-2 3q-2 5-5 0q-2 6-4 0q-2 7-4 0q-3 6-5 0q-3 5-5 0q-5 3-5-3z", ink.HONEY, 2),
        area("M19 17a5 1.7 0 1 1 10 0a5 1.7 0 1 1 -10 0z", ink.CINNAMON.dark),
        shine("M13 19q2-2 5-3"),
    ),
    "rec-11": CAKES["black-forest-cake"],
    "rec-12": (
        shadow(26, 43.5, 12, 2),
        solid("M21 34h6v5q6 0 7 3-10 3-20 0 1-3 7-3z", ink.GLASS, 2),
        solid("M8 12h32q0 22-16 23Q8 34 8 12z", ink.GLASS, 3),
        area("M9.5 14h29q-.2 5-1.4 8.5-13 3-26.2 0Q9.7 19 9.5 14z", ink.CUSTARD.base),
        area("M10.9 22.5q13.1 3 26.2 0-1.5 4.5-4 7-9 2-18.2 0-2.6-2.5-4-7z", ink.BERRY.base),
        area("M15 29.5q9 2 18 0-4 4.5-9 4.5t-9-4.5z", ink.CRUST.base),
        solid("M8 13q-1-5 5-5 2-4 6-2 4-4 9 0 5-2 7 2 6 0 5 5-16 4-32 0z", ink.CREAM, 3),
        solid(oval(24, 5.5, 3), ink.APPLE, 1.5, 1.4),
    ),
}
"""Recipes by card."""
