"""A view as text and as SVG."""

from domain.games.tic_tac_toe.rules.model import SeatName, View
from domain.kernel.game import Seat
from domain.kernel.svg import element

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
    """The board as a picture; `[data-cell]` covers each cell."""
    return element(
        "svg",
        element("title", f"Tic-tac-toe: {status(view)}"),
        element("rect", width=300, height=300, rx=16, fill="#fdf6ec"),
        element(
            "path",
            d="M100 20v260M200 20v260M20 100h260M20 200h260",
            stroke="#7a5c43",
            stroke_width=6,
            stroke_linecap="round",
        ),
        *(draw_cell(cell, owner) for cell, owner in enumerate(view.cells)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox="0 0 300 300",
        role="img",
        class_="board tic-tac-toe",
    )


def draw_cell(cell: int, owner: SeatName | None) -> str:
    """A cell with its mark, if it has one."""
    x, y = cell % 3 * 100 + 50, cell // 3 * 100 + 50
    field = element("rect", x=x - 50, y=y - 50, width=100, height=100, fill="none", data_cell=cell)
    if owner == "cross":
        return draw_cross(x, y) + field
    if owner == "nought":
        return element("circle", cx=x, cy=y, r=28, fill="none", stroke="#1f5f8b", stroke_width=12) + field
    return field


def draw_cross(x: int, y: int) -> str:
    """Two strokes around a point."""
    strokes = f"M{x - 26} {y - 26}l52 52m0 -52l-52 52"
    return element("path", d=strokes, stroke="#a3352b", stroke_width=12, stroke_linecap="round")
