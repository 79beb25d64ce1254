"""A log server, a queue server and worker processes, to start, kill and watch."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from domain.match.commands import SeatSpec
from domain.match.state import AnyMatch
from replays.verify import verify
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.read_models.summary import summarize_match
from service.runtime.settings import Settings
from service.verification.audits import replay_file_of
from tests.processes import children_of, kill
from tests.waiting import wait_until, wait_until_empty

T = TypeVar("T")

SEATS = (SeatSpec("human", player="p_ann"), SeatSpec("bot", level="greedy"))
BOTS = (SeatSpec("bot", level="greedy"), SeatSpec("bot", level="random"))


class ServiceProcesses:
    """The processes of one service and their output."""

    def __init__(self, log: EmbeddedServer, queue: EmbeddedServer, folder: Path) -> None:
        self.log = log
        self.queue = queue
        self.services: Services = build_services(Settings(log_url=log.url()))
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *words: str, environment: dict[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """Start `python -m WORDS` with the servers' addresses, or in the given environment."""
        environment = environment or {
            **os.environ,
            "CRUMBTRAIL_LOG_URL": self.log.url(),
            "CRUMBTRAIL_QUEUE_URL": self.queue.url(),
        }
        with (self._folder / "output").open("ab") as output:
            process = subprocess.Popen([sys.executable, "-m", *words], env=environment, stderr=output, stdout=output)
        self._running.append(process)
        return process

    def dispatcher(self) -> "subprocess.Popen[bytes]":
        """Start a dispatcher."""
        return self.start("workers.processes.dispatcher")

    def worker(self, queue: str = "bots") -> "subprocess.Popen[bytes]":
        """Start a worker of a queue."""
        return self.start("workers.processes.worker", "--queues", queue)

    def output(self) -> str:
        """Return the output of all processes."""
        path = self._folder / "output"
        return path.read_text() if path.exists() else ""

    def wait_until_started(self, count: int) -> None:
        """Wait until this many processes have reported their start."""
        wait_until(lambda: self.output().count("Started as process") >= count, 60)

    def kill_all(self) -> None:
        """Kill all running processes."""
        for process in self._running:
            kill(process)


def children(process: "subprocess.Popen[bytes]") -> list[int]:
    """Return the running child processes of a process."""
    return children_of(process.pid)


def kill_with_its_job(worker: "subprocess.Popen[bytes]", seconds: float = 10) -> None:
    """Kill a worker and the process of its current job."""
    deadline = time.monotonic() + seconds
    while not (horses := children(worker)):
        assert time.monotonic() < deadline, "the worker has no job"
    for pid in (*horses, worker.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    worker.wait()


def create_bots_match(services: Services) -> AnyMatch:
    """Create a match between bots."""
    return services.matches.creation.create("p_ann", "tic_tac_toe", BOTS, {}).match


def wait_until_over(services: Services, matches: Iterable[AnyMatch], standstill: float = 45) -> None:
    """Wait until all matches are over. Fail if nothing happens in them for `standstill` seconds."""
    ids = [match.id for match in matches]

    def running() -> list[tuple[str, int]]:
        heads = map(services.matches.repository.load, ids)
        return [(head.id, head.ply) for head in heads if head.status != "over"]

    wait_until_empty(running, standstill)


def assert_verified_and_listed(services: Services, match: AnyMatch) -> None:
    """Assert that the match is over and verified, with no duplicate move, and that its row equals the fold of its
    events."""
    lines = services.log.lines(match.id)
    report = verify(replay_file_of(lines))
    assert report.ok, report.as_text()
    folded = services.matches.repository.at_ply(match.id, len(lines))
    assert folded.ply == len(lines)
    wait_until(lambda: services.read_models.lists.find_match(match.id) == summarize_match(folded), 30)


def first_legal_move(match: AnyMatch, seat: int) -> Any:
    """Return the first legal move of a seat."""
    return next(iter(match.rules.legal_moves(match.state, seat)))
