"""The real processes: they play, are killed, wait for servers that are down, and exit when asked to."""

import logging
import os
import signal
import subprocess
import time

import msgspec
import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Disconnected
from rq import Queue
from rq.serializers import JSONSerializer

from domain.match.commands import Play
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.cli.supervisor import STOP_SECONDS
from service.event_store.errors import LogUnavailable
from service.matches.results import IdempotencyKey
from tests.processes import kill
from tests.waiting import wait_until, wait_until_empty
from tests.workers.crew import (
    BOTS,
    SEATS,
    ServiceProcesses,
    assert_verified_and_listed,
    children,
    create_bots_match,
    first_legal_move,
    kill_with_its_job,
    wait_until_over,
)
from workers.jobs.queue import connect_queue
from workers.processes.worker import ConnectionLossFilter

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="looks for processes in /proc")


def play_on(services: Services, match: AnyMatch, key: str = "") -> AnyMatch:
    """Make a move for Ann, retrying until the log is available."""
    head = services.matches.repository.load(match.id)
    move = msgspec.to_builtins(first_legal_move(head, 0))
    return services.matches.commands.submit(
        match.id, Play(0, move), IdempotencyKey("p_ann", key or f"{head.ply}")
    ).match


def answered(services: Services, match: AnyMatch) -> bool:
    """Return whether the bot has moved after Ann's move."""
    try:
        now = services.matches.repository.load(match.id)
    except LogUnavailable:
        return False
    return now.ply > match.ply and 1 not in now.to_move


def listed_at(services: Services, match: AnyMatch) -> int:
    """Return the match's ply in the lists, or 0 if it is not listed."""
    row = services.read_models.lists.find_match(match.id)
    return row.ply if row else 0


def queue_of(crew: ServiceProcesses) -> Redis:
    return connect_queue(crew.queue.url())


# -- playing ------------------------------------------------------------------------------------------------------


def test_bots_finish_a_match_and_it_is_audited(running: ServiceProcesses) -> None:
    services = running.services
    for game in ("tic_tac_toe", "mice_cake"):
        match = services.matches.creation.create("p_ann", game, BOTS, {}).match
        verdict = wait_until(lambda match=match: services.read_models.verdicts.find(match.id), 60)
        assert msgspec.json.decode(verdict)["report"]["verdict"] == "verified"
        assert_verified_and_listed(services, match)
    wait_until(lambda: not queue_of(running).keys("rq:job:*"), 60)
    assert services.read_models.work.unaudited_matches() == services.read_models.work.due_bot_turns() == []


def test_a_bot_answers_a_person_immediately(running: ServiceProcesses) -> None:
    """On an idle machine in about 30 ms. The limit leaves room for a busy one."""
    taken = []
    for _ in range(5):
        match = play_on(
            running.services, running.services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
        )
        begun = time.monotonic()
        wait_until(lambda match=match: answered(running.services, match), 60)
        taken.append(time.monotonic() - begun)
    assert sorted(taken)[2] < 1.0, taken


def test_lost_hints_cost_a_second(running: ServiceProcesses) -> None:
    """Given that the dispatcher's subscription is cut right before an append, then it finds the match by itself."""
    matches = []
    for _ in range(5):
        running.services.runtime.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        matches.append(create_bots_match(running.services))
    wait_until_over(running.services, matches)


def test_no_secret_is_logged_or_enqueued(running: ServiceProcesses) -> None:
    """Given a match with a known seed, then neither it nor the service's secret appears outside the log."""
    services, output_before = running.services, len(running.output())
    seed = bytes.fromhex("5ec7e7" * 10)
    match = services.matches.creation.create("p_ann", "tic_tac_toe", BOTS, {}, seed=seed).match
    queue = queue_of(running)
    seen = ""
    while services.read_models.verdicts.find(match.id) is None:
        for key in queue.keys("*"):
            seen += repr(queue.hgetall(key) if queue.type(key) == b"hash" else key)
    assert match.id in seen
    for text in (seen, running.output()):
        assert seed.hex() not in text
        assert services.runtime.secret.hex() not in text
    assert running.output()[output_before:] == "", "playing a match logs nothing"


# -- foreign jobs in the queue -------------------------------------------------------------------------------


def test_a_worker_refuses_jobs_that_are_not_allowed_and_continues(running: ServiceProcesses) -> None:
    """Given jobs with other functions, a pickled job and two malformed ones, then none of them runs, and the next valid
    job does."""
    trace = running.queue.data_dir.parent / "done"
    queue = queue_of(running)
    evil = Queue("bots", connection=queue, serializer=JSONSerializer)
    for number, function in enumerate(("os.system", "subprocess.getoutput", "workers.jobs.no_such_thing")):
        evil.enqueue(function, args=(f"touch {trace}",), job_id=f"evil-{number}", description="secret words")
    Queue("bots", connection=queue).enqueue(os.system, f"touch {trace}", job_id="pickled")
    queue.hset("rq:job:half", "status", "queued")
    queue.rpush("rq:queue:bots", "half", "missing")
    match = create_bots_match(running.services)
    wait_until_over(running.services, [match])
    assert not trace.exists()
    output = running.output()
    assert output.count("JobRefused") == 3
    assert "Job pickled was not completed: DeserializationError" in output
    assert "secret words" not in output
    assert "touch" not in output
    assert {job.decode() for job in queue.zrange("rq:failed:bots", 0, -1)} == {"evil-0", "evil-1", "evil-2", "pickled"}


# -- crashes --------------------------------------------------------------------------------------------------------


def test_every_match_ends_despite_killed_processes_and_flushed_queues(crew: ServiceProcesses) -> None:
    """Given matches of bots in progress, when dispatcher, workers and their jobs' processes are killed and the queue is
    flushed, then each match still ends, with no duplicate move, and its row equals the fold of its events."""
    services = crew.services
    dispatcher, one, two = crew.dispatcher(), crew.worker(), crew.worker()
    crew.worker("audits")
    crew.wait_until_started(4)
    matches = [create_bots_match(services) for _ in range(6)]
    kill_with_its_job(one)
    one = crew.worker()
    kill(dispatcher)
    matches.append(create_bots_match(services))
    queue_of(crew).flushall()
    dispatcher = crew.dispatcher()
    kill(two)
    two = crew.worker()
    crew.wait_until_started(7)
    matches.append(create_bots_match(services))
    kill_with_its_job(two)
    crew.worker()
    queue_of(crew).flushall()
    kill(dispatcher)
    crew.dispatcher()
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
        assert services.read_models.verdicts.find(match.id) is not None


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_many_matches_under_one_fault_a_second(crew: ServiceProcesses) -> None:
    services = crew.services
    processes = {name: crew.start(*name.split()) for name in PROGRAMS}
    crew.wait_until_started(len(processes))
    matches = []
    for second in range(30):
        matches += [create_bots_match(services) for _ in range(10)]
        name = PROGRAMS[second % len(PROGRAMS)]
        if second % 7 == 6:
            queue_of(crew).flushall()
        kill(processes[name])
        processes[name] = crew.start(*name.split())
        time.sleep(1)
    wait_until_over(services, matches)
    wait_until_empty(services.read_models.work.unaudited_matches)
    for match in matches:
        assert_verified_and_listed(services, match)


PROGRAMS = (
    "workers.processes.dispatcher",
    "workers.processes.worker --queues bots",
    "workers.processes.worker --queues bots ",
    "workers.processes.worker --queues audits",
)


def test_two_simultaneous_dispatchers_are_safe(crew: ServiceProcesses) -> None:
    crew.dispatcher(), crew.dispatcher(), crew.worker()
    crew.wait_until_started(3)
    matches = [create_bots_match(crew.services) for _ in range(5)]
    wait_until_over(crew.services, matches)
    wait_until(lambda: not crew.services.read_models.work.due_bot_turns(), 60)
    for match in matches:
        wait_until(lambda match=match: listed_at(crew.services, match) == len(crew.services.log.lines(match.id)), 60)
        assert_verified_and_listed(crew.services, match)
    assert "failed" not in crew.output()


# -- servers that are down ----------------------------------------------------------------------------------------


def test_processes_survive_a_queue_outage_and_then_the_bot_answers(crew: ServiceProcesses) -> None:
    dispatcher, worker = crew.dispatcher(), crew.worker()
    crew.wait_until_started(2)
    match = crew.services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    crew.queue.kill()
    moved = play_on(crew.services, match)
    wait_until(lambda: listed_at(crew.services, match) == moved.ply, 60)
    time.sleep(2)
    assert dispatcher.poll() is None
    assert worker.poll() is None
    crew.queue.start()
    wait_until(lambda: answered(crew.services, moved), 60)
    output = crew.output()
    assert output.count("The queue's server is unavailable") == 1
    assert 1 <= output.count("could not connect") <= 2
    assert "Working again after" in output
    assert "Traceback" not in output


def test_a_lost_connection_is_logged_once_a_minute_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("rq.worker.under-test")
    logger.addFilter(ConnectionLossFilter())
    for _ in range(3):
        try:
            raise Disconnected("gone")
        except Disconnected:
            logger.error("found an unhandled exception, quitting...", exc_info=True)
    try:
        raise KeyError("ours")
    except KeyError:
        logger.exception("found an unhandled exception, quitting...")
    assert caplog.text.count("could not connect to the queue's server (ConnectionError)") == 1
    assert "gone" not in caplog.text
    assert caplog.text.count("Traceback") == 1
    assert "KeyError" in caplog.text


def test_processes_survive_a_log_outage_and_then_the_bot_answers(crew: ServiceProcesses) -> None:
    dispatcher, worker = crew.dispatcher(), crew.worker()
    crew.wait_until_started(2)
    match = crew.services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    crew.log.kill()
    wait_until(lambda: "Retrying until it works." in crew.output(), 60)
    crew.log.start()
    moved = play_on(crew.services, match)
    wait_until(lambda: answered(crew.services, moved), 60)
    assert dispatcher.poll() is None
    assert worker.poll() is None
    assert "Traceback" not in crew.output()


def test_processes_started_before_their_servers_wait_for_them(crew: ServiceProcesses) -> None:
    match = create_bots_match(crew.services)
    crew.log.kill()
    crew.queue.kill()
    processes = [crew.dispatcher(), crew.worker()]
    time.sleep(2.5)
    assert [process.poll() for process in processes] == [None, None]
    crew.log.start()
    crew.queue.start()
    wait_until_over(crew.services, [match])


@pytest.mark.full
def test_a_hanging_queue_stops_no_worker(crew: ServiceProcesses) -> None:
    """RQ's own worker exits with code 0 when its server does not answer."""
    crew.dispatcher()
    worker = crew.worker()
    crew.wait_until_started(2)
    assert crew.queue.pid
    os.kill(crew.queue.pid, signal.SIGSTOP)
    match = play_on(crew.services, crew.services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match)
    time.sleep(20)
    assert worker.poll() is None
    os.kill(crew.queue.pid, signal.SIGCONT)
    wait_until(lambda: answered(crew.services, match), 60)


# -- shutdown -------------------------------------------------------------------------------------------------------


SOON_SECONDS = STOP_SECONDS / 2
"""Seconds. An idle process needs a tenth of a second on a machine that is not busy."""


def ends(process: "subprocess.Popen[bytes]", number: int) -> float:
    """Ask a process to exit with code 0. Return how many seconds it took."""
    begun = time.monotonic()
    process.send_signal(number)
    assert process.wait(60) == 0
    return time.monotonic() - begun


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_idle_processes_exit_soon_when_asked_to(crew: ServiceProcesses, number: int) -> None:
    processes = [crew.dispatcher(), crew.worker()]
    crew.wait_until_started(2)
    for process in processes:
        assert ends(process, number) < SOON_SECONDS
    assert "Traceback" not in crew.output()


def test_busy_processes_exit_soon_when_asked_to(crew: ServiceProcesses) -> None:
    processes = [crew.dispatcher(), crew.worker()]
    crew.wait_until_started(2)
    matches = [create_bots_match(crew.services) for _ in range(6)]
    time.sleep(0.3)
    for process in processes:
        assert ends(process, signal.SIGTERM) < SOON_SECONDS
    crew.dispatcher(), crew.worker()
    wait_until_over(crew.services, matches)


def test_processes_exit_within_the_supervisors_timeout_while_servers_hang(crew: ServiceProcesses) -> None:
    """Given a job that waits for a log that does not answer, then neither the job nor the dispatcher delays the
    exit."""
    dispatcher, worker = crew.dispatcher(), crew.worker()
    crew.wait_until_started(2)
    assert crew.log.pid
    os.kill(crew.log.pid, signal.SIGSTOP)
    Queue("bots", connection=queue_of(crew), serializer=JSONSerializer).enqueue(
        "workers.jobs.play_bot", args=("07mzxw6ytboi3dgnbv", 3), job_id="bot-x-3"
    )
    wait_until(lambda: children(worker), 60)
    assert ends(worker, signal.SIGTERM) < STOP_SECONDS
    assert ends(dispatcher, signal.SIGTERM) < STOP_SECONDS
    os.kill(crew.log.pid, signal.SIGCONT)
