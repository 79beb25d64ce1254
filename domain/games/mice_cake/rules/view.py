"""Views and redaction: what a seat or a spectator can see (rules, section 7)."""

from itertools import chain

from msgspec.structs import replace

from domain.games.mice_cake.rules.components import TABLE_ORDER
from domain.games.mice_cake.rules.decider import count_ready_mice, find_open_columns, legal_moves, owes_assignment, pips
from domain.games.mice_cake.rules.facts import CakeLaid, Fact, MiceAssigned, PositionSet
from domain.games.mice_cake.rules.model import State, View
from domain.games.mice_cake.rules.parts import SEATS, Both, ByColumn, Cell, Piece
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """Return the view of a seat, or of a spectator (None)."""
    totals = Both(pips(state, "yellow"), pips(state, "blue"))
    return View(
        phase=state.phase,
        round=state.round,
        quiet=state.quiet,
        options=state.options,
        cake=visible_cake(state),
        unseen=unseen_pieces(state),
        stash=state.stash,
        pips=totals,
        count=Both(len(state.stash.yellow), len(state.stash.blue)),
        removed=state.removed,
        ready=Both(count_ready_mice(state, "yellow"), count_ready_mice(state, "blue")),
        resting=state.resting,
        open=Both(find_open_columns(state, "yellow"), find_open_columns(state, "blue")),
        to_assign=state.to_assign,
        assigned=Both(state.pending.yellow is not None, state.pending.blue is not None),
        own_assignment=None if seat is None else state.pending.of(SEATS[seat]),
        legal=() if seat is None else tuple(legal_moves(state, seat)),
        result=state.result,
        to_move=tuple(name for name in SEATS if owes_assignment(state, name)),
        scores=totals,
    )


def visible_cake(state: State) -> ByColumn[tuple[Cell, ...]]:
    """Return the cake without its face-down dominoes, or the whole cake after the end."""
    if state.phase == "finished":
        return state.cake
    a, b, c, d = map(visible_cells, state.cake.values())
    return ByColumn(a, b, c, d)


def visible_cells(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return the cells without the face-down dominoes."""
    return tuple(cell if cell.up else Cell(cell.at, None, False) for cell in cells)


def unseen_pieces(state: State) -> tuple[Piece, ...]:
    """Return the face-down dominoes in table order. Everyone can work out the set, but not the places (L1)."""
    hidden = (cell.visible_piece for cell in chain.from_iterable(state.cake.values()) if not cell.up)
    return tuple(sorted(hidden, key=TABLE_ORDER.__getitem__))


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """Return the fact as this seat may see it: hidden values become None until the match is over."""
    if state.phase == "finished":
        return fact
    match fact:
        case CakeLaid(cells) | PositionSet(cells):
            return replace(fact, cells=visible_cells(cells))  # L5
        case MiceAssigned(name) if seat is None or SEATS[seat] != name:
            return replace(fact, columns=None, steal_target=None)  # L2
        case _:
            return fact
