"""The engine's score sheet: one line for a win."""

from domain.games.tic_tac_toe.rules.model import State
from domain.games.tic_tac_toe.rules.parts import SEATS
from domain.kernel.game import ScoreLine, ScoreSheet


def score(state: State) -> ScoreSheet:
    """Return the score sheet, with one point for the winner."""
    winner = state.result.winner if state.result else None
    winners = tuple(seat for seat, name in enumerate(SEATS) if name == winner)
    lines = tuple(ScoreLine(seat, "T3", "win", 1) for seat in winners)
    return ScoreSheet(lines, tuple(int(seat in winners) for seat in (0, 1)), winners)
