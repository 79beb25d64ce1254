"""Live updates: a thousand watchers of one match, a thousand matches with two watchers each, and the cost of idle ones.

The watchers read JSON lines, like any client. Each update is counted, and timed from the moment when the move was sent.
This process reads all of them, so its own work is part of the figures.
"""

import json
import re
import resource
import selectors
import socket
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.measure import ROUNDS, Row, at_most
from bench.site import HOST, Site, site

WATCHERS = 1000
MATCHES = 1000
PLAYERS = 100
"""The number of players in these matches. Each plays many."""
MOVES_A_SECOND = 100
"""The number of moves in all of them together."""
SECONDS = 3.0
IDLE_SECONDS = 4.0
PAUSE_SECONDS = 0.25
"""Seconds between two moves of the one match."""
PATIENCE = 30.0
MOVERS = 16
"""The number of connections for moves."""
FILES_NEEDED = 8192
CONNECTING = 64
"""The number of watchers that connect at the same time."""
SLOWEST = 250.0
"""The longest delay that people perceive as immediate, in milliseconds."""
DRAWN_GAME = (0, 1, 2, 4, 3, 5, 7, 6, 8)
FIRST_MOVE = 5
"""The ply of the first move, after the creation, two seats taken, and the start."""
ENDS = 2
"""The number of events after the last move: the end and the seed."""


def rows() -> Iterator[Row]:
    """Yield delay, completeness and memory of watchers, and the processor time of idle matches."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES_NEEDED:
        yield Row(
            f"{WATCHERS} watchers of one match", missing=f"a process may open {hard} files, {FILES_NEEDED} are needed"
        )
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, FILES_NEEDED), hard))
    with tempfile.TemporaryDirectory(prefix="ct-bench-") as folder, site(Path(folder) / "site") as service:
        yield from one_match(service)
        yield from many_matches(service)


def one_match(service: Site) -> Iterator[Row]:
    """Play one match after another, each with all watchers."""
    delays, wrong, memory = [], [], []
    ann, bob = Desk(service.port).players(2)
    for number in range(ROUNDS + 1):
        desk = Desk(service.port)
        match = desk.new_match(ann, bob)
        before = service.programs["web"].memory()
        with Crowd.of(service.port, [(match, "")] * WATCHERS) as crowd:
            if number == 0:
                memory.append((service.programs["web"].memory() - before) / WATCHERS / 1024)
            for ply, cell in enumerate(DRAWN_GAME):
                desk.move(match, (ann, bob)[ply % 2], cell, crowd)
                crowd.read_for(PAUSE_SECONDS, desk)
            crowd.read_until(FIRST_MOVE + len(DRAWN_GAME) - 1 + ENDS, desk)
            if number:
                delays.append(percentile(crowd.delays, 0.99))
                wrong.append(crowd.wrong + abs(len(crowd.delays) - WATCHERS * len(DRAWN_GAME)))
    yield Row(f"{WATCHERS:,} watchers of one match: move to update, p99", delays, "ms", at_most(SLOWEST))
    yield Row(f"{WATCHERS:,} watchers of one match: updates missing, doubled or out of order", wrong, "", at_most(0))
    yield Row("memory of a watcher in the web processes, one match", memory, "kB")


def many_matches(service: Site) -> Iterator[Row]:
    """Create many matches, first without watchers, then with two each: idle, then played."""
    with ExitStack() as stack:
        desk = Desk(service.port)
        none = idle(service)
        people = desk.players(PLAYERS)
        pairs = [(people[n % PLAYERS], people[(n + 1) % PLAYERS]) for n in range(MATCHES)]
        matches = [desk.new_match(*pair) for pair in pairs]
        unwatched = idle(service)
        before = service.programs["web"].memory()
        wanted = [(match, player) for match, pair in zip(matches, pairs, strict=True) for player in pair]
        crowd = stack.enter_context(Crowd.of(service.port, wanted))
        memory = (service.programs["web"].memory() - before) / len(wanted) / 1024
        watched = idle(service, crowd, desk)
        delays, wrong, made = [], [], 0
        for number in range(ROUNDS + 1):
            crowd.forget()
            moves = int(MOVES_A_SECOND * SECONDS)
            begin = time.perf_counter()
            for n in range(moves):
                crowd.read_for(begin + n / MOVES_A_SECOND - time.perf_counter(), desk)
                turn, which = divmod(made, MATCHES)
                desk.move(matches[which], pairs[which][turn % 2], DRAWN_GAME[turn], crowd)
                made += 1
            crowd.read_until_heard(2 * moves, desk)
            if number:
                delays.append(percentile(crowd.delays, 0.99))
                wrong.append(crowd.wrong + abs(len(crowd.delays) - 2 * moves))
    what = f"{MATCHES:,} matches with two watchers each"
    yield Row(f"{what}, {MOVES_A_SECOND} moves a second: move to update, p99", delays, "ms", at_most(SLOWEST))
    yield Row(f"{what}: updates missing, doubled or out of order", wrong, "", at_most(0))
    yield Row("memory of a watcher in the web processes, a match for every two", [memory], "kB")
    yield Row("processor time of the web processes in a second: no match", none, "ms")
    idling = [after - before for after, before in zip(unwatched, none, strict=True)]
    yield Row(f"the same with {MATCHES:,} idle matches", unwatched, "ms")
    yield Row(f"what {MATCHES:,} idle matches add to it", idling, "ms", at_most(1))
    yield Row(f"the same with {len(wanted):,} idle watchers of them", watched, "ms")


def idle(service: Site, crowd: "Crowd | None" = None, desk: "Desk | None" = None) -> list[float]:
    """Return the processor time in ms of the web processes in each idle second."""
    found = []
    for _ in range(ROUNDS):
        before = service.processor_seconds()["web"]
        if crowd is not None and desk is not None:
            crowd.read_for(IDLE_SECONDS, desk)
        else:
            time.sleep(IDLE_SECONDS)
        found.append((service.processor_seconds()["web"] - before) / IDLE_SECONDS * 1000)
    return found


def percentile(figures: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies."""
    return sorted(figures)[int(len(figures) * share)]


# -- players ----------------------------------------------------------------------------------------------------


class Desk:
    """Sends moves without waiting for answers, on a few connections with one request each at a time.

    The connections belong to the crowd that reads them, and are closed with it.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: deque[socket.socket] = deque()
        self._asked: dict[socket.socket, bytes] = {}
        self._answers: dict[socket.socket, bytes] = {}
        """The answers received so far."""
        self._waiting: deque[bytes] = deque()

    def players(self, count: int) -> list[str]:
        """Register new players and return their tokens."""
        return [self._ask("/players", {"name": f"Player {number}"})["token"] for number in range(count)]

    def new_match(self, first: str, second: str) -> str:
        """Create a tic-tac-toe match that has started."""
        wish = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]}
        match = str(self._ask("/matches", wish, first)["match"]["id"])
        self._ask(f"/matches/{match}/seats/1", {}, second)
        return match

    def move(self, match: str, player: str, cell: int, crowd: "Crowd") -> None:
        """Send a move and start the clock of its updates."""
        crowd.sent(match)
        self._send(request("POST", f"/matches/{match}/moves", player, b'{"type": "mark", "cell": %d}' % cell), crowd)

    def answered(self, connection: socket.socket, crowd: "Crowd") -> None:
        """Read the answer to a move, which must be 201, or the end of a connection that was idle for too long."""
        try:
            data = connection.recv(1 << 20)
        except ConnectionError:
            data = b""
        if not data:
            self._gone(connection, crowd)
            return
        answer = self._answers.pop(connection, b"") + data
        if not is_whole(answer):
            self._answers[connection] = answer
            return
        if not answer.startswith(b"HTTP/1.1 201"):
            raise RuntimeError(answer.decode(errors="replace"))
        del self._asked[connection]
        self._free.append(connection)
        if self._waiting:
            self._send(self._waiting.popleft(), crowd)

    def _gone(self, connection: socket.socket, crowd: "Crowd") -> None:
        crowd.unlisten(connection)
        if connection in self._free:
            self._free.remove(connection)
        if (asked := self._asked.pop(connection, None)) is not None:
            self._send(asked, crowd)

    def _send(self, raw: bytes, crowd: "Crowd") -> None:
        if not self._free and len(self._asked) >= MOVERS:
            self._waiting.append(raw)
            return
        connection = self._free.pop() if self._free else crowd.listen(self._port)
        self._asked[connection] = raw
        connection.sendall(raw)

    def _ask(self, path: str, body: Any, token: str = "") -> Any:
        with socket.create_connection((HOST, self._port), timeout=PATIENCE) as connection:
            connection.sendall(request("POST", path, token, json.dumps(body).encode(), "Connection: close"))
            head, _, answer = b"".join(iter(lambda: connection.recv(1 << 20), b"")).partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 201"):
            raise RuntimeError((head + answer).decode(errors="replace"))
        return json.loads(answer)


def request(method: str, path: str, token: str = "", body: bytes = b"", *more: str) -> bytes:
    """Return a request to the API."""
    head = [f"{method} /api/v1{path} HTTP/1.1", f"Host: {HOST}", "Accept: application/x-ndjson", *more]
    if token:
        head.append(f"Authorization: Bearer {token}")
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, "", ""]).encode() + body


def is_whole(answer: bytes) -> bool:
    """Return whether the answer is complete."""
    head, found, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(found) and (length is None or len(body) >= int(length[1]))


# -- watchers --------------------------------------------------------------------------------------------------


class Ply(msgspec.Struct):
    """The part of an event that is needed to count it."""

    ply: int
    kind: str


_ply = msgspec.json.Decoder(Ply)


class Stream:
    """One live stream, and the last event that it has sent."""

    def __init__(self, match: str, connection: socket.socket) -> None:
        self.match = match
        self.connection = connection
        self.ply = 0
        self.rest = b""

    def take(self, data: bytes) -> list[Ply]:
        """Yield the events in the received bytes."""
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [_ply.decode(line) for line in lines if line.startswith(b"{")]


class Crowd:
    """All watchers, and the senders of moves. One loop reads them all."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._streams: list[Stream] = []
        self._sent: dict[str, deque[float]] = {}
        self._moves: dict[tuple[str, int], float] = {}
        self.delays: list[float] = []
        """The milliseconds from each move to each of its watchers."""
        self.wrong = 0
        """The number of events that arrived out of order."""

    @classmethod
    @contextmanager
    def of(cls, port: int, wanted: Sequence[tuple[str, str]]) -> "Iterator[Crowd]":
        """Connect watchers, each with a match and a token or none, and wait until all have the current events."""
        crowd = cls()
        try:
            for begin in range(0, len(wanted), CONNECTING):
                crowd._connect(port, wanted[begin : begin + CONNECTING])
            yield crowd
        finally:
            for key in list(crowd._selector.get_map().values()):
                crowd.unlisten(key.fileobj)  # type: ignore[arg-type]
            crowd._selector.close()

    def _connect(self, port: int, wanted: Sequence[tuple[str, str]]) -> None:
        new = []
        for match, token in wanted:
            connection = socket.create_connection((HOST, port), timeout=PATIENCE)
            connection.sendall(request("GET", f"/matches/{match}/stream", token))
            new.append(Stream(match, connection))
            self._selector.register(connection, selectors.EVENT_READ, new[-1])
        self._streams += new
        self._read_while(lambda: any(stream.ply < FIRST_MOVE - 1 for stream in new), None)

    def listen(self, port: int) -> socket.socket:
        """Open a new connection for moves."""
        connection = socket.create_connection((HOST, port), timeout=PATIENCE)
        self._selector.register(connection, selectors.EVENT_READ)
        return connection

    def unlisten(self, connection: socket.socket) -> None:
        """Close the connections."""
        self._selector.unregister(connection)
        connection.close()

    def sent(self, match: str) -> None:
        """Record that a move is being sent."""
        self._sent.setdefault(match, deque()).append(time.perf_counter())

    def forget(self) -> None:
        """Reset the counts."""
        self.delays, self.wrong = [], 0

    def read_for(self, seconds: float, desk: Desk) -> None:
        """Read everything that arrives within this time."""
        ends = time.perf_counter() + seconds
        while (left := ends - time.perf_counter()) > 0:
            self._read(left, desk)

    def read_until(self, ply: int, desk: Desk) -> None:
        """Read until all watchers have this ply, or until the time limit."""
        self._read_while(lambda: any(stream.ply < ply for stream in self._streams), desk)

    def read_until_heard(self, updates: int, desk: Desk) -> None:
        """Read until this number of updates has arrived, or until the time limit."""
        self._read_while(lambda: len(self.delays) < updates, desk)

    def _read_while(self, missing: Any, desk: Desk | None) -> None:
        ends = time.perf_counter() + PATIENCE
        while missing() and time.perf_counter() < ends:
            self._read(0.1, desk)

    def _read(self, seconds: float, desk: Desk | None) -> None:
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Stream):
                self._hear(key.data)
            elif desk is not None:
                desk.answered(key.fileobj, self)  # type: ignore[arg-type]

    def _hear(self, stream: Stream) -> None:
        data = stream.connection.recv(1 << 16)
        now = time.perf_counter()
        if not data:
            self._selector.unregister(stream.connection)
            stream.connection.close()
            return
        if data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(data.decode(errors="replace"))
        for event in stream.take(data):
            if event.ply != stream.ply + 1:
                self.wrong += 1
            stream.ply = event.ply
            if event.kind == "moved":
                self.delays.append((now - self._begun(stream.match, event.ply)) * 1000)

    def _begun(self, match: str, ply: int) -> float:
        """Return when the move before this ply was sent. The moves of a match come one after another."""
        known = self._moves.get((match, ply))
        if known is None:
            known = self._moves[match, ply] = self._sent[match].popleft()
        return known
