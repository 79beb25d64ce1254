"""Notices for players whose name was changed for them. A notice is shown until the player has dismissed it."""

from datetime import datetime
from typing import Any

import msgspec
from redis import Redis

from service.event_store.keys import renamed_key
from service.runtime.clock import Clock


class NameNotice(msgspec.Struct, frozen=True):
    """The player's former name, why it was changed, and when."""

    former: str
    reason: str
    at: datetime


class NameNotices:
    """The notices, at most one for each player."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis: Any = redis
        self._clock = clock

    def leave(self, player: str, former: str, reason: str) -> None:
        """Leave a notice for a player, in place of an earlier one."""
        notice = NameNotice(former, reason, self._clock.now())
        self._redis.set(renamed_key(player), msgspec.json.encode(notice))

    def find(self, player: str) -> NameNotice | None:
        """Return the player's notice, or None."""
        raw = self._redis.get(renamed_key(player))
        return msgspec.json.decode(raw, type=NameNotice) if raw else None

    def dismiss(self, player: str) -> None:
        """Delete the player's notice. Idempotent."""
        self._redis.delete(renamed_key(player))
