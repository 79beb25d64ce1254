"""What the log's server promises: whether an acknowledged move is on disk, judged by the server's own settings.

A server may be set up to answer before it has stored anything, and anyone with access may change that while it runs.
So the settings are read at the start and now and then, on every primary of a cluster.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoPermissionError, ResponseError

from service.event_store.errors import redis_errors_as_unavailable

DurabilityMode = Literal["replicated", "durable", "fast", "volatile"]
"""replicated: an acknowledged move survives the loss of any one server. durable: it survives a crash and a power cut.
fast: the last seconds may be lost. volatile: all."""
DURABLE_MODES: tuple[DurabilityMode, ...] = ("replicated", "durable")
"""The modes in which what is acknowledged is on disk."""

MIN_REDIS_VERSION = (6, 2)
"""The first Redis with exclusive ranges of streams. Every Valkey counts as a Redis 7.2."""


class Durability(msgspec.Struct, frozen=True):
    """What was found: the mode, what is missing for `durable` (in words), and the servers asked."""

    mode: DurabilityMode
    faults: tuple[str, ...]
    servers: tuple[str, ...]


class NotDurable(Exception):
    """The server may lose acknowledged moves. `faults` says by which settings."""

    def __init__(self, found: Durability) -> None:
        self.mode = found.mode
        self.faults = found.faults
        faults = "\n".join(f"- {fault}" for fault in found.faults)
        super().__init__(f"The log's server may lose moves that were acknowledged ({found.mode}):\n{faults}")


class Fault(NamedTuple):
    """Something that is not as it must be, and the best mode that is possible with it."""

    mode: DurabilityMode
    message: str


class RequiredSetting(NamedTuple):
    """A setting, the value it must have, the mode with any other value (or with a certain one), and why."""

    name: str
    needed: str
    mode_otherwise: DurabilityMode
    reason: str
    mode_by_value: dict[str, DurabilityMode] = {}  # noqa: RUF012 -- never changed


REQUIRED_SETTINGS = (
    RequiredSetting("appendonly", "yes", "volatile", "without it moves are kept in memory alone"),
    RequiredSetting(
        "appendfsync",
        "always",
        "volatile",
        "else a move is acknowledged before it is on disk",
        {"everysec": "fast"},
    ),
    RequiredSetting(
        "no-appendfsync-on-rewrite",
        "no",
        "volatile",
        "else nothing is forced to disk while the file is being rewritten",
    ),
    RequiredSetting("maxmemory-policy", "noeviction", "volatile", "else a full memory deletes matches"),
    RequiredSetting("aof-load-truncated", "yes", "fast", "else the server does not start again after a power cut"),
)
REWRITE_SETTING = "auto-aof-rewrite-percentage"


def check_durability(redis: "Redis | RedisCluster", replicas: int = 0) -> Durability:
    """What the server, or every primary of the cluster, promises. Raises LogUnavailable if one does not answer.

    `replicas` is how many of them must confirm a write; 0: none has to, and the mode is durable at best.
    """
    servers: list[str] = []
    faults: list[Fault] = []
    with redis_errors_as_unavailable():
        for name, node in _primaries(redis):
            info = node.info()
            servers.append(f"{_product_name(info)}{name}")
            found = (
                *_server_faults(info),
                *_setting_faults(node, info),
                *_rewrite_faults(node),
                *_replica_faults(info, replicas),
            )
            faults += [Fault(mode, f"{words}{name}.") for mode, words in found]
    modes = get_args(DurabilityMode)
    best = 0 if replicas else modes.index("durable")
    worst = max([best, *(modes.index(fault.mode) for fault in faults)])
    return Durability(modes[worst], tuple(fault.message for fault in faults), tuple(servers))


def require_durability(redis: "Redis | RedisCluster", allow_fast: bool, replicas: int = 0) -> Durability:
    """The same, if it is durable, or fast where that is allowed. Raises NotDurable and LogUnavailable.

    Replicas that are missing do not keep the service from starting: it shows matches, and refuses moves.
    """
    found = check_durability(redis, replicas)
    if found.mode in DURABLE_MODES or (allow_fast and found.mode == "fast"):
        return found
    raise NotDurable(found)


def _primaries(redis: "Redis | RedisCluster") -> Iterator[tuple[str, Any]]:
    """Each primary, with the words that tell it from the others."""
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
    version = tuple(int(part) for part in str(info.get("redis_version", "0.0")).split(".")[:2])
    if version < MIN_REDIS_VERSION:
        yield Fault("volatile", f"the server is {_product_name(info)} and must be Redis 6.2 or newer, or Valkey")
    if info.get("role") != "master":
        yield Fault("volatile", f"the server's role is {info.get('role')} and must be master: it takes no writes")
    if info.get("aof_last_write_status", "ok") != "ok":
        yield Fault("volatile", "the server's last write to its file failed: look at its disk and its log")


def _replica_faults(info: dict[str, Any], needed: int) -> Iterator[Fault]:
    """Fewer than needed cannot confirm; of more, the failover may promote one that has not."""
    follow = (info.get(f"slave{number}", {}) for number in range(int(info.get("connected_slaves", 0))))
    found = sum(isinstance(replica, dict) and replica.get("state") == "online" for replica in follow)
    if needed and found < needed:
        yield Fault("durable", f"{found} replicas follow and {needed} must confirm each move: moves are refused")
    if needed and found > needed:
        why = "a failover may promote one that has not"
        yield Fault("durable", f"{found} replicas follow and only {needed} must confirm each move: {why}")


def _setting_faults(node: Any, info: dict[str, Any]) -> Iterator[Fault]:
    for setting in REQUIRED_SETTINGS:
        try:
            found = node.config_get(setting.name).get(setting.name)
        except (NoPermissionError, ResponseError):
            yield _unreadable_settings(info)
            return
        if found != setting.needed:
            mode = setting.mode_by_value.get(str(found), setting.mode_otherwise)
            yield Fault(mode, f"{setting.name} is {found} and must be {setting.needed}: {setting.reason}")


def _rewrite_faults(node: Any) -> Iterator[Fault]:
    """No move is lost without rewrites, so the mode stays; but one day the disk is full."""
    with suppress(NoPermissionError, ResponseError):
        if str(node.config_get(REWRITE_SETTING).get(REWRITE_SETTING)) == "0":
            why = "else the file grows until the disk is full and no move is taken any more"
            yield Fault("replicated", f"{REWRITE_SETTING} is 0 and must be more, such as 100: {why}")


def _unreadable_settings(info: dict[str, Any]) -> Fault:
    """The settings are hidden, as at some hosts; INFO still tells whether there is a file at all."""
    needed = ", ".join(f"{setting.name} {setting.needed}" for setting in REQUIRED_SETTINGS)
    mode: DurabilityMode = "fast" if info.get("aof_enabled") else "volatile"
    return Fault(mode, f"the server does not let this user read its settings (CONFIG GET); needed are {needed}")
