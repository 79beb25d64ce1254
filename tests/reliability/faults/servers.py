"""Embedded servers whose process, memory, disk and power can fail."""

import atexit
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from redis import Redis

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from tests.waiting import holds_within

SHIM = Path(__file__).with_name("disk.c")
COMPILER = shutil.which("cc")
"""Without a C compiler there are no simulated power cuts and slow disks."""
COUNT = re.compile(rb"([*$])(\d+)\r\n")
"""Matches the number of words in a command, or of bytes in a word."""
TORN_WRITE = b"*1\r\n$5\r\nMULTI\r\n*5\r\n$4\r\nXADD\r\n$24\r\n{ct:00}:log:half-written"
"""The beginning of a transaction that was being written when the power failed."""


class Server:
    """An embedded server on a folder. Tests start and end its process."""

    def __init__(self, folder: Path, started_by: Callable[[Sequence[str]], list[str]] = list) -> None:
        self.embedded = EmbeddedServer(folder / "data")
        self._started_by = started_by
        self._disk = folder / "disk"
        self._disk.mkdir(parents=True)
        self._shim = build_shim() if COMPILER else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def can_lose_power(self) -> bool:
        """Whether it is known how much of the file has been synced to disk."""
        return self._shim is not None

    @property
    def pid(self) -> int | None:
        """The pid of the server while it is running, otherwise None."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.embedded.prepare()
        preload = {"LD_PRELOAD": str(self._shim), "FAULTS_DISK": str(self._disk)} if self._shim else {}
        with self.embedded.log_file.open("ab") as log:
            command = self._started_by(self.embedded.command())
            environment = {**os.environ, **preload}
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        self.embedded.wait()

    def stop(self) -> None:
        """Shut the server down if it is running."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()
            self._process.wait(20)

    def kill(self) -> None:
        """Kill the server. A child that rewrites the file ends when its parent is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def cut_power(self) -> int:
        """Kill the server and discard everything that was not synced to disk. Return the number of bytes lost."""
        self.kill()
        holds_within(lambda: self.embedded.running_pid() is None, 5)
        return sum(self._forget_unsynced(path) for path in self.aof_files()) if self._shim else 0

    def tear_write(self) -> None:
        """Kill the server in the middle of a write that was not acknowledged."""
        self.kill()
        with self.newest_file().open("r+b") as file:
            # The kill itself may have torn a write. Remove it, so that the torn write is at the end of the file.
            file.truncate(end_of_last_command(file.read()))
            file.seek(0, os.SEEK_END)
            file.write(TORN_WRITE)

    def tear_append(self, luck: Random) -> None:
        """Kill the server inside an append to the match that was played last."""
        self.kill()
        with self.newest_file().open("r+b") as file:
            raw = file.read()
            end = end_of_last_command(raw)
            file.truncate(end)
            file.seek(end)
            file.write(torn_append(raw[:end], luck))

    def fill_disk(self, left: int) -> None:
        """Leave this many bytes for the current file. The next start has space again."""
        assert self._process is not None
        most = self.newest_file().stat().st_size + left
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def free_disk(self) -> None:
        """Remove the limit from a running server."""
        if self.pid:
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def slow_disk(self, milliseconds: int) -> None:
        """Delay every sync by this many milliseconds; 0 for full speed."""
        if milliseconds:
            (self._disk / "slow").write_text(str(milliseconds))
        else:
            (self._disk / "slow").unlink(missing_ok=True)

    def pause(self, seconds: float) -> None:
        """Pause the server."""
        if self.pid:
            os.kill(self.pid, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(self.pid, signal.SIGCONT)

    def client(self) -> Redis:
        """Return a direct connection, without a proxy."""
        client = connect(self.embedded.url())
        assert isinstance(client, Redis)
        return client

    def aof_files(self) -> list[Path]:
        """Return the parts of the append-only file, without the manifest."""
        folder = self.embedded.data_dir / "appendonlydir"
        return sorted(path for path in folder.glob("appendonly.aof.*") if path.suffix != ".manifest")

    def newest_file(self) -> Path:
        """Return the part that is being written."""
        parts = [path for path in self.aof_files() if path.name.endswith(".incr.aof")]
        return max(parts, key=lambda path: int(path.name.split(".")[-3]))

    def _forget_unsynced(self, path: Path) -> int:
        known = self._disk / str(path.stat().st_ino)
        size = int(known.read_text()) if known.exists() else 0
        lost = max(0, path.stat().st_size - size)
        if lost:
            os.truncate(path, size)
        return lost


class StoredCommand(NamedTuple):
    """A complete command in an append-only file, and the offset after it."""

    words: list[bytes]
    end: int


def stored_commands(raw: bytes) -> Iterator[StoredCommand]:
    """Yield the complete commands of an append-only file."""
    at = 0
    while (head := COUNT.match(raw, at)) and head[1] == b"*":
        at, words = head.end(), []
        for _ in range(int(head[2])):
            size = COUNT.match(raw, at)
            if size is None or len(raw) < size.end() + int(size[2]) + 2:
                return
            words.append(raw[size.end() : size.end() + int(size[2])])
            at = size.end() + int(size[2]) + 2
        yield StoredCommand(words, at)


def end_of_last_command(raw: bytes) -> int:
    """Return the offset after the last complete command or transaction in an append-only file."""
    end = 0
    inside = False
    for words, at in stored_commands(raw):
        inside = (inside or words == [b"MULTI"]) and words != [b"EXEC"]
        end = end if inside else at
    return end


def torn_append(raw: bytes, luck: Random) -> bytes:
    """Return the beginning of one more append to the match of the last append in this file.

    It ends anywhere between its first and its last command, and has the newest event again, at the next ply. Without an
    append in the file, for instance right after a rewrite, it is that of a match that doesn't exist.
    """
    append: list[list[bytes]] = []
    transaction: list[list[bytes]] = []
    for words, _ in stored_commands(raw):
        transaction = [*transaction, words] if words != [b"MULTI"] else [words]
        if words == [b"EXEC"] and transaction[0] == [b"MULTI"]:
            append = transaction if any(is_event(each) for each in transaction) else append
            transaction = []
    if not append:
        return TORN_WRITE
    events = sum(is_event(words) for words in append)
    whole = b"".join(encoded(moved_on(words, events)) for words in append)
    return whole[: luck.randrange(len(encoded([b"MULTI"])), len(whole))]


def is_event(words: Sequence[bytes]) -> bool:
    """Return whether a command appends an event to a match."""
    return words[0] == b"XADD" and b":log:" in words[1]  # plain-english: allow


def moved_on(words: Sequence[bytes], events: int) -> list[bytes]:
    """Return the command of the next append: at the next plies, at the next position, and with another command id."""
    if words[0] == b"XADD":
        number = int(words[2].split(b"-")[0]) + (events if is_event(words) else 1)
        return [*words[:2], b"%d-0" % number, *words[3:]]
    return [*words[:2], words[2][::-1], *words[3:]] if words[0] == b"HSET" else list(words)


def encoded(command: Sequence[bytes]) -> bytes:
    """Return a command as it is in the file."""
    return b"*%d\r\n" % len(command) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in command)


@cache
def build_shim() -> Path:
    """Return `disk.c` as a library, compiled once per process."""
    folder = Path(tempfile.mkdtemp(prefix="ct-disk-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = folder / "disk.so"
    subprocess.run([str(COMPILER), "-O1", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return library
