"""The only source of the current time."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """A source of the current time."""

    def now(self) -> datetime:
        """Return the current time in UTC, to the millisecond."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the current time in UTC, to the millisecond."""
        return EPOCH + timedelta(milliseconds=time.time_ns() // 1_000_000)


class FileClock:
    """A clock that reads the time from a file (RFC 3339), so that tests can set it for several processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def now(self) -> datetime:
        """Return the current time in UTC, to the millisecond."""
        return datetime.fromisoformat(self._path.read_text(encoding="ascii").strip()).astimezone(UTC)


def to_milliseconds(at: datetime) -> int:
    """Return the time in milliseconds since 1970, rounded down."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def from_milliseconds(milliseconds: bytes | float) -> datetime:
    """Return the time this many milliseconds after the start of 1970."""
    return EPOCH + timedelta(milliseconds=int(milliseconds))
