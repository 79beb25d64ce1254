"""Files that hold seeds, keys or backups: only their owner may read them, from the moment they are created."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

PRIVATE_UMASK = 0o077
"""Takes all rights of group and others from files and folders that a process creates."""


def keep_new_files_private() -> None:
    """Let this process and its children create files and folders that only this user can open."""
    os.umask(PRIVATE_UMASK)


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file in a binary mode. A new file is accessible only to this user, whatever the umask is."""
    file = open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
    return cast(BinaryIO, file)


def make_private(folder: Path) -> None:
    """Take all rights of group and others from a folder and everything in it, such as files of an earlier release.

    Symbolic links are not followed. Files of other users stay as they are, and files may disappear meanwhile.
    """
    for path in (folder, *_contents(folder)):
        with suppress(FileNotFoundError, PermissionError):
            found = path.lstat()
            if not stat.S_ISLNK(found.st_mode) and found.st_mode & PRIVATE_UMASK:
                path.chmod(stat.S_IMODE(found.st_mode) & ~PRIVATE_UMASK)


def _contents(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent) / name for name in (*folders, *files))
