"""The state of a match, and the view of it that a reader gets."""

from typing import Literal

from domain.games.mice_cake.rules.moves import AssignMice, Options
from domain.games.mice_cake.rules.parts import (
    Assignment,
    Both,
    ByColumn,
    Cell,
    Column,
    DecidedBy,
    LeftOver,
    Piece,
    Reason,
    Resting,
    SeatName,
)
from domain.kernel.values import Value

Phase = Literal["assign", "finished"]


class Result(Value, frozen=True):
    """The fields of `game_ended`, stored in state and view."""

    reason: Reason
    winner: SeatName | None
    by: DecidedBy
    pips: Both[int]
    count: Both[int]
    double_six: SeatName | None
    left: tuple[LeftOver, ...]


class State(Value, frozen=True):
    """The full state of a match (section 4)."""

    phase: Phase = "assign"
    round: int = 0
    quiet: int = 0
    options: Options = Options()
    cake: ByColumn[tuple[Cell, ...]] = ByColumn((), (), (), ())
    stash: Both[tuple[Piece, ...]] = Both((), ())
    removed: tuple[Piece, ...] = ()
    resting: Both[tuple[Resting, ...]] = Both((), ())
    newly: Both[tuple[Resting, ...]] = Both((), ())
    pending: Both[Assignment | None] = Both(None, None)
    to_assign: tuple[SeatName, ...] = ()
    result: Result | None = None


class View(Value, frozen=True):
    """What a seat or a spectator can see (section 7)."""

    phase: Phase
    round: int
    quiet: int
    options: Options
    cake: ByColumn[tuple[Cell, ...]]
    unseen: tuple[Piece, ...]
    stash: Both[tuple[Piece, ...]]
    pips: Both[int]
    count: Both[int]
    removed: tuple[Piece, ...]
    ready: Both[int]
    resting: Both[tuple[Resting, ...]]
    open: Both[tuple[Column, ...]]
    to_assign: tuple[SeatName, ...]
    assigned: Both[bool]
    own_assignment: Assignment | None
    legal: tuple[AssignMice, ...]
    result: Result | None
    to_move: tuple[SeatName, ...]
    scores: Both[int]
