"""Time comes from here, and from nowhere else."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time in UTC, to the millisecond."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time in UTC, to the millisecond."""
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)
