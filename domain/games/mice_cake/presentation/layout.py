"""Sizes shared by several parts of the picture, in SVG units, and its orientation."""

from domain.games.mice_cake.rules.parts import (
    COLUMNS,
    ROWS,
    SEATS,
    Column,
    SeatName,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value


class Orientation(Value, frozen=True):
    """The viewer's perspective: the seat at the bottom, columns from left to right and rows from top to bottom."""

    own: SeatName
    columns: tuple[Column, ...]
    rows: tuple[int, ...]
    viewer: SeatName | None


def orientation_of(seat: Seat | None) -> Orientation:
    """Return the orientation for a seat. For yellow the table is rotated by 180 degrees, so row 1 is at the bottom."""
    viewer = None if seat is None else SEATS[seat]
    rows = tuple(range(1, ROWS + 1))
    if viewer == "yellow":
        return Orientation("yellow", COLUMNS[::-1], rows[::-1], viewer)
    return Orientation("blue", COLUMNS, rows, viewer)


WIDTH = 720
CELL = (158, 78)
LEFT = 52
TOP_BAR = 64
HEADER = 78
STASH = 82
LANE = 102
CAKE = ROWS * CELL[1]
TABLE = TOP_BAR + HEADER + STASH + LANE
"""The upper edge of the cake."""
FLOOR = TABLE + CAKE + LANE + HEADER + STASH + 8
