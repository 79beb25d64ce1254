"""Where the check of a bot begins its matches, so that the bot meets every kind of move of every game.

They are gone through one behind the other until every kind was made. A rehearsal is a match with the bot at seat 0: how
many seats, which options, which position. A game that is not listed is rehearsed from its set-up, with few seats.
"""

from typing import Any, Final

import msgspec


class ConformanceMatch(msgspec.Struct, frozen=True):
    """One match of a check: seats (None: the fewest), options, where it begins (None: with the game's set-up), and the
    level of the house bots (None: the one asked for)."""

    seats: int | None = None
    options: dict[str, Any] = {}
    position: dict[str, Any] | None = None
    level: str | None = None


DEFAULT_MATCHES: Final = (ConformanceMatch(),)

_ORDER_COMPLETED: Final[dict[str, Any]] = {
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
"""Baker's Brawl: the berries at C2 have completed an order, which may be declined."""
_ROLLED_HIGHER: Final[dict[str, Any]] = {"phase": "order", "actor": 0, "round": 3}
_FIVE_CHEFS: Final[dict[str, Any]] = {"phase": "hire", "step": "five", "actor": 0, "round": 3}
_LAST_CHANCE: Final[dict[str, Any]] = {
    "phase": "last_chance",
    "finder": 1,
    "multipliers": [1, 6],
    "actor": 0,
    "round": 3,
}
_CATCHING_UP: Final[dict[str, Any]] = {
    "phase": "catch_up",
    "actor": 0,
    "tries": 1,
    "round": 3,
    "tabs": [8000, 5000],
    "sold": [[3], [2, 3, 4, 5, 6, 7, 8]],
}
"""Battle of the Bakeries: the choices that come up once in a while, each at the beginning."""
_FULL_HAND: Final[dict[str, Any]] = {"hands": {"0": list(range(2, 17))}, "plays_left": 1}
"""Pie Contest: so many cards that some must be trashed at the end of the turn."""
_CARDS_THAT_ASK: Final[dict[str, Any]] = {
    "hands": {"0": [144, 145, 160, 161, 178, 180], "1": [50, 51, 52, 53]},
    "kitchens": {"0": [1, 2, 3], "1": [4, 5, 6]},
    "plays_left": 4,
}
"""Pie Contest: every card in hand asks something when it is played."""

_MAY_DECLINE: Final = {"may_decline": True}
_AGREED_PLACEMENT: Final = {"placement": "agreed"}

CONFORMANCE_MATCHES: Final[dict[str, tuple[ConformanceMatch, ...]]] = {
    "bakers_brawl": (
        ConformanceMatch(options={"may_decline": True, "voluntary_pass": True}),
        ConformanceMatch(options=_MAY_DECLINE, position=_ORDER_COMPLETED),
        ConformanceMatch(options=_MAY_DECLINE, position=_ORDER_COMPLETED),
    ),
    "battle_of_the_bakeries": (
        ConformanceMatch(position=_ROLLED_HIGHER),
        ConformanceMatch(position=_FIVE_CHEFS),
        ConformanceMatch(position=_LAST_CHANCE),
        ConformanceMatch(position=_CATCHING_UP),
        ConformanceMatch(position=_CATCHING_UP),
    ),
    "pie_contest": (ConformanceMatch(position=_CARDS_THAT_ASK), ConformanceMatch(position=_FULL_HAND)),
    "take_the_cake": (
        ConformanceMatch(options={**_AGREED_PLACEMENT, "first_player": 0}, seats=3, level="random"),
        ConformanceMatch(options={**_AGREED_PLACEMENT, "first_player": 0}, seats=3, level="random"),
        ConformanceMatch(),
    ),
}


def conformance_matches(game: str) -> tuple[ConformanceMatch, ...]:
    """The rehearsals of a game."""
    return CONFORMANCE_MATCHES.get(game, DEFAULT_MATCHES)
