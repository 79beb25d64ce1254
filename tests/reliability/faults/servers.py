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
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from redis import Redis

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from tests.waiting import holds_within

SHIM = Path(__file__).with_name("disk.c")
COMPILER = shutil.which("cc")
"""Without a C compiler there are no power cuts and no slow disks."""
COUNT = re.compile(rb"([*$])(\d+)\r\n")
"""How many words a command has, or bytes a word."""
TORN_WRITE = b"*1\r\n$5\r\nMULTI\r\n*5\r\n$4\r\nXADD\r\n$24\r\n{ct:00}:log:half-written"
"""What a transaction leaves behind that was being written when the power went."""


class Server:
    """One embedded server on one folder. Its processes are started and ended by whoever tests it."""

    def __init__(self, folder: Path, started_by: Callable[[Sequence[str]], list[str]] = list) -> None:
        self.embedded = EmbeddedServer(folder / "data")
        self._started_by = started_by
        self._disk = folder / "disk"
        self._disk.mkdir(parents=True)
        self._shim = build_shim() if COMPILER else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def can_lose_power(self) -> bool:
        """Whether it is known how much of the file has been forced to disk."""
        return self._shim is not None

    @property
    def pid(self) -> int | None:
        """The server's process, while it runs."""
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
        """End it in order, if it runs."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()
            self._process.wait(20)

    def kill(self) -> None:
        """End it at once. A process that rewrites the file ends when it misses its parent."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def cut_power(self) -> int:
        """End it at once, and with it all that was not forced to disk; gives the bytes that were lost."""
        self.kill()
        holds_within(lambda: self.embedded.running_pid() is None, 5)
        return sum(self._forget_unsynced(path) for path in self.aof_files()) if self._shim else 0

    def tear_write(self) -> None:
        """End it at once, in the middle of a write that nobody has been told of."""
        self.kill()
        with self.newest_file().open("r+b") as file:
            # The kill itself may have torn a write; what is torn has an end, and not something else behind it.
            file.truncate(end_of_last_command(file.read()))
            file.seek(0, os.SEEK_END)
            file.write(TORN_WRITE)

    def fill_disk(self, left: int) -> None:
        """Leave so many bytes for the file that it writes now; the server's next start finds space again."""
        assert self._process is not None
        most = self.newest_file().stat().st_size + left
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def free_disk(self) -> None:
        """Give a server that lives its space back."""
        if self.pid:
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def slow_disk(self, milliseconds: int) -> None:
        """Let every sync take so much longer; 0: as fast as it is."""
        if milliseconds:
            (self._disk / "slow").write_text(str(milliseconds))
        else:
            (self._disk / "slow").unlink(missing_ok=True)

    def pause(self, seconds: float) -> None:
        """Let it stand still for so long."""
        if self.pid:
            os.kill(self.pid, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(self.pid, signal.SIGCONT)

    def client(self) -> Redis:
        """A connection of one's own, past every proxy."""
        client = connect(self.embedded.url())
        assert isinstance(client, Redis)
        return client

    def aof_files(self) -> list[Path]:
        """The parts of the append-only file, without their list."""
        folder = self.embedded.data_dir / "appendonlydir"
        return sorted(path for path in folder.glob("appendonly.aof.*") if path.suffix != ".manifest")

    def newest_file(self) -> Path:
        """The part that is being written."""
        parts = [path for path in self.aof_files() if path.name.endswith(".incr.aof")]
        return max(parts, key=lambda path: int(path.name.split(".")[-3]))

    def _forget_unsynced(self, path: Path) -> int:
        known = self._disk / str(path.stat().st_ino)
        size = int(known.read_text()) if known.exists() else 0
        lost = max(0, path.stat().st_size - size)
        if lost:
            os.truncate(path, size)
        return lost


def end_of_last_command(raw: bytes) -> int:
    """Where the last whole command ends, or the last whole transaction, in an append-only file."""
    at = end = 0
    inside = False
    while (head := COUNT.match(raw, at)) and head[1] == b"*":
        at, words = head.end(), []
        for _ in range(int(head[2])):
            size = COUNT.match(raw, at)
            if size is None or len(raw) < size.end() + int(size[2]) + 2:
                return end
            words.append(raw[size.end() : size.end() + int(size[2])])
            at = size.end() + int(size[2]) + 2
        inside = (inside or words == [b"MULTI"]) and words != [b"EXEC"]
        end = end if inside else at
    return end


@cache
def build_shim() -> Path:
    """`disk.c` as a library, compiled once for this process."""
    folder = Path(tempfile.mkdtemp(prefix="ct-disk-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = folder / "disk.so"
    subprocess.run([str(COMPILER), "-O1", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return library
