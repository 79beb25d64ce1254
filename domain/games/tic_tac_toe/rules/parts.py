"""Seats, cells and lines. The cells are numbered 0 to 8, row by row."""

from typing import Annotated, Literal

import msgspec

SeatName = Literal["cross", "nought"]
Cell = Annotated[int, msgspec.Meta(ge=0, le=8)]
SEATS: tuple[SeatName, SeatName] = ("cross", "nought")
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
OTHER_CELLS_OF_LINES = tuple(
    tuple(tuple(c for c in line if c != cell) for line in LINES if cell in line) for cell in range(9)
)
"""For each cell, the other two cells of every line through it."""
