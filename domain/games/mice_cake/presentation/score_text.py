"""The items of the score sheet in plain words."""

from domain.kernel.game import ScoreLine

WINS = {
    "wins by pips": "Wins with more pips",
    "wins by count": "Wins with more pieces",
    "wins by double_six": "Wins with the 6-6",
    "wins by resignation": "Wins by resignation",
}


def describe_item(line: ScoreLine) -> str:
    """Return the item of a score line in plain words."""
    return WINS.get(line.item, f"Piece {line.item}" if line.rule == "E2" else line.item)
