"""Requests during a renewal: how long players wait while all processes of `crumbtrail up` are replaced.

Players send requests at fixed times, whether or not earlier ones are answered, and each is timed from the moment when
it was due. So a pause counts for every request that was due during it. For comparison, gunicorn's own reload, which
stops its processes before the new ones answer, is measured in the same service.
"""

import http.client
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.live import percentile
from bench.measure import Row, at_most
from bench.site import HOST, wait_for
from service.cli.listen import free_port

ROUNDS = 3
PLAYERS = 12
REQUESTS_A_SECOND = 24
"""The number of requests of all players together: moves, new matches and pages in turn."""
QUIET_SECONDS = 5.0
PATIENCE = 30.0
RENEWAL_SECONDS = 120.0
DRAWN_GAME = (0, 1, 2, 4, 3, 5, 7, 6, 8)
LONGEST = at_most(500)
"""Milliseconds. Most people don't notice a shorter wait."""


def rows() -> Iterator[Row]:
    """Yield the waits without a renewal, during gunicorn's reload, and during a renewal of all processes."""
    with tempfile.TemporaryDirectory(prefix="ct-bench-") as folder, running_service(Path(folder)) as (up, port):
        load = Load(port)
        quiet, reloads, renewals, durations = [], [], [], []
        for _ in range(ROUNDS):
            quiet.append(load.during(lambda: time.sleep(QUIET_SECONDS)))
            (gunicorn,) = [pid for pid in children(up) if "gunicorn" in command(pid)]
            reloads.append(load.during(lambda pid=gunicorn: reload_gunicorn(pid)))  # type: ignore[misc]
            begin = time.monotonic()
            renewals.append(load.during(lambda: renew(up)))
            durations.append(time.monotonic() - begin)
    what = f"{REQUESTS_A_SECOND} requests a second"
    yield Row(f"{what}, no renewal: wait, p99", [percentile(waits, 0.99) for waits in quiet], "ms")
    for name, found, target in (
        ("gunicorn's own reload", reloads, None),
        ("all processes renewed", renewals, LONGEST),
    ):
        yield Row(f"{what}, {name}: wait, p99", [percentile(waits, 0.99) for waits in found], "ms", target)
        yield Row(f"{what}, {name}: longest wait", [max(waits) for waits in found], "ms")
    yield Row(f"{what}: failed", [load.failed], "", at_most(0))
    yield Row("time to renew all processes under this load", durations, "s")


class Load:
    """Players who send requests at fixed times."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.failed = 0

    def during(self, work: Any) -> list[float]:
        """Return the waits in ms of all requests that were due during the work."""
        over, waits = threading.Event(), list[float]()
        begin = time.monotonic()
        players = [threading.Thread(target=self._play, args=(n, begin, over, waits)) for n in range(PLAYERS)]
        for player in players:
            player.start()
        try:
            work()
        finally:
            over.set()
            for player in players:
                player.join()
        return waits

    def _play(self, number: int, begin: float, over: threading.Event, waits: list[float]) -> None:
        pause = PLAYERS / REQUESTS_A_SECOND
        player = Player(self._port, f"Player {os.urandom(4).hex()}")
        due = begin + pause * (1 + number / PLAYERS)
        for send in player.requests():
            if over.wait(max(0.0, due - time.monotonic())):
                break
            if not send():
                self.failed += 1
            waits.append((time.monotonic() - due) * 1000)
            due += pause


class Player:
    """One player with one connection at a time, who plays both sides of tic-tac-toe."""

    def __init__(self, port: int, name: str) -> None:
        self._port = port
        self._connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE)
        self._headers = {"Content-Type": "application/json"}
        _, registered = self._ask("POST", "/api/v1/players", {"name": name})
        self._headers["Authorization"] = f"Bearer {registered['token']}"

    def requests(self) -> Iterator[Any]:
        """Yield functions that send one request each and return whether it succeeded."""
        seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
        while True:
            made: list[Any] = []
            yield lambda made=made: self._create(made, seats)
            if made:
                path = f"/api/v1/matches/{made[0]}"
                yield lambda path=path: self._ask("GET", path)[0] == 200
                yield lambda: self._ask("GET", "/")[0] == 200
                yield lambda path=path: self._ask("POST", f"{path}/moves", {"type": "resign"})[0] == 201

    def _create(self, made: list[Any], seats: Any) -> bool:
        status, answer = self._ask("POST", "/api/v1/matches", {"game": "tic_tac_toe", "seats": seats})
        if status == 201:
            made.append(answer["match"]["id"])
        return status == 201

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the answer. A kept connection that was closed meanwhile is opened again, as RFC 9112
        asks of clients; a second failure gives the status 0."""
        for _ in range(2):
            try:
                self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
                answer = self._connection.getresponse()
                text = answer.read()
            except (http.client.HTTPException, OSError):
                self._connection.close()
                continue
            return answer.status, json.loads(text) if path.startswith("/api") else None
        return 0, None


@contextmanager
def running_service(folder: Path) -> Iterator[tuple[int, int]]:
    """Run `crumbtrail up` without rate limits. Yield its process id and its port."""
    port = free_port(HOST)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
    command = [sys.executable, "-m", "service.cli", "up", "--port", str(port), "--data", str(folder / "var")]
    process = subprocess.Popen(command, env=environment | {"CRUMBTRAIL_LIMITS": "off"}, stdout=subprocess.DEVNULL)
    try:
        wait_for(f"http://{HOST}:{port}/readyz")
        yield process.pid, port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def reload_gunicorn(master: int) -> None:
    """Let gunicorn replace its processes, and wait until the new ones have taken over."""
    before = set(children(master))
    os.kill(master, signal.SIGHUP)
    wait_until(lambda: (now := set(children(master))) and not now & before)
    time.sleep(QUIET_SECONDS)  # the new processes do not answer yet


def renew(up: int) -> None:
    """Let the supervisor replace all processes but the log server, and wait until the old ones have ended."""
    before = set(children(up))
    os.kill(up, signal.SIGHUP)
    wait_until(lambda: len(now := set(children(up))) == len(before) and len(now & before) == 1)


def wait_until(condition: Any) -> None:
    """Wait until the condition holds. Raises TimeoutError."""
    until = time.monotonic() + RENEWAL_SECONDS
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(f"the renewal took more than {RENEWAL_SECONDS:g} s")
        time.sleep(0.1)


def children(parent: int) -> list[int]:
    """Return the processes that this one started."""
    found = [path.read_text() for path in Path(f"/proc/{parent}/task").glob("*/children")]
    return sorted(map(int, itertools.chain.from_iterable(map(str.split, found))))


def command(pid: int) -> str:
    """Return the command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
