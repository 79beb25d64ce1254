"""Who gave a command under which key, and what came of it."""

import hashlib
from typing import Any, NamedTuple

import msgspec

from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.match.state import AnyMatch

CLOCK_AUTHOR = "clock"
"""The author of what deadlines do. No player has this id."""
AUDITOR_AUTHOR = "auditor"
"""The author of the verdicts of audits. No player has this id."""


class IdempotencyKey(msgspec.Struct, frozen=True):
    """The id of a command: its author, and the key that the author chose. The log holds only a hash of both."""

    author: str
    key: str

    def digest(self) -> bytes:
        """SHA-256 over author and key."""
        return hashlib.sha256(canonical_json([self.author, self.key])).digest()


class CommandResult(msgspec.Struct, frozen=True):
    """A command that is in the log: its own events, and the match as it is now."""

    match: AnyMatch
    events: tuple[AnyEvent, ...]
    is_repeat: bool


class MatchUpdate(NamedTuple):
    """A match at its head, and the events after the version that was known."""

    match: AnyMatch
    events: list[AnyEvent]


def payload_digest(value: Any) -> str:
    """A digest that tells two commands with the same id apart."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def bot_author(match: str, seat: Seat) -> str:
    """The name under which the bot at this seat acts."""
    return f"bot:{match}:{seat}"
