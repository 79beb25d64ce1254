"""The moderation log: who did what, to whom, when and why. Entries are never changed. They contain ids, not names."""

from datetime import datetime
from typing import Any, Literal

import msgspec
from redis import Redis

from service.event_store.keys import MODERATION_LOG_KEY

OPERATOR = "operator"
"""The author of entries made on the command line. No player has this id."""
Action = Literal[
    "grant", "revoke", "rename", "mute", "suspend", "ban", "lift", "close_report", "add_founder",
    "remove_founder",
]  # fmt: skip


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One action of a moderator, or of the operator.

    `player` is the player concerned, `sanction` the kind of sanction that was lifted, and `report` the closed report.
    `cheated`: a ban took the player's results out of the ratings.
    """

    at: datetime
    by: str
    action: Action
    player: str
    reason: str
    until: datetime | None = None
    sanction: str | None = None
    report: str | None = None
    cheated: bool = False


class ModerationLog:
    """The log, newest entry first."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def append(self, entry: Entry) -> None:
        """Add an entry."""
        self._redis.lpush(MODERATION_LOG_KEY, msgspec.json.encode(entry))

    def newest(self, limit: int = 100, offset: int = 0) -> list[Entry]:
        """Return up to `limit` entries after the `offset` newest ones."""
        found = self._redis.lrange(MODERATION_LOG_KEY, offset, offset + limit - 1)
        return [msgspec.json.decode(raw, type=Entry) for raw in found]

    def about(self, player: str, limit: int = 50) -> list[Entry]:
        """Return the newest entries about a player."""
        found: list[Entry] = []
        offset = 0
        while len(found) < limit and (entries := self.newest(500, offset)):
            found += [entry for entry in entries if entry.player == player]
            offset += len(entries)
        return found[:limit]
