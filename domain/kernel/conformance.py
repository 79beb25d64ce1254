"""The matches in which `crumbtrail bot check` has a bot make every kind of move of a game.

A game whose moves do not all come up in an ordinary match lists them in `bot/conformance.py`, as `CONFORMANCE_MATCHES`.
"""

from typing import Any

import msgspec


class ConformanceMatch(msgspec.Struct, frozen=True):
    """One match of a check, with the bot under test at seat 0.

    `seats` None is the fewest that the game allows, `position` None is the game's set-up, and `level` None is the level
    of the house bots that the check was started with.
    """

    seats: int | None = None
    options: dict[str, Any] = {}
    position: dict[str, Any] | None = None
    level: str | None = None
