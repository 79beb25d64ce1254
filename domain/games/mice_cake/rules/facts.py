"""The facts: what a move or the set-up has done, chance included.

The order of the fields is the order in the log and in the API (rules, section 5). What a reader may not see is null
in what that reader gets, with its key kept; hence the optional fields.
"""

from typing import Literal

import msgspec

from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.parts import (
    Assignment,
    AttemptResult,
    Both,
    Cause,
    Cell,
    Column,
    Columns,
    DecidedBy,
    LeftOver,
    Piece,
    Reason,
    Resting,
    SeatName,
)
from domain.kernel.values import Value


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
