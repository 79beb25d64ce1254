"""Orders: bread and pies."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.bakes import LOAF, case, domed_pie, open_pie, ring_tin
from domain.kernel.drawing.food import FOOD
from domain.kernel.drawing.pies import PIES
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, rope, shadow, solid

BREADS: dict[str, Drawing] = {
    "O17": (
        shadow(),
        *case(ink.PINK),
        solid("M7 28q-3-6 4-10q3-8 13-8t13 8q7 4 4 10q-3 4-8 2q-9 3-18 0q-5 2-8-2z", ink.CRUST),
        dots("17,19 33,23 22,26", 2.7, ink.BERRY.base),
        dots("27,15.5 13,25 29,22", 2.7, ink.PLUM.base),
    ),
    "O18": (
        shadow(),
        solid(LOAF, ink.CRUMB),
        *(solid(oval(x, y, 3, 2.2), ink.TOFFEE, 1, 1.2) for x, y in ((14, 17), (23, 15), (32, 17), (18, 21), (28, 21))),
        dots("12,29 20,33 30,29 35,34 25,36", 1.6, ink.TOFFEE.base),
    ),
    "O19": (
        shadow(),
        solid("M5 31q19 5 38 0 0 9-7 9H12q-7 0-7-9z", ink.CRUMB, 3),
        solid("M4 27q5 4 10 0 5 5 10 1 5 4 10-1 5 4 10 0 1 6-7 6H11q-8 0-7-6z", ink.CREAM, 2),
        solid("M5 27q0-15 19-15t19 15q-19 6-38 0z", ink.CRUMB),
        dots("15,21 21,17 28,17 34,21 24,22", 1.2, ink.CREAM.base),
    ),
    "O20": (
        shadow(),
        solid(oval(24, 26, 18.5, 15.5), ink.CRUST),
        line("M24 26a3 2.5 0 1 1 5-1a8 6.5 0 1 1-14 1a12 9.5 0 1 1 23 2a15 12 0 0 1-16 8", ink.CINNAMON.base, 3),
        line("M11 19q5 6 9 2t8 4 8-3M13 33q5-4 9 0t10-3", ink.CREAM.light, 2.4),
    ),
    "O21": (
        shadow(),
        solid("M8 38q-3-8 3-11q-3-8 5-11q8-5 16 0q8 3 5 11q6 3 3 11q-16 5-32 0z", ink.DOUGH),
        line("M11 28q13 5 26 0", ink.DOUGH.dark, 1.8),
        solid("M15 19q8-7 18 0 3 4-1 5-2 4-4 0-3 5-5 0-3 4-5 0-6-1-3-5z", ink.LEMON, 2),
        dots("20,19 27,18 24,21", 1.1, ink.WHITE),
    ),
    "O22": (
        shadow(),
        solid(LOAF, ink.NUT),
        line("M16 15q3 3 3 7M27 14q3 3 3 7", ink.NUT.dark, 2),
        solid("M33 27q-4-4-7-1t1 10q3 4 6 2 3 2 6-2 4-7 1-10t-7 1z", ink.APPLE, 2),
        line("M33 27q0-3 2-5", ink.OUTLINE, 2),
    ),
    "O23": PIES["babka"],
    "O24": (
        shadow(),
        solid("M4 31q2-14 22-16 17-1 18 10 1 14-18 15-21 1-22-9z", ink.CRUST),
        area("M6 28q5-10 20-11 14-1 16 8-5 3-8 0-4 5-8 1-4 4-8 0-3 4-6 1-3 4-6 1z", ink.WHITE, 0.95),
        line("M9 31q14-3 20-13", ink.CRUST.dark, 1.6),
        dots("12,35 20,36 35,32", 1.8, ink.APPLE.base),
        dots("28,36 16,33 38,28", 1.6, ink.LEAF.dark),
    ),
}
"""Bread by the id of its Order."""

PIE_ORDERS: dict[str, Drawing] = {
    "O25": (
        shadow(),
        solid("M5 26h38l-4 12q-15 4-30 0z", ink.SKY),
        solid("M6 27q-2-6 5-6 1-5 7-4 4-4 9-1 6-2 8 4 7 0 7 7-18 5-36 0z", ink.CRUST, 3),
        dots("14,23 22,20 29,24 35,24 19,25", 1.5, ink.CRUST.dark),
        area("M16 27q3-3 6 0zM28 27.5q3-3 6 0z", ink.APPLE.base),
    ),
    "O26": (
        shadow(),
        *ring_tin(ink.DOUGH),
        solid(oval(24, 25, 19, 7), ink.CRUST, 2),
        solid(oval(24, 24.5, 15.5, 5), ink.LEMON, 2, 1.4),
        dots("19,23 25,25.5 30,23 22,26 27,22.5 33,25", 0.9, ink.CINNAMON.dark),
    ),
    "O27": (
        shadow(),
        solid(oval(24, 26, 19, 14), ink.BERRY),
        *rope("M12 16l24 20M22 13l18 15M8 26l17 13", ink.CRUST.light, 2.8),
        *rope("M36 16L12 36M26 13L8 28M40 26L23 39", ink.CRUST.light, 2.8),
        *rope(oval(24, 26, 18, 13), ink.CRUST.base, 3.4),
    ),
    "O28": PIES["pecan-pie"],
    "O29": (
        shadow(),
        *open_pie(ink.LEMON),
        solid("M8 27q-3-7 4-8 0-7 6-7 2-6 6-7 4 1 6 7 6 0 6 7 7 1 4 8-16 5-32 0z", ink.CREAM),
        line("M15 21q3-1 4-5M24 16q1-4 0-8M31 21q-2-2-2-5M20 25q4-1 5-4M12 25q2 0 4-2", ink.CARAMEL.base, 1.8),
    ),
    "O30": PIES["apple-pie"],
    "O31": (
        shadow(),
        *open_pie(ink.CHOC),
        solid("M10 26q-1-6 5-6 2-5 7-5 1-4 4-5 0 4 2 5 5 1 6 5 6 1 5 6-14 4-29 0z", ink.CREAM),
        line("M17 22q6 2 12 0", ink.CREAM.dark, 1.8),
        line("M20 17l3 1M28 18l2-1M16 24l2 1M31 24l2-1", ink.CHOC.base, 2),
    ),
    "O32": (
        shadow(),
        *domed_pie(ink.CARAMEL),
        solid("M24 27q-8-1-9-8 8-1 9 8z", ink.LEAF, 1.5, 1.3),
        solid("M24 27q8-1 9-8-8-1-9 8z", ink.PUMPKIN, 1.5, 1.3),
        solid("M24 25q-4-6 0-11 4 5 0 11z", ink.APPLE, 1.5, 1.3),
        line("M9 28q15 6 30 0", ink.CARAMEL.dark, 1.5),
    ),
}
"""Pies by the id of their Order."""
INGREDIENTS: dict[str, Drawing] = {
    name: FOOD[name.replace("_", "-")]
    for name in (
        "flour", "butter", "milk", "eggs", "sugar", "chocolate", "vanilla", "cinnamon", "nuts", "berries", "apple",
        "lemon", "cream_cheese",
    )
}  # fmt: skip
"""Ingredients by id."""
