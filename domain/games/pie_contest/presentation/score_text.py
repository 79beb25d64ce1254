"""The items of the score sheet in plain words."""

import re

from domain.games.pie_contest.presentation.narration import baker_name
from domain.kernel.game import ScoreLine

ITEM = re.compile(r"Pie (\d+): (.+)")
STALE = re.compile(r"stale, seat (\d+) Baked")
PARTS = {
    "given": "value at the start of the match",
    "printed": "printed worths of its Ingredients",
    "per": "abilities that count other Ingredients",
    "each": "abilities that change the worth of other Ingredients",
    "if_any": "abilities that need another Ingredient",
    "if_none": "abilities that need an Ingredient to be missing",
    "if_size": "abilities that need a large Kitchen",
    "per_flavour": "abilities that count flavours",
}
"""What a Pie's value consists of, by the names of the terms on the cards (8.1)."""


def describe_item(line: ScoreLine) -> str:
    """Return the item of a score line in plain words."""
    found = ITEM.fullmatch(line.item)
    if not found:
        return line.item
    pie, part = found.groups()
    if stale := STALE.fullmatch(part):
        return f"Pie {pie}: went stale when {baker_name(int(stale[1]))} Baked"
    return f"Pie {pie}: {PARTS.get(part) or f'effect of {part}'}"
