"""Repairs for jobs whose worker died: finds live jobs and deletes lost ones."""

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
"""Interval between the heartbeats of a running job."""
HEARTBEAT_TIMEOUT = timedelta(seconds=HEARTBEAT_SECONDS + 3)
"""A job is lost when its last heartbeat is older than this. A heartbeat this far in the future is ignored too: the
clock was set back, and a live worker soon sends another."""


def remove_lost_job(queue: Queue, job_id: str) -> bool:
    """Delete a job whose worker died. Return whether there was one.

    Such a job is neither failed nor queued, and no live worker runs it. Its work is due immediately; the retries of a
    failed job are spaced further and further apart.
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

    RQ's own method reads each execution first and fails if one has just ended or expired.
    """
    with job.connection.pipeline() as pipeline:
        for execution in job.execution_registry.get_execution_ids():
            Execution(execution, job.id, job.connection).delete(job, pipeline)
        pipeline.execute()
    job.delete()


def live_job_ids(queue: Queue) -> Iterable[str]:
    """Return the ids of jobs with a recent heartbeat."""
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
