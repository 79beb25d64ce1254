"""A worker: runs the jobs of one queue, each in its own process. `crumbtrail worker --queues bots`

With CRUMBTRAIL_API_URL it needs no log and plays bots through the API, from any machine.

When the queue's server stalls or restarts, RQ's worker exits in several ways, sometimes with code 0. Here it restarts
until it is asked to stop. It ignores commands from the queue's server, since anyone who may publish there could send
them.
"""

import gc
import logging
import os
import signal
import threading
import time
import warnings
from importlib import import_module
from types import FrameType
from typing import Any

import click
from redis import Redis
from rq import Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from service.event_store.errors import REDIS_ERRORS
from service.runtime.installed_games import log_skipped_games
from service.runtime.logs import error_location
from service.runtime.parent_death import end_with_parent
from service.runtime.settings import from_environment
from service.runtime.start_report import report_ready
from service.runtime.tracing import JOB_TIMEOUT_SECONDS, make_tracing
from workers.bootstrap import get_services, get_turn_source
from workers.bots.turn_source import ApiTurnSource, TokenRefused
from workers.handlers import matches as handlers
from workers.jobs.allowed_job import ARENA, BOTS, FUNCTIONS, MAIL, QUEUES, WEBHOOKS, AllowedJob
from workers.jobs.queue import connect_queue
from workers.jobs.rq_repair import HEARTBEAT_SECONDS
from workers.processes.lifecycle import (
    MAX_PAUSE_SECONDS,
    MIN_PAUSE_SECONDS,
    exit_on_signals,
    retry_until_reachable,
    set_up_process,
)

logger = logging.getLogger("workers")

GRACE_SECONDS = 6.0
"""How long a running job may continue after a stop request: enough for all but the longest, and less than the
supervisor waits. An interrupted job is run again later."""
HANG_GRACE_SECONDS = 1.0
"""A job that is still running this long after its time limit is killed."""
MAINTENANCE_SECONDS = 30
WORKER_TTL = 20
"""RQ waits for a job for 15 seconds less, and considers the connection lost after 10 more seconds of silence."""
STABLE_SECONDS = 5.0


NOTIFICATION_MODULES = ("workers.handlers.notifications",)
PRELOADED_MODULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(QUEUES, ()),
    MAIL: NOTIFICATION_MODULES,
    WEBHOOKS: NOTIFICATION_MODULES,
}
"""Modules that the jobs of a queue need in addition to `workers.handlers.matches`. Other workers stay small."""


class QueueWorker(Worker):
    """RQ's worker, adapted to our needs."""

    max_connection_wait_time = MAX_PAUSE_SECONDS
    stopping = False
    hung_job_id = ""
    """The job that was killed because it exceeded its time limit."""

    def __init__(self, queue: str, connection: Redis) -> None:
        super().__init__(
            [queue],
            connection=connection,
            job_class=AllowedJob,
            serializer=JSONSerializer,
            default_result_ttl=0,
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE_SECONDS,
            job_monitoring_interval=HEARTBEAT_SECONDS,
            log_job_description=False,
        )
        self._worker_pid = os.getpid()

    def subscribe(self) -> None:
        """Do nothing: receive no commands, and run no extra thread in a process that forks."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the running job, or kill the job if it takes too long."""
        self.stopping = True
        timer = threading.Timer(GRACE_SECONDS, self.kill_horse)
        timer.daemon = True
        timer.start()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def kill_horse(self, sig: signal.Signals = signal.SIGKILL) -> None:
        """Kill the process of the running job only. At first it is still in our process group."""
        if self.horse_pid:
            try:
                os.kill(self.horse_pid, sig)
            except ProcessLookupError:
                return

    def setup_work_horse_signals(self) -> None:
        """Extend RQ's setup: a job's process dies with its worker, since a hanging one would run forever."""
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        end_with_parent(self._worker_pid, signal.SIGKILL)

    def maintain_heartbeats(self, job: Job) -> None:
        """Send a heartbeat for the running job, or kill the job if it exceeds its time limit."""
        if self.current_job_working_time > (job.timeout or 0) + HANG_GRACE_SECONDS:
            self.hung_job_id = job.id
            self.kill_horse()
            return
        super().maintain_heartbeats(job)

    def handle_work_horse_killed(self, job: Job, retpid: Any, ret_val: Any, rusage: Any) -> None:
        """Log and count a job whose process was killed or crashed."""
        if self.stopping:
            return
        logger.error("Job %s hung or crashed. It will be retried.", job.id)
        if job.func_name in FUNCTIONS:
            _, name = FUNCTIONS[job.func_name]
            handlers.count_failure(name, job.args, hung=self.hung_job_id == job.id)

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log an error that the job did not log itself. RQ would log its arguments and the error message."""
        error = exc_info[1]
        if isinstance(error, TokenRefused):
            logger.error("%s The worker stops.", error)
            os.kill(os.getppid(), signal.SIGTERM)  # the parent of a job's process is the worker
        elif not isinstance(error, handlers.JobFailed):
            logger.error("Job %s was not completed: %s.", job.id, error_location(error))


CONNECTION_LOST = "could not connect to the queue's server (%s)"


class TracedQueueWorker(QueueWorker):
    """A worker whose jobs make spans, used only with CRUMBTRAIL_TRACES_TO."""

    def perform_job(self, job: Job, queue: Any) -> bool:
        """Run the job in its process and send its spans. Only this process has the thread that sends them."""
        settings = from_environment()
        tracing = make_tracing(settings.traces_to, f"worker of {queue.name}", JOB_TIMEOUT_SECONDS)
        assert tracing is not None
        if settings.api_url is None and queue.name != ARENA:
            tracing.log_calls(get_services().log)
        _, name = FUNCTIONS.get(job.func_name or "", ("", "unknown"))
        with tracing.span(f"job {name}", **{"crumbtrail.job": job.id}) as span:
            done = bool(super().perform_job(job, queue))
            if not done:
                span.set_attribute("error.type", "failed")
        tracing.close()
        return done


class ConnectionLossFilter(logging.Filter):
    """Limits RQ's messages about a lost connection to one per minute, instead of one per attempt.

    Removes the traceback, since the place in RQ's loop where the connection was lost does not matter.
    """

    def __init__(self) -> None:
        super().__init__()
        self._next_report_at = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log the record."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, REDIS_ERRORS):
            record.msg, record.args, record.exc_info = CONNECTION_LOST, (type(error).__name__,), None
        if "could not connect" not in str(record.msg):
            return True
        if time.monotonic() < self._next_report_at:
            return False
        self._next_report_at = time.monotonic() + 60
        return True


def serve(queue: str, connection: Redis) -> None:
    """Run jobs until told to stop. Restart the worker whenever RQ exits."""
    pause = MIN_PAUSE_SECONDS
    while True:
        begun = time.monotonic()
        if serve_once(queue, connection):
            return
        exit_on_signals()
        pause = MIN_PAUSE_SECONDS if time.monotonic() - begun > STABLE_SECONDS else min(MAX_PAUSE_SECONDS, 2 * pause)
        time.sleep(pause)


def serve_once(queue: str, connection: Redis) -> bool:
    """Run jobs until RQ exits (False) or the worker is asked to stop (True)."""
    worker = None
    try:
        worker = (TracedQueueWorker if from_environment().traces_to else QueueWorker)(queue, connection)
        worker.work(logging_level="WARNING")
    except REDIS_ERRORS as error:
        logging.getLogger("rq.worker").error(CONNECTION_LOST, type(error).__name__)
    return worker is not None and worker.stopping


@click.command()
@click.option("--queues", "queue", type=click.Choice(QUEUES), required=True, help="The queue to serve.")
def main(queue: str) -> None:
    """Run the jobs of one queue. Start as many workers as you have processors to spare.

    On another machine, set CRUMBTRAIL_QUEUE_URL, CRUMBTRAIL_API_URL and CRUMBTRAIL_BOT_TOKEN. No log is needed there.
    """
    set_up_process(f"worker of {queue}")
    warnings.filterwarnings("ignore", "CLIENT LIST")  # RQ asks for its address without having the permission
    logging.getLogger("rq.worker").addFilter(ConnectionLossFilter())
    for module in PRELOADED_MODULES[queue]:
        import_module(module)  # before any fork, so that jobs don't have to
    connection = retry_until_reachable(lambda: connect_queue(from_environment().queue_url))
    wait_until_ready(queue)
    logger.info("Started as process %d.", os.getpid())
    gc.freeze()  # keeps the garbage collector from copying memory pages that the jobs' processes share
    report_ready()
    serve(queue, connection)


def wait_until_ready(queue: str) -> None:
    """Wait until the log or the API is reachable. Raises ClickException for invalid settings."""
    if queue == ARENA:
        log_skipped_games()
        return
    if from_environment().api_url is None:
        retry_until_reachable(get_services)
        return
    if queue != BOTS:
        raise click.ClickException(f"With CRUMBTRAIL_API_URL, a worker can only serve {BOTS}. Use --queues {BOTS}.")
    log_skipped_games()
    try:
        found = get_turn_source()
        assert isinstance(found, ApiTurnSource)
        retry_until_reachable(found.check_connection)
    except (ValueError, TokenRefused) as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
