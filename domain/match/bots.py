"""House bots under luck protocol 2: the luck of their decisions, and the strategy version that events record."""

from msgspec import UNSET, UnsetType

from domain.kernel.chance import Luck
from domain.kernel.game import AnyGame, Seat
from domain.kernel.luck import MatchSecrets
from domain.match.luck import draw_context
from domain.match.state import AnyMatch


def bot_version(game: AnyGame, level: str) -> str:
    """Return the name of the strategy that a bot of this level plays, such as `greedy/3`."""
    return f"{level}/{game.bot_version}"


def recorded_bot_version(match: AnyMatch, level: str | None) -> str | UnsetType:
    """Return the version to record when a bot of this level sits down; unset under luck protocol 1 or for a person."""
    return UNSET if match.luck is None or level is None else bot_version(match.rules, level)


def bot_decision(match: AnyMatch, seat: Seat, luck: Luck) -> str | None:
    """Return all the luck that the seat's next decision can use: 32 bytes in hex, or None under luck protocol 1.

    It depends on how many moves the seat has made, not on the ply: events in between give a bot no second chance.
    """
    if not isinstance(luck, MatchSecrets):
        return None
    return luck.bot_decision(match.id, draw_context(match).shares, seat, match.move_counts[seat]).hex()
