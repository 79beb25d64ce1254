"""The log server's durability as shown on pages and in health checks, cached between checks."""

import time

from redis import Redis, RedisCluster

from service.event_store.durability import Durability, check_durability
from service.event_store.errors import LogUnavailable

CACHE_SECONDS = 30.0
"""How long a check is valid, as an operator may change the server's settings while it runs."""


class DurabilityStatus:
    """The result of the last check. `last` is None before the first check and while the server does not answer."""

    def __init__(self, redis: "Redis | RedisCluster", replicas: int, log_servers: int = 0) -> None:
        self.last: Durability | None = None
        self._redis = redis
        self._replicas = replicas
        self._log_servers = log_servers
        self._checked_at = float("-inf")

    def current(self) -> Durability | None:
        """Return the log server's durability, or None while it does not answer."""
        if time.monotonic() - self._checked_at > CACHE_SECONDS:
            try:
                self.refresh()
            except LogUnavailable:
                self.last = None
        return self.last

    def refresh(self) -> Durability:
        """Check the log server now and return its durability. Raises LogUnavailable."""
        self._checked_at = time.monotonic()
        self.last = check_durability(self._redis, self._replicas, self._log_servers)
        return self.last
