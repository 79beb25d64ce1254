"""Dice: cream, with chocolate pips."""

from domain.kernel.drawing.materials import CHOC, CREAM
from domain.kernel.drawing.shapes import Drawing, box, dots, shadow, solid

PIPS = {
    1: "24,24",
    2: "15.5,15.5 32.5,32.5",
    3: "14.5,14.5 24,24 33.5,33.5",
    4: "15,15 33,15 15,33 33,33",
    5: "14.5,14.5 33.5,14.5 24,24 14.5,33.5 33.5,33.5",
    6: "15,13.5 15,24 15,34.5 33,13.5 33,24 33,34.5",
}
"""Where the pips of each face are, on a grid of 48."""


def die(number: int) -> Drawing:
    """Return the face of a die. Raises KeyError unless the number is from 1 to 6."""
    return (shadow(26, 43.5, 18, 2.4), solid(box(5, 5, 38, 38, 8), CREAM, 3), dots(PIPS[number], 3.9, CHOC.dark))


def blank_die() -> Drawing:
    """Return a die before it lands."""
    return (shadow(26, 43.5, 18, 2.4), solid(box(5, 5, 38, 38, 8), CREAM, 3))


DICE: dict[str, Drawing] = {**{f"die-{n}": die(n) for n in PIPS}, "die-blank": blank_die()}
