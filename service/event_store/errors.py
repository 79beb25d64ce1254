"""What can go wrong with the log, in words; redis-py's own exceptions never leave this package."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

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
    """The log's server did not answer, or not as it should: the outcome is unknown. Repeat with the same key."""


class NotReplicated(LogUnavailable):
    """The events stand on the primary, but too few replicas have confirmed them: a failover might lose them."""

    def __init__(self, needed: int, confirmed: int) -> None:
        super().__init__(f"The log's server has confirmed the write on {confirmed} replicas; {needed} are needed.")


class LogDamaged(LogUnavailable):
    """The stream of a match has a hole. Nothing is served from it; it must be restored from a copy."""


class VersionConflict(Exception):
    """The match is not at the expected ply, but at `actual`: somebody else appended first. Nothing was appended."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"The match is at event {actual}, not at {expected}.")
        self.expected = expected
        self.actual = actual


class MatchNotFound(LookupError):
    """There is no such match."""


class CommandReused(Exception):
    """The command id was used before, for something else. Nothing was appended."""


REDIS_ERRORS = (RedisError, RedisClusterException, OSError)
"""All that redis-py may raise while it talks to a server."""

NETWORK_ERRORS = (Disconnected, TimedOut, OSError)
TRANSIENT_ERRORS = (*NETWORK_ERRORS, ClusterError, TryAgainError, ReadOnlyError)
"""Those that may be gone at the next try ..."""
PERMANENT_ERRORS = (AuthenticationError, AuthorizationError)
"""... and those that redis-py counts among the lost connections though no repetition helps."""

_CODE_PATTERN = re.compile(r"(?:^|-)([A-Z]{2,})\b")
"""The server's own name for an error; Redis 6.2 reports one from inside a script as `...: -OOM command not ...`."""
_CODE_DESCRIPTIONS = {
    "MISCONF": "cannot write to its disk",
    "NOREPLICAS": "has too few replicas at hand and takes no writes",
    "OOM": "is out of memory and takes no writes",
}


@contextmanager
def redis_errors_as_unavailable() -> Iterator[None]:
    """Turns whatever redis-py raises inside into LogUnavailable."""
    try:
        yield
    except DataError:
        raise  # a value that cannot be sent is our mistake, not the server's
    except REDIS_ERRORS as error:
        # Only a network error may be chained: it names an address. Others can quote a command, and its arguments
        # hold hidden facts, even the seed.
        raise LogUnavailable(f"The log's server {_describe(error)}.") from (
            error if isinstance(error, NETWORK_ERRORS) else None
        )


def is_transient(error: Exception) -> bool:
    """Whether another try may succeed."""
    return isinstance(error, TRANSIENT_ERRORS) and not isinstance(error, PERMANENT_ERRORS)


def _describe(error: Exception) -> str:
    match error:
        case BusyLoadingError():
            return "is starting: it still reads its file"
        case AuthenticationError() | AuthorizationError():
            return "refused the user name or the password"
        case NoPermissionError():
            return "refused a command: the user lacks a permission"
        case OutOfMemoryError():
            return _CODE_DESCRIPTIONS["OOM"]
        case ReadOnlyError():
            return "is a replica and takes no writes"
        case AskError():
            return "belongs to a cluster: its URL must begin with cluster+redis://"
        case ClusterError() | RedisClusterException() | TryAgainError():
            return "is a cluster of which a part is down or on the move"
        case TimedOut():
            return "did not answer in time"
        case Disconnected() | OSError():
            return "cannot be reached"
    found = _CODE_PATTERN.search(str(error))
    code = found[1] if found else type(error).__name__
    return _CODE_DESCRIPTIONS.get(code, f"refused a command ({code})")
