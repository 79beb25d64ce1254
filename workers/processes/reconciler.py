"""Puts into the queue what is due and not in it: whatever a crash, a flush or a failed job has lost."""

from datetime import datetime, timedelta
from math import log2

from service.event_store.errors import redis_errors_as_unavailable
from service.read_models.projections import Projections, WorkItem
from service.runtime.clock import Clock
from service.runtime.job_failures import JobFailures
from workers.jobs.queue import (
    AUDITS,
    BOTS,
    DEADLINES,
    JobQueue,
    audit_job_id,
    bot_job_id,
    dispute_job_id,
    expire_job_id,
)

DISPATCH_GRACE = timedelta(seconds=2)
"""For how long the dispatcher's own job is trusted to do it."""
DOUBLINGS = 6
STEADY_INTERVAL = timedelta(seconds=60)
"""What is due for longer than a minute or two is tried this often."""


class Reconciler:
    """Compares what is due with what is in hand."""

    def __init__(self, projections: Projections, failures: JobFailures, jobs: JobQueue, clock: Clock) -> None:
        self._projections = projections
        self._failures = failures
        self._jobs = jobs
        self._clock = clock

    def run(self, patience: timedelta = DISPATCH_GRACE) -> int:
        """Enqueue what has been due for longer than `patience` and is not in hand; gives how many jobs.

        A job that fails leaves its id behind, so each attempt has an id of its own, told by the time that has passed:
        two reconcilers find the same one. One that vanishes with its worker is put again under the same id. What has
        been due since the future, because the clock was set back, is due as well. Raises LogUnavailable,
        QueueUnavailable.
        """
        now = self._clock.now()
        before = now - patience
        return (
            self._enqueue_expiries(now)
            + self._enqueue_bot_turns(now, before)
            + self._enqueue_audits(now, before)
            + self._enqueue_dispute_audits(now, before)
        )

    def _enqueue_expiries(self, now: datetime) -> int:
        """Deadlines that have passed. Nobody else looks for them, so there is nobody to be patient with."""
        expired = self._projections.expired_deadlines(now)
        in_hand = self._jobs.pending_work(DEADLINES) if expired else set()
        lost = [waiting for waiting in expired if expire_job_id(waiting.match, waiting.ply) not in in_hand]
        for waiting in lost:
            self._jobs.enqueue_expiry(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        return len(lost)

    def _enqueue_bot_turns(self, now: datetime, before: datetime) -> int:
        due = self._projections.due_bot_turns(before, now)
        in_hand = self._jobs.pending_work(BOTS) if due else set()
        lost = [waiting for waiting in due if bot_job_id(waiting.match, waiting.ply) not in in_hand]
        for waiting in lost:
            self._jobs.enqueue_bot_turn(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        return len(lost)

    def _enqueue_audits(self, now: datetime, before: datetime) -> int:
        due = self._projections.unaudited_matches(before, now)
        in_hand = self._jobs.pending_work(AUDITS) if due else set()
        lost = [waiting for waiting in self._auditable(due) if audit_job_id(waiting.match) not in in_hand]
        for waiting in lost:
            self._jobs.enqueue_audit(waiting.match, attempt_number(now - waiting.since))
        return len(lost)

    def _enqueue_dispute_audits(self, now: datetime, before: datetime) -> int:
        due = self._projections.disputes_awaiting_verdict(before, now)
        in_hand = self._jobs.pending_work(AUDITS) if due else set()
        lost = [
            waiting for waiting in self._auditable(due) if dispute_job_id(waiting.match, waiting.ply) not in in_hand
        ]
        for waiting in lost:
            self._jobs.enqueue_dispute_audit(waiting.match, waiting.ply, attempt_number(now - waiting.since))
        return len(lost)

    def _auditable(self, due: list[WorkItem]) -> list[WorkItem]:
        """Those of them whose audits do not rest."""
        with redis_errors_as_unavailable():
            return [waiting for waiting in due if not self._failures.are_audits_suspended(waiting.match)]


def attempt_number(waited: timedelta) -> int:
    """Which attempt is due by now: 0 at first, the others after 2, 4, 8, ... 64 seconds, then once a minute.

    Where the clock was set back the time that passes leads to the beginning of the wait instead of away from it.
    """
    waited = abs(waited)
    times = waited / DISPATCH_GRACE
    if times < 1:
        return 0
    steady = DISPATCH_GRACE * 2 ** (DOUBLINGS - 1)
    if waited < steady:
        return 1 + int(log2(times))
    minutes: int = (waited - steady) // STEADY_INTERVAL
    return DOUBLINGS + minutes
