"""Determinization: a full state consistent with a view, with hidden values sampled."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.games.mice_cake.bot.strategy import sample_assignment
from domain.games.mice_cake.rules.decider import assignments
from domain.games.mice_cake.rules.facts import Fact, MiceAssigned
from domain.games.mice_cake.rules.model import State, View
from domain.games.mice_cake.rules.moves import AssignMice
from domain.games.mice_cake.rules.parts import SEATS, Assignment, ByColumn, Cell, SeatName
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """Return a full state that is consistent with everything this seat knows.

    The unseen dominoes are placed at random. The other seat's pending assignment is sampled by its weight (section 14).
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
            pending = pending.with_value(name, view.own_assignment)
        elif view.assigned.of(name):
            pending = pending.with_value(name, their_assignment(state, view, facts, name, chance))
    return replace(state, pending=pending)


def fill(view: View, chance: Chance) -> ByColumn[tuple[Cell, ...]]:
    """Return the cake with the unseen dominoes at random hidden places."""
    hidden = iter(chance.shuffle(view.unseen))
    a, b, c, d = (
        tuple(Cell(cell.at, next(hidden), cell.up) if cell.piece is None else cell for cell in cells)
        for cells in view.cake.values()
    )
    return ByColumn(a, b, c, d)


def their_assignment(state: State, view: View, facts: Sequence[Fact], name: SeatName, chance: Chance) -> Assignment:
    """Return another seat's pending assignment: the real one if the facts show it (after the end), else a sample."""
    shown = [fact for fact in facts if isinstance(fact, MiceAssigned) and fact.seat == name]
    if shown and shown[-1].columns is not None:
        return Assignment(shown[-1].columns, shown[-1].steal_target)
    likely: AssignMice = sample_assignment(view, name, tuple(assignments(state, name)), chance)
    return Assignment(likely.columns, likely.steal_target)
