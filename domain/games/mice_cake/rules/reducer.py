"""The reducer, which folds facts into the state (rules, 5.4). It never fails and draws nothing.

Parts of a fact that don't match the state, such as a domino that is not there, are ignored.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple, replace

from domain.games.mice_cake.rules.facts import (
    BlankRemoved,
    CakeLaid,
    Fact,
    GameEnded,
    GameStarted,
    MiceAssigned,
    MiceExhausted,
    PieceStolen,
    PieceTaken,
    PieceTurnedUp,
    PositionSet,
    RoundEnded,
    RoundStarted,
)
from domain.games.mice_cake.rules.model import Result, State
from domain.games.mice_cake.rules.parts import COLUMNS, Assignment, Both, ByColumn, Cell, Columns, Resting
from domain.kernel.recorder import FactRecorder

Cake = ByColumn[tuple[Cell, ...]]

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each of them once."""


def evolve(state: State, fact: Fact) -> State:
    """Return the state after a fact."""
    row = APPLY_BY_FACT.get(type(fact))
    return row(state, fact) if row else state


def apply_position_set(state: State, fact: PositionSet) -> State:
    """Set cake, stashes, resting mice and quiet rounds from a position document."""
    return replace(
        state,
        cake=group_by_column(fact.cells),
        stash=fact.stash,
        removed=fact.removed,
        resting=fact.resting,
        quiet=fact.quiet,
    )


def apply_mice_assigned(state: State, fact: MiceAssigned) -> State:
    """Store the assignment until it is revealed. Hidden columns are stored as zeros."""
    sent = Assignment(fact.columns or Columns(), fact.steal_target)
    return replace(state, pending=state.pending.with_value(fact.seat, sent))


def apply_piece_turned_up(state: State, fact: PieceTurnedUp) -> State:
    """Turn the domino face up."""
    return replace(state, cake=with_cell(state.cake, fact.at, (Cell(fact.at, fact.piece, True),)))


def apply_piece_stolen(state: State, fact: PieceStolen) -> State:
    """Move a domino from one stash to the other."""
    left = tuple(kept for kept in state.stash.of(fact.from_) if kept != fact.piece)
    return add_to_stash(replace(state, stash=state.stash.with_value(fact.from_, left)), fact)


def apply_piece_taken(state: State, fact: PieceTaken) -> State:
    """Move a domino from the cake to a stash."""
    return add_to_stash(replace(state, cake=with_cell(state.cake, fact.at, ())), fact)


def apply_blank_removed(state: State, fact: BlankRemoved) -> State:
    """Remove the 0-0 from the game."""
    return replace(state, cake=with_cell(state.cake, fact.at, ()), removed=(*state.removed, "0-0"))


def apply_mice_exhausted(state: State, fact: MiceExhausted) -> State:
    """Add mice that will rest in the next round."""
    tired = (*state.newly.of(fact.seat), Resting(fact.column, fact.count))
    return replace(state, newly=state.newly.with_value(fact.seat, tired))


def apply_round_ended(state: State, fact: RoundEnded) -> State:
    """Exhausted mice become resting mice, and the assignments are cleared."""
    return replace(
        state,
        quiet=fact.quiet,
        resting=state.newly,
        newly=Both((), ()),
        pending=Both(None, None),
        to_assign=(),
    )


def add_to_stash(state: State, fact: PieceTaken | PieceStolen) -> State:
    """Append the domino to the seat's stash."""
    return replace(state, stash=state.stash.with_value(fact.seat, (*state.stash.of(fact.seat), fact.piece)))


def group_by_column(cells: tuple[Cell, ...]) -> Cake:
    """Return the cells by column. They must already be in row order within each column."""
    a, b, c, d = (tuple(cell for cell in cells if cell.at[0] == column) for column in COLUMNS)
    return ByColumn(a, b, c, d)


def with_cell(cake: Cake, at: str, instead: tuple[Cell, ...]) -> Cake:
    """Return the cake with the cell at this place replaced, or removed if `instead` is empty."""
    column = at[:1]
    if column not in COLUMNS:
        return cake
    changed = [new for cell in getattr(cake, column) for new in (instead if cell.at == at else (cell,))]
    return replace(cake, **{column: tuple(changed)})


APPLY_BY_FACT: dict[type, Callable[[State, Any], State]] = {
    GameStarted: lambda state, fact: replace(state, options=fact.options),
    CakeLaid: lambda state, fact: replace(state, cake=group_by_column(fact.cells)),
    PositionSet: apply_position_set,
    RoundStarted: lambda state, fact: replace(state, phase="assign", round=fact.round, to_assign=fact.to_assign),
    MiceAssigned: apply_mice_assigned,
    PieceTurnedUp: apply_piece_turned_up,
    PieceStolen: apply_piece_stolen,
    PieceTaken: apply_piece_taken,
    BlankRemoved: apply_blank_removed,
    MiceExhausted: apply_mice_exhausted,
    RoundEnded: apply_round_ended,
    GameEnded: lambda state, fact: replace(state, phase="finished", result=Result(*astuple(fact)), to_assign=()),
}
"""The effect of each fact; facts not listed don't change the state (rules, 5.4)."""
