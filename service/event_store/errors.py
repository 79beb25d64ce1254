"""Errors of the log. redis-py's own exceptions never leave this package."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

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


class LogUnavailable(Exception):
    """The log server failed to answer correctly and the outcome is unknown. Repeat with the same command id."""


class NotReplicated(LogUnavailable):
    """The events are on the primary, but too few replicas confirmed them: a failover might lose them."""

    def __init__(self, needed: int, confirmed: int) -> None:
        super().__init__(f"The write was confirmed by {confirmed} of {needed} required replicas.")


class LogDamaged(LogUnavailable):
    """A match's stream has a gap. Nothing is read from it until it is restored from a copy."""


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
_CODE_DESCRIPTIONS = {
    "MISCONF": "cannot write to its disk",
    "NOREPLICAS": "has too few replicas connected and accepts no writes",
    "OOM": "is out of memory and accepts no writes",
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
    raise LogUnavailable(f"The log server {_describe(error)}.") from (
        error if isinstance(error, NETWORK_ERRORS) else None
    )


def is_transient(error: Exception) -> bool:
    """Return whether a retry may succeed."""
    return isinstance(error, TRANSIENT_ERRORS) and not isinstance(error, PERMANENT_ERRORS)


def _describe(error: Exception) -> str:
    match error:
        case BusyLoadingError():
            return "is starting and still loading its data"
        case AuthenticationError() | AuthorizationError():
            return "rejected the user name or password"
        case NoPermissionError():
            return "refused a command because the user lacks a permission"
        case OutOfMemoryError():
            return _CODE_DESCRIPTIONS["OOM"]
        case ReadOnlyError():
            return "is a replica and accepts no writes"
        case AskError():
            return "belongs to a cluster, so its URL must begin with cluster+redis://"
        case ClusterError() | RedisClusterException() | TryAgainError():
            return "is a cluster with a node that is down or being moved"
        case TimedOut():
            return "did not answer in time"
        case Disconnected() | OSError():
            return "cannot be reached"
    found = _CODE_PATTERN.search(str(error))
    code = found[1] if found else type(error).__name__
    return _CODE_DESCRIPTIONS.get(code, f"refused a command ({code})")
