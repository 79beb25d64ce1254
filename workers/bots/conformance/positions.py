"""The matches of a bot check, as each game lists them in `bot/conformance.py`.

They are played in order and repeated until the bot has made every kind of move.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Final

from domain.kernel.conformance import ConformanceMatch
from domain.kernel.registry import package_of

DEFAULT_MATCHES: Final = (ConformanceMatch(),)
"""One match from the initial position, with the fewest seats."""


def conformance_matches(game: str) -> tuple[ConformanceMatch, ...]:
    """Return the matches that a game lists, or one from the initial position if it lists none."""
    name = f"{package_of(game)}.bot.conformance"
    try:
        is_listed = find_spec(name) is not None
    except ModuleNotFoundError:  # the game is a single module, or its package has no `bot`
        is_listed = False
    if not is_listed:
        return DEFAULT_MATCHES
    matches: tuple[ConformanceMatch, ...] = import_module(name).CONFORMANCE_MATCHES
    return matches
