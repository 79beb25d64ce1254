"""The job queue: adding jobs and finding them again.

The queue is only a hint. It may be lost at any moment, and any job may run twice. The projections define what is due.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from redis import Redis
from rq import Queue, Worker
from rq.exceptions import DuplicateJobError
from rq.serializers import JSONSerializer
from rq.utils import now, str_to_date

from service.event_store.connect import connect
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.notifications.outbox import Delivery
from service.runtime.heartbeat import QueueState
from workers.jobs.allowed_job import (
    ARENA,
    ARENA_MATCH,
    AUDIT,
    AUDITS,
    BOTS,
    DAILY,
    DEADLINES,
    ERRAND,
    EXPIRE,
    FAILURE_SECONDS,
    FOLLOW_ORDERS,
    HEAR,
    MAIL,
    PLAY_BOT,
    QUEUES,
    RESULT_SECONDS,
    TELL,
    WEBHOOKS,
    AllowedJob,
    job_timeout,
)
from workers.jobs.job_ids import (
    audit_job_id,
    bot_job_id,
    daily_job_id,
    delivery_job_id,
    dispute_job_id,
    expire_job_id,
    match_of_orders_job,
    orders_job_id,
    task_job_id,
    work_of_job,
)
from workers.jobs.rq_repair import delete_job, live_job_ids, remove_lost_job


class QueueUnavailable(Exception):
    """Raised when the queue's server fails or is unreachable. The only effect is a delay."""


class JobQueue:
    """Adds jobs to the queues. Every method raises QueueUnavailable."""

    def __init__(self, redis: Redis) -> None:
        self._queues = {
            name: Queue(name, connection=redis, job_class=AllowedJob, serializer=JSONSerializer) for name in QUEUES
        }

    def enqueue_bot_turn(self, match: str, ply: int, attempt: int = 0) -> None:
        """Enqueue a bot's turn after this ply."""
        self._enqueue(BOTS, PLAY_BOT, bot_job_id(match, ply, attempt), (match, ply))

    def enqueue_expiry(self, match: str, ply: int, attempt: int = 0) -> None:
        """Enqueue the expiry of a deadline after this ply, ahead of the more numerous standing orders."""
        self._enqueue(DEADLINES, EXPIRE, expire_job_id(match, ply, attempt), (match, ply), at_front=True)

    def enqueue_standing_orders(self, match: str, ply: int, attempt: int = 0) -> None:
        """Enqueue a check of a match's standing orders after this ply."""
        self._enqueue(DEADLINES, FOLLOW_ORDERS, orders_job_id(match, ply, attempt), (match, ply))

    def enqueue_audit(self, match: str, attempt: int = 0) -> None:
        """Enqueue the audit of a finished match."""
        self._enqueue(AUDITS, AUDIT, audit_job_id(match, attempt), (match,))

    def enqueue_arena_match(self, job_id: str, series: str, number: int) -> None:
        """Enqueue an arena match. Its result is kept under the job id."""
        self._enqueue(ARENA, ARENA_MATCH, job_id, (series, number), result_ttl=RESULT_SECONDS)

    def finished_arena_matches(self, job_ids: Sequence[str]) -> dict[str, str | None]:
        """Return the results of those arena matches that are done. None: the match failed."""
        with translating_queue_errors():
            queue = self._queues[ARENA]
            jobs = AllowedJob.fetch_many(list(job_ids), queue.connection, serializer=JSONSerializer)
            return {
                job_id: job.return_value() if job is not None and job.is_finished else None
                for job_id, job in zip(job_ids, jobs, strict=True)
                if job is None or job.is_finished or job.is_failed
            }

    def remove_arena_matches(self, job_ids: Iterable[str]) -> None:
        """Remove arena matches from the queue, finished or not."""
        with translating_queue_errors():
            queue = self._queues[ARENA]
            for job in AllowedJob.fetch_many(list(job_ids), queue.connection, serializer=JSONSerializer):
                if job is not None:
                    delete_job(job)

    def count_arena_workers(self) -> int:
        """Return the number of workers that serve the arena."""
        with translating_queue_errors():
            return Worker.count(queue=self._queues[ARENA])

    def enqueue_dispute_audit(self, match: str, dispute: int, attempt: int = 0) -> None:
        """Enqueue the audit of a disputed match."""
        self._enqueue(AUDITS, HEAR, dispute_job_id(match, dispute, attempt), (match, dispute))

    def enqueue_delivery(self, delivery: Delivery, attempt: str) -> None:
        """Enqueue a due delivery."""
        queue = MAIL if delivery.channel == "mail" else WEBHOOKS
        self._enqueue(queue, TELL, delivery_job_id(delivery, attempt), (delivery.match, delivery.name))

    def enqueue_daily_mail(self, player: str, attempt: str) -> None:
        """Enqueue a due daily digest."""
        self._enqueue(MAIL, DAILY, daily_job_id(player, attempt), (player,))

    def enqueue_task(self, task: str, attempt: str) -> None:
        """Enqueue a due one-off task."""
        self._enqueue(MAIL, ERRAND, task_job_id(task, attempt), (task,))

    def pending_work(self, name: str) -> set[str]:
        """Return the work that is queued or being done by a live worker (see `work_of_job`)."""
        with translating_queue_errors():
            queue = self._queues[name]
            return {work_of_job(job) for job in (*queue.get_job_ids(), *live_job_ids(queue))}

    def matches_with_waiting_orders(self) -> set[str]:
        """Return the matches whose standing orders a job will check that has not started yet."""
        with translating_queue_errors():
            return {match for job in self._queues[DEADLINES].get_job_ids() if (match := match_of_orders_job(job))}

    def queue_states(self) -> dict[str, QueueState]:
        """Return the state of every queue."""
        with translating_queue_errors():
            return {name: queue_state(queue) for name, queue in self._queues.items()}

    def _enqueue(
        self,
        name: str,
        function: str,
        job_id: str,
        arguments: tuple[Any, ...],
        *,
        result_ttl: int = 0,
        at_front: bool = False,
    ) -> None:
        """Enqueue a job, unless a waiting, running or failed job has the same id."""

        def put() -> None:
            self._queues[name].enqueue_call(
                function,
                args=arguments,
                job_id=job_id,
                unique=True,
                timeout=job_timeout(name),
                result_ttl=result_ttl,
                failure_ttl=FAILURE_SECONDS,
                description=job_id,
                at_front=at_front,
            )

        with translating_queue_errors(), suppress(DuplicateJobError):
            try:
                put()
            except DuplicateJobError:
                if remove_lost_job(self._queues[name], job_id):
                    put()


def connect_queue(url: str | None) -> Redis:
    """Return a connection for RQ. Raises ValueError for a missing URL or a cluster URL."""
    if url is None:
        raise ValueError(
            "No job queue is set. Set CRUMBTRAIL_QUEUE_URL, or run `crumbtrail up` for the embedded server."
        )
    if url.startswith("cluster+"):
        raise ValueError("RQ does not run on a cluster. Set CRUMBTRAIL_QUEUE_URL to a single server or Sentinel.")
    try:
        client = connect(url)
    except LogUnavailable as error:
        raise QueueUnavailable(str(error)) from None
    assert isinstance(client, Redis)
    return client


@contextmanager
def translating_queue_errors() -> Iterator[None]:
    """Convert redis-py's errors into QueueUnavailable."""
    try:
        yield
    except REDIS_ERRORS as error:
        raise QueueUnavailable(f"The queue's server is unavailable ({type(error).__name__}).") from None


def queue_state(queue: Queue) -> QueueState:
    """Return the state of a queue. Raises redis-py's errors."""
    jobs = queue.get_job_ids(0, 1)
    since = queue.connection.hget(AllowedJob.key_for(jobs[0]), "enqueued_at") if jobs else None
    oldest = (now() - str_to_date(since)).total_seconds() if since else 0.0
    return QueueState(queue.count, max(0.0, oldest), Worker.count(queue=queue))
