"""The cover for the lobby and small pictures for the form, drawn with the same pieces as the board."""

from domain.games.take_the_cake.presentation.pictures import (
    CARD,
    card,
    corner,
    floor,
    ingredient,
    line,
    oven,
    robot,
    shelf,
    wall,
)
from domain.games.take_the_cake.rules.parts import Card
from domain.kernel.svg import decoration, group

TILE = 62


def card_picture(name: Card, live: bool = True) -> str:
    """Return a card, which is grey if it is not live."""
    width, height = CARD
    return decoration(width + 4, height + 6, group(2, 1, card(name, live)), class_="card-picture")


def cover() -> str:
    """Return the cover: a corner of a kitchen with two robots, walls, ingredients and the Oven."""
    tiles = [group(x * TILE, y * TILE, floor(TILE, (x + y) % 2 == 1)) for x in range(7) for y in range(3)]
    return decoration(
        7 * TILE,
        3 * TILE,
        *tiles,
        group(0, 0, corner(TILE, "red")),
        group(2 * TILE, TILE, wall(TILE)),
        group(3 * TILE, 2 * TILE, wall(TILE)),
        group(TILE, 2 * TILE, shelf(TILE)),
        group(1.5 * TILE, 2.5 * TILE, ingredient("eggs")),
        group(4 * TILE, 0, shelf(TILE)),
        group(4.5 * TILE, TILE / 2, ingredient("berries")),
        group(5 * TILE, TILE, oven(TILE)),
        example_path(),
        group(1.5 * TILE, TILE / 2, robot("red", "E")),
        group(3.5 * TILE, 1.5 * TILE, robot("blue", "N")),
        class_="cover",
    )


def example_path() -> str:
    """Return the path that red is about to take."""
    d = f"M{1.5 * TILE} {TILE / 2}H{4.5 * TILE}V{1.5 * TILE}H{5.2 * TILE}"
    return line(d, "#7a1f1b", 4, stroke_dasharray="2 9")
