"""Names, constants and small values used by moves, facts and states."""

from typing import Annotated, Generic, Literal, TypeVar, get_args

import msgspec

from domain.kernel.values import Value

T = TypeVar("T")
SeatName = Literal["yellow", "blue"]
Column = Literal["A", "B", "C", "D"]
Piece = Literal[
    "0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6",
    "1-1", "1-2", "1-3", "1-4", "1-5", "1-6",
    "2-2", "2-3", "2-4", "2-5", "2-6",
    "3-3", "3-4", "3-5", "3-6",
    "4-4", "4-5", "4-6",
    "5-5", "5-6",
    "6-6",
]  # fmt: skip
"""A domino, named by its two halves, the lower first (rules, section 2)."""
SEATS: tuple[SeatName, SeatName] = ("yellow", "blue")  # S1: seat 0 (yellow) sits at row 1, seat 1 (blue) at row 7
COLUMNS: tuple[Column, ...] = get_args(Column)
PIECES: tuple[Piece, ...] = get_args(Piece)
"""The 28 dominoes in table order."""
BLANK: Piece = "0-0"
DOUBLE_SIX: Piece = "6-6"
MICE_PER_SEAT = 4  # S5
ROWS = 7
QUIET_ROUND_LIMIT = 20  # T2


class Both(Value, Generic[T], frozen=True, forbid_unknown_fields=True):
    """A value for each seat."""

    yellow: T
    blue: T

    def of(self, name: SeatName) -> T:
        """Return the value of a seat."""
        return self.yellow if name == "yellow" else self.blue

    def with_value(self, name: SeatName, value: T) -> "Both[T]":
        """Return a copy with a new value for a seat."""
        return Both(value, self.blue) if name == "yellow" else Both(self.yellow, value)


class ByColumn(Value, Generic[T], frozen=True):
    """A value for each column."""

    A: T
    B: T
    C: T
    D: T

    def of(self, column: Column) -> T:
        """Return the value of a column."""
        value: T = getattr(self, column)
        return value

    def values(self) -> tuple[T, T, T, T]:
        """Return all four values, A to D."""
        return self.A, self.B, self.C, self.D


def opponent_of(name: SeatName) -> SeatName:
    """Return the other seat."""
    return "blue" if name == "yellow" else "yellow"


MouseCount = Annotated[int, msgspec.Meta(ge=0, le=MICE_PER_SEAT)]


class Columns(Value, frozen=True, forbid_unknown_fields=True):
    """The number of mice at each column."""

    A: MouseCount = 0
    B: MouseCount = 0
    C: MouseCount = 0
    D: MouseCount = 0

    def of(self, column: Column) -> int:
        """Return the number of mice at a column."""
        count: int = getattr(self, column)
        return count

    def counts(self) -> tuple[int, int, int, int]:
        """Return all four numbers, A to D."""
        return self.A, self.B, self.C, self.D

    def total(self) -> int:
        """Return the number of mice at all columns."""
        return self.A + self.B + self.C + self.D


class Cell(Value, frozen=True):
    """A place on the cake, such as C4, with its domino (None if hidden) and whether it lies face up."""

    at: str
    piece: Piece | None
    up: bool

    @property
    def visible_piece(self) -> Piece:
        """The domino of a cell that is known not to be hidden: any cell of a state, or a face-up cell of a view."""
        assert self.piece is not None
        return self.piece


class LeftOver(Value, frozen=True):
    """A domino left on the cake at the end."""

    at: str
    piece: Piece


class Resting(Value, frozen=True):
    """Mice that miss a round, and the column where they were exhausted."""

    column: Column
    count: int


class Assignment(Value, frozen=True):
    """The assignment of a seat in a round."""

    columns: Columns = Columns()
    steal_target: Piece | None = None


Cause = Literal["attempted", "uncovered"]
AttemptResult = Literal["taken", "stolen", "swapped", "low", "exhausted", "outrolled", "level", "blank_found"]
Reason = Literal["cake_gone", "stalled", "resigned"]
DecidedBy = Literal["pips", "count", "double_six", "draw", "resignation"]
