"""Matches in which `crumbtrail bot check` has a bot make every kind of move of a game.

If ordinary matches of a game do not include every kind of move, the game lists matches that do in
`bot/conformance.py`, as `CONFORMANCE_MATCHES`.
"""

from typing import Any

import msgspec


class ConformanceMatch(msgspec.Struct, frozen=True):
    """One match of a check, with the bot under test at seat 0.

    By default, `seats` is the fewest that the game allows, `position` is the game's normal set-up, and `level` is the
    level of the house bots that the check was started with.
    """

    seats: int | None = None
    options: dict[str, Any] = {}
    position: dict[str, Any] | None = None
    level: str | None = None
