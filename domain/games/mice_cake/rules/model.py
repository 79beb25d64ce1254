"""What there is: seats, dominoes and places, options, moves, facts, the state and the view.

The order of the fields is the order in the log and in the API (rules, section 5). What a reader may not see is null
in what that reader gets, with its key kept; hence the optional fields.
"""

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

SEATS: tuple[SeatName, SeatName] = ("yellow", "blue")  # S1: yellow is seat 0 at row 1, blue seat 1 at row 7
COLUMNS: tuple[Column, ...] = get_args(Column)
PIECES: tuple[Piece, ...] = get_args(Piece)
"""The 28 dominoes in table order."""
BLANK: Piece = "0-0"
DOUBLE_SIX: Piece = "6-6"
MICE_PER_SEAT = 4  # S5
ROWS = 7
QUIET_ROUND_LIMIT = 20  # T2


class Both(Value, Generic[T], frozen=True, forbid_unknown_fields=True):
    """One thing for each seat."""

    yellow: T
    blue: T

    def of(self, name: SeatName) -> T:
        """The one of that seat."""
        return self.yellow if name == "yellow" else self.blue

    def with_value(self, name: SeatName, value: T) -> "Both[T]":
        """The same with another value for that seat."""
        return Both(value, self.blue) if name == "yellow" else Both(self.yellow, value)


class ByColumn(Value, Generic[T], frozen=True):
    """One thing for each column."""

    A: T
    B: T
    C: T
    D: T

    def of(self, column: Column) -> T:
        """The one of that column."""
        value: T = getattr(self, column)
        return value

    def values(self) -> tuple[T, T, T, T]:
        """All four, A to D."""
        return self.A, self.B, self.C, self.D


def opponent_of(name: SeatName) -> SeatName:
    """The seat across the table."""
    return "blue" if name == "yellow" else "yellow"


# -- options ------------------------------------------------------------------------------------------------------


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. The three combine freely."""

    start_face: Literal["alternate", "up", "down"] = "alternate"
    matches: Literal["exhaust", "boost"] = "exhaust"
    contest_floor: Literal["pips", "none"] = "pips"


# -- moves --------------------------------------------------------------------------------------------------------

MouseCount = Annotated[int, msgspec.Meta(ge=0, le=MICE_PER_SEAT)]


class Columns(Value, frozen=True, forbid_unknown_fields=True):
    """How many mice stand at each column."""

    A: MouseCount = 0
    B: MouseCount = 0
    C: MouseCount = 0
    D: MouseCount = 0

    def of(self, column: Column) -> int:
        """The mice at that column."""
        count: int = getattr(self, column)
        return count

    def counts(self) -> tuple[int, int, int, int]:
        """All four, A to D."""
        return self.A, self.B, self.C, self.D

    def total(self) -> int:
        """All mice."""
        return self.A + self.B + self.C + self.D


class AssignMice(Value, frozen=True, tag_field="type", tag="assign_mice", forbid_unknown_fields=True):
    """Send all ready mice to columns; name the domino to steal if some go to the face-up 0-0."""

    columns: Columns
    steal_target: Piece | None = None


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the game up."""


Move = AssignMice | Resign


# -- facts --------------------------------------------------------------------------------------------------------


class Cell(Value, frozen=True):
    """A place of the cake, its domino (null where hidden) and whether it lies face up."""

    at: str
    piece: Piece | None
    up: bool

    @property
    def visible_piece(self) -> Piece:
        """The domino, where it is certain that it is known: in a state, or face up in a view."""
        assert self.piece is not None
        return self.piece


class LeftOver(Value, frozen=True):
    """A domino that nobody ate."""

    at: str
    piece: Piece


class Resting(Value, frozen=True):
    """Mice that miss a round, and the column where they tired."""

    column: Column
    count: int


class Assignment(Value, frozen=True):
    """What a seat assigned in a round."""

    columns: Columns = Columns()
    steal_target: Piece | None = None


Cause = Literal["attempted", "uncovered"]
AttemptResult = Literal["taken", "stolen", "swapped", "low", "exhausted", "outrolled", "level", "blank_found"]
Reason = Literal["cake_gone", "stalled", "resigned"]
DecidedBy = Literal["pips", "count", "double_six", "draw", "resignation"]


class GameStarted(Value, frozen=True, tag_field="type", tag="game_started"):
    """The game begins."""

    game: Literal["mice_cake"]
    seats: tuple[SeatName, ...]
    options: Options


class CakeLaid(Value, frozen=True, tag_field="type", tag="cake_laid"):
    """The cake, row by row. Face-down dominoes are hidden from everyone until the end."""

    cells: tuple[Cell, ...]


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The game begins from this position instead (S7), column by column. Hidden like the cake."""

    cells: tuple[Cell, ...]
    stash: Both[tuple[Piece, ...]]
    removed: tuple[Piece, ...]
    resting: Both[tuple[Resting, ...]]
    quiet: int


class RoundStarted(Value, frozen=True, tag_field="type", tag="round_started"):
    """A round begins: ready mice, open columns, and who owes an assignment."""

    round: int
    ready: Both[int]
    open: Both[tuple[Column, ...]]
    to_assign: tuple[SeatName, ...]


class MiceAssigned(Value, frozen=True, tag_field="type", tag="mice_assigned"):
    """A seat sent its mice. Where is hidden from all others until the end."""

    seat: SeatName
    round: int
    columns: Columns | None
    steal_target: Piece | None


class AssignmentsRevealed(Value, frozen=True, tag_field="type", tag="assignments_revealed"):
    """All owed assignments are in: here they are."""

    round: int
    assignments: Both[Assignment]


class PieceTurnedUp(Value, frozen=True, tag_field="type", tag="piece_turned_up"):
    """A domino was turned face up."""

    at: str
    piece: Piece
    cause: Cause


class DiceRolled(Value, frozen=True, tag_field="type", tag="dice_rolled"):
    """A group rolled against its front, or against the domino that it wants to steal."""

    seat: SeatName
    column: Column
    wave: int
    at: str
    piece: Piece
    target: Piece | None
    needed: int
    dice: tuple[int, ...]
    total: int
    matched: int


class AttemptDecided(Value, frozen=True, tag_field="type", tag="attempt_decided"):
    """What became of a group's attempt."""

    seat: SeatName
    column: Column
    wave: int
    result: AttemptResult


class MiceExhausted(Value, frozen=True, tag_field="type", tag="mice_exhausted"):
    """Mice of a group are exhausted and miss the next round."""

    seat: SeatName
    column: Column
    count: int
    piece: Piece


class PieceStolen(Value, frozen=True, tag_field="type", tag="piece_stolen"):
    """A domino changed stashes."""

    seat: SeatName
    from_: SeatName = msgspec.field(name="from")
    piece: Piece
    pips: int


class PieceTaken(Value, frozen=True, tag_field="type", tag="piece_taken"):
    """A domino went from the cake into a stash."""

    seat: SeatName
    at: str
    piece: Piece
    pips: int


class BlankRemoved(Value, frozen=True, tag_field="type", tag="blank_removed"):
    """Both stole: the 0-0 left the game."""

    at: str


class MiceBoosted(Value, frozen=True, tag_field="type", tag="mice_boosted"):
    """Matching mice roll again, against the next domino of the column (option `boost`)."""

    seat: SeatName
    column: Column
    dice: int


class RoundEnded(Value, frozen=True, tag_field="type", tag="round_ended"):
    """A round is over: mice back, mice that will miss the next round, dominoes left, quiet rounds in a row."""

    round: int
    recovered: Both[int]
    resting: Both[int]
    left: int
    quiet: int


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat gave the game up."""

    seat: SeatName


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The game is over: why, who won by what, the totals, and the dominoes that nobody ate."""

    reason: Reason
    winner: SeatName | None
    by: DecidedBy
    pips: Both[int]
    count: Both[int]
    double_six: SeatName | None
    left: tuple[LeftOver, ...]


Fact = (
    GameStarted
    | CakeLaid
    | PositionSet
    | RoundStarted
    | MiceAssigned
    | AssignmentsRevealed
    | PieceTurnedUp
    | DiceRolled
    | AttemptDecided
    | MiceExhausted
    | PieceStolen
    | PieceTaken
    | BlankRemoved
    | MiceBoosted
    | RoundEnded
    | SeatResigned
    | GameEnded
)


# -- state and view -----------------------------------------------------------------------------------------------

Phase = Literal["assign", "finished"]


class Result(Value, frozen=True):
    """The fields of `game_ended`, as state and view keep them."""

    reason: Reason
    winner: SeatName | None
    by: DecidedBy
    pips: Both[int]
    count: Both[int]
    double_six: SeatName | None
    left: tuple[LeftOver, ...]


class State(Value, frozen=True):
    """Enough to fold and to go on (section 4)."""

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
    """What a seat or a spectator may see (section 7)."""

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
