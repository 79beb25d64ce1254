"""The cover for the lobby and small pictures for the rules page, drawn with the same pieces as the board."""

from domain.games.battle_of_the_bakeries.presentation.pictures import (
    CARD,
    SHELF,
    WOOD,
    badge,
    box,
    cake_icon,
    card_back,
    card_face,
    die,
    middle,
)
from domain.games.battle_of_the_bakeries.rules.parts import Cake, Card
from domain.kernel.svg import CREAM, decoration, element, group


def card(which: Card | None) -> str:
    """Return a chef card, or its back for None."""
    width, height = CARD
    drawn = card_back() if which is None else card_face(which, lying=True)
    return decoration(width + 6, height + 6, group(3, 3, drawn), class_="chef-card")


def cake(which: Cake) -> str:
    """Return a cake on its plate."""
    return decoration(56, 52, group(28, 48, cake_icon(which)), class_="cake-icon")


def chef_badge(multiplier: int) -> str:
    """Return the badge of a chef set."""
    return decoration(52, 52, group(26, 27, badge(multiplier)), class_="chef-badge")


def cover() -> str:
    """Return the cover: a chef, a case with three cakes and the dice."""
    cakes: tuple[Cake, Cake, Cake] = ("wedding_cake", "black_forest_cake", "birthday_cake")
    shelf = "".join(
        group(
            126 + 66 * n,
            30,
            box(62, 112, 8, fill=CREAM, stroke=WOOD, stroke_width=2),
            box(62, 30, 8, fill=WOOD),
            middle(31, 23, str(slot), 22, fill="#ffffff", font_weight="bold"),
            group(31, 92, cake_icon(which)),
        )
        for n, (slot, which) in enumerate(zip((2, 7, 12), cakes, strict=True))
    )
    return decoration(
        420,
        190,
        element("ellipse", cx=210, cy=174, rx=196, ry=12, fill="#000", opacity=0.08),
        group(112, 144, box(216, 14, 6, fill=SHELF, stroke=WOOD, stroke_width=2)),
        shelf,
        element("g", card_back(), transform="translate(2 60) rotate(-9)"),
        element("g", card_face("chef_5", lying=False), transform="translate(18 96) rotate(5) scale(.92)"),
        element("g", die(6), transform="translate(336 54) rotate(-8)"),
        element("g", die(5), transform="translate(350 118) rotate(9)"),
        class_="cover",
    )
