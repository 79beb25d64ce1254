"""Enqueues due work that is in no queue because of a crash, a flush or a failed job."""

from datetime import datetime, timedelta

from domain.match.disputes import RULING_PERIOD
from service.event_store.errors import redis_errors_as_unavailable
from service.read_models.work_lists import WorkItem, WorkLists
from service.runtime.clock import Clock
from service.runtime.job_failures import JobFailures
from workers.jobs.allowed_job import AUDITS, BOTS, DEADLINES
from workers.jobs.job_ids import FIRST_RETRY, attempt_number, audit_job_id, bot_job_id, dispute_job_id, expire_job_id
from workers.jobs.queue import JobQueue

DISPUTE_CHECK_INTERVAL = timedelta(hours=1)
DISPATCH_GRACE = FIRST_RETRY
"""How long to wait for the job that the dispatcher enqueued."""


class Reconciler:
    """Compares the work that is due with the queues."""

    def __init__(self, work: WorkLists, failures: JobFailures, jobs: JobQueue, clock: Clock) -> None:
        self._work = work
        self._failures = failures
        self._jobs = jobs
        self._clock = clock
        self._disputes_checked_at: datetime | None = None

    def run(self, patience: timedelta = DISPATCH_GRACE) -> int:
        """Enqueue work that has been due for longer than `patience` and is in no queue. Return the number of jobs.

        A failed job is retried with the id of the next attempt, and one lost with its worker with the same id. Work
        with a due time in the future, because the clock was set back, counts as due.
        Raises LogUnavailable, QueueUnavailable.
        """
        now = self._clock.now()
        before = now - patience
        return (
            self._enqueue_expiries(now)
            + self._enqueue_overlooked_disputes(now)
            + self._enqueue_bot_turns(now, before)
            + self._enqueue_audits(now, before)
            + self._enqueue_dispute_audits(now, before)
        )

    def _enqueue_expiries(self, now: datetime) -> int:
        """Enqueue passed deadlines. The dispatcher does not enqueue them, so there is no job to wait for."""
        expired = self._work.expired_deadlines(now)
        in_hand = self._jobs.pending_work(DEADLINES) if expired else set()
        lost = [waiting for waiting in expired if expire_job_id(waiting.match, waiting.ply) not in in_hand]
        for waiting in lost:
            self._jobs.enqueue_expiry(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        return len(lost)

    def _enqueue_overlooked_disputes(self, now: datetime) -> int:
        """Enqueue disputes of finished matches whose rows are older than the server's rulings. Looks once an hour."""
        if self._disputes_checked_at is not None and abs(now - self._disputes_checked_at) < DISPUTE_CHECK_INTERVAL:
            return 0
        overlooked = self._work.overlooked_disputes(now - RULING_PERIOD)
        for waiting in overlooked:
            self._jobs.enqueue_expiry(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        self._disputes_checked_at = now
        return len(overlooked)

    def _enqueue_bot_turns(self, now: datetime, before: datetime) -> int:
        due = self._work.due_bot_turns(before, now)
        in_hand = self._jobs.pending_work(BOTS) if due else set()
        lost = [waiting for waiting in due if bot_job_id(waiting.match, waiting.ply) not in in_hand]
        for waiting in lost:
            self._jobs.enqueue_bot_turn(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        return len(lost)

    def _enqueue_audits(self, now: datetime, before: datetime) -> int:
        due = self._work.unaudited_matches(before, now)
        in_hand = self._jobs.pending_work(AUDITS) if due else set()
        lost = [waiting for waiting in self._auditable(due) if audit_job_id(waiting.match) not in in_hand]
        for waiting in lost:
            self._jobs.enqueue_audit(waiting.match, attempt_number(now - waiting.since))
        return len(lost)

    def _enqueue_dispute_audits(self, now: datetime, before: datetime) -> int:
        due = self._work.disputes_awaiting_verdict(before, now)
        in_hand = self._jobs.pending_work(AUDITS) if due else set()
        lost = [
            waiting for waiting in self._auditable(due) if dispute_job_id(waiting.match, waiting.ply) not in in_hand
        ]
        for waiting in lost:
            self._jobs.enqueue_dispute_audit(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        return len(lost)

    def _auditable(self, due: list[WorkItem]) -> list[WorkItem]:
        """Return the items whose audits are not suspended."""
        with redis_errors_as_unavailable():
            return [waiting for waiting in due if not self._failures.are_audits_suspended(waiting.match)]
