"""Units of time in seconds, and the description of durations."""

HOUR = 3600
DAY = 24 * HOUR


def format_duration(seconds: int) -> str:
    """Return a duration as `2 days`, `1 hour` or `90 seconds`."""
    for size, unit in ((DAY, "day"), (HOUR, "hour")):
        if seconds and seconds % size == 0:
            return f"{seconds // size} {unit}{'' if seconds == size else 's'}"
    return f"{seconds} seconds"
