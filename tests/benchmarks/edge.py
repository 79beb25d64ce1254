"""A move over HTTP beside a bare Flask endpoint with token and append: same server program, same log, same run."""

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from service.cli.listen import free_port
from service.cli.web import gunicorn
from service.log.embedded import EmbeddedServer
from tests.benchmarks.floor import TOKEN
from tests.benchmarks.measure import ROUNDS, Row, at_least, at_most, in_turns, ratio

CONNECTIONS = 8
MATCHES = 24
DRAWN_GAME = (0, 1, 2, 4, 3, 5, 7, 6, 8)
"""Cells that fill a tic-tac-toe board without a line: nine accepted moves a match."""


def rows() -> Iterator[Row]:
    """Accepted moves a second, the floor's answers a second, and the ratios in rate and in processor time."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        server = stack.enter_context(EmbeddedServer(folder / "log"))
        service = stack.enter_context(serving("service.wsgi:app()", server.url(0), folder))
        floor = stack.enter_context(serving("tests.benchmarks.floor:app()", server.url(0), folder))
        token = call(service.port, "POST", "/api/v1/players", {"name": "Bench"})["token"]
        costs: dict[str, list[float]] = {"moves": [], "floor": []}

        def moves() -> float:
            boards = [new_match(service.port, token) for _ in range(MATCHES)]
            return timed(service, costs["moves"], [move_requests(board, token) for board in boards])

        def appends() -> float:
            body = b'{"type": "mark", "cell": 4}'
            requests = [http("POST", f"/append/{number}", body, TOKEN) for number in range(MATCHES)]
            return timed(floor, costs["floor"], [[request] * len(DRAWN_GAME) for request in requests])

        figures = in_turns({"moves": moves, "floor": appends})
    cost = {name: values[-ROUNDS:] for name, values in costs.items()}
    yield Row("accepted moves (8 connections, fsync always)", figures["moves"], "/s")
    yield Row("bare Flask with token and append", figures["floor"], "/s")
    yield Row("rate, accepted move : bare Flask", ratio(figures["moves"], figures["floor"]), target=at_least(0.8))
    yield Row("processor time of a move", cost["moves"], "us")
    yield Row("processor time, move : floor", ratio(cost["moves"], cost["floor"]), target=at_most(1.25))


class Serving:
    """One gunicorn and its port."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.process, self.port = process, port

    def processor_seconds(self) -> float:
        """User and system time of all its processes so far."""
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == self.process.pid:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(application: str, log_url: str, folder: Path) -> Iterator[Serving]:
    """The application under the command that `crumbtrail web` uses."""
    port = free_port("127.0.0.1")
    command = [application if word == "service.wsgi:app()" else word for word in gunicorn("127.0.0.1", port)]
    metrics = folder / f"metrics-{port}"
    metrics.mkdir()
    environment = {
        **os.environ,
        "CRUMBTRAIL_LIMITS": "off",
        "CRUMBTRAIL_LOG_URL": log_url,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
    }
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        wait_for(port)
        yield Serving(process, port)
    finally:
        process.terminate()
        process.wait(10)


def wait_for(port: int) -> None:
    """Wait until it answers."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"nothing answers on port {port}")


def timed(serving: Serving, costs: list[float], conversations: list[list[bytes]]) -> float:
    """Requests a second of the conversations, CONNECTIONS at once; notes the processor time of one in us."""
    before, start = serving.processor_seconds(), time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(lambda requests: converse(serving.port, requests), conversations))
    elapsed = time.perf_counter() - start
    count = sum(map(len, conversations))
    costs.append((serving.processor_seconds() - before) / count * 1e6)
    return count / elapsed


def converse(port: int, requests: list[bytes]) -> None:
    """The requests one after the other on one connection; each must be answered 201."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for request in requests:
            connection.sendall(request)
            answer = receive(connection)
            assert answer.startswith(b"HTTP/1.1 201"), answer[:500]


def receive(connection: socket.socket) -> bytes:
    """One answer."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(fields[b"content-length"]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def http(method: str, path: str, body: bytes, token: str = "") -> bytes:
    """One request."""
    head = [
        f"{method} {path} HTTP/1.1",
        "Host: bench",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    if token:
        head.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*head, "", ""]).encode() + body


def new_match(port: int, token: str) -> str:
    """A tic-tac-toe match with the same player on both seats."""
    wish = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "me"}]}
    return str(call(port, "POST", "/api/v1/matches", wish, token)["match"]["id"])


def move_requests(match: str, token: str) -> list[bytes]:
    """The nine moves of a drawn game, seats in turn."""
    return [
        http("POST", f"/api/v1/matches/{match}/moves?as={n % 2}", b'{"type": "mark", "cell": %d}' % cell, token)
        for n, cell in enumerate(DRAWN_GAME)
    ]


def call(port: int, method: str, path: str, body: Any, token: str = "") -> Any:
    """One request with a JSON answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(http(method, path, json.dumps(body).encode(), token))
        head, _, answer = receive(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 201"), (head, answer)
    return json.loads(answer)
