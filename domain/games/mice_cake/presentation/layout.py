"""Sizes and marks that several parts of the picture share, in SVG units."""

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
    """From where the table is seen: who sits at the bottom, and what lies where from left to right, top to bottom."""

    own: SeatName
    columns: tuple[Column, ...]
    rows: tuple[int, ...]
    viewer: SeatName | None


def orientation_of(seat: Seat | None) -> Orientation:
    """The table from a seat: turned by half a turn for yellow, whose row 1 then lies at the bottom."""
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
"""How far down the cake begins."""
FLOOR = TABLE + CAKE + LANE + HEADER + STASH + 8
