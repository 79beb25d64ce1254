"""Workers on other machines: a real process that knows the queue, the API and a token, but no log."""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle, islice

import httpx
import pytest
from click.testing import CliRunner

from domain.kernel.events import Moved
from domain.kernel.registry import games
from domain.match.commands import SeatSpec
from service.accounts.players import HOUSE
from service.bootstrap import Services
from service.bots.decision_log import load_decisions
from service.cli.doctor import doctor
from service.cli.listen import free_port
from tests import plain_http
from tests.processes import descendants_of, kill
from tests.waiting import wait_until, wait_until_empty
from tests.workers.crew import (
    BOTS,
    ServiceProcesses,
    assert_verified_and_listed,
    create_bots_match,
    kill_with_its_job,
    wait_until_over,
)
from workers.bots.commands import bot
from workers.bots.turn_source import ApiTurnSource, ApiUnavailable, LogTurnSource, TokenRefused
from workers.handlers import matches as handlers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


class Elsewhere:
    """A service's API at an address, and workers that know only this address."""

    def __init__(self, crew: ServiceProcesses) -> None:
        self.crew = crew
        self.port = free_port("127.0.0.1")
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = crew.services.accounts.players.new_token(HOUSE, HOUSE, "The shed")
        self.web = self.serve()

    def serve(self) -> "subprocess.Popen[bytes]":
        """Start the API and wait until it answers."""
        web = self.crew.start("service.cli", "web", "--port", str(self.port))
        wait_until(self.answers, 120)
        return web

    def answers(self) -> bool:
        """Return whether the API answers."""
        try:
            return plain_http.get(f"{self.url}/healthz", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False

    def worker(self, queue: str = "bots", token: str | None = None, **settings: str) -> "subprocess.Popen[bytes]":
        """Start a worker that cannot reach the log and does not know its address."""
        known = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
        environment = {
            **known,
            "CRUMBTRAIL_QUEUE_URL": self.crew.queue.url(),
            "CRUMBTRAIL_API_URL": self.url,
            "CRUMBTRAIL_BOT_TOKEN": token or self.token,
            **settings,
        }
        return self.crew.start("workers.processes.worker", "--queues", queue, environment=environment)


@pytest.fixture
def elsewhere(crew: ServiceProcesses) -> Iterator[Elsewhere]:
    return_to = Elsewhere(crew)
    yield return_to
    return_to.web.terminate()
    return_to.web.wait(60)


# -- what a remote worker receives --------------------------------------------------------------------------------


def test_a_remote_worker_chooses_the_same_move_as_a_local_one(elsewhere: Elsewhere) -> None:
    """For turns of bots in every game: the same luck, view, facts and legal moves, and therefore the same choice."""
    services = elsewhere.crew.services
    near, far = (
        LogTurnSource(services.house_bots, services.runtime.job_failures),
        ApiTurnSource(elsewhere.url, elsewhere.token),
    )
    compared = 0
    for slug, game in games().items():
        levels = islice(cycle(("greedy", "random", "easy")), max(game.seat_counts))
        wishes = [SeatSpec("bot", level=level) for level in levels]
        match = services.matches.creation.create("p_ann", slug, wishes, {}, seed=b"anywhere").match
        for _ in range(12):
            here, there = near.owed_turn(match.id, match.ply), far.owed_turn(match.id, match.ply)
            if here is None or there is None:
                assert here is there
                break
            assert (there.seat, there.level, there.failures) == (here.seat, here.level, 0)
            mine, theirs = here.build_input(), there.build_input()
            assert (theirs.view, list(theirs.facts()), theirs.seed) == (mine.view, list(mine.facts()), mine.seed)
            choice = handlers.choose_move(there)
            assert choice == handlers.choose_move(here)
            far.play(there, choice)
            match = services.matches.repository.load(match.id)
            compared += 1
    assert compared > 10 * len(games()) - 10


def test_a_remote_worker_computes_the_legal_moves_of_the_true_state(elsewhere: Elsewhere) -> None:
    """All of them, in the same order, although it never saw the true state."""
    services = elsewhere.crew.services
    near, far = (
        LogTurnSource(services.house_bots, services.runtime.job_failures),
        ApiTurnSource(elsewhere.url, elsewhere.token),
    )
    match = services.matches.creation.create("p_ann", "mice_cake", BOTS, {}).match
    for _ in range(20):
        if match.status != "playing":
            break
        here, there = near.owed_turn(match.id, match.ply), far.owed_turn(match.id, match.ply)
        assert here
        assert there
        assert list(there.build_input().legal) == list(here.build_input().legal)
        near.play(here, handlers.fallback_move(here))
        match = services.matches.repository.load(match.id)


def test_unreachable_addresses_and_refused_tokens_are_reported(elsewhere: Elsewhere) -> None:
    with pytest.raises(ApiUnavailable):
        ApiTurnSource("http://127.0.0.1:9", elsewhere.token).check_connection()
    with pytest.raises(TokenRefused):
        ApiTurnSource(elsewhere.url, "ct_x").check_connection()
    with pytest.raises(ApiUnavailable, match="404"):
        ApiTurnSource(f"{elsewhere.url}/nowhere", elsewhere.token).check_connection()


def test_a_rate_limited_worker_leaves_the_turn_due(crew: ServiceProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a rate limit of three requests per minute, then further turns and moves are to be retried."""
    monkeypatch.setenv("CRUMBTRAIL_LIMITS", "address_requests=3")
    there = Elsewhere(crew)
    match, far = create_bots_match(crew.services), ApiTurnSource(there.url, there.token)
    task = far.owed_turn(match.id, match.ply)
    assert task
    with pytest.raises(ApiUnavailable, match="429"):
        [far.owed_turn(match.id, match.ply) for _ in range(9)]  # regardless of when the minute ends
    with pytest.raises(ApiUnavailable, match="429"):
        far.play(task, handlers.choose_move(task))
    there.web.terminate()
    there.web.wait(60)


# -- the process --------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_worker_without_the_log_finishes_matches(elsewhere: Elsewhere) -> None:
    """Given only a remote bot worker, which is killed during a job, and an API that is down for a while, then every
    match is finished, no move is duplicated, and the decisions are recorded."""
    crew, services = elsewhere.crew, elsewhere.crew.services
    crew.dispatcher(), crew.worker("audits")
    worker = elsewhere.worker()
    crew.wait_until_started(3)
    matches = [services.matches.creation.create("p_ann", "mice_cake", BOTS, {}).match, create_bots_match(services)]
    kill_with_its_job(worker)
    elsewhere.worker()
    wait_until(lambda: services.matches.repository.load(matches[0].id).ply > 12, 60)
    for process in (elsewhere.web.pid, *descendants_of(elsewhere.web.pid)):
        os.kill(process, 9)
    elsewhere.web.wait()
    matches.append(create_bots_match(services))
    elsewhere.web = elsewhere.serve()
    wait_until_over(services, matches)
    # in this order, because a match that ends moves from one list to the other
    wait_until_empty(
        lambda: [
            *services.read_models.work.due_bot_turns(),
            *services.read_models.work.unaudited_matches(),
        ]
    )
    for match in matches:
        assert_verified_and_listed(services, match)
        head = services.matches.repository.load(match.id)
        events = list(services.matches.repository.visible_events(head, None))
        moved = [event.ply for event in events if isinstance(event, Moved)]
        assert [decision.ply for decision in load_decisions(services.runtime.redis, match.id, events)] == moved
    assert elsewhere.token not in crew.output()
    assert "Traceback" not in crew.output()


def test_a_worker_whose_token_is_revoked_stops_and_does_not_start_again(elsewhere: Elsewhere) -> None:
    crew, services = elsewhere.crew, elsewhere.crew.services
    crew.dispatcher()
    worker = elsewhere.worker()
    crew.wait_until_started(2)
    [token] = services.accounts.players.tokens(HOUSE)
    services.accounts.players.revoke(HOUSE, token.id)
    match = create_bots_match(services)
    assert worker.wait(60) == 0
    assert elsewhere.worker().wait(60) == 1
    assert "refuses this worker's token" in crew.output()
    assert services.matches.repository.load(match.id).ply == match.ply
    kept = elsewhere.worker(token=services.accounts.players.new_token(HOUSE, HOUSE, "Another shed"))
    wait_until_over(services, [match])
    kill(kept)


def test_a_remote_worker_serves_bots_only(elsewhere: Elsewhere) -> None:
    assert elsewhere.worker("audits").wait(30) == 1
    assert "a worker can only serve bots" in elsewhere.crew.output()


def test_settings_name_the_token(elsewhere: Elsewhere) -> None:
    assert elsewhere.worker(CRUMBTRAIL_BOT_TOKEN="").wait(30) == 1
    assert "set CRUMBTRAIL_BOT_TOKEN" in elsewhere.crew.output()


def test_the_doctor_checks_whether_the_api_accepts_the_token(elsewhere: Elsewhere) -> None:
    for token, found in ((elsewhere.token, "accepts the token"), ("ct_x", "refused the request (401)")):
        environment = {
            "CRUMBTRAIL_QUEUE_URL": elsewhere.crew.queue.url(),
            "CRUMBTRAIL_API_URL": elsewhere.url,
            "CRUMBTRAIL_BOT_TOKEN": token,
        }
        result = CliRunner().invoke(doctor, env=environment)
        assert found in result.output
        assert result.exit_code == (0 if token == elsewhere.token else 1)
    gone = CliRunner().invoke(doctor, env={"CRUMBTRAIL_API_URL": "http://127.0.0.1:9"})
    assert "Check CRUMBTRAIL_API_URL" in gone.output


# -- tokens -------------------------------------------------------------------------------------------------------


def test_the_operator_creates_lists_and_revokes_tokens(services: Services) -> None:
    made = CliRunner().invoke(bot, ["token", "new", "The shed"])
    assert made.exit_code == 0, made.output
    secret = made.output.strip()
    token = services.accounts.players.find_token(secret)
    assert token
    assert (token.scope, token.label) == ("house", "The shed")
    listed = CliRunner().invoke(bot, ["token", "list"]).output
    assert token.id in listed
    assert "The shed" in listed
    assert secret not in listed
    assert CliRunner().invoke(bot, ["token", "revoke", token.id]).exit_code == 0
    assert services.accounts.players.find_token(secret) is None
    again = CliRunner().invoke(bot, ["token", "revoke", token.id])
    assert (again.exit_code, "there is no token" in again.output) == (1, True)
    assert CliRunner().invoke(bot, ["token", "new", "\n"]).exit_code == 1
