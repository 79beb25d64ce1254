"""The facts: the effects of the set-up and of moves, with the results of random draws.

Fields are in the order of the log and the API (rules, section 5). Hidden values are null for readers who may not see
them, so their fields are optional.
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
    """The match was created with these options."""

    game: Literal["mice_cake"]
    seats: tuple[SeatName, ...]
    options: Options


class CakeLaid(Value, frozen=True, tag_field="type", tag="cake_laid"):
    """The cake, row by row. Face-down dominoes are hidden from everyone until the end of the match."""

    cells: tuple[Cell, ...]


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The match started from a position document (S7), column by column. Hidden in the same way as `cake_laid`."""

    cells: tuple[Cell, ...]
    stash: Both[tuple[Piece, ...]]
    removed: tuple[Piece, ...]
    resting: Both[tuple[Resting, ...]]
    quiet: int


class RoundStarted(Value, frozen=True, tag_field="type", tag="round_started"):
    """A round began, with the ready mice, the open columns and the seats that owe an assignment."""

    round: int
    ready: Both[int]
    open: Both[tuple[Column, ...]]
    to_assign: tuple[SeatName, ...]


class MiceAssigned(Value, frozen=True, tag_field="type", tag="mice_assigned"):
    """A seat sent its mice. Columns and steal target are hidden from all others until the end of the match."""

    seat: SeatName
    round: int
    columns: Columns | None
    steal_target: Piece | None


class AssignmentsRevealed(Value, frozen=True, tag_field="type", tag="assignments_revealed"):
    """The assignments of the round, revealed after the last one owed was made."""

    round: int
    assignments: Both[Assignment]


class PieceTurnedUp(Value, frozen=True, tag_field="type", tag="piece_turned_up"):
    """A domino was turned face up."""

    at: str
    piece: Piece
    cause: Cause


class DiceRolled(Value, frozen=True, tag_field="type", tag="dice_rolled"):
    """A group rolled against its front, or against the domino it is trying to steal."""

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
    """The result of a group's attempt."""

    seat: SeatName
    column: Column
    wave: int
    result: AttemptResult


class MiceExhausted(Value, frozen=True, tag_field="type", tag="mice_exhausted"):
    """Mice of a group were exhausted and rest in the next round."""

    seat: SeatName
    column: Column
    count: int
    piece: Piece


class PieceStolen(Value, frozen=True, tag_field="type", tag="piece_stolen"):
    """A domino moved from one stash to the other."""

    seat: SeatName
    from_: SeatName = msgspec.field(name="from")
    piece: Piece
    pips: int


class PieceTaken(Value, frozen=True, tag_field="type", tag="piece_taken"):
    """A domino moved from the cake to a stash."""

    seat: SeatName
    at: str
    piece: Piece
    pips: int


class BlankRemoved(Value, frozen=True, tag_field="type", tag="blank_removed"):
    """Both seats stole, so the 0-0 left the game."""

    at: str


class MiceBoosted(Value, frozen=True, tag_field="type", tag="mice_boosted"):
    """Mice were boosted, so they roll again, against the next domino of the column (option `boost`)."""

    seat: SeatName
    column: Column
    dice: int


class RoundEnded(Value, frozen=True, tag_field="type", tag="round_ended"):
    """A round ended. `resting` mice miss the next round; `quiet` counts rounds in a row without a domino taken."""

    round: int
    recovered: Both[int]
    resting: Both[int]
    left: int
    quiet: int


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat resigned."""

    seat: SeatName


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The match ended: reason, winner and tie-breaker, totals, and the dominoes left on the cake."""

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
