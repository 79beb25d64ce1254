"""A worker: does the jobs of one queue, each in a process of its own. `crumbtrail worker --queues bots`

With CRUMBTRAIL_API_URL it has no log beside it and plays bots through the service's interface, from another machine.

RQ's worker gives up in several ways when its server stalls or restarts, with exit code 0 even; here it begins anew
until it is told to stop. It takes no commands from the queue's server, where whoever may publish could send them.
"""

import ctypes
import gc
import logging
import os
import signal
import sys
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

from domain.kernel.registry import games
from service.cli.supervisor import PR_SET_PDEATHSIG
from service.event_store.errors import REDIS_ERRORS
from service.runtime.logs import error_location
from service.runtime.settings import from_environment
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
"""How long a job may go on when the worker is to stop: long enough for all but the longest, and shorter than the
supervisor waits. One that was broken off is done again later."""
HANG_GRACE_SECONDS = 1.0
"""So long after its time a job that could not be ended from within is ended from outside."""
MAINTENANCE_SECONDS = 30
WORKER_TTL = 20
"""RQ waits for a job for 15 seconds less, and takes silence of 10 seconds more for a broken connection."""
STABLE_SECONDS = 5.0


NOTIFICATION_MODULES = ("workers.handlers.notifications",)
PRELOADED_MODULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(QUEUES, ()),
    MAIL: NOTIFICATION_MODULES,
    WEBHOOKS: NOTIFICATION_MODULES,
}
"""What the jobs of a queue need besides `workers.handlers.matches`, so that the other workers stay small."""


class QueueWorker(Worker):
    """RQ's worker without its traps."""

    max_connection_wait_time = MAX_PAUSE_SECONDS
    stopping = False
    hung_job_id = ""
    """The job that was ended from outside because its time was up."""

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

    def subscribe(self) -> None:
        """Listen to no commands, and run no thread beside the loop that forks."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop behind the running job, or without it when it takes too long."""
        self.stopping = True
        timer = threading.Timer(GRACE_SECONDS, self.kill_horse)
        timer.daemon = True
        timer.start()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def kill_horse(self, sig: signal.Signals = signal.SIGKILL) -> None:
        """End the running job's process, and it alone: in its first moments its group is still ours."""
        if self.horse_pid:
            try:
                os.kill(self.horse_pid, sig)
            except ProcessLookupError:
                return

    def setup_work_horse_signals(self) -> None:
        """Beside what RQ does: a job ends with its worker, however that ends; one that hangs would go on for ever."""
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    def maintain_heartbeats(self, job: Job) -> None:
        """Give a sign of life for a job that runs; end one that does not end by itself, however it hangs."""
        if self.current_job_working_time > (job.timeout or 0) + HANG_GRACE_SECONDS:
            self.hung_job_id = job.id
            self.kill_horse()
            return
        super().maintain_heartbeats(job)

    def handle_work_horse_killed(self, job: Job, retpid: Any, ret_val: Any, rusage: Any) -> None:
        """Tell and count a job whose process was killed, or has crashed."""
        if self.stopping:
            return
        logger.error("Job %s hung or crashed: its process was ended. It is tried again in another way.", job.id)
        if job.func_name in FUNCTIONS:
            _, name = FUNCTIONS[job.func_name]
            handlers.count_failure(name, job.args, hung=self.hung_job_id == job.id)

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Tell what a job could not tell itself. RQ would log its arguments and the message of the error."""
        error = exc_info[1]
        if isinstance(error, TokenRefused):
            logger.error("%s It stops.", error)
            os.kill(os.getppid(), signal.SIGTERM)  # the worker, whose jobs' processes have no other child
        elif not isinstance(error, handlers.JobFailed):
            logger.error("Job %s was not done: %s.", job.id, error_location(error))


CONNECTION_LOST = "could not connect to the queue's server (%s)"


class ConnectionLossFilter(logging.Filter):
    """Lets RQ's complaint about a lost connection through once a minute; it would come with every attempt.

    In whatever line of RQ's loop the connection was lost: that needs no traceback.
    """

    def __init__(self) -> None:
        super().__init__()
        self._next_report_at = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is told."""
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
    """Do jobs until told to stop, beginning anew whenever RQ gives up."""
    pause = MIN_PAUSE_SECONDS
    while True:
        begun = time.monotonic()
        if serve_once(queue, connection):
            return
        exit_on_signals()
        pause = MIN_PAUSE_SECONDS if time.monotonic() - begun > STABLE_SECONDS else min(MAX_PAUSE_SECONDS, 2 * pause)
        time.sleep(pause)


def serve_once(queue: str, connection: Redis) -> bool:
    """Do jobs until RQ gives up (False) or somebody told us to stop (True)."""
    worker = None
    try:
        worker = QueueWorker(queue, connection)
        worker.work(logging_level="WARNING")
    except REDIS_ERRORS as error:
        logging.getLogger("rq.worker").error(CONNECTION_LOST, type(error).__name__)
    return worker is not None and worker.stopping


@click.command()
@click.option("--queues", "queue", type=click.Choice(QUEUES), required=True, help="The queue to serve: one a process.")
def main(queue: str) -> None:
    """Do the jobs of one queue. Start as many as the machine has processors to spare.

    On another machine set CRUMBTRAIL_QUEUE_URL, CRUMBTRAIL_API_URL and CRUMBTRAIL_BOT_TOKEN, and no log.
    """
    set_up_process(f"worker of {queue}")
    warnings.filterwarnings("ignore", "CLIENT LIST")  # RQ would like to know its address, and may not
    logging.getLogger("rq.worker").addFilter(ConnectionLossFilter())
    for module in PRELOADED_MODULES[queue]:
        import_module(module)  # before any fork, so that no job has to
    connection = retry_until_reachable(lambda: connect_queue(from_environment().queue_url))
    wait_until_ready(queue)
    logger.info("Started as process %d.", os.getpid())
    gc.freeze()  # the jobs' processes share these pages as long as no collector touches them
    serve(queue, connection)


def wait_until_ready(queue: str) -> None:
    """Wait until the log, or the interface, can be reached. Raises ClickException for what can never be."""
    if queue == ARENA:
        games()
        return
    if from_environment().api_url is None:
        retry_until_reachable(get_services)
        return
    if queue != BOTS:
        raise click.ClickException(f"without the log, behind CRUMBTRAIL_API_URL, a worker serves {BOTS} alone")
    games()
    try:
        found = get_turn_source()
        assert isinstance(found, ApiTurnSource)
        retry_until_reachable(found.check_connection)
    except (ValueError, TokenRefused) as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
