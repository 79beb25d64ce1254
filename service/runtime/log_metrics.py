"""Metrics of the log servers, which tell an operator why moves are not accepted."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from redis import Redis, RedisCluster

from service.event_store.backup_times import last_backups, server_id
from service.event_store.connect import connect
from service.event_store.durability import count_online_replicas, primaries
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.event_store.keys import server_runs_key
from service.event_store.log_disk import LogDisk
from service.event_store.write_probe import clock_skew
from service.runtime.metrics import Sample
from service.runtime.readiness import Readiness
from service.runtime.settings import Settings

SINGLE_SERVER = "log"
"""The label of a server that is not part of a cluster."""


def readiness_samples(found: Readiness) -> Iterator[Sample]:
    """Yield whether this service could accept a move, and the reason if not."""
    help_text = "Whether a move could be accepted, as /readyz reports it: 1 or 0."
    yield Sample("crumbtrail_ready", "gauge", help_text, found.reason is None)
    if found.reason is not None:
        help_text = "Why no move can be accepted. Present only while crumbtrail_ready is 0."
        yield Sample("crumbtrail_unready", "gauge", help_text, 1, {"reason": found.reason})


def disk_samples(disk: LogDisk) -> Iterator[Sample]:
    """Yield the space on the log server's disk, if the server runs on this machine."""
    space = disk.space()
    if space is not None:
        labels = {"server": SINGLE_SERVER}
        help_text = "Free bytes on the log server's disk. Only if the server runs on this machine."
        yield Sample("crumbtrail_log_disk_free_bytes", "gauge", help_text, space.free, labels)
        help_text = "Size in bytes of the log server's disk. Only if the server runs on this machine."
        yield Sample("crumbtrail_log_disk_size_bytes", "gauge", help_text, space.total, labels)


class ServerSamples(NamedTuple):
    """The samples of the log servers that answered, and whether all of them did."""

    samples: list[Sample]
    all_answered: bool


class LogServerMetrics:
    """Reads the state of the log servers.

    Connections of the service can't be used while a server loads its file or has to rewrite it. So this has its own
    connections, on which nothing is written.
    """

    def __init__(self, settings: Settings, redis: "Redis | RedisCluster") -> None:
        self._settings = settings
        self._redis = redis
        self._observer: Redis | RedisCluster | None = None

    def samples(self) -> ServerSamples:
        """Return the state of each primary that answers. For one that is loading its file, only what INFO shows."""
        found: list[Sample] = []
        all_answered = True
        try:
            backups = last_backups(self._redis)
        except REDIS_ERRORS:
            backups = None
        try:
            servers = list(primaries(self._connection()))
        except (LogUnavailable, *REDIS_ERRORS):
            return ServerSamples([], all_answered=False)
        for suffix, node in servers:
            name = suffix.removeprefix(" at ") or SINGLE_SERVER
            try:
                found += server_samples(self._redis, node, name, self._settings.replicas, backups)
            except REDIS_ERRORS:
                all_answered = False
        return ServerSamples(found, all_answered)

    def _connection(self) -> "Redis | RedisCluster":
        if self._observer is None:
            self._observer = connect(self._settings.log_url or "", looks_for_restarts=False)
        return self._observer


def server_samples(
    redis: Any, node: Any, name: str, replicas: int, backups: dict[str, float] | None
) -> Iterator[Sample]:
    """Yield the state of one primary. Raises redis-py's errors."""
    info = node.info()
    labels = {"server": name}
    yield version_sample(info, labels)
    for metric, help_text, value in server_figures(info, replicas):
        yield Sample(f"crumbtrail_log_{metric}", "gauge", help_text, value, labels)
    help_text = "Seconds by which the log server's clock is ahead of this machine's."
    yield Sample("crumbtrail_log_clock_skew_seconds", "gauge", help_text, clock_skew(node), labels)
    if backups is not None:
        help_text = "Time of the last `crumbtrail backup`, in seconds since 1970. 0: never."
        at = backups.get(server_id(node, info), 0)
        yield Sample("crumbtrail_log_last_backup_timestamp_seconds", "gauge", help_text, at, labels)
        yield restart_sample(redis, name, info)


def server_figures(info: dict[str, Any], replicas: int) -> Iterator[tuple[str, str, float]]:
    """Yield figures from INFO: a name, what it means and its value."""
    yield "memory_used_bytes", "Memory that the log server uses.", info["used_memory"]
    yield "memory_limit_bytes", "Memory limit of the log server (maxmemory). 0: none.", info.get("maxmemory", 0)
    yield "file_bytes", "Size of the append-only file.", info.get("aof_current_size", 0)
    yield "file_base_bytes", "Size of the append-only file after its last rewrite.", info.get("aof_base_size", 0)
    yield "primary", "Whether the log server is a primary, which accepts writes: 1 or 0.", info.get("role") == "master"
    yield "replicas", "Replicas of the log server that are in sync.", count_online_replicas(info)
    yield "replicas_required", "Replicas that must confirm a move (CRUMBTRAIL_REPLICAS).", replicas
    yield "uptime_seconds", "Seconds since the log server started.", info.get("uptime_in_seconds", 0)
    yield "loading", "Whether the log server is loading its file: 1 or 0.", bool(info.get("loading"))
    rewriting = info.get("aof_rewrite_in_progress") or info.get("aof_rewrite_scheduled")
    yield "rewriting", "Whether the append-only file is being rewritten, or about to be: 1 or 0.", bool(rewriting)
    failed = info.get("aof_last_bgrewrite_status", "ok") != "ok"
    yield "rewrite_failed", "Whether the last rewrite of the append-only file failed: 1 or 0.", failed
    failed = info.get("aof_last_write_status", "ok") != "ok"
    yield "write_failed", "Whether the last write to the append-only file failed: 1 or 0.", failed


def version_sample(info: dict[str, Any], labels: dict[str, str]) -> Sample:
    """Return a sample whose labels name the server's product, version and role."""
    product = "Valkey" if "valkey_version" in info else "Redis"
    version = str(info.get("valkey_version") or info.get("redis_version", "unknown"))
    more = {"product": product, "version": version, "role": str(info.get("role", "unknown"))}
    return Sample(
        "crumbtrail_log_server_info", "gauge", "Product, version and role of the log server.", 1, labels | more
    )


def restart_sample(redis: Any, name: str, info: dict[str, Any]) -> Sample:
    """Return how often this server restarted or was replaced by another one since the first scrape.

    Each start of a server has a new run id. The ids are stored in the log, because this process may restart too. A
    server that accepts no writes now can't store the id, but its restart is still counted.
    """
    run = str(info["run_id"]).encode()
    key = server_runs_key(name)
    seen: set[bytes] = redis.smembers(key)
    if run not in seen:
        with suppress(*REDIS_ERRORS):
            redis.sadd(key, run)
    help_text = "Restarts of the log server, and failovers, since the metrics were first read."
    return Sample("crumbtrail_log_restarts_total", "counter", help_text, len(seen | {run}) - 1, {"server": name})
