"""Moves and live streams with each of the server programs that we considered.

granian is installed as pinned in `peers/granian.txt`; the others are installed already. All run two processes. A
watcher costs a greenlet with gevent and a thread with the others, so those get a thread for each possible watcher.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

import msgspec
from redis import Redis

from bench.edge import DRAWN_GAME, environment_of, move_requests, moves, new_match
from bench.load import Load, Serving, call, converse, free_port, gunicorn, serving
from bench.measure import Row, in_turns_of
from bench.record import PROJECT
from service.event_store.embedded import EmbeddedServer

PEERS = PROJECT / ".peers" / "granian"
PINNED = Path(__file__).parent / "peers" / "granian.txt"
WATCHERS = 300
THREADS = 400
"""Threads per process. Each watcher takes one, and all watchers may connect to the same process."""
SEEN_SECONDS = 10.0
APPLICATION = "service.wsgi:app()"


class Watched(msgspec.Struct, frozen=True):
    """The updates that the watchers of one game received.

    The share of all updates that arrived, the delay of the last one in ms, and the memory per watcher in bytes.
    """

    share: float
    late: list[float]
    memory: float


def rows() -> Iterator[Row]:
    """Yield moves at 8 connections, the cost of one, and the watchers of one match, for each server."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        log = stack.enter_context(EmbeddedServer(folder / "log"))
        with Redis.from_url(log.url(0)) as redis:
            redis.config_set("appendfsync", "everysec")
        missing = fetched()
        running: dict[str, Serving] = {}
        for name in NAMES:
            if name != "granian" or not missing:
                running[name] = stack.enter_context(started(name, log.url(0), folder))
        token = call(running["gunicorn, gevent"].port, "POST", "/api/v1/players", {"name": "Bench"})["token"]
        loads = in_turns_of({name: under_moves(server, token) for name, server in running.items()})
        watched = {name: watch(server, token) for name, server in running.items()}
    for name in NAMES:
        if name in running:
            yield from figures(name, loads[name], watched[name])
        else:
            yield Row(f"accepted moves, 8 connections: {name}", missing=missing)


def figures(name: str, loads: list[Load], watched: Watched) -> Iterator[Row]:
    """Yield the rows of one server."""
    yield Row(f"accepted moves, 8 connections: {name}", [load.rate for load in loads], "/s")
    yield Row(f"processor time of a move: {name}", [load.cost for load in loads], "us")
    yield Row(f"share of events seen by {WATCHERS} watchers: {name}", [watched.share])
    yield Row(f"from a move to the last watcher who saw it: {name}", watched.late, "ms")
    yield Row(f"memory of a watcher: {name}", [watched.memory / 1024], "kB")


def under_moves(server: Serving, token: str) -> Callable[[], Load]:
    """Run one round of moves."""
    return lambda: moves(server, token, 8)


# -- servers ------------------------------------------------------------------------------------------------------

NAMES = ("gunicorn, gevent", "gunicorn, threads", "granian")


def fetched() -> str:
    """Install granian unless it is there. Return the reason if that is impossible."""
    if PEERS.exists():
        return ""
    uv = shutil.which("uv")
    install = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    command = [*install, "--require-hashes", "--target", str(PEERS), "-r", str(PINNED)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    shutil.rmtree(PEERS, ignore_errors=True)
    return "granian could not be downloaded"


def started(name: str, log_url: str, folder: Path) -> AbstractContextManager[Serving]:
    """Start the service with this server."""
    port = free_port("127.0.0.1")
    metrics = folder / f"metrics-{port}"
    metrics.mkdir()
    environment = environment_of(log_url, metrics)
    if name == "granian":
        environment["PYTHONPATH"] = f"{PROJECT}:{PEERS}"
    return serving(command_of(name, port), port, environment)


def command_of(name: str, port: int) -> list[str]:
    """Return the command that starts the service with this server."""
    if name == "gunicorn, gevent":
        return gunicorn(APPLICATION, port)
    if name == "gunicorn, threads":
        return gunicorn(APPLICATION, port, "--worker-class", "gthread", "--threads", str(THREADS))
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--host", "127.0.0.1"),
        *("--port", str(port), "--workers", "2", "--blocking-threads", str(THREADS), "--no-log", "service.wsgi:app"),
    ]


# -- watchers -----------------------------------------------------------------------------------------------------


def watch(server: Serving, token: str) -> Watched:
    """Connect WATCHERS to one match and play a game."""
    match = new_match(server.port, token)
    before = server.resident_bytes()
    with Watchers(server.port, match) as watchers:
        watchers.settle()
        memory = (server.resident_bytes() - before) / WATCHERS
        late, seen = [], 0
        for request in move_requests(match, token)[: len(DRAWN_GAME) - 1]:
            start = time.perf_counter()
            converse(server.port, [[request]], 1)
            count, last = watchers.see_one_more()
            seen += count
            late.append((last - start) * 1000)
    return Watched(seen / (WATCHERS * (len(DRAWN_GAME) - 1)), late, memory)


class Watchers:
    """Spectators of one match by server-sent events, from its next event on."""

    def __init__(self, port: int, match: str) -> None:
        request = f"GET /api/v1/matches/{match}/stream HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n"
        self._selector = DefaultSelector()
        self._sockets = []
        for _ in range(WATCHERS):
            found = socket.create_connection(("127.0.0.1", port), timeout=30)
            found.sendall(request.encode())
            self._selector.register(found, EVENT_READ)
            self._sockets.append(found)
        self._seen = dict.fromkeys(self._sockets, 0)
        self._tails = dict.fromkeys(self._sockets, b"")

    def __enter__(self) -> "Watchers":
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._sockets:
            each.close()
        self._selector.close()

    def settle(self) -> None:
        """Read until all have the same events, or until SEEN_SECONDS have passed."""
        self._listen(lambda: min(self._seen.values()) > 0 and len(set(self._seen.values())) == 1)

    def see_one_more(self) -> tuple[int, float]:
        """Return how many of them get the next event, and when the last one did."""
        before = dict(self._seen)
        last = self._listen(lambda: all(self._seen[each] > before[each] for each in self._sockets))
        return sum(self._seen[each] > before[each] for each in self._sockets), last

    def _listen(self, done: Callable[[], bool]) -> float:
        """Read until the condition is met or SEEN_SECONDS have passed. Return when the last bytes arrived."""
        ends, last = time.perf_counter() + SEEN_SECONDS, time.perf_counter()
        while time.perf_counter() < ends and not done():
            for key, _ in self._selector.select(0.05):
                found: socket.socket = key.fileobj  # type: ignore[assignment]
                text = self._tails[found] + (read := found.recv(65536))
                if not read:
                    self._selector.unregister(found)
                    continue
                if count := text.count(b"\nid: "):
                    self._seen[found] += count
                    last = time.perf_counter()
                self._tails[found] = text[-4:]
        return last
