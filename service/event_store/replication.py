"""Writes that must be confirmed by replicas: the replicated mode.

A primary answers before its replicas have received a write, so a failover right after the answer loses it. WAIT reports
how many replicas have a write, but covers only the writes of its own connection. So the write and its WAIT go to the
key's primary in one pipeline. A write that too few replicas confirmed is not undone, but may be lost. The caller
repeats it with the same command id until it is confirmed.
"""

from typing import Any

from prometheus_client import Counter
from redis import Redis, RedisCluster
from redis.exceptions import AskError, ClusterError
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import TimeoutError as TimedOut
from redis.sentinel import SentinelConnectionPool

from service.event_store.errors import NotReplicated

WAIT_MILLISECONDS = 1000
"""How long to wait for replicas. Blocks one connection and is well below the answer timeout."""

UNCONFIRMED_WRITES = Counter("crumbtrail_wait_failures", "Writes that too few replicas confirmed in time.")


class ReplicatedWriter:
    """Writes to the primaries. With `replicas`, that many replicas must confirm each write.

    Set it to the number of all replicas, because a failover may promote any of them. With fewer, failover guards have
    to choose the server that takes over (`failover.py`).
    """

    def __init__(self, redis: "Redis | RedisCluster", replicas: int = 0) -> None:
        self._redis: Any = redis
        self.replicas = replicas

    def run(self, key: str, *command: Any) -> Any:
        """Run a command that writes to this key and others of its slot, and return its answer.

        Raises redis-py's errors, and NotReplicated.
        """
        if not self.replicas:
            return self._redis.execute_command(*command)
        answer, confirmed = self._run_confirmed(key, command)
        if isinstance(answer, Exception):
            raise answer
        if confirmed < self.replicas:
            UNCONFIRMED_WRITES.inc()
            self._forget_primary()
            raise NotReplicated(self.replicas, confirmed)
        return answer

    def _run_confirmed(self, key: str, command: tuple[Any, ...]) -> tuple[Any, int]:
        """Return the command's answer or error, and how many replicas have its writes."""
        if not isinstance(self._redis, RedisCluster):
            return _run_with_wait(self._redis, command, self.replicas)
        try:
            node = self._redis.get_redis_connection(self._redis.get_node_from_key(key))
            answer, confirmed = _run_with_wait(node, command, self.replicas)
        except (Disconnected, TimedOut):
            self._refresh_slots()
            raise
        if isinstance(answer, AskError):  # MOVED is a subclass: the slot has moved or is moving
            self._refresh_slots()
            raise ClusterError("the slot has moved")
        return answer, confirmed

    def _forget_primary(self) -> None:
        """Ask the sentinels again for the next command: a primary without replicas may have been replaced."""
        pool = getattr(self._redis, "connection_pool", None)
        if isinstance(pool, SentinelConnectionPool):
            pool.disconnect(inuse_connections=False)

    def _refresh_slots(self) -> None:
        """Reload the cluster's slot map, as redis-py does for the commands that it sends itself."""
        self._redis.nodes_manager.initialize()


def _run_with_wait(redis: Redis, command: tuple[Any, ...], replicas: int) -> tuple[Any, int]:
    with redis.pipeline(transaction=False) as pipeline:
        pipeline.execute_command(*command)
        pipeline.execute_command("WAIT", replicas, WAIT_MILLISECONDS)
        answer, confirmed = pipeline.execute(raise_on_error=False)
    return answer, confirmed if isinstance(confirmed, int) else 0
