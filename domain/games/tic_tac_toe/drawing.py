"""A view as text and as SVG."""

from domain.game import Seat
from domain.games.tic_tac_toe.model import View

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


def svg(view: View, seat: Seat | None) -> str:
    """The board as a picture."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" role="img" class="board tic-tac-toe">',
        f"<title>Tic-tac-toe: {status(view)}</title>",
        '<rect width="300" height="300" rx="16" fill="#fdf6ec"/>',
        '<path d="M100 20v260M200 20v260M20 100h260M20 200h260" stroke="#7a5c43" stroke-width="6" '
        'stroke-linecap="round"/>',
    ]
    for cell, owner in enumerate(view.cells):
        x, y = cell % 3 * 100 + 50, cell // 3 * 100 + 50
        if owner == "cross":
            parts.append(
                f'<path d="M{x - 26} {y - 26}l52 52m0 -52l-52 52" stroke="#a3352b" stroke-width="12" '
                'stroke-linecap="round"/>'
            )
        elif owner == "nought":
            parts.append(f'<circle cx="{x}" cy="{y}" r="28" fill="none" stroke="#1f5f8b" stroke-width="12"/>')
        parts.append(f'<rect x="{x - 50}" y="{y - 50}" width="100" height="100" fill="none" data-cell="{cell}"/>')
    return "".join(parts) + "</svg>"
