"""Log servers of several versions, run from their binaries, whose files can be torn.

The embedded server is always there. `CRUMBTRAIL_TEST_SERVERS` names further binaries, separated by colons, and a
`redis-server` or `valkey-server` on the path is found as well.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from service.event_store.connect import connect
from service.event_store.embedded import DURABLE_SETTINGS, server_binary

START_SECONDS = 20.0


class Binary(NamedTuple):
    """A server program and its version, such as `redis-7.0.15`."""

    path: Path
    version: str


def embedded_binary() -> Binary:
    """Return the embedded server."""
    return _identify(server_binary())


def other_binaries() -> list[Binary]:
    """Return the further servers that this machine has, one for each version."""
    named = [Path(path) for path in os.environ.get("CRUMBTRAIL_TEST_SERVERS", "").split(":") if path]
    installed = [Path(path) for name in ("redis-server", "valkey-server") if (path := shutil.which(name))]
    found = {binary.version: binary for binary in map(_identify, [*named, *installed])}
    found.pop(embedded_binary().version, None)
    return [found[version] for version in sorted(found)]


def _identify(path: Path) -> Binary:
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"v=(\S+)", told)
    assert version, told
    family = "valkey" if "valkey" in told.lower() or "valkey" in path.name else "redis"
    return Binary(path, f"{family}-{version[1]}")


class LogServer:
    """A server on a folder, with the settings that the service requires."""

    def __init__(self, binary: Binary, folder: Path) -> None:
        self.binary = binary
        self.folder = folder
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for `service.event_store.connect.connect`."""
        return f"unix://{self.folder / 'socket'}?db=0"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self._process is not None
        return self._process.pid

    def start(self, *settings: str) -> None:
        """Start the server and wait until it answers. If it ends on its own, start it again, as a supervisor does."""
        until = time.monotonic() + START_SECONDS
        while True:
            if self._process is None or self._process.poll() is not None:
                self.spawn(*settings)
            if self._answers():
                return
            assert time.monotonic() < until, (self.folder / "output").read_text()[-2000:]
            time.sleep(0.01)

    def spawn(self, *settings: str) -> None:
        """Start the server without waiting for it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        words = [word for name, value in DURABLE_SETTINGS.items() for word in (f"--{name}", value)]
        place = ("--dir", str(self.folder), "--port", "0", "--unixsocket", str(self.folder / "socket"))
        old = ("--aof-use-rdb-preamble", "no") if self.binary.version.startswith("redis-6") else ()
        self.starts += 1
        with (self.folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [str(self.binary.path), *place, *words, *old, *settings],
                stdout=output,
                stderr=output,
                restore_signals=False,  # a full disk (RLIMIT_FSIZE) must be an error, not a signal that ends it
            )

    def _answers(self) -> bool:
        with self.raw() as client:
            try:
                return bool(client.ping())
            except (RedisError, OSError):
                return False

    def kill(self) -> None:
        """Kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        (self.folder / "socket").unlink(missing_ok=True)

    @contextmanager
    def raw(self) -> Iterator[Redis]:
        """A client that knows nothing of restarts."""
        client = Redis(unix_socket_path=str(self.folder / "socket"))
        yield client
        client.close()

    @contextmanager
    def client(self) -> Iterator[Redis]:
        """A client of the service."""
        client = connect(self.url)
        assert isinstance(client, Redis)
        yield client
        client.close()

    @property
    def file(self) -> Path:
        """The file that is being written."""
        parts = sorted(
            (self.folder / "appendonlydir").glob("*.incr.aof"), key=lambda path: int(path.name.split(".")[-3])
        )
        return parts[-1] if parts else self.folder / "appendonly.aof"

    def copy(self, folder: Path) -> "LogServer":
        """Return a server on a copy of this one's files."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("socket", "output"))
        return LogServer(self.binary, folder)


class TornAppend(NamedTuple):
    """A server that has ended, and where in its file its last append is."""

    server: LogServer
    begin: int
    end: int

    def torn_at(self, offset: int, folder: Path) -> LogServer:
        """Return a server on a copy of the files that ends at this offset of the last append."""
        copy = self.server.copy(folder)
        os.truncate(copy.file, self.begin + offset)
        return copy

    def command_ends(self) -> list[int]:
        """Return the offsets after each command of the append."""
        raw = self.server.file.read_bytes()[self.begin : self.end]
        at, ends = 0, []
        while at < len(raw):
            words = int(raw[at + 1 : raw.index(b"\r\n", at)])
            at = raw.index(b"\r\n", at) + 2
            for _ in range(words):
                size = int(raw[at + 1 : raw.index(b"\r\n", at)])
                at = raw.index(b"\r\n", at) + 2 + size + 2
            ends.append(at)
        return ends
