"""When each log server was last backed up, as recorded by `crumbtrail backup`."""

from typing import Any

from redis import Redis, RedisCluster

from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.keys import BACKUPS_KEY

ONLY_SERVER = "log"
"""The id of a server that is not part of a cluster. After a failover, its replica has the same id."""


def server_id(node: Any, info: dict[str, Any]) -> str:
    """Return the id under which backups of this server are recorded: its node id in a cluster."""
    if not info.get("cluster_enabled"):
        return ONLY_SERVER
    answer = node.execute_command("CLUSTER MYID")
    return answer.decode() if isinstance(answer, bytes) else str(answer)


def record_backup(redis: "Redis | RedisCluster", copied: Redis, at: float) -> None:
    """Record in the log that the server `copied` was backed up at this time, in seconds since 1970.

    Raises LogUnavailable.
    """
    with redis_errors_as_unavailable():
        redis.hset(BACKUPS_KEY, server_id(copied, copied.info()), int(at))


def last_backups(redis: "Redis | RedisCluster") -> dict[str, float]:
    """Return the time of the last backup by server id, in seconds since 1970. Raises redis-py's errors."""
    found: Any = redis.hgetall(BACKUPS_KEY)
    return {server.decode(): float(at) for server, at in found.items()}
