"""Moves in plain words, for standing orders and hints."""

from domain.games.tic_tac_toe.presentation.narration import CELL_NAMES
from domain.games.tic_tac_toe.rules.model import View
from domain.games.tic_tac_toe.rules.moves import Mark, Move
from domain.kernel.game import Seat


def describe_move(view: View, seat: Seat, move: Move) -> str:
    """Return a move of this seat in plain words."""
    return f"Mark {CELL_NAMES[move.cell]}" if isinstance(move, Mark) else "Resign"
