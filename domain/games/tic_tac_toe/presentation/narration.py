"""The log in words."""

from collections.abc import Sequence

from domain.games.tic_tac_toe.rules.facts import CellMarked, Fact, GameEnded, GameStarted, PositionSet, SeatResigned

CELL_NAMES = (
    "top left", "top", "top right", "left", "the middle", "right", "bottom left", "bottom", "bottom right",
)  # fmt: skip


def tell(facts: Sequence[Fact]) -> list[str]:
    """One line for each fact."""
    return [tell_fact(fact) for fact in facts]


def tell_fact(fact: Fact) -> str:
    """A fact as a sentence."""
    match fact:
        case GameStarted():
            return "The board is empty. Cross begins."
        case PositionSet():
            return "The game starts from a set position."
        case CellMarked(seat, cell):
            return f"{seat.capitalize()} marks {CELL_NAMES[cell]}."
        case SeatResigned(seat):
            return f"{seat.capitalize()} resigns."
        case GameEnded(reason, winner):
            return "The board is full: a draw." if winner is None else f"{winner.capitalize()} wins ({reason})."
