"""Narration of the log."""

from collections.abc import Sequence

from domain.games.tic_tac_toe.rules.facts import CellMarked, Fact, GameEnded, GameStarted, PositionSet, SeatResigned

CELL_NAMES = (
    "the top left cell", "the top middle cell", "the top right cell",
    "the middle left cell", "the middle", "the middle right cell",
    "the bottom left cell", "the bottom middle cell", "the bottom right cell",
)  # fmt: skip


def tell(facts: Sequence[Fact]) -> list[str]:
    """Return one sentence for each fact."""
    return [tell_fact(fact) for fact in facts]


def tell_fact(fact: Fact) -> str:
    """Return the sentence for a fact."""
    match fact:
        case GameStarted():
            return "The board is empty. Cross goes first."
        case PositionSet():
            return "The match starts from a custom position."
        case CellMarked(seat, cell):
            return f"{seat.capitalize()} marks {CELL_NAMES[cell]}."
        case SeatResigned(seat):
            return f"{seat.capitalize()} resigns."
        case GameEnded(reason, winner):
            if winner is None:
                return "The match is a draw."
            return f"{winner.capitalize()} wins {'with three in a line' if reason == 'line' else 'by resignation'}."
