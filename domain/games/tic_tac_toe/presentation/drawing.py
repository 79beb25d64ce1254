"""The picture of the board."""

from domain.games.tic_tac_toe.presentation.board import draw_cell
from domain.games.tic_tac_toe.presentation.text import status
from domain.games.tic_tac_toe.rules.model import View
from domain.kernel.game import Seat
from domain.kernel.svg import element


def svg(view: View, seat: Seat | None) -> str:
    """Return the board as an SVG picture; `[data-cell]` covers each cell."""
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
        class_="board small tic-tac-toe",
    )
