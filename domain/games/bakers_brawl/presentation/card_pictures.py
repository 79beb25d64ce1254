"""The pictures of all cards, and which picture belongs to which card."""

from domain.games.bakers_brawl.presentation.drawings.agendas import AGENDAS, PARTS
from domain.games.bakers_brawl.presentation.drawings.bread_and_pies import BREADS, INGREDIENTS, PIE_ORDERS
from domain.games.bakers_brawl.presentation.drawings.cookies_and_cakes import CAKE_ORDERS, COOKIES
from domain.games.bakers_brawl.presentation.drawings.pastries import CATEGORIES, PASTRIES
from domain.games.bakers_brawl.rules import components
from domain.kernel.drawing.shapes import Drawing

ORDERS = {**COOKIES, **CAKE_ORDERS, **BREADS, **PIE_ORDERS, **PASTRIES}
PICTURES: dict[str, Drawing] = {
    **{name.replace("_", "-"): drawing for name, drawing in INGREDIENTS.items()},
    **{f"category-{name}": drawing for name, drawing in CATEGORIES.items()},
    **{f"order-{card}": drawing for card, drawing in ORDERS.items()},
    **{f"agenda-{card}": drawing for card, drawing in AGENDAS.items()},
    **PARTS,
}
"""All pictures of the game, by the name of their symbol: `cream-cheese`, `category-pie`, `order-O29`, `agenda-A09`."""


def picture_name(card: str) -> str:
    """Return the symbol of a card, given its id: an ingredient, an Order or an agenda. It may not be drawn yet."""
    if card in components.INGREDIENT_CARDS:
        return card.replace("_", "-")
    return f"order-{card}" if card in components.ORDERS else f"agenda-{card}"


def card_pictures() -> dict[str, str]:
    """Return the symbol of each card, by the name of the card."""
    groups = (components.INGREDIENT_CARDS, components.ORDERS, components.AGENDAS)
    return {card.name: picture_name(card.id) for cards in groups for card in cards.values()}
