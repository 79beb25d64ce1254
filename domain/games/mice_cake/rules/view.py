"""What a seat or a spectator may see (rules, section 7), and a full state that fits what a seat sees."""

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from domain.games.mice_cake.bot.strategy import guess
from domain.games.mice_cake.rules.components import TABLE_ORDER
from domain.games.mice_cake.rules.decider import assignments, legal_moves, opened, owes, pips, ready
from domain.games.mice_cake.rules.model import (
    SEATS,
    Assignment,
    AssignMice,
    Both,
    ByColumn,
    CakeLaid,
    Cell,
    Fact,
    MiceAssigned,
    Name,
    Piece,
    PositionSet,
    State,
    View,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """What this seat sees, or a spectator."""
    totals = Both(pips(state, "yellow"), pips(state, "blue"))
    return View(
        phase=state.phase,
        round=state.round,
        quiet=state.quiet,
        options=state.options,
        cake=seen_cake(state),
        unseen=unseen(state),
        stash=state.stash,
        pips=totals,
        count=Both(len(state.stash.yellow), len(state.stash.blue)),
        removed=state.removed,
        ready=Both(ready(state, "yellow"), ready(state, "blue")),
        resting=state.resting,
        open=Both(opened(state, "yellow"), opened(state, "blue")),
        to_assign=state.to_assign,
        assigned=Both(state.pending.yellow is not None, state.pending.blue is not None),
        own_assignment=None if seat is None else state.pending.of(SEATS[seat]),
        legal=() if seat is None else tuple(legal_moves(state, seat)),
        result=state.result,
        to_move=tuple(name for name in SEATS if owes(state, name)),
        scores=totals,
    )


def seen_cake(state: State) -> ByColumn[tuple[Cell, ...]]:
    """The cake without what lies face down; the whole of it when the game is finished."""
    if state.phase == "finished":
        return state.cake
    a, b, c, d = map(seen_cells, state.cake.each())
    return ByColumn(a, b, c, d)


def seen_cells(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Cells without what lies face down."""
    return tuple(cell if cell.up else Cell(cell.at, None, False) for cell in cells)


def unseen(state: State) -> tuple[Piece, ...]:
    """The dominoes that lie face down, in table order: everyone can work them out, but not which lies where (L1)."""
    hidden = (cell.known for cell in chain.from_iterable(state.cake.each()) if not cell.up)
    return tuple(sorted(hidden, key=TABLE_ORDER.__getitem__))


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """The fact as this seat may see it now: everything once the game is finished."""
    if state.phase == "finished":
        return fact
    match fact:
        case CakeLaid(cells) | PositionSet(cells):
            return replace(fact, cells=seen_cells(cells))  # L5
        case MiceAssigned(name) if seat is None or SEATS[seat] != name:
            return replace(fact, columns=None, steal_target=None)  # L2
        case _:
            return fact


# -- a state that fits a view -------------------------------------------------------------------------------------


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """A full state that this seat cannot tell from the real one.

    The unseen dominoes lie in random order on the face-down places, and an assignment that is made, not revealed and
    not the seat's own is drawn by how good it looks (section 14).
    """
    state = State(
        phase=view.phase,
        round=view.round,
        quiet=view.quiet,
        options=view.options,
        cake=fill(view, chance),
        stash=view.stash,
        removed=view.removed,
        resting=view.resting,
        to_assign=view.to_assign,
        result=view.result,
    )
    pending = state.pending
    for number, name in enumerate(SEATS):
        if number == seat:
            pending = pending.having(name, view.own_assignment)
        elif view.assigned.of(name):
            pending = pending.having(name, their_assignment(state, view, facts, name, chance))
    return replace(state, pending=pending)


def fill(view: View, chance: Chance) -> ByColumn[tuple[Cell, ...]]:
    """The cake with the unseen dominoes shuffled into the hidden places."""
    hidden = iter(chance.shuffle(view.unseen))
    a, b, c, d = (
        tuple(Cell(cell.at, next(hidden), cell.up) if cell.piece is None else cell for cell in cells)
        for cells in view.cake.each()
    )
    return ByColumn(a, b, c, d)


def their_assignment(state: State, view: View, facts: Sequence[Fact], name: Name, chance: Chance) -> Assignment:
    """The other seat's pending assignment: as the facts show it (after the end), or a likely one."""
    shown = [fact for fact in facts if isinstance(fact, MiceAssigned) and fact.seat == name]
    if shown and shown[-1].columns is not None:
        return Assignment(shown[-1].columns, shown[-1].steal_target)
    likely: AssignMice = guess(view, name, tuple(assignments(state, name)), chance)
    return Assignment(likely.columns, likely.steal_target)
