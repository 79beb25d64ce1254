"""Restarts during play: no accepted request is dropped, and none fails."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import httpx
import pytest
from redis import Redis

from service.cli.listen import free_port
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import LOG_FORMAT_KEY
from service.event_store.log_format import LOG_FORMAT
from tests import plain_http
from tests.processes import children_of
from tests.reliability.players import running_in_background
from tests.reliability.stack import Stack, running_stack
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses, children, create_bots_match, wait_until_over

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")

SEATS = [{"kind": "me"}, {"kind": "bot", "level": "random"}]


class Load:
    """Players who read and play continuously without retries, so that every failure is recorded."""

    def __init__(self, url: str, people: int, patience: float = 20) -> None:
        self.answers: Counter[int | str] = Counter()
        self._url = url
        self._people = people
        self._patience = patience

    def going_on(self) -> AbstractContextManager[None]:
        """Play until the block ends."""
        return running_in_background([self._play] * self._people)

    def _play(self, over: threading.Event) -> None:
        with plain_http.Client(base_url=self._url, timeout=self._patience) as http:
            name = f"Player {os.urandom(4).hex()}"
            token = http.post("/api/v1/players", json={"name": name}).json()["token"]
            http.headers["Authorization"] = f"Bearer {token}"
            while not over.is_set():
                self._one_match(http)

    def _one_match(self, http: httpx.Client) -> None:
        made = self._ask(http, "POST", "/api/v1/matches", json={"game": "tic_tac_toe", "seats": SEATS})
        if made is None:
            return
        path = f"/api/v1/matches/{made.json()['match']['id']}"
        self._ask(http, "GET", path)
        self._ask(http, "GET", "/")
        self._ask(http, "POST", f"{path}/moves", json={"type": "resign"})

    def _ask(self, http: httpx.Client, method: str, path: str, **more: object) -> httpx.Response | None:
        try:
            answer = http.request(method, path, **more)  # type: ignore[arg-type]
        except httpx.HTTPError as error:
            self.answers[type(error).__name__] += 1
            return None
        self.answers[answer.status_code] += 1
        return answer if answer.status_code < 400 else None


def masters(stack: Stack) -> dict[str, set[int]]:
    """Return the processes of each part; for the web, those of the gunicorn workers, whose master stays."""
    web = next(pid for pid in stack.pids("web") if pid in children_of(stack.process.pid))
    parts = {name: set(stack.pids(name)) for name in ("dispatcher", "bot worker", "audit worker")}
    return parts | {"web": set(children_of(web)), "log server": set(stack.pids("log server"))}


def test_all_processes_are_renewed_under_load_without_a_failed_request(tmp_path: Path) -> None:
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        before, load = masters(stack), Load(stack.url, 2)
        with load.going_on():
            wait_until(lambda: load.answers.total() > 50, 120)
            stack.process.send_signal(signal.SIGHUP)
            parts = [name for name in before if name != "log server"]
            wait_until(lambda: renewed(before, masters(stack), parts), 120, every=0.2)
            seen = load.answers.total()
            wait_until(lambda: load.answers.total() > seen + 50, 120)
        assert set(load.answers) <= {200, 201}, load.answers
        assert masters(stack)["log server"] == before["log server"]


@pytest.mark.full
def test_a_renewal_during_the_start_does_not_prevent_it(tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    command = [sys.executable, "-m", "service.cli", "up", "--port", str(port), "--data", str(tmp_path / "var")]
    with (tmp_path / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    stack = Stack(process, port, tmp_path / "output")
    try:
        for part in ("log server", "dispatcher", "web"):
            wait_until(partial(stack.pids, part), 60, every=0.05)
            process.send_signal(signal.SIGHUP)
        stack.wait_until_ready()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(40) == 0


def renewed(before: dict[str, set[int]], now: dict[str, set[int]], parts: list[str]) -> bool:
    """Return whether each of these parts runs only in new processes."""
    return all(now[name] and not now[name] & before[name] for name in parts)


@pytest.mark.full
def test_a_renewal_with_an_older_release_changes_nothing(tmp_path: Path) -> None:
    """Given a log that a newer release has written to, when the installed release is older, the renewal is refused and
    the running processes continue."""
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        before, load = children_of(stack.process.pid), Load(stack.url, 1)
        with load.going_on():
            log = connect(EmbeddedServer(tmp_path / "var").url())
            assert isinstance(log, Redis)
            log.set(LOG_FORMAT_KEY, LOG_FORMAT + 1)
            stack.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "The new dispatcher ended (exit code 1)" in stack.output.read_text(), 90, every=0.2)
            seen = load.answers.total()
            wait_until(lambda: load.answers.total() > seen + 20, 60)
            assert children_of(stack.process.pid) == before
            log.set(LOG_FORMAT_KEY, LOG_FORMAT)
            log.close()
        assert set(load.answers) <= {200, 201}, load.answers
        assert "A newer release of Crumbtrail has written to this log" in stack.output.read_text()
        assert "Traceback" not in stack.output.read_text()


@pytest.mark.full
def test_a_unix_socket_of_systemd_outlives_a_renewal(short_dir: Path, server: EmbeddedServer) -> None:
    """Given a socket file that a proxy connects to, a renewal doesn't delete it."""
    path = short_dir / "web.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)
    environment = os.environ | {"CRUMBTRAIL_LOG_URL": server.url(), "CRUMBTRAIL_QUEUE_URL": server.url(1)}
    script = f"exec 3<&{listener.fileno()}; export LISTEN_FDS=1 LISTEN_PID=$$; exec {sys.executable} -m service.cli web"
    with (short_dir / "output").open("wb") as output:
        web = subprocess.Popen(
            ["bash", "-c", script], env=environment, pass_fds=[listener.fileno()], stdout=output, stderr=output
        )
    try:
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), timeout=60) as http:
            assert http.get("http://web/healthz").status_code == 200
            web.send_signal(signal.SIGHUP)
            wait_until(lambda: "Renewed: web." in (short_dir / "output").read_text(), 90, every=0.2)
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), timeout=60) as http:
            assert http.get("http://web/healthz").status_code == 200
    finally:
        web.terminate()
        assert web.wait(60) == 0
        listener.close()


@pytest.mark.full
def test_killed_web_processes_start_again_on_the_same_socket(tmp_path: Path, server: EmbeddedServer) -> None:
    """Given `crumbtrail web` whose gunicorn is killed, requests wait for the next one instead of failing."""
    port = free_port("127.0.0.1")
    environment = os.environ | {"CRUMBTRAIL_LOG_URL": server.url(), "CRUMBTRAIL_QUEUE_URL": server.url(1)}
    command = [sys.executable, "-m", "service.cli", "web", "--port", str(port)]
    with (tmp_path / "output").open("wb") as output:
        web = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        wait_until(lambda: "is running at" in (tmp_path / "output").read_text(), 60)
        (gunicorn,) = children_of(web.pid)
        for pid in (gunicorn, *children_of(gunicorn)):
            os.kill(pid, signal.SIGKILL)
        assert plain_http.get(f"http://127.0.0.1:{port}/healthz", timeout=60).status_code == 200
        assert "web ended (signal SIGKILL); restarting" in (tmp_path / "output").read_text()
    finally:
        web.terminate()
        assert web.wait(60) == 0


@pytest.mark.soak
def test_ten_renewals_under_load_without_a_failed_request(tmp_path: Path) -> None:
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        load = Load(stack.url, 8)
        with load.going_on():
            for _ in range(10):
                before = masters(stack)["web"]
                stack.process.send_signal(signal.SIGHUP)
                wait_until(lambda b=before: (now := masters(stack)["web"]) and not now & b, 60)
                time.sleep(1)
        assert set(load.answers) <= {200, 201}, load.answers
        assert load.answers.total() > 500


def test_the_web_can_be_renewed_and_restarted_behind_an_open_socket(tmp_path: Path, server: EmbeddedServer) -> None:
    """As with systemd, the socket stays open, so that new connections wait instead of failing."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    environment = os.environ | {"CRUMBTRAIL_LOG_URL": server.url(), "CRUMBTRAIL_QUEUE_URL": server.url(1)}
    script = "exec 3<&$FD; export LISTEN_FDS=1 LISTEN_PID=$$; exec $PY -m service.cli web"

    def start() -> "subprocess.Popen[bytes]":
        with (tmp_path / "output").open("ab") as output:
            return subprocess.Popen(
                ["bash", "-c", script],
                env=environment | {"FD": str(listener.fileno()), "PY": sys.executable},
                pass_fds=[listener.fileno()],
                stdout=output,
                stderr=output,
            )

    web, load = start(), Load(url, 3, patience=60)
    try:
        wait_until(lambda: ready(url), 120)
        with load.going_on():
            wait_until(lambda: load.answers.total() > 30, 120)
            before = set(children_of(web.pid))
            web.send_signal(signal.SIGHUP)
            wait_until(lambda: (now := set(children_of(web.pid))) and not now & before, 120)
            with ThreadPoolExecutor() as others:
                waiting = others.submit(wait_for_an_event, url)
                time.sleep(1)
                web.terminate()
                assert web.wait(60) == 0
                assert waiting.result() == (200, []), "a waiting request must be answered without events"
            web = start()
            seen = load.answers.total()
            wait_until(lambda: load.answers.total() > seen + 30, 120)
        assert set(load.answers) <= {200, 201}, load.answers
    finally:
        web.terminate()
        web.wait(20)
        listener.close()


def wait_for_an_event(url: str) -> tuple[int, list[object]]:
    """Long-poll for an event for half a minute, and return the status and events."""
    with plain_http.Client(base_url=f"{url}/api/v1", timeout=60) as http:
        token = http.post("/players", json={"name": "Eve"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        seats = [{"kind": "me"}, {"kind": "open"}]
        match = http.post("/matches", json={"game": "tic_tac_toe", "seats": seats}).json()["match"]
        answer = http.get(f"/matches/{match['id']}/events?after={match['ply']}&wait=30")
        return answer.status_code, answer.json()["events"]


def ready(url: str) -> bool:
    try:
        return plain_http.get(f"{url}/readyz", timeout=20).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.fixture
def crew(short_dir: Path) -> Iterator[ServiceProcesses]:
    """The service with two servers of its own and no processes yet."""
    with EmbeddedServer(short_dir / "log") as log, EmbeddedServer(short_dir / "queue") as queue:
        crew = ServiceProcesses(log, queue, short_dir)
        yield crew
        crew.kill_all()


def test_a_terminated_worker_and_dispatcher_finish_their_work(crew: ServiceProcesses) -> None:
    """When a worker and a dispatcher are terminated, they finish their work and exit with 0; new ones continue."""
    dispatcher, worker = crew.dispatcher(), crew.worker()
    crew.wait_until_started(2)
    matches = [create_bots_match(crew.services) for _ in range(6)]
    wait_until(lambda: children(worker), 60)
    (horse,) = children(worker)[:1]
    worker.send_signal(signal.SIGTERM)
    dispatcher.send_signal(signal.SIGTERM)
    assert (worker.wait(60), dispatcher.wait(60)) == (0, 0)
    assert not Path(f"/proc/{horse}").exists()
    output = crew.output()
    assert not [word for word in ("Traceback", "failed", "hung", "crashed") if word in output], output
    crew.dispatcher(), crew.worker()
    wait_until_over(crew.services, matches)
