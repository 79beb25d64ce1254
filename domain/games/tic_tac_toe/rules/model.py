"""The state of a game, and the view of it that a seat gets."""

from typing import Literal

from domain.games.tic_tac_toe.rules.facts import GameEnded
from domain.games.tic_tac_toe.rules.parts import SeatName
from domain.kernel.values import Value


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
