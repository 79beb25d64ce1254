"""The drawing of the cells."""

from domain.games.tic_tac_toe.rules.parts import SeatName
from domain.kernel.svg import element


def draw_cell(cell: int, owner: SeatName | None) -> str:
    """Draw a cell with its mark, if it has one."""
    x, y = cell % 3 * 100 + 50, cell // 3 * 100 + 50
    field = element("rect", x=x - 50, y=y - 50, width=100, height=100, fill="none", data_cell=cell)
    if owner == "cross":
        return draw_cross(x, y) + field
    if owner == "nought":
        return element("circle", cx=x, cy=y, r=28, fill="none", stroke="#1f5f8b", stroke_width=12) + field
    return field


def draw_cross(x: int, y: int) -> str:
    """Draw a cross centred on a point."""
    strokes = f"M{x - 26} {y - 26}l52 52m0 -52l-52 52"
    return element("path", d=strokes, stroke="#a3352b", stroke_width=12, stroke_linecap="round")
