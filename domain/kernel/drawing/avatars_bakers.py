"""Avatars of players whose names have no bake in them: tools of a bakery, and the robot baker for bots."""

from domain.kernel.drawing import materials as ink
from domain.kernel.drawing.shapes import Drawing, box, dots, line, oval, rope, shadow, shine, solid

ROBOT: Drawing = (
    shadow(),
    solid("M11 22h26v15q0 4-4 4H15q-4 0-4-4z", ink.STEEL),
    solid("M13 22q-6-2-4-8q2-5 7-4q2-5 8-5t8 5q5-1 7 4q2 6-4 8z", ink.CREAM, 3),
    line("M14 18.5h20", ink.CREAM.dark, 1.5),
    dots("19,29 29,29", 2.6, ink.NIGHT),
    line("M19 35.5h10", ink.NIGHT, 2),
)
TOOLS: dict[str, Drawing] = {
    "hat": (
        shadow(),
        solid("M13 27q-9-1-7-9q2-7 9-5q2-7 9-7t9 7q7-2 9 5q2 8-7 9v12q-11 3-22 0z", ink.CREAM),
        line("M13 33q11 3 22 0M20 18q-2 5 0 10M28 18q2 5 0 10", ink.CREAM.dark, 1.8),
    ),
    "whisk": (
        shadow(),
        *rope("M9 40l12-13", ink.CRUMB.base, 4.5),
        line("M21 27Q18 12 30 7t10 11q-3 9-19 9z", ink.OUTLINE, 4.2),
        line("M21 27Q18 12 30 7t10 11q-3 9-19 9zM21 27Q24 14 34 10M21 27q13-2 17-13", ink.STEEL.base, 1.8),
    ),
    "pin": (
        shadow(),
        *rope("M6 42l36-36", ink.CRUMB.dark, 3.6),
        solid("M10 31L31 10q4-2 7 0t1 7L18 38q-4 2-7 0t-1-7z", ink.CRUST),
        shine("M15 29l14-14"),
    ),
    "mitt": (
        shadow(),
        solid("M14 31V15q0-8 9-8t10 8v6q2-5 6-4t3 6-8 11z", ink.APPLE),
        solid("M12 31h23v9q-11 3-23 0z", ink.CREAM, 3),
        line("M20 15v9M27 14v9M17 20h12", ink.APPLE.dark, 1.8),
    ),
    "jar": (
        shadow(),
        solid("M12 15h24v22q0 4-4 4H16q-4 0-4-4z", ink.BERRY),
        solid(box(10, 8, 28, 8, 2), ink.HONEY, 2),
        solid(box(15, 22, 18, 11, 2), ink.CREAM, 1.5, 1.3),
        dots("21,27.5 27,27.5", 2, ink.BERRY.base),
    ),
    "bowl": (
        shadow(),
        *rope("M30 8L20 26", ink.CRUMB.base, 3.4),
        solid("M5 23h38q-1 17-13 18H18Q6 40 5 23z", ink.SKY),
        solid(oval(24, 23, 19, 5), ink.CREAM, 2),
        line("M8 29q16 6 32 0", ink.WHITE, 2),
    ),
    "scales": (
        shadow(),
        solid("M13 41q0-16 11-16t11 16z", ink.BLUE),
        solid(oval(24, 34, 6), ink.PORCELAIN, 1.5, 1.4),
        line("M24 34l3-3", ink.APPLE.base, 1.8),
        solid("M5 15h38q-3 9-19 9T5 15z", ink.STEEL, 3),
        solid("M13 15q2-8 11-8t11 8z", ink.CREAM, 3),
    ),
    "cup": (
        shadow(),
        *rope("M35 22q9-1 7 7-2 6-10 5", ink.PORCELAIN.base, 3),
        solid("M7 18h30v12q0 10-10 10H17Q7 40 7 30z", ink.PORCELAIN),
        solid(oval(22, 18, 15, 4.5), ink.CRUMB, 2),
        line("M17 11q-3-3 0-6M25 11q-3-3 0-6", ink.GLASS.dark, 2),
    ),
}
"""Tools by name."""
