"""The facts: the effects of the set-up and of moves."""

from typing import Literal

from domain.games.tic_tac_toe.rules.parts import SeatName
from domain.kernel.values import Value


class GameStarted(Value, frozen=True, tag_field="type", tag="game_started"):
    """The match starts with an empty board."""

    game: str
    seats: tuple[SeatName, ...]


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The match starts from this board: the owner of each cell, or null."""

    cells: tuple[SeatName | None, ...]


class CellMarked(Value, frozen=True, tag_field="type", tag="cell_marked"):
    """A seat put its mark on a cell."""

    seat: SeatName
    cell: int


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat resigned."""

    seat: SeatName


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The match is over. `winner` is null in a draw."""

    reason: Literal["line", "full", "resigned"]
    winner: SeatName | None


Fact = GameStarted | PositionSet | CellMarked | SeatResigned | GameEnded
