"""The result of a match in plain words, for the end of a match."""

from domain.kernel.game import Outcome, Seat

ENDINGS = {
    "score": "The last round is over, and the higher total wins.",
    "tiebreak": "The totals are equal, so the rounds won decided it.",
    "draw": "The totals and the rounds won are equal.",
    "resignation": "A player resigned.",
}
"""Why a match ended, by the reason of its outcome."""


def describe_outcome(outcome: Outcome, seat: Seat) -> str:
    """Return the result of a seat in dollars."""
    score = outcome.scores[seat]
    return "no score" if score is None else f"${score:,}"
