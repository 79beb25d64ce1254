"""Starting positions for the bot conformance check, each at a decision that is rare in normal play."""

from typing import Any, Final

from domain.kernel.conformance import ConformanceMatch

ROLLED_HIGHER: Final[dict[str, Any]] = {"phase": "order", "actor": 0, "round": 3}
FIVE_CHEFS: Final[dict[str, Any]] = {"phase": "hire", "step": "five", "actor": 0, "round": 3}
LAST_CHANCE: Final[dict[str, Any]] = {
    "phase": "last_chance",
    "finder": 1,
    "multipliers": [1, 6],
    "actor": 0,
    "round": 3,
}
CATCHING_UP: Final[dict[str, Any]] = {
    "phase": "catch_up",
    "actor": 0,
    "tries": 1,
    "round": 3,
    "tabs": [8000, 5000],
    "sold": [[3], [2, 3, 4, 5, 6, 7, 8]],
}

CONFORMANCE_MATCHES: Final = (
    ConformanceMatch(position=ROLLED_HIGHER),
    ConformanceMatch(position=FIVE_CHEFS),
    ConformanceMatch(position=LAST_CHANCE),
    ConformanceMatch(position=CATCHING_UP),
    ConformanceMatch(position=CATCHING_UP),
)
