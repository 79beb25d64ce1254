"""The pictures of all cards, and which picture belongs to which card."""

import re
from functools import cache

from domain.games.pie_contest.presentation.drawings.actions import ACTIONS
from domain.games.pie_contest.presentation.drawings.cream_and_sweets import SWEET
from domain.games.pie_contest.presentation.drawings.fruit import FRUIT
from domain.games.pie_contest.presentation.drawings.kitchen_achievements import KITCHEN
from domain.games.pie_contest.presentation.drawings.more_actions import MORE_ACTIONS
from domain.games.pie_contest.presentation.drawings.pie_achievements import PIE_ACHIEVEMENTS
from domain.games.pie_contest.presentation.drawings.savory import SAVORY
from domain.games.pie_contest.rules.components import FACES, NAMES, Ingredient
from domain.kernel.drawing.bakes import domed_pie
from domain.kernel.drawing.food import FOOD
from domain.kernel.drawing.materials import CRUST
from domain.kernel.drawing.shapes import Drawing, line, shadow

SHARED = ("apple", "lemon", "whipped-cream", "cream-cheese", "sugar", "chocolate", "cinnamon")
PIE: Drawing = (shadow(), *domed_pie(), line("M18 19l2 5M24 17v6M30 19l-2 5", CRUST.dark, 1.8))
PICTURES: dict[str, Drawing] = {
    **FRUIT,
    **SWEET,
    **SAVORY,
    **{name: FOOD[name] for name in SHARED},
    **ACTIONS,
    **MORE_ACTIONS,
    **KITCHEN,
    **PIE_ACHIEVEMENTS,
    "pie": PIE,
}
"""All pictures of the game, by the name of their symbol."""
STAND_INS = {
    "salt": "table-salt",
    "fruit": "apple",
    "cream": "whipped-cream",
    "sweet": "sugar",
    "nut": "walnut",
    "spice": "cinnamon",
    "savory": "potato",
}
"""The picture of a card that is not drawn yet, by its flavour."""


@cache
def picture_name(card: int) -> str:
    """Return the symbol of a card, which is its name in small letters and hyphens."""
    return _symbol_of(NAMES[card]) or _stand_in(card)


def card_pictures() -> dict[str, str]:
    """Return the symbol of each card, by the name of the card."""
    return {name: picture_name(card) for card, name in NAMES.items()}


def _symbol_of(name: str) -> str:
    written = re.sub(r"[^a-z]+", "-", name.lower().replace("'", "")).strip("-")
    return written if written in PICTURES else ""


def _stand_in(card: int) -> str:
    face = FACES.get(card)
    if not isinstance(face, Ingredient):
        return "bake" if face else "blue-ribbon"
    return STAND_INS.get(face.flavour, "shortcrust")
