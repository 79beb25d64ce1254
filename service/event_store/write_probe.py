"""Proves that the log accepts writes now: one tiny write to each primary, confirmed like a move.

Settings alone don't show it. A server that loads its file, is out of memory, can't write to its disk or has lost its
replicas still answers INFO and CONFIG GET.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from redis import Redis, RedisCluster

from service.event_store.durability import primaries
from service.event_store.errors import REDIS_ERRORS, LogUnavailable, as_unavailable, redis_errors_as_unavailable
from service.event_store.keys import SHARDS, hash_tag, probe_key
from service.event_store.replication import ReplicatedWriter


class ClockSkew(NamedTuple):
    """How far the clock of a log server is ahead of this machine's, in seconds. `server` is empty for a single one."""

    server: str
    seconds: float


class WriteProbe:
    """Writes one small key to each primary. With `replicas`, this number of replicas must confirm each write."""

    def __init__(self, redis: "Redis | RedisCluster", replicas: int = 0) -> None:
        self._redis: Any = redis
        self._writer = ReplicatedWriter(redis, replicas)

    def failures(self) -> Iterator[LogUnavailable]:
        """Write to each primary, and yield an error for each write that failed or was not confirmed."""
        try:
            shards = shards_to_probe(self._redis)
        except LogUnavailable as error:
            yield error
            return
        for name, shard in shards.items():
            key = probe_key(shard)
            try:
                self._writer.run(key, "SET", key, time.time_ns() // 1_000_000)
            except (LogUnavailable, *REDIS_ERRORS) as error:
                found = as_unavailable(error)
                yield LogUnavailable(f"{found}{name}", found.reason)

    def clock_skews(self) -> list[ClockSkew]:
        """Return the clock skew of each primary. Raises LogUnavailable."""
        with redis_errors_as_unavailable():
            return [ClockSkew(name.removeprefix(" at "), clock_skew(node)) for name, node in primaries(self._redis)]


def shards_to_probe(redis: "Redis | RedisCluster") -> dict[str, int]:
    """Return one shard of each primary that has any, by a suffix that names the primary in messages.

    Raises LogUnavailable if a shard of a cluster belongs to no node.
    """
    if not isinstance(redis, RedisCluster):
        return {"": 0}
    found: dict[str, int] = {}
    with redis_errors_as_unavailable():
        for shard in range(SHARDS):
            node = redis.get_node_from_key(hash_tag(shard))
            found.setdefault(f" ({node.name})" if node else " (unknown node)", shard)
    return found


def clock_skew(node: Any) -> float:
    """Return how far the server's clock is ahead of this machine's, in seconds; negative if it is behind.

    The time it takes to answer isn't skew: the result is 0 if the server's time is between the request and the answer.
    """
    asked = time.time()
    seconds, microseconds = node.time()
    answered = time.time()
    told = int(seconds) + int(microseconds) / 1e6
    return float(told - answered if told > answered else min(told - asked, 0.0))
