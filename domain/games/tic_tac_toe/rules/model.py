"""The state of a match, and the view of it that a reader gets."""

from typing import Literal

from domain.games.tic_tac_toe.rules.facts import GameEnded
from domain.games.tic_tac_toe.rules.parts import SeatName
from domain.kernel.values import Value


class State(Value, frozen=True):
    """The board, and the result once there is one. The number of marks determines the seat to move."""

    cells: tuple[SeatName | None, ...] = (None,) * 9
    result: GameEnded | None = None


class View(Value, frozen=True):
    """The view, which is the same for every reader."""

    phase: Literal["play", "finished"]
    to_move: tuple[SeatName, ...]
    cells: tuple[SeatName | None, ...]
    result: GameEnded | None
