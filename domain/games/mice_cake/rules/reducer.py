"""How facts fold into state (rules, 5.4). Total: it never refuses, never draws.

A fact that does not fit the state folds as far as it can: what it names and the state does not hold is left alone.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple, replace

from domain.games.mice_cake.rules.model import (
    COLUMNS,
    Assignment,
    BlankRemoved,
    Both,
    ByColumn,
    CakeLaid,
    Cell,
    Columns,
    Fact,
    GameEnded,
    GameStarted,
    MiceAssigned,
    MiceExhausted,
    PieceStolen,
    PieceTaken,
    PieceTurnedUp,
    PositionSet,
    Resting,
    Result,
    RoundEnded,
    RoundStarted,
    State,
)

Cake = ByColumn[tuple[Cell, ...]]


def evolve(state: State, fact: Fact) -> State:
    """The state after one fact."""
    row = ROWS.get(type(fact))
    return row(state, fact) if row else state


def position_set(state: State, fact: PositionSet) -> State:
    """The cake and the stashes as the document has them."""
    return replace(
        state,
        cake=by_column(fact.cells),
        stash=fact.stash,
        removed=fact.removed,
        resting=fact.resting,
        quiet=fact.quiet,
    )


def mice_assigned(state: State, fact: MiceAssigned) -> State:
    """Kept until both have chosen; what this reader may not see counts as none."""
    sent = Assignment(fact.columns or Columns(), fact.steal_target)
    return replace(state, pending=state.pending.having(fact.seat, sent))


def piece_turned_up(state: State, fact: PieceTurnedUp) -> State:
    """The piece lies face up."""
    return replace(state, cake=with_cell(state.cake, fact.at, (Cell(fact.at, fact.piece, True),)))


def piece_stolen(state: State, fact: PieceStolen) -> State:
    """From one stash into the other."""
    left = tuple(kept for kept in state.stash.of(fact.from_) if kept != fact.piece)
    return gain(replace(state, stash=state.stash.having(fact.from_, left)), fact)


def piece_taken(state: State, fact: PieceTaken) -> State:
    """From the cake into a stash."""
    return gain(replace(state, cake=with_cell(state.cake, fact.at, ())), fact)


def blank_removed(state: State, fact: BlankRemoved) -> State:
    """The double blank leaves the cake for nobody."""
    return replace(state, cake=with_cell(state.cake, fact.at, ()), removed=(*state.removed, "0-0"))


def mice_exhausted(state: State, fact: MiceExhausted) -> State:
    """These rest in the next round."""
    tired = (*state.newly.of(fact.seat), Resting(fact.column, fact.count))
    return replace(state, newly=state.newly.having(fact.seat, tired))


def round_ended(state: State, fact: RoundEnded) -> State:
    """Who is tired rests; nothing is pending."""
    return replace(
        state,
        quiet=fact.quiet,
        resting=state.newly,
        newly=Both((), ()),
        pending=Both(None, None),
        to_assign=(),
    )


def gain(state: State, fact: PieceTaken | PieceStolen) -> State:
    """The domino goes to the end of the seat's stash."""
    return replace(state, stash=state.stash.having(fact.seat, (*state.stash.of(fact.seat), fact.piece)))


def by_column(cells: tuple[Cell, ...]) -> Cake:
    """The cells sorted into their columns; they come in row order in each."""
    a, b, c, d = (tuple(cell for cell in cells if cell.at[0] == column) for column in COLUMNS)
    return ByColumn(a, b, c, d)


def with_cell(cake: Cake, at: str, instead: tuple[Cell, ...]) -> Cake:
    """The cake with another cell, or none, at this place."""
    column = at[:1]
    if column not in COLUMNS:
        return cake
    changed = [new for cell in getattr(cake, column) for new in (instead if cell.at == at else (cell,))]
    return replace(cake, **{column: tuple(changed)})


ROWS: dict[type, Callable[[State, Any], State]] = {
    GameStarted: lambda state, fact: replace(state, options=fact.options),
    CakeLaid: lambda state, fact: replace(state, cake=by_column(fact.cells)),
    PositionSet: position_set,
    RoundStarted: lambda state, fact: replace(state, phase="assign", round=fact.round, to_assign=fact.to_assign),
    MiceAssigned: mice_assigned,
    PieceTurnedUp: piece_turned_up,
    PieceStolen: piece_stolen,
    PieceTaken: piece_taken,
    BlankRemoved: blank_removed,
    MiceExhausted: mice_exhausted,
    RoundEnded: round_ended,
    GameEnded: lambda state, fact: replace(state, phase="finished", result=Result(*astuple(fact)), to_assign=()),
}
"""What each fact does; those that are missing tell only (rules, 5.4)."""
