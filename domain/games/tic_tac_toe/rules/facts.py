"""The facts: what a move or the set-up has done, chance included."""

from typing import Literal

from domain.games.tic_tac_toe.rules.parts import SeatName
from domain.kernel.values import Value


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
