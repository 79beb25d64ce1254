"""The result of a match in plain words, for the end of a match."""

from domain.kernel.game import Outcome, Seat

ENDINGS = {
    "cake_gone": "The cake is eaten up.",
    "stalled": "Nobody could take another slice.",
    "resigned": "A player resigned.",
}
"""Why a match ended, by the reason of its outcome."""


def describe_outcome(outcome: Outcome, seat: Seat) -> str:
    """Return the result of a seat in pips."""
    score = outcome.scores[seat]
    if score is None:
        return "no score"
    return f"{score} {'pip' if score == 1 else 'pips'}"
