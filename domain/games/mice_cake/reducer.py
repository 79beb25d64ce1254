"""How facts fold into state (rules, 5.4). Total: it never refuses, never draws.

A fact that does not fit the state folds as far as it can: what it names and the state does not hold is left alone.
"""

from msgspec.structs import astuple, replace

from domain.games.mice_cake.model import (
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


def evolve(state: State, fact: Fact) -> State:  # noqa: PLR0912 -- one row for each fact
    """The state after one fact."""
    match fact:
        case GameStarted(options=options):
            return replace(state, options=options)
        case CakeLaid(cells):
            return replace(state, cake=by_column(cells))
        case PositionSet(cells, stash, removed, resting, quiet):
            return replace(state, cake=by_column(cells), stash=stash, removed=removed, resting=resting, quiet=quiet)
        case RoundStarted(number, _, _, to_assign):
            return replace(state, phase="assign", round=number, to_assign=to_assign)
        case MiceAssigned(seat, _, columns, steal_target):
            sent = Assignment(columns or Columns(), steal_target)
            return replace(state, pending=state.pending.having(seat, sent))
        case PieceTurnedUp(at, piece, _):
            return replace(state, cake=with_cell(state.cake, at, (Cell(at, piece, True),)))
        case PieceStolen(seat, robbed, piece, _):
            left = tuple(kept for kept in state.stash.of(robbed) if kept != piece)
            return gain(replace(state, stash=state.stash.having(robbed, left)), fact)
        case PieceTaken(_, at, _, _):
            return gain(replace(state, cake=with_cell(state.cake, at, ())), fact)
        case BlankRemoved(at):
            return replace(state, cake=with_cell(state.cake, at, ()), removed=(*state.removed, "0-0"))
        case MiceExhausted(seat, column, count, _):
            tired = (*state.newly.of(seat), Resting(column, count))
            return replace(state, newly=state.newly.having(seat, tired))
        case RoundEnded(quiet=quiet):
            return replace(
                state,
                quiet=quiet,
                resting=state.newly,
                newly=Both((), ()),
                pending=Both(None, None),
                to_assign=(),
            )
        case GameEnded():
            return replace(state, phase="finished", result=Result(*astuple(fact)), to_assign=())
        case _:
            return state


def gain(state: State, fact: PieceTaken | PieceStolen) -> State:
    """The domino goes to the end of the seat's stash."""
    return replace(state, stash=state.stash.having(fact.seat, (*state.stash.of(fact.seat), fact.piece)))


def by_column(cells: tuple[Cell, ...]) -> Cake:
    """The cells sorted into their columns; they come in row order in each."""
    a, b, c, d = (tuple(cell for cell in cells if cell.at[0] == column) for column in COLUMNS)
    return ByColumn(a, b, c, d)


def with_cell(cake: Cake, at: str, instead: tuple[Cell, ...]) -> Cake:
    """The cake with another cell, or none, at this place."""
    a, b, c, d = (
        changed(cells, at, instead) if at.startswith(column) else cells
        for column, cells in zip(COLUMNS, cake.each(), strict=True)
    )
    return ByColumn(a, b, c, d)


def changed(cells: tuple[Cell, ...], at: str, instead: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """A column with another cell, or none, at this place."""
    return tuple(new for cell in cells for new in (instead if cell.at == at else (cell,)))
