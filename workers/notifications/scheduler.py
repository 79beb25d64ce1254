"""Sweeps the outbox and enqueues the deliveries and one-off tasks that are due.

Work lost in a crash, a flush or a failed job is still in the outbox and still due. Deliveries that are no longer needed
are removed from the outbox here, without a job.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.event_store.keys import SHARDS
from service.notifications.one_off_tasks import DueTask, OneOffTasks
from service.notifications.outbox import MAX_POSTPONEMENT, Delivery, Outbox, OutboxEntry, outbox_member
from service.notifications.preferences import Contact, NotificationPreferences, due_at
from service.runtime.clock import Clock
from workers.jobs.allowed_job import MAIL, WEBHOOKS
from workers.jobs.job_ids import daily_job_id, delivery_attempt, delivery_job_id, task_job_id
from workers.jobs.queue import JobQueue
from workers.notifications.notices import wants_daily_mail

UNKNOWN_RETRY = timedelta(minutes=1)
"""How long a delivery is postponed when the projections can't tell whether its notice is current: they are being
rebuilt, or can't read its match."""


class NotificationScheduler:
    """Compares the outbox with the queues. `has_mail` is False if no mail server is configured."""

    def __init__(
        self,
        outbox: Outbox,
        preferences: NotificationPreferences,
        tasks: OneOffTasks,
        jobs: JobQueue,
        clock: Clock,
        *,
        has_mail: bool,
    ) -> None:
        self._outbox = outbox
        self._preferences = preferences
        self._tasks = tasks
        self._jobs = jobs
        self._clock = clock
        self._has_mail = has_mail

    def run(self, shards: Sequence[int] = range(SHARDS), *, with_tasks: bool = True) -> int:
        """Enqueue everything that is due and not queued yet. Return the number of jobs.

        Raises LogUnavailable, QueueUnavailable.
        """
        now = self._clock.now()
        try:
            ready = self._select_ready(self._outbox.due(now, shards), now)
            tasks = self._tasks.due(now) if with_tasks else []
        except REDIS_ERRORS as error:
            raise LogUnavailable(f"The log server is unavailable ({type(error).__name__}).") from None
        if not ready and not tasks:
            return 0
        in_hand = self._jobs.pending_work(MAIL) | self._jobs.pending_work(WEBHOOKS)
        return self._enqueue_deliveries(ready, in_hand, now) + self._enqueue_tasks(tasks, in_hand, now)

    def _enqueue_deliveries(
        self, ready: Iterable[tuple[OutboxEntry, Contact]], in_hand: set[str], now: datetime
    ) -> int:
        lost = [(entry, contact) for entry, contact in ready if work_of_delivery(entry, contact) not in in_hand]
        for entry, contact in lost:
            if wants_daily_mail(contact, entry.delivery):
                self._jobs.enqueue_daily_mail(contact.player, delivery_attempt(now, entry.due))
            else:
                self._jobs.enqueue_delivery(entry.delivery, delivery_attempt(now, entry.due))
        return len(lost)

    def _enqueue_tasks(self, tasks: Sequence[DueTask], in_hand: set[str], now: datetime) -> int:
        for task in tasks:
            if task_job_id(task.id) not in in_hand:
                self._jobs.enqueue_task(task.id, delivery_attempt(now, task.due))
        return len(tasks)

    def _select_ready(self, entries: Sequence[OutboxEntry], now: datetime) -> list[tuple[OutboxEntry, Contact]]:
        """Return the deliveries to send now. Postpone or remove the others."""
        known = self._preferences.get_many(list({entry.delivery.player for entry in entries}))
        ready: list[tuple[OutboxEntry, Contact]] = []
        unneeded: list[Delivery] = []
        for entry in entries:
            delivery, contact = entry.delivery, known[entry.delivery.player]
            if entry.raised_at is None:
                if not self._outbox.drop_if_obsolete(delivery):
                    self._outbox.postpone(delivery, now + UNKNOWN_RETRY)
                continue
            due = due_at(contact, delivery.channel, delivery.kind, entry.raised_at, now)
            if due is None:
                unneeded.append(delivery)
                continue
            if due > now:
                self._outbox.postpone(delivery, min(due, now + MAX_POSTPONEMENT))
            elif delivery.channel == "mail" and not self._has_mail:
                self._outbox.postpone(delivery, now + MAX_POSTPONEMENT)
            else:
                ready.append((entry, contact))
            if wants_daily_mail(contact, delivery):
                self._preferences.add_to_digest(contact.player, [outbox_member(delivery)])
        if unneeded:
            self._outbox.mark_not_needed(unneeded)
        return ready


def work_of_delivery(entry: OutboxEntry, contact: Contact) -> str:
    """Return the work of the job for a delivery (see `work_of_job`)."""
    if wants_daily_mail(contact, entry.delivery):
        return daily_job_id(contact.player)
    return delivery_job_id(entry.delivery)
