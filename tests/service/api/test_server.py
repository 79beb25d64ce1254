"""A real server: gunicorn with two gevent workers, as `crumbtrail web` starts it."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.kernel.registry import find_game
from service.cli.listen import free_port
from service.cli.web import gunicorn_command
from service.event_store.embedded import EmbeddedServer
from tests import plain_http
from tests.builders import play_match, replay_file
from tests.names import fresh_name

SSE = {"Accept": "text/event-stream"}
START_SECONDS = 120


class Site:
    """A running server."""

    def __init__(self, base: str, process: "subprocess.Popen[bytes]") -> None:
        self.base = base
        self.process = process
        self.http = plain_http.Client(base_url=f"{base}/api/v1", timeout=60)

    def player(self, name: str) -> dict[str, str]:
        """Register a player and return the Authorization header."""
        token = self.http.post("/players", json={"name": fresh_name(name)}).json()["token"]
        return {"Authorization": f"Bearer {token}"}

    def table(self, game: str = "tic_tac_toe") -> tuple[str, dict[str, str], dict[str, str]]:
        """Start a match and return its id and the headers of both players."""
        ann, bob = self.player("Ann"), self.player("Bob")
        body = {"game": game, "seats": [{"kind": "me"}, {"kind": "open"}]}
        match = self.http.post("/matches", json=body, headers=ann).json()["match"]["id"]
        self.http.post(f"/matches/{match}/seats/1", json={}, headers=bob)
        return match, ann, bob

    def mark(self, match: str, player: dict[str, str], cell: int) -> httpx.Response:
        """Make a move."""
        return self.http.post(f"/matches/{match}/moves", json={"type": "mark", "cell": cell}, headers=player)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, server: EmbeddedServer) -> Iterator[Site]:
    """Return gunicorn on a free port, with the shared log."""
    folder = tmp_path_factory.mktemp("metrics")
    with serve(server, PROMETHEUS_MULTIPROC_DIR=str(folder)) as site:
        yield site


class serve:
    """Starts gunicorn, and stops it by its process id."""

    def __init__(self, server: EmbeddedServer, **settings: str) -> None:
        self.port = free_port("127.0.0.1")
        environment = os.environ | {"CRUMBTRAIL_LOG_URL": server.url()} | settings
        self.process = subprocess.Popen(gunicorn_command("127.0.0.1", self.port), env=environment)

    def __enter__(self) -> Site:
        base = f"http://127.0.0.1:{self.port}"
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            try:
                if plain_http.get(f"{base}/readyz", timeout=2).status_code == 200:
                    return Site(base, self.process)
            except httpx.HTTPError:
                time.sleep(0.1)
        self.__exit__()
        raise AssertionError("gunicorn did not become ready")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def entries(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """Yield the entries of an event stream."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name in ("id", "event", "data"):
            fields[name] = value
        if not line and fields:
            yield fields
            fields = {}


def test_many_clients_stream_a_match(site: Site) -> None:
    match, ann, bob = site.table()
    watchers = 40
    received: list[list[int]] = [[] for _ in range(watchers)]
    ready = threading.Barrier(watchers + 1)

    def watch(number: int) -> None:
        with plain_http.stream("GET", f"{site.base}/api/v1/matches/{match}/stream", headers=SSE, timeout=60) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("retry")
            ready.wait()
            received[number] = [int(entry["id"]) for entry in entries(lines)]

    threads = [threading.Thread(target=watch, args=(number,)) for number in range(watchers)]
    for thread in threads:
        thread.start()
    ready.wait(60)
    slowest = 0.0
    for player, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        began = time.monotonic()
        assert site.mark(match, player, cell).status_code == 201
        slowest = max(slowest, time.monotonic() - began)
    for thread in threads:
        thread.join(60)
    assert received == [list(range(1, 12))] * watchers
    assert slowest < 20, "open streams do not hold up a move"


def test_a_repeatedly_interrupted_stream_neither_loses_nor_repeats_events(site: Site) -> None:
    match, ann, bob = site.table()
    received: list[int] = []

    def watch() -> None:
        while True:
            headers = SSE | ({"Last-Event-ID": str(received[-1])} if received else {})
            with plain_http.stream(
                "GET", f"{site.base}/api/v1/matches/{match}/stream", headers=headers, timeout=20
            ) as answer:
                if answer.status_code == 204:
                    return
                for entry in entries(answer.iter_lines()):
                    received.append(int(entry["id"]))
                    if len(received) % 2:
                        break  # hang up in the middle

    watcher = threading.Thread(target=watch)
    watcher.start()
    for player, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        site.mark(match, player, cell)
        time.sleep(0.05)
    watcher.join(30)
    assert not watcher.is_alive()
    assert received == list(range(1, 12))


def test_events_are_streamed_as_json_lines(site: Site) -> None:
    match, ann, bob = site.table()
    site.http.post(f"/matches/{match}/moves", json={"type": "resign"}, headers=bob)
    with plain_http.stream("GET", f"{site.base}/api/v1/matches/{match}/stream", headers=ann, timeout=60) as answer:
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        events = [json.loads(line) for line in answer.iter_lines() if line]
    assert [event["kind"] for event in events[-3:]] == ["moved", "ended", "seed_revealed"]


def test_a_wait_in_one_process_ends_with_a_move_in_another(site: Site) -> None:
    match, ann, bob = site.table()
    found: list[Any] = []

    def wait() -> None:
        answer = plain_http.get(f"{site.base}/api/v1/matches/{match}/events?after=4&wait=30", headers=bob, timeout=60)
        found.append(answer.json())

    waiters = [threading.Thread(target=wait) for _ in range(6)]
    for waiter in waiters:
        waiter.start()
    time.sleep(0.5)
    began = time.monotonic()
    site.mark(match, ann, 4)
    for waiter in waiters:
        waiter.join(60)
    assert time.monotonic() - began < 20, "the waits end early, long before their 30 seconds"
    assert [[event["ply"] for event in answer["events"]] for answer in found] == [[5]] * 6


@pytest.mark.parametrize("size", [70_000, 3_000_000])
def test_a_huge_body_is_refused_with_a_problem_document(site: Site, size: int) -> None:
    answer = site.http.post(
        "/players", content=b'{"name":"' + b"x" * size + b'"}', headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")

    def pieces() -> Iterator[bytes]:
        yield b'{"name":"'
        for _ in range(size // 10_000):
            yield b"x" * 10_000
        yield b'"}'

    answer = site.http.post("/players", content=pieces(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_a_long_verification_does_not_block_other_requests(site: Site) -> None:
    raw = replay_file(play_match(find_game("mice_cake")))
    done: list[httpx.Response] = []

    def verify() -> None:
        done.append(plain_http.post(f"{site.base}/api/v1/replays/verify", content=raw, timeout=60))

    threads = [threading.Thread(target=verify) for _ in range(2)]
    for thread in threads:
        thread.start()
    slowest = 0.0
    while any(thread.is_alive() for thread in threads):
        began = time.monotonic()
        assert plain_http.get(f"{site.base}/healthz", timeout=60).status_code == 200
        slowest = max(slowest, time.monotonic() - began)
    assert [answer.status_code for answer in done] == [200, 200]
    assert slowest < 2


def test_the_counters_of_both_processes_are_summed(site: Site) -> None:
    def counted(name: str) -> float:
        lines = plain_http.get(f"{site.base}/metrics", timeout=60).text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name))

    accepted = 'crumbtrail_moves_total{code="accepted",game="tic_tac_toe"}'
    match, ann, bob = site.table()
    before = counted(accepted)
    for player, cell in ((ann, 0), (bob, 3), (ann, 1)):
        with plain_http.Client(timeout=60) as fresh:  # a new connection, so that both processes get requests
            url = f"{site.base}/api/v1/matches/{match}/moves"
            assert fresh.post(url, json={"type": "mark", "cell": cell}, headers=player).status_code == 201
    assert counted(accepted) == before + 3
    assert counted("crumbtrail_request_seconds_count") > 0
    with ExitStack() as streams:
        for _ in range(5):
            url = f"{site.base}/api/v1/matches/{match}/stream"
            answer = streams.enter_context(plain_http.stream("GET", url, timeout=60))
            next(answer.iter_raw())
        assert counted("crumbtrail_open_streams") == 5
    until = time.monotonic() + 15
    while counted("crumbtrail_open_streams") and time.monotonic() < until:
        time.sleep(0.2)
    assert counted("crumbtrail_open_streams") == 0, "a closed stream is noticed at the next keepalive"


def test_the_folder_of_the_counters_is_deleted(server: EmbeddedServer, tmp_path: Path) -> None:
    # given: gunicorn without a configured folder for counters
    with serve(server, TMPDIR=str(tmp_path)) as site:
        line, counted = re.compile(r'crumbtrail_request_seconds_count{.*route="/readyz".*} (.*)'), 0.0
        for count in range(1, 21):
            assert plain_http.get(f"{site.base}/readyz").status_code == 200
            counted = float(line.findall(plain_http.get(f"{site.base}/metrics").text)[0])
            # then: both processes serve the sum
            assert counted >= count
        assert [path.name[:18] for path in tmp_path.iterdir()] == ["crumbtrail-metrics"]
    assert list(tmp_path.iterdir()) == []


def test_the_streams_of_a_dead_process_are_not_counted(tmp_path: Path) -> None:
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}

    def run(code: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True
        ).stdout.decode()

    imports = "from service.runtime.metrics import *; "
    run(imports + "OPEN_STREAMS.inc(); MOVE_COUNTER.labels('tic_tac_toe', 'accepted').inc()")
    rendered = run(imports + "forget_dead_processes(); print(render_counters().decode())")
    assert "crumbtrail_open_streams 1" not in rendered
    assert 'crumbtrail_moves_total{code="accepted",game="tic_tac_toe"} 1.0' in rendered
    counted = run(imports + "OPEN_STREAMS.inc(); print(render_counters().decode())")
    assert "crumbtrail_open_streams 1.0" in counted


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl and bash")
def test_the_tour_in_the_documentation_works(site: Site) -> None:
    page = (Path(__file__).parents[3] / "docs" / "api.md").read_text()
    script = "".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env=os.environ | {"api": f"{site.base}/api/v1"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    output = ran.stdout.decode()
    assert '"code"' not in output, "no request of the tour is refused"
    assert '"kind":"started"' in output
    assert output.splitlines()[-1] == "verified"


def test_the_server_stops_quickly_despite_open_streams(server: EmbeddedServer, tmp_path: Path) -> None:
    running = serve(server, PROMETHEUS_MULTIPROC_DIR=str(tmp_path))
    with running as site:
        match, _, _ = site.table()
        with plain_http.stream("GET", f"{site.base}/api/v1/matches/{match}/stream", timeout=60) as answer:
            next(answer.iter_raw())
            began = time.monotonic()
            site.process.terminate()
            site.process.wait(60)
            assert time.monotonic() - began < 30, "it does not wait for the reader"
