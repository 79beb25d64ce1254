"""Starting positions for bot conformance checks, chosen so that every kind of move comes up."""

from typing import Any, Final

from domain.kernel.conformance import ConformanceMatch

FULL_HAND: Final[dict[str, Any]] = {"hands": {"0": list(range(2, 17))}, "plays_left": 1}
"""A hand that must be trimmed at the end of the turn."""
CARDS_WITH_CHOICES: Final[dict[str, Any]] = {
    "hands": {"0": [144, 145, 160, 161, 178, 180], "1": [50, 51, 52, 53]},
    "kitchens": {"0": [1, 2, 3], "1": [4, 5, 6]},
    "plays_left": 4,
}
"""A hand of cards that each need a choice when played."""

CONFORMANCE_MATCHES: Final = (
    ConformanceMatch(position=CARDS_WITH_CHOICES),
    ConformanceMatch(position=FULL_HAND),
)
