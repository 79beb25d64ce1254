"""Salt and fruit."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

FRUIT: dict[str, Drawing] = {
    "table-salt": (
        shadow(),
        solid("M15 21h18l3 17q0 4-4 4H16q-4 0-4-4z", ink.PORCELAIN),
        solid("M15 21q0-11 9-11t9 11z", ink.STEEL, 2),
        dots("20.5,16 24,14 27.5,16", 1.2),
        line("M20 35q0 2 4 2t4-2.6q0-2.4-4-3t-4-2.8q0-2.2 4-2.2t4 1.8", ink.OUTLINE, 2.2),
    ),
    "sea-salt": (
        shadow(),
        solid("M15 21h18l3 17q0 4-4 4H16q-4 0-4-4z", ink.SKY),
        solid("M15 21q0-11 9-11t9 11z", ink.STEEL, 2),
        dots("20.5,16 24,14 27.5,16", 1.2),
        line("M15.5 30q2.8-3 5.6 0t5.6 0t5.6 0M15 35.5q3-3 6 0t6 0t6 0", ink.WHITE, 2.2),
    ),
    "rock-salt": (
        shadow(),
        solid(
            "M7 40l5-16l7-6l6 5l5-9l8 9l4 17z",
            ink.PINK,
            inside=(area("M19 18l2 9l-9 13h-5l5-16zM30 14l-1 12l6 14h7l-4-17z", ink.WHITE, 0.28),),
        ),
        line("M19 18l2 9l-5 13M21 27l8-1l1-12M29 26l6 14", ink.OUTLINE, 1.2),
    ),
    "smoked-salt": (
        shadow(),
        solid("M15 21h18l3 17q0 4-4 4H16q-4 0-4-4z", ink.CAST),
        solid("M15 21q0-11 9-11t9 11z", ink.STEEL, 2),
        dots("20.5,16 24,14 27.5,16", 1.2),
        line("M18 37q-2-3 0-5t0-5M24 37q-2-3 0-5t0-5M30 37q-2-3 0-5t0-5", ink.STEEL.light, 2),
    ),
    "pear": (
        shadow(),
        solid("M24 12q7 0 7 8q0 3 4 7t4 8q0 8-15 8t-15-8q0-4 4-8t4-7q0-8 7-8z", ink.LIME),
        line("M24 12q0-4 2-7", ink.OUTLINE, 2.4),
        solid("M26 9q6-5 11-1q-5 5-11 1z", ink.LEAF, 2, 1.4),
        shine("M19 19q0-3 2-4"),
    ),
    "peach": (
        shadow(),
        solid(
            oval(24, 27, 15.5, 14.5),
            ink.PEACH,
            inside=(area("M30 14q10 6 8 20q-3 8-10 8q10-10 2-28z", ink.APPLE.base, 0.55),),
        ),
        line("M24 13q-7 8-3 24", ink.CARROT.dark, 1.6),
        line("M24 13q0-4 1-7", ink.OUTLINE, 2.2),
        solid("M25 10q7-6 13-1q-6 6-13 1z", ink.LEAF, 2, 1.4),
        shine("M13 25q1-5 4-7"),
    ),
    "cherry": (
        shadow(),
        line("M17 27Q19 12 32 6Q33 16 34 25", ink.OUTLINE, 2),
        solid("M32 6q-9-3-13 3q8 4 13-3z", ink.LEAF, 2, 1.4),
        solid(oval(16, 32, 9.5), ink.APPLE),
        solid(oval(34, 31, 9), ink.APPLE),
        shine("M11 31q1-4 4-5"),
        shine("M29.5 30q1-4 4-4.5"),
    ),
    "blueberry": (
        shadow(),
        solid(oval(15, 31, 9), ink.BLUE, 3),
        line("M12.5 29l2.5 2l2.5-2M15 31v2.5", ink.BLUE.dark, 1.5),
        solid(oval(33, 31, 9), ink.BLUE, 3),
        line("M30.5 29l2.5 2l2.5-2M33 31v2.5", ink.BLUE.dark, 1.5),
        solid(oval(24, 20, 9), ink.BLUE, 3),
        line("M21.5 18l2.5 2l2.5-2M24 20v2.5", ink.BLUE.dark, 1.5),
        solid("M30 12q6-6 11-2q-4 6-11 2z", ink.LEAF, 2, 1.4),
        shine("M18 20q0-3 2-4"),
    ),
    "strawberry": (
        shadow(),
        solid("M24 43q-8-4-12-13t2-14q5-3 10 1q5-4 10-1q6 5 2 14t-12 13z", ink.APPLE),
        line("M17 23v1.5", ink.LEMON.light, 1.8),
        line("M24 24v1.5", ink.LEMON.light, 1.8),
        line("M31 23v1.5", ink.LEMON.light, 1.8),
        line("M20 30v1.5", ink.LEMON.light, 1.8),
        line("M28 30v1.5", ink.LEMON.light, 1.8),
        line("M24 36v1.5", ink.LEMON.light, 1.8),
        solid("M24 17q-8 2-11-3q4-3 8-2q1-4 3-6q2 2 3 6q4-1 8 2q-3 5-11 3z", ink.LEAF, 2, 1.4),
    ),
    "key-lime": (
        shadow(),
        solid(oval(20, 27, 15, 14.5), ink.LEAF),
        solid(oval(29, 28, 13), ink.LIME, 2),
        area("M19.5 28a9.5 9.5 0 1 1 19 0a9.5 9.5 0 1 1 -19 0z", ink.CUSTARD.light),
        area(
            "M29 28l-7-6a9.5 9.5 0 0 1 6-3.4zM29 28l1.5-9.3a9.5 9.5 0 0 1 6 4zM29 28l9-2.5"
            "a9.5 9.5 0 0 1-1.5 7zM29 28l5 8a9.5 9.5 0 0 1-7 1zM29 28l-4.5 8a9.5 9.5 0 0 1-4.5-5.5zM29 28"
            "l-9.3 1a9.5 9.5 0 0 1 1.3-5z",
            ink.LIME.base,
        ),
    ),
    "rhubarb": (
        shadow(),
        line("M12 41L26 18M20 42L29 19M29 42L32 20", ink.OUTLINE, 7.5),
        line("M12 41L26 18M20 42L29 19M29 42L32 20", ink.BERRY.base, 4.5),
        line("M11.5 39L25 17M19.3 41L28 19", ink.PINK.base, 1.4),
        solid("M28 21q-12 1-13-9q6-6 13 2q2-10 11-9q7 8-1 14q-5 3-10 2z", ink.LEAF, 2, 1.4),
    ),
}
"""Salt and fruit by name."""
