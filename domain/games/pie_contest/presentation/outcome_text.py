"""The result of a match in plain words, for the end of a match."""

from domain.kernel.game import Outcome, Seat

ENDINGS = {
    "all_baked": "Everyone has baked.",
    "third_pie": "One baker has three Pies.",
    "all_have_four": "Everyone has four Pies.",
    "last_seat": "Everyone else resigned.",
    "closing_time": "It was closing time.",
}
"""Why a match ended, by the reason of its outcome."""


def describe_outcome(outcome: Outcome, seat: Seat) -> str:
    """Return the result of a seat: the value of the Pies that count."""
    score = outcome.scores[seat]
    return "no Pie" if score is None else f"Pie {score}"
