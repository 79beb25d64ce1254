"""Replay files as the commands read them."""

from pathlib import Path

from replays.file import MAX_FILE


def contents(file: Path) -> bytes:
    """The bytes of a file, of one that is larger than any replay just so many that this shows. Raises OSError."""
    with file.open("rb") as opened:
        return opened.read(MAX_FILE + 1)
