"""The reducer, which folds facts into the state. It never fails."""

from msgspec.structs import replace

from domain.games.tic_tac_toe.rules.facts import CellMarked, Fact, GameEnded, PositionSet
from domain.games.tic_tac_toe.rules.model import State
from domain.kernel.recorder import FactRecorder

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each of them once."""


def evolve(state: State, fact: Fact) -> State:
    """Return the state after a fact."""
    match fact:
        case CellMarked():
            cells = list(state.cells)
            cells[fact.cell] = fact.seat
            return State(tuple(cells), state.result)
        case GameEnded():
            return replace(state, result=fact)
        case PositionSet():
            return replace(state, cells=fact.cells)
        case _:
            return state
