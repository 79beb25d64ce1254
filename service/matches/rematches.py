"""Which match is the rematch of which: a signpost beside the log, nothing that anything is decided by."""

from typing import Any

from redis import Redis

from service.event_store.keys import rematch_key

RETENTION_SECONDS = 90 * 24 * 60 * 60


class Rematches:
    """The rematch of each match, for as long as somebody may want to join it."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def rematch_of(self, match: str) -> str | None:
        """The rematch of a match, if there is one."""
        found = self._redis.get(rematch_key(match))
        return found.decode() if found else None

    def claim(self, match: str, rematch: str) -> str:
        """The rematch from now on: this one, or the one of whoever was faster."""
        self._redis.set(rematch_key(match), rematch, nx=True, ex=RETENTION_SECONDS)
        return self.rematch_of(match) or rematch
