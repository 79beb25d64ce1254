"""The only source of the current time."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time in UTC, to the millisecond."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time in UTC, to the millisecond."""
        return EPOCH + timedelta(milliseconds=time.time_ns() // 1_000_000)


class FileClock:
    """Tells the time that stands in a file (RFC 3339): one clock for many processes, set from outside. For tests."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def now(self) -> datetime:
        """The time in UTC, to the millisecond."""
        return datetime.fromisoformat(self._path.read_text(encoding="ascii").strip()).astimezone(UTC)


def to_milliseconds(at: datetime) -> int:
    """The time in milliseconds since 1970, rounded down."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def from_milliseconds(milliseconds: bytes | float) -> datetime:
    """The time that is this many milliseconds after 1970."""
    return EPOCH + timedelta(milliseconds=int(milliseconds))
