"""Avatars: biscuits, sweets and fried bakes."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, rope, shadow, shine, solid

GINGERBREAD = (
    "M24 5.5a7 7 0 0 1 5.5 11.3q0 2 2 2H39q4 0 4 4t-4 4h-7v4l5 7q1.5 4-2 5t-6-2l-5-8-5 8q-2 4-6 2t-2-5l5-7v-4H9"
    "q-4 0-4-4t4-4h7.5q2 0 2-2A7 7 0 0 1 24 5.5z"
)

SWEETS: dict[str, Drawing] = {
    "cannoli": (
        shadow(),
        solid("M31 7q6-4 10 1t0 10q-5 2-8-2t-2-9z", ink.CREAM, 3),
        solid("M7 31q-4 5 0 9t10 1q3-4 0-8t-10-2z", ink.CREAM, 3),
        solid("M9 30L30 9q8 0 9 9L18 39q-8 0-9-9z", ink.CINNAMON),
        line("M17 24q5 1 7 7M25 16q5 1 7 7", ink.CINNAMON.dark, 1.8),
        dots("36,11 39,13 9,36 12,38", 1.3, ink.LIME.dark),
    ),
    "churro": (
        shadow(),
        *rope("M14 39V18a10 10 0 0 1 20 0v21", ink.CARAMEL.base, 7.5),
        line("M14 39V18a10 10 0 0 1 20 0v21", ink.CARAMEL.dark, 1.5),
        line("M12 36V18a12 12 0 0 1 5-9", ink.CARAMEL.light, 1.6),
        dots("12,30 16,23 15,34 24,8.5 32,24 35,31 33,36 29,11", 1, ink.WHITE),
    ),
    "cookie": (
        shadow(),
        solid(oval(24, 25, 18, 17), ink.DOUGH),
        dots("17,18 29,17 34,27 23,27 15,31 28,36", 2.5, ink.CHOC.base),
        dots("22,21 35,21 20,35", 1.2, ink.DOUGH.dark),
    ),
    "fritter": (
        shadow(),
        solid("M7 30q-5-7 2-12q1-8 9-7q6-5 12-1q8-1 9 6q6 5 2 11q1 9-8 9q-6 5-13 2q-10 1-13-8z", ink.CARAMEL),
        line(
            "M12 22q3-5 7-4M22 18q4-3 8-1M33 22q2 3 0 6M13 31q4 4 9 2M27 33q4-1 5-4M21 26q3-3 6 0", ink.CREAM.base, 2.2
        ),
    ),
    "gingerbread": (
        shadow(),
        solid(GINGERBREAD, ink.CINNAMON, 3),
        line("M8 20.5l1 5M40 20.5l-1 5M14 37l5 3M34 37l-5 3M20 16.5q4 2 8 0", ink.CREAM.base, 1.8),
        dots("24,22 24,27 24,32", 1.7, ink.APPLE.base),
    ),
    "granola": (
        shadow(),
        solid("M5 25h38q-1 15-13 16H18Q6 40 5 25z", ink.SKY),
        solid(oval(24, 25, 19, 6), ink.CREAM, 2),
        solid(oval(16, 22.5, 5, 3.6), ink.NUT, 1.5, 1.4),
        solid(oval(32, 23, 5, 3.6), ink.CRUST, 1.5, 1.4),
        solid(oval(24, 20, 5.5, 4), ink.CARAMEL, 1.5, 1.4),
        dots("20,26 28,26.5", 2.2, ink.BERRY.base),
        dots("12,26 36,26.5", 1.6, ink.SHELL.base),
    ),
    "macaroon": (
        shadow(),
        solid("M7 22q0-12 17-12t17 12q-17 5-34 0z", ink.LEMON),
        solid("M6 25q0-3 3-3h30q3 0 3 3t-3 3H9q-3 0-3-3z", ink.CREAM, 2),
        solid("M7 28q17 4 34 0q0 12-17 12T7 28z", ink.LEMON, 3),
        line("M9 22q2 2 3 0t3 0 3 0 3 0 3 0 3 0 3 0 3 0 3 0", ink.LEMON.dark, 1.5),
    ),
    "madeleine": (
        shadow(),
        solid("M24 41q-6 0-8-4Q3 25 8 15q6-8 16-8t16 8q5 10-8 22-2 4-8 4z", ink.CRUST),
        line("M24 37V9M20 36Q12 26 16 10M28 36q8-10 4-26M17 34Q7 25 10 15M31 34q10-9 7-19", ink.NUT.base, 1.8),
    ),
    "nougat": (
        shadow(),
        solid("M6 19l11-8h26l-11 8z", ink.CREAM, 2),
        solid("M6 19h26v20H6z", ink.CREAM, 3),
        solid("M32 19l11-8v20l-11 8z", ink.CREAM, 2),
        line("M6 20h26l11-8M6 38h26l11-8", ink.DOUGH.dark, 2.4),
        dots("12,26 21,24 27,31 15,33", 2, ink.LIME.dark),
        dots("17,28.5 24,35 37,22 18,15 30,14", 1.8, ink.NUT.dark),
    ),
    "shortbread": (
        shadow(),
        solid("M24 42L5 16q2-5 6-3 3-5 7-2 3-4 6-1 3-3 6 1 4-3 7 2 4-2 6 3z", ink.VANILLA),
        dots("14,17 21,16 28,16 34,17 18,22 24,22 30,22 21,28 27,28 24,33", 1.4, ink.VANILLA.dark),
    ),
    "strudel": (
        shadow(),
        solid("M9 20h28q7 1 7 10t-7 10H9z", ink.CRUST),
        line("M21 21q4 9 0 18M30 21q4 9 0 18", ink.CRUST.dark, 1.8),
        solid(oval(11.5, 30, 8, 10), ink.DOUGH, 3),
        line("M16 31a5 6 0 0 1-9-1a5 6 0 0 1 8-4a3 3.5 0 0 1-3 6", ink.CINNAMON.base, 2),
        area("M17 20q3-4 9-2t14 3q2 4-2 4t-6 1-7-2-8-1z", ink.WHITE, 0.85),
    ),
    "waffle": (
        shadow(),
        solid(oval(24, 25, 19, 16.5), ink.CRUST, 3, inside=(
            line("M13 6v38M20 6v38M28 6v38M35 6v38", ink.CARAMEL.dark, 2.2),
            line("M4 16h40M4 23h40M4 30h40M4 37h40", ink.CARAMEL.dark, 2.2),
        )),
        solid("M18 20l7-3 7 3-1 6-7 2-6-3z", ink.CUSTARD, 1.5, 1.4),
    ),
}  # fmt: skip
"""Biscuits and sweets by name."""


CRUMBS: Drawing = (
    solid("M8 34q0-5 5-5t6 4-4 6-7-5z", ink.CRUST, 2),
    solid("M26 38q0-4 4-4t5 3-3 4-6-3z", ink.CRUST, 1.5),
    solid("M22 24q0-4 4-4t4 3-3 4-5-3z", ink.CRUMB, 1.5),
    dots("15,22 34,27 38,33 20,40", 1.7, ink.CRUMB.base),
)
"""What is left of a cake."""
STAR: Drawing = (
    shadow(26, 43, 11, 2),
    solid(
        "M24 5l5.7 12.2 13.3 1.7-9.8 9.1 2.6 13.2L24 34.7l-11.8 6.5 2.6-13.2L5 18.9l13.3-1.7z",
        ink.LEMON,
    ),
    shine("M13 20l7-1.5"),
)
"""A prize star."""
