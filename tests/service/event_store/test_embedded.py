"""The embedded server: durability, exclusive use of its folder, and error messages."""

import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from service.event_store.connect import connect
from service.event_store.embedded import AlreadyRunning, EmbeddedServer, EmbeddedServerFailed, server_binary
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from tests.service.event_store.builders import append_texts, texts_of


@contextmanager
def log_of(server: EmbeddedServer) -> Iterator[MatchLog]:
    with closing(connect(server.url())) as client:
        yield MatchLog(client)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("end", [EmbeddedServer.stop, EmbeddedServer.kill])
def test_events_survive_a_restart(own_server: EmbeddedServer, end: Callable[[EmbeddedServer], None]) -> None:
    match = new_match_id()
    with log_of(own_server) as log:
        append_texts(log, match, 0, "created")
    end(own_server)
    assert own_server.pid is None
    own_server.start()
    with log_of(own_server) as log:
        assert texts_of(log, match) == ["created"]


def test_other_users_cannot_open_it(own_server: EmbeddedServer) -> None:
    """Only this user can open the folder and the socket, and no port is open."""
    assert mode(own_server.data_dir) == 0o700
    assert mode(own_server.socket_path) == 0o700
    with closing(connect(own_server.url())) as client:
        assert client.config_get("port") == {"port": "0"}


def test_a_folder_open_to_other_users_is_made_private(short_dir: Path) -> None:
    (short_dir / "log").mkdir(mode=0o755)
    with EmbeddedServer(short_dir / "log") as server:
        assert mode(server.data_dir) == 0o700


def test_an_optional_port_on_the_loopback_address(short_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with EmbeddedServer(short_dir / "log", port=port) as server, log_of(server) as log:
        assert server.url(db=1) == f"redis://127.0.0.1:{port}/1"
        log.ping()


def test_two_databases(own_server: EmbeddedServer) -> None:
    with closing(connect(own_server.url(db=0))) as first, closing(connect(own_server.url(db=1))) as second:
        first.set("where", "first")
        assert second.get("where") is None


def test_a_folder_with_a_difficult_name(short_dir: Path) -> None:
    with EmbeddedServer(short_dir / "Čokoládový 100% dort? #1") as server, log_of(server) as log:
        append_texts(log, new_match_id(), 0, "created")


def test_a_long_path_moves_the_socket_to_a_private_folder(short_dir: Path) -> None:
    """The folder is always the same, so that other processes find it."""
    folder = short_dir / ("long" * 40)
    with EmbeddedServer(folder) as server, log_of(server) as log:
        log.ping()
        assert len(str(server.socket_path)) < 100
        assert mode(server.socket_path.parent) == 0o700
        assert EmbeddedServer(folder).url() == server.url()
        assert EmbeddedServer(short_dir / ("long" * 41)).url() != server.url()


def test_a_symlink_in_place_of_the_private_folder_is_refused(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user may have created it in the shared temporary folder."""
    (short_dir / "elsewhere").mkdir()
    (short_dir / f"crumbtrail-{os.getuid()}").symlink_to(short_dir / "elsewhere")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(short_dir))
    with pytest.raises(EmbeddedServerFailed, match="belongs to another user"):
        EmbeddedServer(short_dir / ("long" * 40)).start()


# -- one server on a folder -----------------------------------------------------------------------------------------


def test_a_second_server_on_the_folder_is_refused(own_server: EmbeddedServer) -> None:
    second = EmbeddedServer(own_server.data_dir)
    assert second.running_pid() == own_server.pid
    with pytest.raises(AlreadyRunning, match=f"already running in .* \\(process {own_server.pid}\\)") as refusal:
        second.start()
    assert refusal.value.pid == own_server.pid
    with pytest.raises(AlreadyRunning):
        own_server.start()
    with log_of(own_server) as log:
        log.ping()


def test_a_second_server_started_by_the_command_is_refused(own_server: EmbeddedServer) -> None:
    done = subprocess.run(own_server.command(), check=False, capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert done.stderr.startswith(f"A server is already running in {own_server.data_dir}")
    with log_of(own_server) as log:
        log.ping()


def test_only_one_of_several_concurrent_starts_succeeds(short_dir: Path) -> None:
    """Two servers that write to the same file would destroy it."""
    server = EmbeddedServer(short_dir / "log")
    starting = [
        subprocess.Popen(server.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(4)
    ]
    server.wait()
    deadline = time.monotonic() + 60
    while sum(process.poll() is None for process in starting) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    (winner,) = [process for process in starting if process.poll() is None]
    assert server.running_pid() == winner.pid
    winner.terminate()
    assert winner.wait(60) == 0
    assert [process.returncode for process in starting if process is not winner] == [1, 1, 1]


OWNER = """
import os, signal, sys
from pathlib import Path
from service.event_store.embedded import EmbeddedServer
EmbeddedServer(Path(sys.argv[1])).start()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_server_whose_owner_was_killed_is_replaced(short_dir: Path) -> None:
    """Given a killed owner whose server still runs, when the next one starts, then the old server is stopped first."""
    server, match = EmbeddedServer(short_dir / "log"), new_match_id()
    subprocess.run([sys.executable, "-c", OWNER, str(server.data_dir)], timeout=20, check=False)
    orphan = server.running_pid()
    assert orphan is not None
    with log_of(server) as log:
        append_texts(log, match, 0, "created")
        with server:
            assert server.running_pid() == server.pid != orphan
            assert texts_of(log, match) == ["created"]


def test_a_stale_lock_file_is_ignored(short_dir: Path) -> None:
    folder = short_dir / "log"
    folder.mkdir()
    (folder / "server.lock").write_text(str(os.getpid()))
    with EmbeddedServer(folder) as server:
        assert server.running_pid() == server.pid


# -- processes ------------------------------------------------------------------------------------------------------


def test_ctrl_c_does_not_reach_the_server(own_server: EmbeddedServer) -> None:
    """The server runs in its own session, not in the terminal's."""
    assert own_server.pid is not None
    assert os.getsid(own_server.pid) == own_server.pid != os.getsid(0)


def test_the_command_runs_in_the_foreground_and_can_be_restarted(short_dir: Path) -> None:
    """A supervisor restarts it like this after it was killed. SIGTERM ends it cleanly."""
    server = EmbeddedServer(short_dir / "log")
    match = new_match_id()
    for ply in range(2):
        process = subprocess.Popen(server.command(), start_new_session=True)
        server.wait()
        assert server.running_pid() == process.pid
        with log_of(server) as log:
            append_texts(log, match, ply, f"move {ply}")
        process.kill()
        process.wait()
    process = subprocess.Popen(server.command(), start_new_session=True)
    server.wait()
    with log_of(server) as log:
        assert texts_of(log, match) == ["move 0", "move 1"]
    process.terminate()
    assert process.wait(60) == 0
    assert server.running_pid() is None


def test_stopping_a_stopped_server_is_no_error(short_dir: Path) -> None:
    server = EmbeddedServer(short_dir / "log")
    server.stop()
    server.kill()


def test_a_server_that_does_not_stop_is_killed(own_server: EmbeddedServer) -> None:
    pid = own_server.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    own_server.stop(timeout=0.3)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# -- errors --------------------------------------------------------------------------------------------------------


def test_a_damaged_file_prevents_the_start(own_server: EmbeddedServer) -> None:
    """Given damage in the middle of the file, then no server runs, the file is unchanged, and the error says why."""
    with log_of(own_server) as log:
        match = new_match_id()
        for ply in range(20):
            append_texts(log, match, ply, f"move {ply}")
    own_server.stop()
    (file,) = (own_server.data_dir / "appendonlydir").glob("*.incr.aof")
    whole = file.read_bytes()
    damaged = whole.replace(b"$4\r\nXADD", b"!4\r\nXADD", 1)
    file.write_bytes(damaged)
    with pytest.raises(EmbeddedServerFailed, match=r"ended with exit code 1(?s:.*)Bad file format"):
        own_server.start()
    assert file.read_bytes() == damaged
    file.write_bytes(whole)
    own_server.start()


def test_a_taken_port(short_dir: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(EmbeddedServerFailed, match=r"ended with exit code 1(?s:.*)Address already in use"),
    ):
        EmbeddedServer(short_dir / "log", port=taken.getsockname()[1]).start()


def test_a_file_where_the_folder_should_be(short_dir: Path) -> None:
    (short_dir / "log").write_text("")
    with pytest.raises(EmbeddedServerFailed, match="cannot be used: File exists"):
        EmbeddedServer(short_dir / "log").start()


def test_no_binary_for_this_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(EmbeddedServerFailed, match="win32 machine: set CRUMBTRAIL_LOG_URL"):
        server_binary()


def test_a_package_without_its_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, how: False)
    with pytest.raises(EmbeddedServerFailed, match="Reinstall it, or set CRUMBTRAIL_LOG_URL"):
        server_binary()


def test_loading_a_long_file_may_take_longer_than_the_timeout(short_dir: Path) -> None:
    """Given a server that answers LOADING for 0.6 s, then waiting with a timeout of 0.3 s succeeds."""
    server = EmbeddedServer(short_dir / "log")
    server.prepare()
    ready_at = time.monotonic() + 0.6
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(server.socket_path))
        listener.listen()

        def answer() -> None:
            ready = False
            while not ready:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(64)
                    ready = time.monotonic() > ready_at
                    connection.sendall(b"+PONG\r\n" if ready else b"-LOADING Valkey is loading the dataset\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        server.wait(timeout=0.3)
        assert time.monotonic() > ready_at
        thread.join()


def test_a_server_that_never_answers(short_dir: Path) -> None:
    server = EmbeddedServer(short_dir / "log")
    server.prepare()
    with pytest.raises(EmbeddedServerFailed, match=r"did not answer within 0\.1 seconds"):
        server.wait(timeout=0.1)
