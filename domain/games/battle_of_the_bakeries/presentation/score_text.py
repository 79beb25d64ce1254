"""The items of the score sheet in plain words."""

import re

from domain.games.battle_of_the_bakeries.rules.components import CAKE_CARDS
from domain.kernel.game import ScoreLine

CAKE_NAMES = {str(cake): card.name for cake, card in CAKE_CARDS.items()}
SALE = re.compile(r"(\w+) in slot (\d+)(?:, (\d) stale)?")


def describe_item(line: ScoreLine) -> str:
    """Return the item of a score line in plain words, such as `Round 2: Bundt Cake in slot 8`."""
    opening, separator, item = line.item.rpartition(": ")
    if sale := SALE.fullmatch(item):
        cake, slot, stale = sale.groups()
        cards = f" with {stale} stale card{'' if stale == '1' else 's'}" if stale else ""
        item = f"{CAKE_NAMES.get(cake, cake)} in slot {slot}{cards}"
    words = opening + separator + item
    return words[:1].upper() + words[1:]
