"""Reads replay files for the commands, and writes their output at the end."""

import os
from pathlib import Path
from typing import Any

import click

from replays.file import MAX_FILE


def read_file(file: Path) -> bytes:
    """Return the bytes of a file, cut off one byte after the maximum size of a replay. Raises OSError."""
    with file.open("rb") as opened:
        return opened.read(MAX_FILE + 1)


def write_file(file: Path, data: bytes) -> None:
    """Write a file. Raises ClickException if that fails, such as on a full disk.

    A partly written file is deleted; a file that cannot be opened stays unchanged.
    """
    opened = None
    try:
        with file.open("wb") as opened:
            opened.write(data)
    except OSError as error:
        if opened and file.is_file():  # not a device
            file.unlink()
        raise click.ClickException(f"Could not write {file}: {error.strerror}.") from None


class OutputFile(click.Path):
    """The path of a file written at the end, checked at the start so that a long run doesn't fail only at the end."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises BadParameter."""
        file = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not file.parent.is_dir():
            self.fail(f"The folder {str(file.parent)!r} does not exist. Create it, or choose another.")
        if not file.exists() and not os.access(file.parent, os.W_OK | os.X_OK):
            self.fail(f"The folder {str(file.parent)!r} is not writable. Choose another.")
        return file


class OutputFolder(click.Path):
    """A folder to write files to, created if missing, and checked at the start."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises BadParameter."""
        folder = Path(os.fsdecode(super().convert(value, param, ctx)))
        existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not existing.is_dir():
            self.fail(f"{str(existing)!r} is not a folder. Choose another path.")
        if not os.access(existing, os.W_OK | os.X_OK):
            self.fail(f"The folder {str(existing)!r} is not writable. Choose another.")
        return folder
