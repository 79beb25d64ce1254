"""Checks whether the log server's settings guarantee that every acknowledged move is on disk.

A server may be configured to answer before it has stored anything, and anyone with access can change that while it
runs. So the settings are read at the start and at intervals, on every primary of a cluster.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoPermissionError, ResponseError

from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.keys import FAILOVER_GUARD_KEY
from service.event_store.sentinels import replica_priorities
from service.event_store.torn_files import MULTI_PART

DurabilityMode = Literal["replicated", "durable", "fast", "volatile"]
"""replicated: acknowledged moves survive the loss of any one server. durable: they survive a crash and a power cut.
fast: the last seconds may be lost. volatile: everything may be lost."""
DURABLE_MODES: tuple[DurabilityMode, ...] = ("replicated", "durable")
"""The modes in which every acknowledged move is on disk."""

MIN_REDIS_VERSION = (6, 2)
"""The first Redis version with exclusive stream ranges. Every Valkey version counts as Redis 7.2."""


class Durability(msgspec.Struct, frozen=True):
    """The result of a check: the mode, a message for each problem, and the servers checked."""

    mode: DurabilityMode
    faults: tuple[str, ...]
    servers: tuple[str, ...]


class NotDurable(Exception):
    """The server may lose acknowledged moves; `faults` describes why."""

    def __init__(self, found: Durability) -> None:
        self.mode = found.mode
        self.faults = found.faults
        faults = "\n".join(f"- {fault}" for fault in found.faults)
        super().__init__(f"The log server may lose acknowledged moves ({found.mode}):\n{faults}")


class Fault(NamedTuple):
    """A problem found on a server, and the best mode possible with it."""

    mode: DurabilityMode
    message: str


class RequiredSetting(NamedTuple):
    """A setting, its required value, the mode with other values, and the reason."""

    name: str
    needed: str
    mode_otherwise: DurabilityMode
    reason: str
    mode_by_value: dict[str, DurabilityMode] = {}  # noqa: RUF012 -- never changed


REQUIRED_SETTINGS = (
    RequiredSetting("appendonly", "yes", "volatile", "otherwise moves are kept only in memory"),
    RequiredSetting(
        "appendfsync",
        "always",
        "volatile",
        "otherwise moves are acknowledged before they are on disk",
        {"everysec": "fast"},
    ),
    RequiredSetting(
        "no-appendfsync-on-rewrite",
        "no",
        "volatile",
        "otherwise nothing is synced to disk during a rewrite of the file",
    ),
    RequiredSetting("maxmemory-policy", "noeviction", "volatile", "otherwise matches are deleted when memory is full"),
    RequiredSetting("aof-load-truncated", "yes", "fast", "otherwise the server may not restart after a power cut"),
)
REWRITE_SETTING = "auto-aof-rewrite-percentage"
PREAMBLE_SETTING = "aof-use-rdb-preamble"


def check_durability(redis: "Redis | RedisCluster", replicas: int = 0, log_servers: int = 0) -> Durability:
    """Return the durability of the server or the whole cluster. Raises LogUnavailable if a primary does not answer.

    `replicas` is how many replicas must confirm a write. With 0 the mode is `durable` at best. `log_servers` is how
    many servers a Sentinel group with failover guards has.
    """
    servers: list[str] = []
    faults: list[Fault] = []
    with redis_errors_as_unavailable():
        for name, node in primaries(redis):
            info = node.info()
            servers.append(f"{_product_name(info)}{name}")
            found = (
                *_server_faults(info),
                *_setting_faults(node, info),
                *_rewrite_faults(node),
                *_preamble_faults(node, info),
                *_replica_faults(info, replicas, max(log_servers - 1, replicas)),
            )
            faults += [Fault(mode, f"{words}{name}.") for mode, words in found]
        if replicas and log_servers - 1 > replicas:
            faults += [Fault(mode, f"{words}.") for mode, words in _guard_faults(redis)]
    modes = get_args(DurabilityMode)
    best = 0 if replicas else modes.index("durable")
    worst = max([best, *(modes.index(fault.mode) for fault in faults)])
    return Durability(modes[worst], tuple(fault.message for fault in faults), tuple(servers))


def require_durability(
    redis: "Redis | RedisCluster", allow_fast: bool, replicas: int = 0, log_servers: int = 0
) -> Durability:
    """Return the result of the check if it is durable, or fast where allowed. Raises NotDurable and LogUnavailable.

    Missing replicas do not keep the service from starting: it shows matches but refuses moves.
    """
    found = check_durability(redis, replicas, log_servers)
    if found.mode in DURABLE_MODES or (allow_fast and found.mode == "fast"):
        return found
    raise NotDurable(found)


def primaries(redis: "Redis | RedisCluster") -> Iterator[tuple[str, Any]]:
    """Yield each primary with a suffix that names it in messages; empty for a single server."""
    if not isinstance(redis, RedisCluster):
        yield "", redis
        return
    for node in sorted(redis.get_primaries(), key=lambda node: str(node.name)):
        yield f" at {node.name}", redis.get_redis_connection(node)


def _product_name(info: dict[str, Any]) -> str:
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info.get('redis_version', 'of an unknown version')}"


def _server_faults(info: dict[str, Any]) -> Iterator[Fault]:
    if _redis_version(info) < MIN_REDIS_VERSION:
        yield Fault("volatile", f"the server is {_product_name(info)}; use Redis 6.2 or newer, or Valkey")
    if info.get("role") != "master":
        yield Fault("volatile", f"the server's role is {info.get('role')}, which accepts no writes; it must be master")
    if info.get("aof_last_write_status", "ok") != "ok":
        yield Fault("volatile", "the server's last write to its file failed; check its disk and its log")


def count_online_replicas(info: dict[str, Any]) -> int:
    """Return how many replicas of the server are in sync, from its INFO."""
    replicas = (info.get(f"slave{number}", {}) for number in range(int(info.get("connected_slaves", 0))))
    return sum(isinstance(replica, dict) and replica.get("state") == "online" for replica in replicas)


def _replica_faults(info: dict[str, Any], needed: int, expected: int) -> Iterator[Fault]:
    """Yield a fault if there are too few replicas to confirm a write, or not as many as expected."""
    found = count_online_replicas(info)
    if needed and found < needed:
        yield Fault(
            "durable", f"connected replicas: {found}, but {needed} must confirm each move, so moves are refused"
        )
    elif needed and found < expected:
        why = "if another server is lost, moves are refused"
        yield Fault("replicated", f"connected replicas: {found} of {expected}; {why}")
    if needed and found > expected:
        why = "a failover may promote a replica without the move"
        yield Fault("durable", f"connected replicas: {found}, but only {needed} must confirm each move: {why}")


def _guard_faults(redis: Any) -> Iterator[Fault]:
    """Yield a fault if Sentinel could promote a replica without a guard, or if no guard is running."""
    priorities = replica_priorities(redis)
    if priorities is None:
        yield Fault("durable", "CRUMBTRAIL_LOG_SERVERS is only for Sentinel (sentinel+redis://); unset it")
        return
    for address in sorted(address for address, priority in priorities.items() if priority):
        why = "otherwise Sentinel may promote it without the last moves"
        yield Fault("durable", f"replica-priority is not 0 on {address}; {why}")
    if redis.get(FAILOVER_GUARD_KEY) is None:
        why = "otherwise no server takes over when the primary dies"
        yield Fault("replicated", f"no failover guard is running; start crumbtrail failover-guard, {why}")


def _setting_faults(node: Any, info: dict[str, Any]) -> Iterator[Fault]:
    for setting in REQUIRED_SETTINGS:
        try:
            found = node.config_get(setting.name).get(setting.name)
        except (NoPermissionError, ResponseError):
            yield _unreadable_settings(info)
            return
        if found != setting.needed:
            mode = setting.mode_by_value.get(str(found), setting.mode_otherwise)
            yield Fault(mode, f"{setting.name} is {found} but must be {setting.needed}; {setting.reason}")


def _rewrite_faults(node: Any) -> Iterator[Fault]:
    """Yield a fault if rewrites are off. The mode stays, since no move is lost, but the disk fills up eventually."""
    with suppress(NoPermissionError, ResponseError):
        if str(node.config_get(REWRITE_SETTING).get(REWRITE_SETTING)) == "0":
            why = "otherwise the file grows until the disk is full and moves are refused"
            yield Fault("replicated", f"{REWRITE_SETTING} is 0 but must be positive, such as 100; {why}")


def _preamble_faults(node: Any, info: dict[str, Any]) -> Iterator[Fault]:
    """Yield a fault if a Redis before 7.0 begins its file with a binary part.

    If the first command after that part is torn, the next start cuts the file off at offset 0, and the one after finds
    nothing.
    """
    if _redis_version(info) >= MULTI_PART:
        return
    with suppress(NoPermissionError, ResponseError):
        if str(node.config_get(PREAMBLE_SETTING).get(PREAMBLE_SETTING)) == "yes":
            why = "otherwise Redis before 7.0 may lose its whole file in two crashes after a rewrite"
            yield Fault("volatile", f"{PREAMBLE_SETTING} is yes but must be no; {why}")


def _redis_version(info: dict[str, Any]) -> tuple[int, ...]:
    return tuple(int(part) for part in str(info.get("redis_version", "0.0")).split(".")[:2])


def _unreadable_settings(info: dict[str, Any]) -> Fault:
    """Return the fault for a host that hides its settings. INFO still shows whether the server writes a file."""
    needed = ", ".join(f"{setting.name} {setting.needed}" for setting in REQUIRED_SETTINGS)
    mode: DurabilityMode = "fast" if info.get("aof_enabled") else "volatile"
    return Fault(mode, f"this user may not read the server's settings (CONFIG GET), which must be {needed}")
