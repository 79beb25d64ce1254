"""Lengths of time in seconds, and in words."""

HOUR = 3600
DAY = 24 * HOUR


def format_duration(seconds: int) -> str:
    """A length of time that is whole days, hours or seconds."""
    for size, unit in ((DAY, "day"), (HOUR, "hour")):
        if seconds and seconds % size == 0:
            return f"{seconds // size} {unit}{'' if seconds == size else 's'}"
    return f"{seconds} seconds"
