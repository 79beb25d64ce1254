"""Free space on the disk of the log server, if the server runs on this machine.

Redis and Valkey don't report free space. With `appendfsync always` a server exits when its disk is full, so the folder
is remembered: afterwards it shows why the server does not answer.
"""

import os
import shutil
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

MIN_WRITABLE_BYTES = 64 * 1024
"""With less free space than this, the server may fail to store even a small write."""


class DiskSpace(NamedTuple):
    """The free space for the server's user and the size of a disk, in bytes."""

    free: int
    total: int


class LogDisk:
    """The disk of the log server at a URL."""

    def __init__(self, url: str | None) -> None:
        self._is_local = url is not None and is_on_this_machine(url)
        self._folder: Path | None = None

    def find_folder(self, node: Any) -> None:
        """Ask the server for its data folder once, unless it runs on another machine. Raises redis-py's errors."""
        if self._is_local and self._folder is None:
            folder = Path(os.fsdecode(node.config_get("dir").get("dir", "")))
            self._folder = folder if folder.is_absolute() and folder.is_dir() else None

    def space(self) -> DiskSpace | None:
        """Return the space on the server's disk, or None if it is unknown."""
        if self._folder is None:
            return None
        with suppress(OSError):
            usage = shutil.disk_usage(self._folder)
            return DiskSpace(usage.free, usage.total)
        return None

    def is_full(self) -> bool:
        """Return whether the disk is known to have no space for a write."""
        found = self.space()
        return found is not None and found.free < MIN_WRITABLE_BYTES


def is_on_this_machine(url: str) -> bool:
    """Return whether the URL leads to a single server on this machine: a unix socket or a loopback address."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return True
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        return False
    if parts.hostname == "localhost":
        return True
    try:
        return ip_address(parts.hostname).is_loopback
    except ValueError:
        return False
