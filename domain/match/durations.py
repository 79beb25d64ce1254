"""Units of time in seconds, and the description of durations."""

from domain.kernel.text import pluralize

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def format_duration(seconds: int) -> str:
    """Return a duration as `2 days`, `1 hour`, `90 minutes` or `45 seconds`."""
    for size, unit in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds and seconds % size == 0:
            return pluralize(seconds // size, unit)
    return pluralize(seconds, "second")
