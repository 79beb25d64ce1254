"""The board as text, and the status shared by text and picture."""

from domain.games.tic_tac_toe.rules.model import View
from domain.kernel.game import Seat

GLYPHS = {"cross": "X", "nought": "O", None: "."}


def text(view: View, seat: Seat | None) -> str:
    """Return the board as three rows, followed by the status."""
    glyphs = [GLYPHS[owner] for owner in view.cells]
    rows = "\n".join(" ".join(glyphs[row : row + 3]) for row in (0, 3, 6))
    return f"{rows}\n{status(view)}\n"


def status(view: View) -> str:
    """Return the seat to move, or the result."""
    if view.result is None:
        return f"{view.to_move[0]} to move"
    return f"{view.result.winner} wins" if view.result.winner else "a draw"
