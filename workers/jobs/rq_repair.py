"""Jobs that vanished with their worker: which jobs are alive, and how the others are deleted."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from rq import Queue
from rq.exceptions import DeserializationError, NoSuchJobError
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.utils import now

from workers.jobs.allowed_job import AllowedJob

HEARTBEAT_SECONDS = 5
"""How often a worker gives a heartbeat for the job that it does."""
HEARTBEAT_TIMEOUT = timedelta(seconds=HEARTBEAT_SECONDS + 3)
"""A job without a heartbeat for this long has lost its worker. A heartbeat from as far ahead proves nothing either: the
clock was set back since, and a worker that is alive soon gives another."""


def remove_lost_job(queue: Queue, job_id: str) -> bool:
    """Delete a job that vanished with its worker. Return whether it had vanished.

    Such a job has not failed, does not wait, and no living worker does it. Its work is due at once, where a job that
    fails is retried less and less often.
    """
    with suppress(NoSuchJobError, DeserializationError):
        job = AllowedJob.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
        is_begun = job.get_status() in (JobStatus.QUEUED, JobStatus.STARTED)
        if is_begun and job_id not in (*queue.get_job_ids(), *live_job_ids(queue)):
            delete_job(job)
            return True
    return False


def delete_job(job: Job) -> None:
    """Delete a job and its executions.

    RQ by itself would look each of them up first, and fail at one that has just ended or expired.
    """
    with job.connection.pipeline() as pipeline:
        for execution in job.execution_registry.get_execution_ids():
            Execution(execution, job.id, job.connection).delete(job, pipeline)
        pipeline.execute()
    job.delete()


def live_job_ids(queue: Queue) -> Iterable[str]:
    """Return the ids of jobs whose worker has given a heartbeat lately."""
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
