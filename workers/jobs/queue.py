"""The job queue: what may stand in it, and how work is put there.

The queue is only a hint. All of it may be lost at any moment, and everything in it may be done twice; what has to be
done is known from the projections. A job names one of our functions and ids, nothing else: whoever can write to the
queue's server can make us look at a match once more, and no more than that.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from importlib import import_module
from typing import Any, Final

from redis import Redis
from rq import Queue, Worker
from rq.exceptions import DeserializationError, DuplicateJobError, NoSuchJobError
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.utils import now, str_to_date

from service.event_store.connect import connect
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.notifications.outbox import Delivery
from service.runtime.heartbeat import QueueState
from service.runtime.settings import from_environment

BOTS: Final = "bots"
"""Turns of bots, and nothing else: their workers may be anywhere, without a log beside them."""
AUDITS: Final = "audits"
"""Audits and hearings, beside the log. Each takes a while, and nobody waits for it at a table."""
DEADLINES: Final = "deadlines"
"""Deadlines and standing orders, beside the log: a table waits for them, and they wait for no audit."""
MAIL: Final = "mail"
WEBHOOKS: Final = "webhooks"
ARENA: Final = "arena"
"""Matches of the arena, which need neither log nor interface."""
QUEUES = (BOTS, DEADLINES, AUDITS, MAIL, WEBHOOKS, ARENA)
"""One worker process serves one queue: with two, RQ can lose a job for ever."""

PLAY_BOT: Final = "workers.jobs.play_bot"
AUDIT: Final = "workers.jobs.audit"
HEAR: Final = "workers.jobs.hear"
EXPIRE: Final = "workers.jobs.expire"
TELL: Final = "workers.telling.tell"
DAILY: Final = "workers.telling.daily"
ERRAND: Final = "workers.telling.errand"
FOLLOW_ORDERS: Final = "workers.jobs.follow_orders"
ARENA_MATCH: Final = "workers.jobs.arena_match"
_HANDLERS, _DELIVERY = "workers.jobs.handlers", "workers.notifications.delivery"
FUNCTIONS: Final = {
    PLAY_BOT: (_HANDLERS, "play_bot"),
    AUDIT: (_HANDLERS, "audit"),
    HEAR: (_HANDLERS, "hear"),
    EXPIRE: (_HANDLERS, "expire"),
    FOLLOW_ORDERS: (_HANDLERS, "follow_orders"),
    ARENA_MATCH: (_HANDLERS, "arena_match"),
    TELL: (_DELIVERY, "tell"),
    DAILY: (_DELIVERY, "daily"),
    ERRAND: (_DELIVERY, "errand"),
}
"""Where the function of each job lives. The names on the left are in the queue and never change; no others are run."""

JOB_SECONDS = 30
"""How long a job may take; for a bot's turn see `Settings.bot_seconds`."""
AUDIT_SECONDS = 120
"""How long an audit may take: a verdict that comes late is better than none, and only other audits wait for it."""
ARENA_SECONDS = 900
"""How long a match of the arena may take."""
RESULT_SECONDS = 60 * 60
"""How long a match of the arena waits to be fetched. No other job leaves anything behind."""
FAILURE_SECONDS = 24 * 60 * 60
"""For how long a failed job can be looked at."""
HEARTBEAT_SECONDS = 5
HEARTBEAT_TIMEOUT = timedelta(seconds=HEARTBEAT_SECONDS + 3)
"""A job without a heartbeat for so long has lost its worker. One from as far ahead proves nothing either: the machine's
clock was set back since, and whoever lives soon gives another."""


class QueueUnavailable(Exception):
    """The queue's server did not do its part. Nothing is lost by it but time."""


class JobRefused(Exception):
    """A job names a function that is not one of ours."""


class AllowedJob(Job):
    """A job as we make them. Whatever else somebody wrote into the queue's server is refused or not looked at."""

    @property
    def func(self) -> Callable[..., Any]:
        """The function. Raises JobRefused unless it is on the list."""
        name = self.func_name
        if name not in FUNCTIONS or self.instance is not None:
            raise JobRefused("the job names a function that is not on the list")
        module, attribute = FUNCTIONS[name]
        function: Callable[..., Any] = getattr(import_module(module), attribute)
        return function

    def restore(self, raw_data: Any) -> None:
        """Read the job, without anything that RQ would call, fetch or repeat by itself."""
        super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self.webhooks, self._dependency_ids, self.group_id = [], [], None
        self.retries_left = self.repeats_left = None
        self.timeout, self.failure_ttl = job_timeout(self.origin), FAILURE_SECONDS
        self.result_ttl = RESULT_SECONDS if self.origin == ARENA else 0


def job_timeout(queue: str) -> int:
    """How long a job of this queue may take."""
    longer = {BOTS: from_environment().bot_seconds, AUDITS: AUDIT_SECONDS, ARENA: ARENA_SECONDS}
    return longer.get(queue, JOB_SECONDS)


class JobQueue:
    """Puts work into the queues. Every method raises QueueUnavailable."""

    def __init__(self, redis: Redis) -> None:
        self._queues = {
            name: Queue(name, connection=redis, job_class=AllowedJob, serializer=JSONSerializer) for name in QUEUES
        }

    def enqueue_bot_turn(self, match: str, ply: int, attempt: int = 0) -> None:
        """A bot owes a move in the match behind this ply."""
        self._enqueue(BOTS, PLAY_BOT, bot_job_id(match, ply, attempt), (match, ply))

    def enqueue_expiry(self, match: str, ply: int, attempt: int = 0) -> None:
        """The time of a seat is up in the match behind this ply. It goes before all orders, of which there are many."""
        self._enqueue(DEADLINES, EXPIRE, expire_job_id(match, ply, attempt), (match, ply), at_front=True)

    def enqueue_standing_orders(self, match: str, ply: int, attempt: int = 0) -> None:
        """Standing orders are to be looked at in the match behind this ply."""
        self._enqueue(DEADLINES, FOLLOW_ORDERS, orders_job_id(match, ply, attempt), (match, ply))

    def enqueue_audit(self, match: str, attempt: int = 0) -> None:
        """The match is over."""
        self._enqueue(AUDITS, AUDIT, audit_job_id(match, attempt), (match,))

    def enqueue_arena_match(self, job_id: str, series: str, number: int) -> None:
        """A match of the arena; its result is kept under the job's id."""
        self._enqueue(ARENA, ARENA_MATCH, job_id, (series, number), result_ttl=RESULT_SECONDS)

    def finished_arena_matches(self, job_ids: Sequence[str]) -> dict[str, str | None]:
        """Those of these matches of the arena that are done, with their results; None where one has failed."""
        with translating_queue_errors():
            queue = self._queues[ARENA]
            jobs = AllowedJob.fetch_many(list(job_ids), queue.connection, serializer=JSONSerializer)
            return {
                job_id: job.return_value() if job is not None and job.is_finished else None
                for job_id, job in zip(job_ids, jobs, strict=True)
                if job is None or job.is_finished or job.is_failed
            }

    def remove_arena_matches(self, job_ids: Iterable[str]) -> None:
        """Take matches of the arena out of the queue, done or not."""
        with translating_queue_errors():
            queue = self._queues[ARENA]
            for job in AllowedJob.fetch_many(list(job_ids), queue.connection, serializer=JSONSerializer):
                if job is not None:
                    delete_job(job)

    def count_arena_workers(self) -> int:
        """How many workers serve the arena."""
        with translating_queue_errors():
            return Worker.count(queue=self._queues[ARENA])

    def enqueue_dispute_audit(self, match: str, dispute: int, attempt: int = 0) -> None:
        """A dispute of the match awaits the audit's verdict."""
        self._enqueue(AUDITS, HEAR, dispute_job_id(match, dispute, attempt), (match, dispute))

    def enqueue_delivery(self, delivery: Delivery, attempt: str) -> None:
        """A delivery is due."""
        queue = MAIL if delivery.channel == "mail" else WEBHOOKS
        self._enqueue(queue, TELL, f"{delivery_job_id(delivery)}-{attempt}", (delivery.match, delivery.name))

    def enqueue_daily_mail(self, player: str, attempt: str) -> None:
        """A daily mail is due."""
        self._enqueue(MAIL, DAILY, f"{daily_job_id(player)}-{attempt}", (player,))

    def enqueue_task(self, errand: str, attempt: str) -> None:
        """An errand is due."""
        self._enqueue(MAIL, ERRAND, f"{task_job_id(errand)}-{attempt}", (errand,))

    def pending_work(self, name: str) -> set[str]:
        """The work that waits in a queue or is being done by a worker that lives; see `work_of_job`."""
        with translating_queue_errors():
            queue = self._queues[name]
            return {work_of_job(job) for job in (*queue.get_job_ids(), *live_job_ids(queue))}

    def queue_states(self) -> dict[str, QueueState]:
        """How the queues stand."""
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
        """One job of this id at most; while there is one, or a failed one is kept, this does nothing."""

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
    """A connection for RQ. Raises ValueError when there is no URL, or one of a cluster."""
    if url is None:
        raise ValueError("no queue: set CRUMBTRAIL_QUEUE_URL, or let `crumbtrail up` start the embedded server")
    if url.startswith("cluster+"):
        raise ValueError("RQ does not run on a cluster: set CRUMBTRAIL_QUEUE_URL to a single server or to sentinels")
    try:
        client = connect(url)
    except LogUnavailable as error:
        raise QueueUnavailable(str(error)) from None
    assert isinstance(client, Redis)
    return client


@contextmanager
def translating_queue_errors() -> Iterator[None]:
    """Turns what redis-py raises into QueueUnavailable."""
    try:
        yield
    except REDIS_ERRORS as error:
        raise QueueUnavailable(f"The queue's server does not do its part ({type(error).__name__}).") from None


def bot_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """The id of the job for a bot's turn."""
    return "-".join(["bot", match, str(ply), *([str(attempt)] if attempt else [])])


def expire_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """The id of the job for a deadline that has passed."""
    return "-".join(["expire", match, str(ply), *([str(attempt)] if attempt else [])])


def orders_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """The id of the job for standing orders."""
    return "-".join(["orders", match, str(ply), *([str(attempt)] if attempt else [])])


def audit_job_id(match: str, attempt: int = 0) -> str:
    """The id of the job for an audit."""
    return "-".join(["audit", match, *([str(attempt)] if attempt else [])])


def dispute_job_id(match: str, dispute: int, attempt: int = 0) -> str:
    """The id of the job for a dispute's verdict."""
    return "-".join(["hear", match, str(dispute), *([str(attempt)] if attempt else [])])


def delivery_job_id(delivery: Delivery) -> str:
    """What the ids of the jobs for a delivery begin with."""
    return f"tell-{delivery.match}-{delivery.id}"


def daily_job_id(player: str) -> str:
    """What the ids of the jobs for a player's daily mail begin with."""
    return f"daily-{player}"


def task_job_id(errand: str) -> str:
    """What the ids of the jobs for an errand begin with."""
    return f"errand-{errand}"


def work_of_job(job_id: str) -> str:
    """What a job is about, whichever attempt it is."""
    parts = job_id.split("-")
    return "-".join(parts[: 2 if parts[0] in ("audit", "daily", "errand") else 3])


def queue_state(queue: Queue) -> QueueState:
    """How a queue stands. Raises redis-py's errors."""
    jobs = queue.get_job_ids(0, 1)
    since = queue.connection.hget(AllowedJob.key_for(jobs[0]), "enqueued_at") if jobs else None
    oldest = (now() - str_to_date(since)).total_seconds() if since else 0.0
    return QueueState(queue.count, max(0.0, oldest), Worker.count(queue=queue))


def remove_lost_job(queue: Queue, job_id: str) -> bool:
    """Forget a job that has vanished with its worker: it neither waits nor is done by one that lives, and has not
    failed. Whether it had. Its work is due at once, while a job that fails is tried more and more seldom."""
    with suppress(NoSuchJobError, DeserializationError):
        job = AllowedJob.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
        is_begun = job.get_status() in (JobStatus.QUEUED, JobStatus.STARTED)
        if is_begun and job_id not in (*queue.get_job_ids(), *live_job_ids(queue)):
            delete_job(job)
            return True
    return False


def delete_job(job: Job) -> None:
    """Delete a job and its executions. RQ alone would look each of them up first, and fall over one that has ended in
    this moment, or expired with its worker."""
    with job.connection.pipeline() as pipeline:
        for execution in job.execution_registry.get_execution_ids():
            Execution(execution, job.id, job.connection).delete(job, pipeline)
        pipeline.execute()
    job.delete()


def live_job_ids(queue: Queue) -> Iterable[str]:
    """The ids of jobs whose worker has given a sign of life lately."""
    registry = StartedJobRegistry(queue=queue)
    executions = [
        Execution(execution, job, queue.connection)
        for job, execution in registry.get_job_and_execution_ids(cleanup=False)
    ]
    with queue.connection.pipeline(transaction=False) as pipeline:
        for execution in executions:
            pipeline.hget(execution.key, "last_heartbeat")
        heartbeats = pipeline.execute() if executions else []
    present = now().timestamp()
    return [
        execution.job_id
        for execution, heartbeat in zip(executions, heartbeats, strict=True)
        if heartbeat is not None and abs(present - float(heartbeat)) < HEARTBEAT_TIMEOUT.total_seconds()
    ]
