"""Links from matches to their rematches. They are stored outside the log and do not affect any decision."""

from typing import Any

from redis import Redis

from service.event_store.keys import rematch_key

RETENTION_SECONDS = 90 * 24 * 60 * 60


class Rematches:
    """The rematch of each match, kept for RETENTION_SECONDS."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def rematch_of(self, match: str) -> str | None:
        """Return the rematch of a match, if there is one."""
        found = self._redis.get(rematch_key(match))
        return found.decode() if found else None

    def claim(self, match: str, rematch: str) -> str:
        """Store the rematch unless there is one already, and return the stored one."""
        self._redis.set(rematch_key(match), rematch, nx=True, ex=RETENTION_SECONDS)
        return self.rematch_of(match) or rematch
