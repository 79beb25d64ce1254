"""Idempotency keys and results of commands."""

import hashlib
from typing import Any, NamedTuple

import msgspec

from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.match.state import AnyMatch

CLOCK_AUTHOR = "clock"
"""The author of events caused by deadlines. No player has this id."""
AUDITOR_AUTHOR = "auditor"
"""The author of audit verdicts. No player has this id."""


class IdempotencyKey(msgspec.Struct, frozen=True):
    """The id of a command, made from its author and the key that the author chose. The log stores only a hash of
    both."""

    author: str
    key: str

    def digest(self) -> bytes:
        """Return the SHA-256 of author and key."""
        return hashlib.sha256(canonical_json([self.author, self.key])).digest()


class CommandResult(msgspec.Struct, frozen=True):
    """A command in the log: its events, and the match at its head."""

    match: AnyMatch
    events: tuple[AnyEvent, ...]
    is_repeat: bool


class MatchUpdate(NamedTuple):
    """A match at its head, and the events since the known version."""

    match: AnyMatch
    events: list[AnyEvent]


def payload_digest(value: Any) -> str:
    """Return a digest that distinguishes different commands with the same id."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def bot_author(match: str, seat: Seat) -> str:
    """Return the author id of the bot in this seat."""
    return f"bot:{match}:{seat}"
