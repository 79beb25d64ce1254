"""The items of the score sheet in plain words."""

from domain.games.take_the_cake.rules.components import INGREDIENT_NAMES
from domain.kernel.game import ScoreLine

WORDS = {
    **{str(one): name for one, name in INGREDIENT_NAMES.items()},
    "wins: baked the pastry": "Wins by baking the pastry",
    "wins: ahead when the bakery closed": "Wins with the best result at closing time",
    "wins: the last baker": "Wins as the last remaining baker",
}


def describe_item(line: ScoreLine) -> str:
    """Return the item of a score line in plain words."""
    words = WORDS.get(line.item, line.item)
    return words[:1].upper() + words[1:]
