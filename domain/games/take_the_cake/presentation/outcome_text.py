"""The result of a match in plain words, for the end of a match."""

from domain.kernel.game import Outcome, Seat

ENDINGS = {
    "baked": "The pastry is baked.",
    "closed": "The bakery closed before anyone could bake the pastry.",
    "last_baker": "Everyone else resigned.",
}
"""Why a match ended, by the reason of its outcome."""


def describe_outcome(outcome: Outcome, seat: Seat) -> str:
    """Return the result of a seat in points."""
    score = outcome.scores[seat]
    if score is None:
        return "no score"
    return f"{score} {'point' if score == 1 else 'points'}"
