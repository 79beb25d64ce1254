"""Writes that count only when replicas have them too: the replicated mode.

A primary answers before its replicas have heard of a write, so a failover right behind the answer loses it. WAIT tells
how many replicas have it, but only for writes of its own connection: a WAIT on another one answers "all" at once. So
the write and its WAIT go as one pipeline to the primary of the key. What too few replicas have is not undone, and may
be lost or not: the caller repeats it, under the same command id, until it is confirmed.
"""

from typing import Any

from prometheus_client import Counter
from redis import Redis, RedisCluster
from redis.exceptions import AskError, ClusterError
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import TimeoutError as TimedOut

from service.event_store.errors import NotReplicated

WAIT_MILLISECONDS = 1000
"""How long replicas may take. It blocks one connection, and is well below the time-out of an answer."""

UNCONFIRMED_WRITES = Counter("crumbtrail_wait_failures", "Writes that too few replicas had in time: they were refused.")


class ReplicatedWriter:
    """Writes to the primaries; with `replicas`, each write must be on so many of them before it counts.

    It must be all of them: a failover may promote any.
    """

    def __init__(self, redis: "Redis | RedisCluster", replicas: int = 0) -> None:
        self._redis: Any = redis
        self.replicas = replicas

    def run(self, key: str, *command: Any) -> Any:
        """What the command answers, which writes to this key and others of its slot.

        Raises redis-py's errors, and NotReplicated.
        """
        if not self.replicas:
            return self._redis.execute_command(*command)
        answer, confirmed = self._run_confirmed(key, command)
        if isinstance(answer, Exception):
            raise answer
        if confirmed < self.replicas:
            UNCONFIRMED_WRITES.inc()
            raise NotReplicated(self.replicas, confirmed)
        return answer

    def _run_confirmed(self, key: str, command: tuple[Any, ...]) -> tuple[Any, int]:
        """The command's answer, or the error it answers with, and how many replicas have what it wrote."""
        if not isinstance(self._redis, RedisCluster):
            return _run_with_wait(self._redis, command, self.replicas)
        try:
            node = self._redis.get_redis_connection(self._redis.get_node_from_key(key))
            answer, confirmed = _run_with_wait(node, command, self.replicas)
        except (Disconnected, TimedOut):
            self._refresh_slots()
            raise
        if isinstance(answer, AskError):  # MOVED as well: the slot is elsewhere, or on its way there
            self._refresh_slots()
            raise ClusterError("the slot has moved")
        return answer, confirmed

    def _refresh_slots(self) -> None:
        """Ask the cluster anew which node has which slots, as redis-py does when it sends a command itself."""
        self._redis.nodes_manager.initialize()


def _run_with_wait(redis: Redis, command: tuple[Any, ...], replicas: int) -> tuple[Any, int]:
    with redis.pipeline(transaction=False) as pipeline:
        pipeline.execute_command(*command)
        pipeline.execute_command("WAIT", replicas, WAIT_MILLISECONDS)
        answer, confirmed = pipeline.execute(raise_on_error=False)
    return answer, confirmed if isinstance(confirmed, int) else 0
