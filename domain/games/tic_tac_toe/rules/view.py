"""Views and redaction. Nothing is hidden in this game."""

from collections.abc import Sequence

from domain.games.tic_tac_toe.rules.decider import to_move
from domain.games.tic_tac_toe.rules.facts import Fact
from domain.games.tic_tac_toe.rules.model import State, View
from domain.games.tic_tac_toe.rules.parts import SEATS
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """Return the view: the board, the seat to move and the result."""
    names = tuple(SEATS[owed] for owed in sorted(to_move(state)))
    return View("finished" if state.result else "play", names, state.cells, state.result)


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """Return the fact unchanged."""
    return fact


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """Return the only state with this view."""
    return State(cells=view.cells, result=view.result)
