"""Files as the commands take them: replays that are read, and what is to be written at the end."""

import os
from pathlib import Path
from typing import Any

import click

from replays.file import MAX_FILE


def read_file(file: Path) -> bytes:
    """The bytes of a file, of one that is larger than any replay just so many that this shows. Raises OSError."""
    with file.open("rb") as opened:
        return opened.read(MAX_FILE + 1)


def write_file(file: Path, data: bytes) -> None:
    """Write a file. Raises ClickException where that fails, as on a full disk.

    Nothing half written is left; what cannot be opened stays as it was.
    """
    opened = None
    try:
        with file.open("wb") as opened:
            opened.write(data)
    except OSError as error:
        if opened and file.is_file():  # and no device
            file.unlink()
        raise click.ClickException(f"{file} could not be written: {error.strerror}") from None


class OutputFile(click.Path):
    """A file to be written at the end. What cannot be is said at the beginning: nobody plays for hours in vain."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises BadParameter."""
        file = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not file.parent.is_dir():
            self.fail(f"there is no folder {str(file.parent)!r} to write it into; make it first, or name another.")
        if not file.exists() and not os.access(file.parent, os.W_OK | os.X_OK):
            self.fail(f"nothing may be written into the folder {str(file.parent)!r}; name another.")
        return file


class OutputFolder(click.Path):
    """A folder to write files into, made where there is none yet. What cannot be is said at the beginning."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises BadParameter."""
        folder = Path(os.fsdecode(super().convert(value, param, ctx)))
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            self.fail(f"{str(there)!r} is a file, and no folder to make one in; name another.")
        if not os.access(there, os.W_OK | os.X_OK):
            self.fail(f"nothing may be written into the folder {str(there)!r}; name another.")
        return folder
