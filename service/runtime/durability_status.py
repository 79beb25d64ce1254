"""What pages and health checks say of the log: whether a confirmed move is on disk, as its server was last asked."""

import time

from redis import Redis, RedisCluster

from service.event_store.durability import Durability, check_durability
from service.event_store.errors import LogUnavailable

CACHE_SECONDS = 30.0
"""How long an answer of the log's server is good for; an operator may change its settings while it runs."""


class DurabilityStatus:
    """The last answer of the log's server. `last` is None while it does not answer, or before it was asked."""

    def __init__(self, redis: "Redis | RedisCluster", replicas: int) -> None:
        self.last: Durability | None = None
        self._redis = redis
        self._replicas = replicas
        self._checked_at = float("-inf")

    def current(self) -> Durability | None:
        """What the log's server promises; None while it does not answer."""
        if time.monotonic() - self._checked_at > CACHE_SECONDS:
            try:
                self.refresh()
            except LogUnavailable:
                self.last = None
        return self.last

    def refresh(self) -> Durability:
        """The same, asked now. Raises LogUnavailable."""
        self._checked_at = time.monotonic()
        self.last = check_durability(self._redis, self._replicas)
        return self.last
