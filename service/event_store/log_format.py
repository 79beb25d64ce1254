"""The newest format that wrote to the log. An older release, which could not read it all, refuses to start.

Otherwise, after a downgrade, it would run with matches that it cannot load. The first release (commit 6e72bc9) doesn't
check the format, so it cannot be stopped. `docs/decisions/0037-renewals-without-a-gap.md` gives the reasons.
"""

from typing import cast

from redis import Redis

from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.keys import LOG_FORMAT_KEY

LOG_FORMAT = 2
"""The format that this release writes: 1 is the first release, which records nothing. Raise it for anything that the
release before cannot read: new event kinds, fields or rules versions, or matches kept in another place. A test compares
what this tree writes with the record under this number (`tools/log_formats.py`)."""

_RAISE_FORMAT = """
local found = tonumber(redis.call('GET', KEYS[1]) or '1')
if found < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
return found
"""


class NewerLogFormat(ValueError):
    """The log was written by a newer release, whose format `found` this one cannot read."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"A newer release of Crumbtrail has written to this log (format {found}; this release reads formats up to "
            f"{known}). Install the newer release again. To go back, restore a backup made before the update."
        )
        self.found = found


def require_known_format(redis: Redis, known: int = LOG_FORMAT) -> int:
    """Return the newest format that wrote to the log. Raises NewerLogFormat if it is newer, and LogUnavailable."""
    with redis_errors_as_unavailable():
        return _require_known(int(cast(bytes, redis.get(LOG_FORMAT_KEY)) or 1), known)


def open_log_format(redis: Redis, known: int = LOG_FORMAT) -> None:
    """Record that a release with this format writes to the log.

    Raises NewerLogFormat, and then changes nothing, if a newer one has. Raises LogUnavailable.
    """
    with redis_errors_as_unavailable():
        _require_known(cast(int, redis.eval(_RAISE_FORMAT, 1, LOG_FORMAT_KEY, str(known))), known)


def _require_known(found: int, known: int) -> int:
    if found > known:
        raise NewerLogFormat(found, known)
    return found
