"""The table as text, and the words that text and picture share."""

from domain.games.tic_tac_toe.rules.model import View
from domain.kernel.game import Seat

GLYPHS = {"cross": "X", "nought": "O", None: "."}


def text(view: View, seat: Seat | None) -> str:
    """Three rows of three."""
    glyphs = [GLYPHS[owner] for owner in view.cells]
    rows = "\n".join(" ".join(glyphs[row : row + 3]) for row in (0, 3, 6))
    return f"{rows}\n{status(view)}\n"


def status(view: View) -> str:
    """Whose turn it is, or how it ended."""
    if view.result is None:
        return f"{view.to_move[0]} to move"
    return f"{view.result.winner} wins" if view.result.winner else "a draw"
