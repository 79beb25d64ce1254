"""The engine's score sheet: a line for each domino in a stash, and one for how the match was won."""

from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.model import Result, State
from domain.games.mice_cake.rules.parts import SEATS
from domain.kernel.game import ScoreLine, ScoreSheet, Seat


def score(state: State) -> ScoreSheet:
    """Return the lines for the stashes in the order gained (E2), then the line for the win (E3, E4)."""
    lines = [
        ScoreLine(seat, "E2", piece, PIPS[piece]) for seat, name in enumerate(SEATS) for piece in state.stash.of(name)
    ]
    totals = tuple(sum(line.points for line in lines if line.seat == seat) for seat in range(len(SEATS)))
    if state.result is None or state.result.winner is None:
        return ScoreSheet(tuple(lines), totals, ())
    winner = SEATS.index(state.result.winner)
    return ScoreSheet((*lines, decision_line(winner, state.result)), totals, (winner,))


def decision_line(winner: Seat, result: Result) -> ScoreLine:
    """Return the line that says how the match was won. It is worth no points."""
    return ScoreLine(winner, "E4" if result.by == "resignation" else "E3", f"wins by {result.by}", 0)
