"""The queue: ids and attempts, pending work, and what a job may contain."""

import json
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis
from rq import Callback, Queue
from rq.exceptions import DeserializationError
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.webhook import Webhook

from domain.match.commands import Play, SeatSpec
from service.bootstrap import Services
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import new_match_id
from service.matches.results import IdempotencyKey, bot_author
from service.runtime.clock import FileClock
from tests.workers.crew import BOTS, create_bots_match
from workers.jobs.allowed_job import AUDITS, DEADLINES, FUNCTIONS, PLAY_BOT, AllowedJob, JobRefused
from workers.jobs.allowed_job import BOTS as BOTS_QUEUE
from workers.jobs.job_ids import attempt_number, audit_job_id, bot_job_id, work_of_job
from workers.jobs.queue import JobQueue, QueueUnavailable, connect_queue
from workers.jobs.rq_repair import HEARTBEAT_TIMEOUT
from workers.processes.reconciler import Reconciler
from workers.projection.projector import Projector

MATCH = "07mzxw6ytboi3dgnbv"
OTHER = "08mzxw6ytboi3dgnbv"


def waiting(queue: Redis, name: str = BOTS_QUEUE) -> list[str]:
    """Return the ids of the waiting jobs."""
    return [found.decode() for found in queue.lrange(f"rq:queue:{name}", 0, -1)]


# -- ids ----------------------------------------------------------------------------------------------------------


def test_a_job_id_consists_of_work_and_attempt() -> None:
    assert bot_job_id(MATCH, 7) == f"bot-{MATCH}-7"
    assert bot_job_id(MATCH, 7, 2) == f"bot-{MATCH}-7-2"
    assert audit_job_id(MATCH) == f"audit-{MATCH}"
    assert audit_job_id(MATCH, 3) == f"audit-{MATCH}-3"


@given(st.builds(new_match_id), st.integers(1, 10**6), st.integers(0, 10**6))
def test_the_work_of_a_job_is_its_first_attempt(match: str, ply: int, number: int) -> None:
    assert work_of_job(bot_job_id(match, ply, number)) == bot_job_id(match, ply)
    assert work_of_job(audit_job_id(match, number)) == audit_job_id(match)


def test_attempts_are_rare_and_never_end() -> None:
    """0 at first, then at 2, 4, ... 64 s, then once a minute: fewer than 1,500 a day, and at least one every two
    minutes."""
    at = {seconds: attempt_number(timedelta(seconds=seconds)) for seconds in range(86_400)}
    assert [at[s] for s in (0, 1, 2, 3, 4, 8, 16, 32, 63, 64, 123, 124, 184)] == [0, 0, 1, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8]
    assert all(at[s] <= at[s + 1] <= at[s] + 1 for s in range(86_399))
    assert at[86_399] < 1500
    assert all(at[s + 120] > at[s] for s in range(86_400 - 120))


# -- enqueueing and finding ----------------------------------------------------------------------------------------


def test_work_is_enqueued_only_once(jobs: JobQueue, queue: Redis) -> None:
    for _ in range(3):
        jobs.enqueue_bot_turn(MATCH, 7)
        jobs.enqueue_audit(MATCH)
    jobs.enqueue_bot_turn(MATCH, 7, attempt=1)
    jobs.enqueue_bot_turn(MATCH, 8)
    assert waiting(queue) == [f"bot-{MATCH}-7", f"bot-{MATCH}-7-1", f"bot-{MATCH}-8"]
    assert waiting(queue, AUDITS) == [f"audit-{MATCH}"]


def test_deadlines_and_orders_do_not_wait_for_audits(jobs: JobQueue, queue: Redis) -> None:
    """Given as many audits as at the end of a tournament, then a deadline is next in line, followed by the orders."""
    for number in range(400):
        jobs.enqueue_audit(f"09{number:016}")
    jobs.enqueue_dispute_audit(MATCH, 1)
    jobs.enqueue_standing_orders(OTHER, 5)
    jobs.enqueue_expiry(MATCH, 7)
    jobs.enqueue_standing_orders(MATCH, 7)
    assert waiting(queue, DEADLINES) == [f"expire-{MATCH}-7", f"orders-{OTHER}-5", f"orders-{MATCH}-7"]
    assert len(waiting(queue, AUDITS)) == 401


def test_a_job_contains_only_ids(jobs: JobQueue, queue: Redis) -> None:
    jobs.enqueue_bot_turn(MATCH, 7)
    job = AllowedJob.fetch(f"bot-{MATCH}-7", connection=queue, serializer=JSONSerializer)
    assert (job.func_name, job.args, job.kwargs, job.meta) == (PLAY_BOT, [MATCH, 7], {}, {})
    assert job.description == job.id


def test_pending_work_is_queued_or_run_by_a_live_worker(jobs: JobQueue, queue: Redis) -> None:
    """Given a waiting job, one that just started, one that started and lost its worker, and one whose last heartbeat
    was before the clock was set back."""
    jobs.enqueue_bot_turn(MATCH, 7, attempt=2)
    silences = (
        (OTHER, timedelta(0)),
        ("09mzxw6ytboi3dgnbv", HEARTBEAT_TIMEOUT * 1.01),
        ("10mzxw6ytboi3dgnbv", timedelta(hours=-1)),
    )
    for match, silent in silences:
        jobs.enqueue_bot_turn(match, 5)
        taken(queue, BOTS_QUEUE, f"bot-{match}-5", silent)
    assert jobs.pending_work(BOTS_QUEUE) == {f"bot-{MATCH}-7", f"bot-{OTHER}-5"}
    assert jobs.pending_work(AUDITS) == set()


@pytest.mark.parametrize("begun", [True, False])
def test_a_job_lost_with_its_worker_is_enqueued_again_with_the_same_id(
    jobs: JobQueue, queue: Redis, begun: bool
) -> None:
    """Given a deadline that passed over an hour ago, so that its next attempt would be in a minute, when its worker
    dies before or after the start, then the job is enqueued again immediately, and only once."""
    jobs.enqueue_expiry(MATCH, 7, attempt=64)
    name = f"expire-{MATCH}-7-64"
    taken(queue, DEADLINES, name, silent=HEARTBEAT_TIMEOUT * 1.01 if begun else None)
    jobs.enqueue_expiry(MATCH, 7, attempt=64)
    jobs.enqueue_expiry(MATCH, 7, attempt=64)
    assert waiting(queue, DEADLINES) == [name]
    assert queue.zcard(f"rq:wip:{DEADLINES}") == 0


def test_a_job_with_an_expired_execution_is_enqueued_again(jobs: JobQueue, queue: Redis) -> None:
    """Given a job whose worker died so long ago that its execution has expired, or whose execution ends just now."""
    jobs.enqueue_expiry(MATCH, 7)
    name = f"expire-{MATCH}-7"
    taken(queue, DEADLINES, name, silent=HEARTBEAT_TIMEOUT * 1.01)
    assert queue.delete(*queue.scan_iter(f"rq:execution:{name}:*")) == 1
    jobs.enqueue_expiry(MATCH, 7)
    assert waiting(queue, DEADLINES) == [name]
    assert queue.zcard(f"rq:wip:{DEADLINES}") == 0


def test_a_running_or_failed_job_is_not_enqueued_again(jobs: JobQueue, queue: Redis) -> None:
    jobs.enqueue_expiry(MATCH, 7)
    taken(queue, DEADLINES, f"expire-{MATCH}-7", silent=timedelta(0))
    jobs.enqueue_expiry(OTHER, 7)
    taken(queue, DEADLINES, f"expire-{OTHER}-7", silent=None)
    queue.hset(f"rq:job:expire-{OTHER}-7", "status", "failed")
    jobs.enqueue_expiry(MATCH, 7)
    jobs.enqueue_expiry(OTHER, 7)
    assert waiting(queue, DEADLINES) == []


def taken(queue: Redis, name: str, job_id: str, silent: timedelta | None) -> None:
    """Mark the job as taken by a worker, silent for this long since the start. None: it has not started."""
    queue.lrem(f"rq:queue:{name}", 1, job_id)
    if silent is None:
        return
    job = AllowedJob.fetch(job_id, connection=queue, serializer=JSONSerializer)
    with queue.pipeline() as pipeline:
        job.set_status(JobStatus.STARTED, pipeline=pipeline)
        execution = Execution.create(job, 65, pipeline)
        pipeline.hset(execution.key, "last_heartbeat", time.time() - silent.total_seconds())
        pipeline.execute()


def test_every_call_raises_while_the_queue_is_down(own_server: EmbeddedServer) -> None:
    jobs = JobQueue(connect_queue(own_server.url()))
    jobs.enqueue_bot_turn(MATCH, 1)
    own_server.kill()
    for call in (
        lambda: jobs.enqueue_bot_turn(MATCH, 2),
        lambda: jobs.enqueue_audit(MATCH),
        lambda: jobs.pending_work(BOTS_QUEUE),
    ):
        with pytest.raises(QueueUnavailable, match="ConnectionError"):
            call()


def test_a_queue_on_a_cluster_is_refused() -> None:
    with pytest.raises(ValueError, match="RQ does not run on a cluster"):
        connect_queue("cluster+redis://127.0.0.1:7000")
    with pytest.raises(ValueError, match="CRUMBTRAIL_QUEUE_URL"):
        connect_queue(None)


# -- allowed jobs ------------------------------------------------------------------------------------------------


def stored(queue: Redis, function: str, **options: Any) -> AllowedJob:
    """Return a job that anyone could have written, as our workers read it."""
    Queue("bots", connection=queue, serializer=JSONSerializer).enqueue(
        function, args=("true",), job_id="evil", **options
    )
    return AllowedJob.fetch("evil", connection=queue, serializer=JSONSerializer)


@pytest.mark.parametrize(
    "function",
    ["os.system", "subprocess.run", "builtins.eval", "workers.jobs.get_services", "workers.jobs.submit", "audit"],
)
def test_a_function_that_is_not_allowed_is_refused(queue: Redis, function: str) -> None:
    with pytest.raises(JobRefused, match="not allowed"):
        stored(queue, function).perform()


def test_a_method_of_an_instance_is_refused(queue: Redis) -> None:
    stored(queue, PLAY_BOT)
    queue.hset("rq:job:evil", "data", json.dumps([PLAY_BOT, {"any": "instance"}, [], {}]))
    with pytest.raises(JobRefused):
        AllowedJob.fetch("evil", connection=queue, serializer=JSONSerializer).perform()


def test_foreign_callbacks_webhooks_retries_and_limits_are_ignored(queue: Redis) -> None:
    job = stored(
        queue,
        PLAY_BOT,
        on_success=Callback("os.system"),
        on_failure=Callback("os.system"),
        on_stopped=Callback("os.system"),
        webhooks=[Webhook("http://127.0.0.1:1/", "finished")],
        timeout=100_000,
        failure_ttl=-1,
        result_ttl=-1,
        meta={"any": "thing"},
    )
    assert job.success_callback is job.failure_callback is job.stopped_callback is None
    assert (job.webhooks, job.retries_left, job.repeats_left) == ([], None, None)
    assert (job.timeout, job.result_ttl, job.failure_ttl) == (60, 0, 24 * 3600)


def test_a_pickle_is_never_loaded(queue: Redis, short_dir: Path) -> None:
    path = short_dir / "opened"
    Queue("bots", connection=queue).enqueue(os.system, f"touch {path}", job_id="evil")
    assert b"system" in Job.fetch("evil", connection=queue).data
    job = AllowedJob.fetch("evil", connection=queue, serializer=JSONSerializer)
    with pytest.raises(DeserializationError):
        job.perform()
    assert not path.exists()


def test_every_allowed_function_exists() -> None:
    for module, attribute in FUNCTIONS.values():
        assert callable(getattr(__import__(module, fromlist=[attribute]), attribute))


# -- the reconciler -----------------------------------------------------------------------------------------------


@pytest.fixture
def reconciler(services: Services, jobs: JobQueue) -> Reconciler:
    return Reconciler(services.read_models.work, services.runtime.job_failures, jobs, services.runtime.clock)


NOW = timedelta(0)


def test_due_work_lost_by_the_queue_is_enqueued_again(
    services: Services, jobs: JobQueue, queue: Redis, reconciler: Reconciler
) -> None:
    match = create_bots_match(services)
    services.matches.creation.create("p_ann", "tic_tac_toe", [SeatSpec("human", player="p_ann"), *BOTS[1:]], {})
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    assert reconciler.run() == 0, "the reconciler first waits for the dispatcher's job"
    for _ in range(3):
        reconciler.run(NOW)
        assert waiting(queue) == [f"bot-{match.id}-{match.ply}"]
    queue.flushdb()
    assert reconciler.run(NOW) == 1
    assert waiting(queue) == [f"bot-{match.id}-{match.ply}"]


def test_a_finished_match_is_queued_for_audit_until_it_has_a_verdict(
    services: Services, queue: Redis, reconciler: Reconciler
) -> None:
    match = create_bots_match(services)
    services.matches.commands.submit(match.id, *resignation(match.id))
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    reconciler.run(NOW)
    assert waiting(queue, AUDITS) == [f"audit-{match.id}"]
    queue.flushdb()
    services.read_models.verdicts.record(match.id, b"{}")
    assert reconciler.run(NOW) == 0


def resignation(match: str) -> tuple[Any, ...]:
    """Return the resignation of a match's first bot as arguments."""
    return Play(0, {"type": "resign"}), IdempotencyKey(bot_author(match, 0), "resign")


def test_setting_the_clock_back_delays_no_work(
    services: Services, queue: Redis, jobs: JobQueue, tmp_path: Path
) -> None:
    """Given a turn and an end with times in the future because the clock was set back, when the queue loses their jobs,
    then they are enqueued again, and failed jobs are retried as usual."""
    match, over = create_bots_match(services), create_bots_match(services)
    services.matches.commands.submit(over.id, *resignation(over.id))
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    clock = FileClock(tmp_path / "clock")

    def run(ahead: float) -> None:
        (tmp_path / "clock").write_text((match.last_event_at - timedelta(seconds=ahead)).isoformat())
        Reconciler(services.read_models.work, services.runtime.job_failures, jobs, clock).run()

    run(ahead=3600)
    assert [job.partition("-")[0] for job in waiting(queue)] == ["bot"]
    assert [job.partition("-")[0] for job in waiting(queue, AUDITS)] == ["audit"]
    queue.flushdb()
    run(ahead=3600)
    [first] = waiting(queue)
    queue.flushdb()
    queue.hset(f"rq:job:{first}", "status", "failed")
    run(ahead=3540)
    assert waiting(queue) not in ([], [first])


def test_a_failed_job_is_retried_with_another_id(services: Services, queue: Redis, reconciler: Reconciler) -> None:
    """Given a failed job whose id is taken for a day, when 2 seconds have passed, then the next attempt is enqueued
    once."""
    match = create_bots_match(services)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    queue.hset(f"rq:job:bot-{match.id}-{match.ply}", "status", "failed")
    reconciler.run(NOW)
    assert waiting(queue) == []
    time.sleep(2.1)
    reconciler.run()
    reconciler.run()
    assert waiting(queue) == [f"bot-{match.id}-{match.ply}-1"]
