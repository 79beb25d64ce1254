"""The items of the score sheet in plain words."""

from domain.games.bakers_brawl.presentation.narration import order_title
from domain.games.bakers_brawl.rules.components import AGENDAS, ORDERS
from domain.kernel.game import ScoreLine
from domain.kernel.text import pluralize


def describe_item(line: ScoreLine) -> str:
    """Return the item of a score line in plain words."""
    name, _, counted = line.item.partition(": ")
    if line.rule == "12.3" and name in AGENDAS:
        orders = [order_title(word) if word in ORDERS else word for word in counted.split(", ")]
        return f"Secret Agenda {AGENDAS[name].name}: {', '.join(orders)}"
    if line.rule == "8.2" and counted.isdecimal():
        return f"Bonus for helping with {pluralize(int(counted), 'Order')}"
    return "Points scored for Orders" if line.rule == "8.1" else line.item
