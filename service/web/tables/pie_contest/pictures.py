"""Small pictures beside the form, drawn with the same pieces as the table."""

from functools import cache

from domain.games.pie_contest.pictures import hand_card, icon
from domain.svg import decoration, group

WIDTH, HEIGHT = 168, 176


@cache
def picture(card: int) -> str:
    """The sign of a card's flavour."""
    return decoration(32, 32, icon(card, 16, 16), class_="flavour")


def cover() -> str:
    """A hand of cards, for the lobby: Table Salt, Cherry, Lattice Top, Bake."""
    cards = (1, 30, 125, 129)
    fan = (
        group(14 + 92 * n, 34 - 10 * (n in (1, 2)), hand_card(card, WIDTH, HEIGHT), class_="card")
        for n, card in enumerate(cards)
    )
    return decoration(474, 222, *fan)
