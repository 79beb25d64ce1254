"""A turn whose rules code hangs: it is killed and logged, the match continues, and no other match waits long.

The game comes from an installed package: tic-tac-toe with a strategy, or legal moves, that never return and that no
signal interrupts.
"""

import os
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import httpx
import pytest

from domain.kernel import registry
from domain.match.state import AnyMatch
from service.accounts.players import HOUSE
from service.cli.listen import free_port
from tests import plain_http
from tests.processes import kill
from tests.waiting import wait_until
from tests.workers.crew import (
    BOTS,
    ServiceProcesses,
    assert_verified_and_listed,
    children,
    create_bots_match,
    wait_until_over,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

PACKAGE = """
import signal
from dataclasses import replace

from domain.games.tic_tac_toe import GAME as HONEST


def hang(*arguments):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM})
    while True:
        pass


GAME = replace(HONEST, slug="tar_pit", title="Tar pit", %s)
"""


@pytest.fixture
def tar_pit(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the poisoned game for this process and its child processes."""
    (tmp_path / "tar_pit.py").write_text(PACKAGE % request.param)
    info = tmp_path / "tar_pit-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tar_pit\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[crumbtrail.games]\ntar_pit = tar_pit\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("CRUMBTRAIL_BOT_SECONDS", "2")
    monkeypatch.delitem(sys.modules, "tar_pit", raising=False)
    invalidate_caches()
    registry.forget_games()
    yield
    registry.forget_games()


def poisoned_match(crew: ServiceProcesses) -> AnyMatch:
    """Return a match of two bots in the poisoned game, the first one greedy."""
    return crew.services.matches.creation.create("p_ann", "tar_pit", BOTS, {}).match


@pytest.mark.parametrize("tar_pit", ["greedy=hang"], indirect=True)
@pytest.mark.parametrize("where", ["with the log", pytest.param("elsewhere", marks=pytest.mark.full)])
def test_a_hanging_strategy_is_killed_and_a_random_move_is_made(
    tar_pit: None, crew: ServiceProcesses, where: str
) -> None:
    """Given a strategy that never returns, then its process is killed, the failure is logged and counted, and the bot
    still moves. A normal match on the same worker continues afterwards."""
    port = free_port("127.0.0.1")
    crew.dispatcher(), crew.start("service.cli", "web", "--port", str(port))
    wait_until(lambda: answers(port), 120)
    if where == "elsewhere":
        token = crew.services.accounts.players.new_token(HOUSE, HOUSE, "The shed")
        settings = {"CRUMBTRAIL_API_URL": f"http://127.0.0.1:{port}", "CRUMBTRAIL_BOT_TOKEN": token}
        known = {**os.environ, "CRUMBTRAIL_QUEUE_URL": crew.queue.url(), **settings}
        crew.start("workers.processes.worker", "--queues", "bots", environment=known)
    else:
        crew.worker()
    crew.wait_until_started(2)
    poisoned = poisoned_match(crew)
    honest = create_bots_match(crew.services)
    wait_until(lambda: crew.services.matches.repository.load(poisoned.id).ply >= poisoned.ply + 2, 120)
    wait_until_over(crew.services, [honest])
    assert f"bot-{poisoned.id}-{poisoned.ply} hung or crashed. It will be retried." in crew.output()
    assert crew.services.runtime.job_failures.turn_failures(poisoned.id, poisoned.ply) == 1
    metrics = plain_http.get(f"http://127.0.0.1:{port}/metrics").text
    [counted] = [line for line in metrics.splitlines() if line.startswith("crumbtrail_failed_jobs_total{")]
    assert counted.startswith('crumbtrail_failed_jobs_total{job="play_bot"}')
    assert_verified_and_listed(crew.services, honest)


@pytest.mark.parametrize("tar_pit", ["greedy=hang"], indirect=True)
def test_a_hanging_job_does_not_outlive_its_worker(tar_pit: None, crew: ServiceProcesses) -> None:
    """Given a job that hangs, when its worker is killed, as in a crash, then no process of it survives."""
    crew.dispatcher()
    worker = crew.worker()
    crew.wait_until_started(2)
    match = poisoned_match(crew)
    [hanging] = wait_until(lambda: children(worker), 60)
    wait_until(lambda: crew.services.read_models.lists.find_match(match.id), 60)
    kill(worker)
    wait_until(lambda: not is_running(hanging), 60)


def is_running(pid: int) -> bool:
    """Return whether the process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def answers(port: int) -> bool:
    """Return whether the API answers."""
    try:
        return plain_http.get(f"http://127.0.0.1:{port}/healthz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.full
@pytest.mark.parametrize("tar_pit", ["greedy=hang, legal_moves=hang"], indirect=True)
def test_a_bot_resigns_if_all_its_moves_fail(tar_pit: None, crew: ServiceProcesses) -> None:
    crew.dispatcher(), crew.worker(), crew.worker("audits")
    crew.wait_until_started(3)
    match = poisoned_match(crew)
    wait_until_over(crew.services, [match], 120)
    over = crew.services.matches.repository.load(match.id)
    assert over.outcome
    assert (over.outcome.reason, over.outcome.winners) == ("resigned", (1,))
    assert crew.output().count("hung or crashed") == 3
    wait_until(lambda: crew.services.read_models.verdicts.find(match.id), 60)
