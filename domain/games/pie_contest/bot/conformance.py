"""Where the check of a bot begins its matches, so that every kind of move comes up."""

from typing import Any, Final

from domain.kernel.conformance import ConformanceMatch

FULL_HAND: Final[dict[str, Any]] = {"hands": {"0": list(range(2, 17))}, "plays_left": 1}
"""Some cards must be trashed at the end of the turn, since the hand holds too many."""
CARDS_WITH_CHOICES: Final[dict[str, Any]] = {
    "hands": {"0": [144, 145, 160, 161, 178, 180], "1": [50, 51, 52, 53]},
    "kitchens": {"0": [1, 2, 3], "1": [4, 5, 6]},
    "plays_left": 4,
}
"""Playing any card in hand asks for a choice."""

CONFORMANCE_MATCHES: Final = (
    ConformanceMatch(position=CARDS_WITH_CHOICES),
    ConformanceMatch(position=FULL_HAND),
)
