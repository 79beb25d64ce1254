"""How facts fold into state. Total: it never refuses."""

from msgspec.structs import replace

from domain.games.tic_tac_toe.model import CellMarked, Fact, GameEnded, PositionSet, State


def evolve(state: State, fact: Fact) -> State:
    """The state after one fact."""
    match fact:
        case CellMarked(seat, cell):
            return replace(state, cells=(*state.cells[:cell], seat, *state.cells[cell + 1 :]))
        case PositionSet(cells):
            return replace(state, cells=cells)
        case GameEnded():
            return replace(state, result=fact)
        case _:
            return state
