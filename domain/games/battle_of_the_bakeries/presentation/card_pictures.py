"""The pictures of all cards, and which picture belongs to which card."""

from domain.games.battle_of_the_bakeries.presentation.drawings.chefs import CHEFS
from domain.games.battle_of_the_bakeries.presentation.drawings.kitchens import KITCHENS, PARTS, SHAPES
from domain.games.battle_of_the_bakeries.rules.components import CAKE_CARDS, CHEF_CARDS, STALE_CARDS
from domain.games.battle_of_the_bakeries.rules.parts import Cake, Card
from domain.kernel.drawing.cakes import CAKES
from domain.kernel.drawing.shapes import Drawing

PICTURES: dict[str, Drawing] = {**CAKES, **CHEFS, **KITCHENS, **SHAPES, **PARTS}
"""All pictures of the game, by the name of their symbol: `lemon-cake`, `chef-2`, `oven-5`, `wild-23`, `shape-3`."""


def cake_picture(cake: Cake) -> str:
    """Return the symbol of a cake."""
    return cake.replace("_", "-")


def chef_card_picture(card: Card) -> str:
    """Return the symbol of a Hire a Chef card. Copies of a wild share one."""
    kind, number, *_ = card.split("_")
    return f"{kind}-{number}"


def card_pictures() -> dict[str, str]:
    """Return the symbol of each card, by the name of the card."""
    chefs = {card.name: chef_card_picture(card.card) for card in CHEF_CARDS.values()}
    cakes = {card.name: cake_picture(card.cake) for card in CAKE_CARDS.values()}
    return {**chefs, **cakes, STALE_CARDS.name: "stale"}
