"""The other Actions."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, area, dots, line, oval, shadow, shine, solid

MORE_ACTIONS: dict[str, Drawing] = {
    "compost-heap": (
        shadow(26, 42, 19, 2.6),
        solid("M4 41q2-9 9-10q2-9 10-9t11 8q8 1 10 11z", ink.CHOC),
        solid("M20 27q-2-5 2-8q5 1 5 6t-3 5z", ink.APPLE, 1.5),
        line("M11 36q3-3 5 0M30 36q3-3 6 0", ink.COCOA.light, 1.8),
        solid("M24 18q-1-8-10-8q0 8 10 8z", ink.LEAF, 2, 1.4),
        solid("M25 17q0-10 10-11q1 10-10 11z", ink.LEAF, 2, 1.4),
        line("M24.5 25v-8", ink.LEAF.dark, 2),
    ),
    "leftovers": (
        shadow(),
        solid("M7 22h34l-4 18q0 2-3 2H14q-3 0-3-2z", ink.CREAM),
        area("M9 27h30l-2 8H11z", ink.SKY.base),
        solid("M12 22q2-9 10-8q4-4 8 0q6 0 7 8z", ink.CRUST),
        solid("M4 18l4-3l36 3l-1 4H6z", ink.BLUE, 2),
    ),
    "mise-en-place": (
        shadow(),
        solid("M15 12h18q0 12-9 12t-9-12z", ink.PORCELAIN, 2),
        solid(oval(24, 12, 9, 3.4), ink.APPLE, 1.5),
        solid("M3 28h18q0 12-9 12t-9-12z", ink.PORCELAIN, 2),
        solid(oval(12, 28, 9, 3.4), ink.LEMON, 1.5),
        solid("M26 28h18q0 12-9 12t-9-12z", ink.PORCELAIN, 2),
        solid(oval(35, 28, 9, 3.4), ink.LEAF, 1.5),
    ),
    "potluck": (
        shadow(),
        solid("M8 20h32v15q0 7-7 7H15q-7 0-7-7z", ink.CAST),
        solid("M5 22h2q2 0 2 2v2q0 2 -2 2h-2q-2 0 -2 -2v-2q0 -2 2 -2z", ink.CAST, 1.5),
        solid("M41 22h2q2 0 2 2v2q0 2 -2 2h-2q-2 0 -2 -2v-2q0 -2 2 -2z", ink.CAST, 1.5),
        solid(oval(24, 20, 17, 4.5), ink.PUMPKIN, 2),
        line("M17 13q-3-3 0-5t0-4M25 13q-3-3 0-5t0-4M33 13q-3-3 0-5t0-4", ink.CRUMB.base, 2),
    ),
    "food-critic": (
        shadow(26, 43, 16, 2.6),
        solid(oval(24, 27, 15.5), ink.PORCELAIN),
        line("M14 27a10 10 0 1 1 20 0a10 10 0 1 1 -20 0z", ink.PORCELAIN.dark, 1.5),
        line("M18 30q2-5 6-1q4-4 6 1", ink.CHOC.base, 3),
        line("M8 8v10M5 8v6q0 4 3 4t3-4V8M8 18v24", ink.OUTLINE, 2),
        solid("M39 7q5 8 2 18h-3V42h-1.5z", ink.STEEL, 1.5),
    ),
    "fresh-glaze": (
        shadow(),
        solid("M10 7q12-5 22 4l-9 17l-5 2q-10-12-8-23z", ink.ICING),
        solid("M18 30l5-2l2 6l-4 2z", ink.STEEL, 1.5),
        solid("M20 36q-8-1-9 3q0 4 14 4t15-4q-1-4-8-3q-2-3-6-2q-4-1-6 2z", ink.PINK, 2),
        line("M14 10q7-2 13 3", ink.ICING.dark, 1.6),
    ),
    "new-recipes": (
        shadow(),
        solid("M24 13q-8-5-19-3v27q11-2 19 3q8-5 19-3V10q-11-2-19 3z", ink.CREAM),
        line("M24 13v27"),
        line("M9 17q6-1 11 1M9 23q6-1 11 1M9 29q6-1 11 1M28 24q5-2 11-1M28 30q5-2 11-1", ink.WALNUT.base, 1.6),
        solid("M29 19q1-6 6-5q4 0 4 5q-5 1-10 0z", ink.CRUST, 1.5),
    ),
    "food-fight": (
        shadow(),
        solid(
            "M24 5l4 7l7-3l-1 8l8 2l-5 6l6 5l-8 2l2 8l-8-2l-4 6l-4-6l-8 3l2-8l-9-1l6-6l-6-6l8-2l-2-8l8 3z", ink.APPLE
        ),
        solid(oval(24, 25, 8.5), ink.CRUST, 3),
        dots("20,24 27,22 26,29", 1.4, ink.CRUMB.dark),
    ),
    "unwanted-gift": (
        shadow(),
        solid("M11 21h26q2 0 2 2v17q0 2 -2 2h-26q-2 0 -2 -2v-17q0 -2 2 -2z", ink.PLUM),
        solid("M8 15h32q2 0 2 2v4q0 2 -2 2h-32q-2 0 -2 -2v-4q0 -2 2 -2z", ink.PLUM, 2),
        area("M21 16h6v26h-6z", ink.LEMON.base),
        line("M21 15.5v26M27 15.5v26", ink.OUTLINE, 1.4),
        solid("M24 15q-9 1-10-5q1-5 6-3q4 2 4 8q0-6 4-8q5-2 6 3q-1 6-10 5z", ink.LEMON, 2),
    ),
    "recipe-search": (
        shadow(),
        solid("M8 6h21q2 0 2 2v28q0 2 -2 2h-21q-2 0 -2 -2v-28q0 -2 2 -2z", ink.CREAM),
        line("M11 13h15M11 19h15M11 25h9", ink.WALNUT.base, 1.8),
        solid(oval(29, 27, 10.5), ink.GLASS, 3),
        line("M37 35l6 7", ink.OUTLINE, 4.5),
        shine("M23 26q1-4 4-5"),
    ),
}
"""Actions by name."""
