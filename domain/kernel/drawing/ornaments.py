"""Ornaments of every table: the podium, prizes, coins, card backs and what is left of a cake."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.avatars_sweets import CRUMBS, STAR
from domain.kernel.drawing.materials import Material
from domain.kernel.drawing.shapes import Drawing, area, box, dots, line, oval, rope, shadow, shine, solid


def rosette(material: Material) -> Drawing:
    """Return a rosette for a place on the podium."""
    petals = ((24, 7), (32, 10), (36, 18), (32, 26), (24, 29), (16, 26), (12, 18), (16, 10))
    return (
        shadow(26, 43.5, 10, 1.8),
        solid("M16 24l-5 18 7-4 4 6 4-18zM32 24l5 18-7-4-4 6-4-18z", material, 2),
        *(solid(oval(x, y, 5), material, 2) for x, y in petals),
        solid(oval(24, 18, 8.5), ink.CREAM, 2),
    )


ORNAMENTS: dict[str, Drawing] = {
    "crumbs": CRUMBS,
    "star": STAR,
    "star-off": (
        line(
            "M24 5l5.7 12.2 13.3 1.7-9.8 9.1 2.6 13.2L24 34.7l-11.8 6.5 2.6-13.2L5 18.9l13.3-1.7z",
            ink.CRUMB.base,
            2.4,
        ),
    ),
    "place-1": rosette(ink.HONEY),
    "place-2": rosette(ink.STEEL),
    "place-3": rosette(ink.CRUMB),
    "stand-1": (
        solid("M5 14q19-5 38 0v30H5z", ink.PINK),
        solid("M4 14q20-6 40 0-2 7-5 2-3 6-6 1-3 5-6 0-3 6-6 0-3 5-6 0-3 5-6 0-4 3-5-3z", ink.CREAM, 2),
    ),
    "stand-2": (
        solid("M5 22q19-5 38 0v22H5z", ink.CRUST),
        solid("M4 22q20-6 40 0-2 7-5 2-3 6-6 1-3 5-6 0-3 6-6 0-3 5-6 0-3 5-6 0-4 3-5-3z", ink.CREAM, 2),
    ),
    "stand-3": (
        solid("M5 29q19-5 38 0v15H5z", ink.CRUMB),
        solid("M4 29q20-6 40 0-2 7-5 2-3 6-6 1-3 5-6 0-3 6-6 0-3 5-6 0-3 5-6 0-4 3-5-3z", ink.CREAM, 2),
    ),
    "crown": (
        shadow(26, 43.5, 14, 2),
        solid("M6 15l9 8 9-15 9 15 9-8-4 23q-14 4-28 0z", ink.LEMON),
        line("M11 33q13 3 26 0", ink.LEMON.dark, 2),
        dots("6,14 24,8 42,14", 2.6, ink.APPLE.base),
        dots("17,29 24,29.5 31,29", 2, ink.APPLE.base),
    ),
    "bunting": (
        line("M2 8q22 14 44 0", ink.CRUMB.dark, 1.8),
        solid("M5 10l9 4-6 11z", ink.APPLE, 1.5),
        solid("M15 14l9 1-4 12z", ink.CREAM, 1.5),
        solid("M25 15l9-1-4 12z", ink.HONEY, 1.5),
        solid("M35 13l8-4-2 12z", ink.APPLE, 1.5),
    ),
    "coin": (
        shadow(26, 42, 14, 2.4),
        solid(oval(24, 24, 17), ink.HONEY),
        line(oval(24, 24, 12), ink.HONEY.dark, 1.6),
        line("M28.5 19q-2-3-5-2.5t-3.5 3.5 4 4 4.5 4-4 4-5.5-3M24 14.5v2M24 31.5v2", ink.HONEY.dark, 2.4),
    ),
    "card-back": (
        solid(box(8, 3, 32, 42, 4), ink.CRUMB),
        line(box(11.5, 6.5, 25, 35, 2.5), ink.CREAM.base, 1.4),
        dots("24,15.5 30,18 32.5,24 30,30 24,32.5 18,30 15.5,24 18,18", 2.4, ink.CREAM.base),
        solid(oval(24, 24, 6), ink.CREAM, 1.5, 1.3),
    ),
    "cloche": (
        shadow(26, 43, 19, 2.6),
        solid("M6 36q0-22 18-22t18 22z", ink.STEEL),
        solid(box(3, 35, 42, 5, 2), ink.PORCELAIN, 1.5),
        solid(oval(24, 11.5, 3), ink.STEEL, 1.5),
        shine("M13 28q1-6 6-8"),
    ),
    "pie-slice": (
        shadow(),
        solid("M6 32L42 22v8L8 41z", ink.CRUST, 2),
        solid("M6 32q16-20 32-18 6 3 4 8z", ink.LEMON, 3),
        area("M15 27q8-8 18-8", ink.WHITE, 0.35),
        *rope("M38 14q6 3 4 9", ink.CRUST.base, 2.4),
    ),
}
"""Ornaments by name."""
