"""Errors of the log. redis-py's own exceptions never leave this package."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NoReturn

from redis.exceptions import (
    AskError,
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ClusterError,
    DataError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import TimeoutError as TimedOut

UnavailableReason = Literal[
    "unreachable",
    "loading",
    "memory",
    "replicas",
    "disk",
    "read_only",
    "login",
    "permission",
    "cluster",
    "damaged",
    "restarted",
    "other",
]
"""Why the log server failed, as one word for health checks, log lines and alerts."""


class LogUnavailable(Exception):
    """The log server failed to answer correctly and the outcome is unknown. Repeat with the same command id.

    The message never quotes a command or a key, so it may be logged.
    """

    reason: UnavailableReason = "other"

    def __init__(self, message: str = "", reason: UnavailableReason | None = None) -> None:
        super().__init__(message)
        if reason is not None:
            self.reason = reason


class NotReplicated(LogUnavailable):
    """The events are on the primary, but too few replicas confirmed them: a failover might lose them."""

    reason = "replicas"

    def __init__(self, needed: int, confirmed: int) -> None:
        super().__init__(f"The write was confirmed by {confirmed} of {needed} required replicas.")


class LogDamaged(LogUnavailable):
    """A match's stream has a gap. Nothing is read from it until it is restored from a copy."""

    reason = "damaged"


class RestartUnchecked(LogUnavailable):
    """A primary has restarted or was promoted, and accepts no moves until it has been checked. Nothing was appended."""

    reason = "restarted"


class RewritingFile(BusyLoadingError):
    """A server has restarted and can't be used until its append-only file has been rewritten."""


class VersionConflict(Exception):
    """The match is at ply `actual`, not at the expected one, because of another append. Nothing was appended."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"The match is at event {actual}, not at {expected}.")
        self.expected = expected
        self.actual = actual


class MatchNotFound(LookupError):
    """The match does not exist."""


class CommandReused(Exception):
    """The command id was already used with a different payload. Nothing was appended."""


REDIS_ERRORS = (RedisError, RedisClusterException, OSError)
"""Every error that redis-py may raise while it talks to a server."""

NETWORK_ERRORS = (Disconnected, TimedOut, OSError)
TRANSIENT_ERRORS = (*NETWORK_ERRORS, ClusterError, TryAgainError, ReadOnlyError)
"""Errors after which a retry may succeed."""
PERMANENT_ERRORS = (AuthenticationError, AuthorizationError)
"""Errors that redis-py derives from a lost connection although a retry never helps."""

_CODE_PATTERN = re.compile(r"(?:^|-)([A-Z]{2,})\b")
"""The server's error code. Redis 6.2 reports an error inside a script as `...: -OOM command not ...`."""
_CODE_DESCRIPTIONS: dict[str, tuple[UnavailableReason, str]] = {
    "MISCONF": ("disk", "cannot write to its disk"),
    "NOREPLICAS": ("replicas", "has too few replicas connected and accepts no writes"),
    "OOM": ("memory", "is out of memory and accepts no writes"),
}


@contextmanager
def redis_errors_as_unavailable() -> Iterator[None]:
    """Convert any redis-py error raised inside the block into LogUnavailable."""
    try:
        yield
    except REDIS_ERRORS as error:
        raise_as_unavailable(error)


def raise_as_unavailable(error: Exception) -> NoReturn:
    """Raise LogUnavailable for an error of redis-py, or the error itself if it is a bug in our code."""
    if isinstance(error, DataError):  # an unsendable value
        raise error
    # Only a network error may be chained: it names no more than an address. Other errors can quote a command
    # whose arguments hold hidden facts, even the seed.
    raise as_unavailable(error) from (error if isinstance(error, NETWORK_ERRORS) else None)


def as_unavailable(error: Exception) -> LogUnavailable:
    """Return an error of redis-py as a LogUnavailable with its reason. A LogUnavailable is returned as it is."""
    if isinstance(error, LogUnavailable):
        return error
    reason, description = _describe(error)
    return LogUnavailable(f"The log server {description}.", reason)


def unavailable_cause(error: Exception) -> str:
    """Return why a request could not be answered, for a log line: the reason and a sentence, or the error's type."""
    if isinstance(error, LogUnavailable | RedisError | RedisClusterException):
        found = as_unavailable(error)
        return f"{found.reason}: {found}"
    return type(error).__name__


def is_transient(error: Exception) -> bool:
    """Return whether a retry may succeed."""
    return isinstance(error, TRANSIENT_ERRORS) and not isinstance(error, PERMANENT_ERRORS)


def _describe(error: Exception) -> tuple[UnavailableReason, str]:
    """Return the reason for an error, and the end of a sentence about the log server."""
    match error:
        case RewritingFile():
            return "restarted", "has restarted and is rewriting its file"
        case BusyLoadingError():
            return "loading", "is starting and still loading its data"
        case AuthenticationError() | AuthorizationError():
            return "login", "rejected the user name or password"
        case NoPermissionError():
            return "permission", "refused a command because the user lacks a permission"
        case OutOfMemoryError():
            return _CODE_DESCRIPTIONS["OOM"]
        case ReadOnlyError():
            return "read_only", "is a replica and accepts no writes"
        case AskError():
            return "cluster", "belongs to a cluster, so its URL must begin with cluster+redis://"
        case ClusterError() | RedisClusterException() | TryAgainError():
            return "cluster", "is a cluster with a node that is down or being moved"
        case TimedOut():
            return "unreachable", "did not answer in time"
        case Disconnected() | OSError():
            return "unreachable", "cannot be reached"
    found = _CODE_PATTERN.search(str(error))
    code = found[1] if found else type(error).__name__
    return _CODE_DESCRIPTIONS.get(code, ("other", f"refused a command ({code})"))
