"""Ingredients that several games use."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

FOOD: dict[str, Drawing] = {
    "flour": (
        shadow(),
        solid("M12 14q2-3 1-8h22q-1 5 1 8q5 8 4 23q0 5-5 5H13q-5 0-5-5q-1-15 4-23z", ink.CREAM),
        line("M12 14h24", ink.OUTLINE, 1.5),
        line("M24 37V20", ink.CRUST.dark, 2),
        area("M24 25q-6-1-6-6q6 0 6 6q0-6 6-6q0 5-6 6zM24 31q-6-1-6-6q6 0 6 6q0-6 6-6q0 5-6 6z", ink.LEMON.dark),
    ),
    "butter": (
        shadow(26, 41, 18, 2.6),
        solid("M7 33h34q3 0 3 3v1q0 3 -3 3h-34q-3 0 -3 -3v-1q0 -3 3 -3z", ink.STEEL, 2),
        solid("M9 20l8-8h24l-6 8z", ink.CUSTARD, 2),
        solid("M9 20h26v13H9z", ink.LEMON, 3),
        solid("M35 20l6-8v13l-6 8z", ink.HONEY, 2),
    ),
    "milk": (
        shadow(26, 43, 12, 2.6),
        solid("M19 5h10v8q7 5 7 12v14q0 4-4 4H16q-4 0-4-4V25q0-7 7-12z", ink.GLASS),
        area("M13 25q5-3 11 0t11 0v13q0 4-4 4H17q-4 0-4-4z", ink.WHITE),
        line("M13 25q5-3 11 0t11 0", ink.GLASS.dark, 1.5),
        solid("M20 3h8q2 0 2 2v2q0 2 -2 2h-8q-2 0 -2 -2v-2q0 -2 2 -2z", ink.BLUE, 2),
        line("M19 5h10v8q7 5 7 12v14q0 4-4 4H16q-4 0-4-4V25q0-7 7-12z"),
    ),
    "eggs": (
        shadow(),
        solid("M16 12q10 6 10 17t-10 11q-11-1-11-11t11-17z", ink.SKIN),
        solid("M32 14q11 6 11 16t-11 11q-10-1-10-11t10-16z", ink.CREAM),
        shine("M27 26q1-4 3-5"),
    ),
    "sugar": (
        shadow(),
        solid("M24 8l15 6v18l-15 9l-15-9V14z", ink.PORCELAIN),
        line("M9 14l15 7l15-7M24 21v20", ink.OUTLINE, 1.4),
        area("M24 21l15-7v18l-15 9z", ink.PORCELAIN.dark, 0.5),
        dots("16,24 14,30 19,31", 1, ink.PORCELAIN.dark),
        shine("M12 17l9 4"),
    ),
    "chocolate": (
        shadow(26, 42, 15, 2.6),
        solid("M12 7h24q3 0 3 3v28q0 3 -3 3h-24q-3 0 -3 -3v-28q0 -3 3 -3z", ink.CHOC),
        line("M19 8v32M29 8v32M10 18.5h28M10 29.5h28"),
        line("M12 10.5h4M22 10.5h4M32 10.5h4M12 22h4M22 22h4M32 22h4M12 33h4M22 33h4M32 33h4", ink.WALNUT.base, 1.6),
    ),
    "vanilla": (
        shadow(),
        line("M8 40Q25 32 31 10", ink.OUTLINE, 6),
        line("M8 40Q25 32 31 10", ink.CHOC.base, 3),
        line("M14 42Q31 34 36 16", ink.OUTLINE, 5),
        line("M14 42Q31 34 36 16", ink.CHOC.light, 2.4),
        solid("M22 18q-11-2-10-12q9-2 11 6q2-10 13-7q1 9-8 11q10 1 10 9q-9 4-13-3q-1 9-10 8q-3-8 7-12z", ink.CREAM, 2),
        area("M21.5 16.5a3 3 0 1 1 6 0a3 3 0 1 1 -6 0z", ink.HONEY.base),
    ),
    "cinnamon": (
        shadow(),
        solid("M6 31L33 9l5 5L11 37q-6 1-5-6z", ink.CINNAMON, 3),
        solid("M12 11l29 21q1 6-6 6L7 17q0-6 5-6z", ink.CINNAMON, 3),
        line("M12 11q3 3 0 6M36 32q3 2 0 5M15 16l20 14", ink.CINNAMON.dark, 1.4),
    ),
    "nuts": (
        shadow(),
        solid("M11 21q0 17 13 21q13-4 13-21z", ink.NUT),
        solid("M8 21q0-12 16-12t16 12q-16 5-32 0z", ink.SHELL),
        line("M24 9V4", ink.OUTLINE, 3.2),
        line("M15 14l5 6M23 11.5l1 8M31 14l-4 6", ink.SHELL.dark, 1.5),
    ),
    "berries": (
        shadow(),
        line("M24 19Q26 10 34 7M24 19Q21 11 15 9", ink.LEAF.dark, 2.4),
        solid("M26 11q9-7 16-1q-8 6-16 1z", ink.LEAF, 2, 1.4),
        solid(oval(14, 24, 9), ink.APPLE, 3),
        shine("M10 23q1-3 3-4"),
        solid(oval(33, 25, 9), ink.PLUM, 3),
        shine("M29 24q1-3 3-4"),
        solid(oval(23, 33, 9), ink.BERRY, 3),
        shine("M19 32q1-3 3-4"),
    ),
    "apple": (
        shadow(),
        solid(
            "M24 15q-5-4-10-1.5q-7 3-5.5 13q2 11 9 14.5q3.5 1 6.5-1q3 2 6.5 1q7-3.5 9-14.5q1.5-10-5.5-13"
            "q-5-2.5-10 1.5z",
            ink.APPLE,
        ),
        line("M24 15q0-6 3-9", ink.OUTLINE, 2.4),
        solid("M26 10q6-6 12-2q-5 6-12 2z", ink.LEAF, 2, 1.4),
        shine("M13 25q0-5 3-7"),
    ),
    "lemon": (
        shadow(),
        solid("M5 26q4-2 5-5q5-11 15-11q10 0 14 9q1 3 5 4q-3 3-4 6q-4 11-15 11q-11 0-15-9q-1-3-5-5z", ink.LEMON),
        shine("M15 21q3-6 9-6"),
    ),
    "cream-cheese": (
        shadow(),
        solid("M7 25h34l-4 14q-1 3-5 3H16q-4 0-5-3z", ink.BLUE),
        area("M10.5 30h27l-1.5 6h-24z", ink.CREAM.base),
        solid("M7 25q-1-6 6-6q2-7 9-4q5-6 10 1q8-1 9 9z", ink.CREAM),
        shine("M13 22q1-2 3-2"),
    ),
    "whipped-cream": (
        shadow(),
        solid("M10 30h28l-4 10q-1 2-4 2H18q-3 0-4-2z", ink.SKY),
        solid("M9 30q-3-7 5-9q-1-6 6-6q0-6 6-9q-1 5 3 7q6 2 4 8q9 2 6 9z", ink.CREAM),
        line("M15 22q5 3 11 0M20 15.5q3 2 7 0", ink.VANILLA.dark, 1.5),
    ),
}
"""Ingredients by name."""
