"""What pages and health checks say of the log: whether a confirmed move is on disk, as its server was last asked."""

import time

from redis import Redis, RedisCluster

from service.event_store.durability import Durability, check
from service.event_store.log import LogUnavailable

KEPT_SECONDS = 30.0
"""How long an answer of the log's server is good for; an operator may change its settings while it runs."""


class Footing:
    """The last answer of the log's server. `last` is None while it does not answer, or before it was asked."""

    def __init__(self, redis: "Redis | RedisCluster", replicas: int) -> None:
        self.last: Durability | None = None
        self._redis = redis
        self._replicas = replicas
        self._asked = float("-inf")

    def found(self) -> Durability | None:
        """What the log's server promises; None while it does not answer."""
        if time.monotonic() - self._asked > KEPT_SECONDS:
            try:
                self.ask()
            except LogUnavailable:
                self.last = None
        return self.last

    def ask(self) -> Durability:
        """The same, asked now. Raises LogUnavailable."""
        self._asked = time.monotonic()
        self.last = check(self._redis, self._replicas)
        return self.last
