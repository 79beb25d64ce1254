"""Small pictures for the form and the rules page, drawn with the same pieces as the board."""

from typing import get_args

from domain.games.bakers_brawl.presentation.pictures import (
    ICONS,
    MARKS,
    SEAT_COLOURS,
    SEAT_TINTS,
    badge,
    blindfold,
    card,
    cube,
    icon,
    with_id_prefix,
)
from domain.games.bakers_brawl.rules.components import INGREDIENTS, Category, Ingredient
from domain.kernel.svg import CREAM, CRUST, INK, decoration, element, group, label

BACK = "#9a4a2b"
"""Colour of the back of a Special."""


def picture(what: str, table: str) -> str:
    """Return a picture by name: an ingredient, a category, `deck` or `blind`. Empty for an empty name.

    An ingredient refers to its drawing in the picture of the table with this id prefix.
    """
    if what in INGREDIENTS:
        kind: Ingredient = what
        return decoration(56, 56, with_id_prefix(icon(kind, 28, 29), table), class_="ingredient")
    if what in get_args(Category):
        return decoration(30, 30, group(15, 15, MARKS[what]), class_="category")
    match what:
        case "deck":
            return decoration(72, 56, card_back(4, 6), card_back(24, 2), class_="ingredient")
        case "blind":
            return decoration(56, 56, card_back(10, 2), group(28, 28, blindfold(0, 0), scale=1.2), class_="ingredient")
        case "":
            return ""
    raise ValueError(f"unknown picture: {what}")


def card_back(x: int, y: int) -> str:
    """Draw a face-down card."""
    return element("rect", x=x, y=y, width=38, height=50, rx=6, fill=BACK, stroke=CREAM, stroke_width=2)


def cover() -> str:
    """Draw three tiles and the Order that they complete, for the lobby and the rules page."""
    tiles = (("flour", 0, 1), ("berries", 1, 2), ("sugar", 0, 1))
    return decoration(
        420,
        190,
        element("rect", x=14, y=14, width=392, height=162, rx=18, fill="#efd8b1"),
        element("rect", x=28, y=26, width=364, height=44, rx=12, fill=CREAM, stroke=CRUST, stroke_width=2),
        group(54, 48, MARKS["pie"], scale=1.2),
        label(78, 56, "Berry Pie", 23, fill=INK, font_weight=700),
        *(group(252 + 50 * n, 48, ICONS[kind], scale=0.72) for n, (kind, _, _) in enumerate(tiles)),  # type: ignore[index]
        *(group(62 + 102 * n, 78, tile(kind, owner, labor)) for n, (kind, owner, labor) in enumerate(tiles)),
        class_="cover",
    )


def tile(kind: str, owner: int, labor: int) -> str:
    """Draw a tile, 92 units wide and high."""
    known: Ingredient = kind  # type: ignore[assignment]
    return "".join(
        (
            element(
                "rect", width=92, height=92, rx=10, fill=SEAT_TINTS[owner], stroke=SEAT_COLOURS[owner], stroke_width=5
            ),
            group(46, 54, ICONS[known], scale=1.05),
            badge(owner, 20, 20, 12),
            *(cube(owner, 70 - 21 * n, 14, 15) for n in range(labor)),
        )
    )


def table_card(kind: Ingredient, table: str) -> str:
    """Draw a card for the rules page."""
    return decoration(98, 118, group(1, 1, with_id_prefix(card(kind, 96, 112), table)), class_="ingredient-card")
