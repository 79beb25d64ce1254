"""The pictures of all cards, and which picture belongs to which card."""

from domain.games.take_the_cake.presentation.drawings.kitchen import KITCHEN
from domain.games.take_the_cake.presentation.drawings.programs import PROGRAM_CARDS, TAGS, program_card_picture
from domain.games.take_the_cake.presentation.drawings.recipes import INGREDIENTS, RECIPES
from domain.games.take_the_cake.presentation.drawings.specials import SPECIALS
from domain.games.take_the_cake.rules import components
from domain.kernel.drawing.shapes import Drawing

PICTURES: dict[str, Drawing] = {
    **INGREDIENTS,
    **RECIPES,
    **SPECIALS,
    **PROGRAM_CARDS,
    **{f"tag-{tag}": drawing for tag, drawing in TAGS.items()},
    **KITCHEN,
}
"""All pictures of the game, by the name of their symbol: `eggs`, `rec-05`, `feat-01`, `fwd`, `if-12`, `baker-red`."""


def picture_name(card: str) -> str:
    """Return the symbol of a recipe or special, given its id."""
    return card.replace("_", "-")


def card_pictures() -> dict[str, str]:
    """Return the symbol of each ingredient and card. Recipes and specials of the same name say which they are."""
    recipes = {f"Recipe: {card.name}": picture_name(card.id) for card in components.RECIPES.values()}
    specials = {f"Special: {card.name}": picture_name(card.id) for card in components.FEATURED.values()}
    programs = {face.name: program_card_picture(card) for card, face in components.CARDS.items()}
    ingredients = {name: str(ingredient) for ingredient, name in components.INGREDIENT_NAMES.items()}
    return {**ingredients, **recipes, **specials, **programs}
