"""Matches for the conformance check of bots, chosen to include every kind of move."""

from typing import Any, Final

from domain.kernel.conformance import ConformanceMatch

ORDER_COMPLETED: Final[dict[str, Any]] = {
    "players": 2,
    "phase": "complete",
    "pending_cell": "C2",
    "order_line": ["O27", "O34", "O26"],
    "board": {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "C2": {"ingredient": "berries", "owner": 0, "labor": 1},
        "C3": {"ingredient": "sugar", "owner": 0, "labor": 1},
        "D2": {"ingredient": "milk", "owner": 1, "labor": 1},
    },
}
"""Berries on C2 have just completed an Order, which can be declined."""
MAY_DECLINE: Final = {"may_decline": True}

CONFORMANCE_MATCHES: Final = (
    ConformanceMatch(options={"may_decline": True, "voluntary_pass": True}),
    ConformanceMatch(options=MAY_DECLINE, position=ORDER_COMPLETED),
    ConformanceMatch(options=MAY_DECLINE, position=ORDER_COMPLETED),
)
