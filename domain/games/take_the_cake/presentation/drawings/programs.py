"""Player cards: the signs of the six commands, Repeats and Ifs, and the tags that Ifs check."""

from collections.abc import Sequence

from domain.games.take_the_cake.rules.components import CARDS, Tag
from domain.games.take_the_cake.rules.parts import Command
from domain.kernel.drawing.avatars_bread import BREAD
from domain.kernel.drawing.bakes import domed_pie, drips, plate, tier
from domain.kernel.drawing.food import FOOD
from domain.kernel.drawing.materials import APPLE, BERRY, CRUMB, DOUGH, FLAME, KINDS, LEMON, PINK, SKY
from domain.kernel.drawing.shapes import Drawing, area, dots, flat, line, oval, shadow, solid
from domain.kernel.svg import group

SIGNS: dict[Command, tuple[str, str, str]] = {
    "forward": ("M24 42V18", "M11 22L24 5l13 17z", ""),
    "backward": ("M24 6v24", "M11 26l13 17 13-17z", ""),
    "left": ("M35 42V24q0-9-9-9h-5", "M23 4L6 15l17 12z", ""),
    "right": ("M13 42V24q0-9 9-9h5", "M25 4l17 11-17 12z", ""),
    "around": ("M37 42V20a11 11 0 0 0-22 0v6", "M4 24l11 17 11-17z", ""),
    "jump": ("M6 40Q7 11 21 11 34 11 36 24", "M27 22h18l-9 15z", "M15 27h12v14H15z"),
}
"""Shaft and head of the arrow of each command, and the wall that a jump crosses."""
TAGS: dict[Tag, Drawing] = {
    "cake": (
        shadow(26, 43, 19, 3),
        plate(),
        solid(tier(8, 22, 32, 17), DOUGH),
        line("M8 31q16 4 32 0", BERRY.base, 2.6),
        solid(drips(23), PINK, 3),
        solid(oval(24, 12, 3.6), APPLE, 1.5, 1.4),
    ),
    "pie": (shadow(), *domed_pie(), line("M18 19l2 5M24 17v6M30 19l-2 5", CRUMB.dark, 1.8)),
    "bread": BREAD["bread"],
    "fruit": FOOD["apple"],
    "chocolate": FOOD["chocolate"],
    "nut": FOOD["nuts"],
    "warm": (
        shadow(24, 43, 12),
        solid("M24 42Q9 41 9 28q0-8 7-14 0 6 4 7 2-10 1-16 13 6 11 19 4-1 4-6 5 5 4 12-2 12-16 12z", FLAME),
        area("M24 40q-7-1-7-7 0-5 5-9 0 4 3 5 2-2 2-4 5 4 4 9-1 5-7 6z", LEMON.light),
    ),
    "cold": (
        line("M24 5v38M7.5 14.5l33 19M40.5 14.5l-33 19", SKY.dark, 4.4),
        line(
            "M18 8l6 6 6-6M18 40l6-6 6 6M7 21l8.5-2L13 10.5M41 27l-8.5 2 2.5 8.5"
            "M41 21l-8.5-2L35 10.5M7 27l8.5 2L13 37.5",
            SKY.dark,
            3.2,
        ),
    ),
}
"""The picture of each tag."""


MOST_STEPS = 4
"""How many steps the sign of a Repeat has at most."""


def sign(command: Command, colour: str) -> str:
    """Return the arrow of a command."""
    shaft, head, wall = SIGNS[command]
    return "".join((
        area(wall, colour, 0.5) if wall else "",
        line(shaft, colour, 7),
        area(head, colour),
        line(head, colour, 2),
    ))  # fmt: skip


def repeat(factor: int) -> Drawing:
    """Return the sign of a Repeat: a loop around one step for each time, up to four."""
    colour = KINDS["loop"]
    shown = min(factor, MOST_STEPS)
    gap = 32 / (shown + 1)
    steps = " ".join(f"{8 + gap * n:g},26" for n in range(1, shown + 1))
    return (
        line("M14 40H10Q4 40 4 33V19q0-8 8-8h24q8 0 8 8v14q0 7-7 7H27", colour, 4.6),
        area("M29 31v17L17 39.5z", colour),
        dots(steps, 3.8, colour),
    )


def condition(tag: Tag, commands: Sequence[Command]) -> Drawing:
    """Return the picture of an If: its tag above its commands."""
    gap = 15 if len(commands) > 2 else 18
    first = 24 - gap * (len(commands) - 1) / 2
    scale = 0.36 if len(commands) > 2 else 0.42
    arrows = (
        group(round(first + gap * n - 24 * scale, 2), 28, sign(command, KINDS["if"]), scale=scale)
        for n, command in enumerate(commands)
    )
    return (group(11, 1, flat(TAGS[tag]), scale=0.54), *arrows)


def program_card_picture(card: str) -> str:
    """Return the symbol of a card: copies of a command or a Repeat share one."""
    kind, _, _ = card.partition("_")
    return card.replace("_", "-") if kind == "if" else kind


def _faces() -> dict[str, Drawing]:
    drawn: dict[str, Drawing] = {}
    for card, face in CARDS.items():
        if face.tag:
            drawn[program_card_picture(card)] = condition(face.tag, face.commands)
        elif face.factor:
            drawn[program_card_picture(card)] = repeat(face.factor)
        else:
            drawn[program_card_picture(card)] = (sign(face.commands[0], KINDS["move"]),)
    return drawn


PROGRAM_CARDS = _faces()
"""The faces of all player cards, by the name of their symbol."""
