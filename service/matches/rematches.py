"""Which match is the rematch of which: a signpost beside the log, nothing that anything is decided by."""

from typing import Any

from redis import Redis

from service.event_store.keys import hash_tag, shard_of

RETENTION_SECONDS = 90 * 24 * 60 * 60


class Rematches:
    """The rematch of each match, for as long as somebody may want to join it."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def rematch_of(self, match: str) -> str | None:
        """The rematch of a match, if there is one."""
        found = self._redis.get(self._key(match))
        return found.decode() if found else None

    def claim(self, match: str, rematch: str) -> str:
        """The rematch from now on: this one, or the one of whoever was faster."""
        self._redis.set(self._key(match), rematch, nx=True, ex=RETENTION_SECONDS)
        return self.rematch_of(match) or rematch

    def _key(self, match: str) -> str:
        return f"{hash_tag(shard_of(match))}:rematch:{match}"
