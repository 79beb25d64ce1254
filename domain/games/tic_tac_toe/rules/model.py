"""What there is: state, moves, facts, options and the view. Tic-tac-toe on cells 0..8, row by row."""

from typing import Annotated, Literal

import msgspec

from domain.kernel.values import Value

SeatName = Literal["cross", "nought"]
Cell = Annotated[int, msgspec.Meta(ge=0, le=8)]
SEATS: tuple[SeatName, SeatName] = ("cross", "nought")
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
OTHER_CELLS_OF_LINES = tuple(
    tuple(tuple(c for c in line if c != cell) for line in LINES if cell in line) for cell in range(9)
)
"""For each cell the other two of every line through it."""


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Tic-tac-toe has no options."""


class Mark(Value, frozen=True, tag_field="type", tag="mark", forbid_unknown_fields=True):
    """Put the own mark on an empty cell."""

    cell: Cell


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the game up."""


Move = Mark | Resign
MARK_MOVES = tuple(map(Mark, range(9)))


class GameStarted(Value, frozen=True, tag_field="type", tag="game_started"):
    """The game begins with an empty board."""

    game: str
    seats: tuple[SeatName, ...]


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The game begins from this board: the owner of each cell, or null."""

    cells: tuple[SeatName | None, ...]


class CellMarked(Value, frozen=True, tag_field="type", tag="cell_marked"):
    """A seat put its mark on a cell."""

    seat: SeatName
    cell: int


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat gave the game up."""

    seat: SeatName


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The game is over: `line`, `full` or `resigned`; the winner, or null in a draw."""

    reason: Literal["line", "full", "resigned"]
    winner: SeatName | None


Fact = GameStarted | PositionSet | CellMarked | SeatResigned | GameEnded


class State(Value, frozen=True):
    """The board, and the result once there is one. Whose turn it is follows from the number of marks."""

    cells: tuple[SeatName | None, ...] = (None,) * 9
    result: GameEnded | None = None


class View(Value, frozen=True):
    """What everyone may see, which is everything."""

    phase: Literal["play", "finished"]
    to_move: tuple[SeatName, ...]
    cells: tuple[SeatName | None, ...]
    result: GameEnded | None
