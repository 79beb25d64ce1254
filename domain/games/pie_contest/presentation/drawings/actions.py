"""Actions that bake, trade and draw."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, box, dot, dots, line, oval, shadow, solid

ACTIONS: dict[str, Drawing] = {
    "bake": (
        shadow(26, 43, 17, 2.6),
        solid("M11 6h26q4 0 4 4v28q0 4 -4 4h-26q-4 0 -4 -4v-28q0 -4 4 -4z", ink.CAST),
        solid("M14 18h20q2 0 2 2v14q0 2 -2 2h-20q-2 0 -2 -2v-14q0 -2 2 -2z", ink.FLAME, 3),
        line("M12 15h24", ink.STEEL.light, 2),
        dots("14,10.5 20,10.5", 1.7, ink.STEEL.light),
        dot(34, 10.5, 1.7, ink.APPLE.base),
        solid("M16 30h16l-2 4h-12z", ink.STEEL, 1.5, 1.3),
        solid("M14.5 30q1-7 9.5-7t9.5 7z", ink.CRUST, 2, 1.3),
    ),
    "hot-oven": (
        shadow(26, 43, 17, 2.6),
        solid("M11 14h26q4 0 4 4v20q0 4 -4 4h-26q-4 0 -4 -4v-20q0 -4 4 -4z", ink.CAST),
        solid("M14 22h20q2 0 2 2v11q0 2 -2 2h-20q-2 0 -2 -2v-11q0 -2 2 -2z", ink.FLAME, 3),
        solid("M24 36q-8-2-7-8q2-3 3-7q3 2 3 5q3-4 2-9q7 4 7 12q-1 6-8 7z", ink.APPLE, 2),
        area("M24 35q-3-1-3-4q2-1 3-4q3 3 3 5q0 2-3 3z", ink.LEMON.light),
        line("M14 10q-2-3 0-5M24 10q-2-3 0-6M34 10q-2-3 0-5", ink.CRUMB.base, 2),
    ),
    "bake-sale": (
        shadow(26, 43, 18, 2.6),
        solid("M8 20h32v21H8z", ink.DOUGH),
        solid("M5 7h38l2 11q-3 4-6.5 0q-3.5 4-7 0q-3.5 4-7.5 0q-3.5 4-7.5 0q-3.5 4-7 0q-3.5 4-6.5 0z", ink.CREAM, 2),
        area("M6.5 8h6l0.5 11q-3 2.5-6.5 0z", ink.APPLE.base),
        area("M20.8 8h6l0.5 11q-3 2.5-6.5 0z", ink.APPLE.base),
        area("M35 8h6l0.5 11q-3 2.5-6.5 0z", ink.APPLE.base),
        solid("M7.5 31h33q1.5 0 1.5 1.5v2q0 1.5 -1.5 1.5h-33q-1.5 0 -1.5 -1.5v-2q0 -1.5 1.5 -1.5z", ink.CRUMB, 2),
        solid("M17 31q1-6 7-6t7 6z", ink.CRUST, 2),
    ),
    "swap": (
        shadow(),
        line("M10 17q8-8 20-4", ink.OUTLINE, 8),
        line("M10 17q8-8 20-4", ink.APPLE.base, 4.6),
        line("M38 31q-8 8-20 4", ink.OUTLINE, 8),
        line("M38 31q-8 8-20 4", ink.BLUE.base, 4.6),
        solid("M28 5l12 9l-13 7z", ink.APPLE, 2),
        solid("M20 43l-12-9l13-7z", ink.BLUE, 2),
    ),
    "sticky-fingers": (
        shadow(),
        solid(
            "M14 43l-3-14q-4-7-1-8q3-1 5 4l2 3l-2-16q0-4 2.5-4t3.2 4l1.5 12l0.8-15q0-4 2.7-4t3 4v15l3-12"
            "q1-4 3.5-3.4t2 4.4l-3 18q-1 8-5 12z",
            ink.SKIN,
        ),
        area("M14 8q2-4 5 0q0 5-2 4t-3-4zM23 5q3-4 6 0q0 6-3 5t-3-5z", ink.HONEY.base),
        solid("M33 31q5 0 5 5q0 4-3 4t-3-4z", ink.HONEY, 1.5),
    ),
    "pinch-of-salt": (
        shadow(),
        solid("M6 9q12-5 22 1q9 4 8 10q-2 3-6 0q2 7-2 9q-4 1-6-4q-3 4-6 1q-8-6-10-17z", ink.SKIN),
        solid(box(24, 32, 3.4, 3.4, 0.5), ink.PORCELAIN, 1, 1.1),
        solid(box(30, 35, 3.4, 3.4, 0.5), ink.PORCELAIN, 1, 1.1),
        solid(box(19, 37, 3.4, 3.4, 0.5), ink.PORCELAIN, 1, 1.1),
        solid(box(26, 40, 3.4, 3.4, 0.5), ink.PORCELAIN, 1, 1.1),
        solid(box(33, 41, 3.4, 3.4, 0.5), ink.PORCELAIN, 1, 1.1),
    ),
    "grocery-run": (
        shadow(),
        line("M15 10l4 10M17 17l3 5", ink.OUTLINE, 2),
        solid("M26 20q-2-10 5-14q5 5 2 14z", ink.LEAF, 2),
        solid("M14 20q-1-8 4-11q6 3 5 11z", ink.TOFFEE, 2),
        solid("M9 19h30l-2 23H11z", ink.CRUMB),
        line("M17 24q0 9 7 9t7-9", ink.DOUGH.light, 2.4),
    ),
    "pantry-raid": (
        shadow(),
        solid("M10 8h28v34H10z", ink.SKIN),
        line("M10 25h28"),
        solid("M16 25v-8h5v8z", ink.APPLE, 1.5),
        solid("M25 25v-11h6v11z", ink.LIME, 1.5),
        solid("M8 31q8-5 16 0q8-5 16 0q1 9-7 9q-6 0-9-4q-3 4-9 4q-8 0-7-9z", ink.CAST, 2),
        area("M12.5 34a3.5 2.2 0 1 1 7 0a3.5 2.2 0 1 1 -7 0z", ink.CREAM.base),
        area("M28.5 34a3.5 2.2 0 1 1 7 0a3.5 2.2 0 1 1 -7 0z", ink.CREAM.base),
    ),
    "health-inspector": (
        shadow(),
        solid("M12 8h20q3 0 3 3v28q0 3 -3 3h-20q-3 0 -3 -3v-28q0 -3 3 -3z", ink.CRUMB),
        area("M13.5 13h17q1 0 1 1v23.5q0 1 -1 1h-17q-1 0 -1 -1v-23.5q0 -1 1 -1z", ink.MOULD.light),
        solid("M18 5h8q2 0 2 2v3q0 2 -2 2h-8q-2 0 -2 -2v-3q0 -2 2 -2z", ink.STEEL, 2),
        line("M15.5 20l2 2l3-4M15.5 28l2 2l3-4", ink.LEAF.dark, 2),
        line("M23 20h6M23 28h6M16 34.5h10", ink.FOIL.base),
        solid(oval(34, 31, 7.5), ink.GLASS, 2),
        line("M39 37l4 5", ink.OUTLINE, 3.6),
    ),
    "spring-cleaning": (
        shadow(),
        line("M35 6L22 24", ink.OUTLINE, 5.5),
        line("M35 6L22 24", ink.CRUMB.base, 2.6),
        solid("M16 21l11 8q-1 11-9 14q-8-1-12-6q7-6 10-16z", ink.LEMON),
        line("M16 28q-2 6-5 10M20 30q-1 7-5 11M24 31q-1 6-4 10", ink.HONEY.dark, 1.4),
        solid("M15 20l3-3.5l12 8.5l-3 4.5z", ink.APPLE, 2),
        line("M37 24v6M34 27h6M41 14v4M39 16h4", ink.SKY.dark, 1.8),
    ),
}
"""Actions by name."""
