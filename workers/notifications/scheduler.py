"""Finds what people are to be told by now, and puts it into the queues: the sweep of the agenda.

What a crash, a flush or a failed job has lost stands in the agenda still, as what is due; what nobody needs leaves it
here, without a job.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from service.bootstrap import Services
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.event_store.keys import SHARDS
from service.notifications.outbox import MAX_POSTPONEMENT, OutboxEntry, outbox_member
from service.notifications.preferences import Contact, due_at
from workers.jobs.queue import MAIL, WEBHOOKS, JobQueue, daily_job_id, delivery_job_id, task_job_id
from workers.notifications.delivery import wants_daily_mail
from workers.processes.reconciler import attempt_number

UNKNOWN_RETRY = timedelta(minutes=1)
"""For how long a delivery is put off of which the lists cannot say whether it has passed: they are being derived again,
or cannot read its match."""


class NotificationScheduler:
    """Compares the agenda with what is in hand."""

    def __init__(self, services: Services, jobs: JobQueue) -> None:
        self._services = services
        self._jobs = jobs

    def run(self, shards: Sequence[int] = range(SHARDS), *, errands: bool = True) -> int:
        """Enqueue what is due and not in hand; gives how many jobs. Raises LogUnavailable, QueueUnavailable."""
        now = self._services.clock.now()
        try:
            ready = self._select_ready(self._services.outbox.due(now, shards), now)
            letters = self._services.one_off_tasks.due(now) if errands else []
        except REDIS_ERRORS as error:
            raise LogUnavailable(f"The log's server does not do its part ({type(error).__name__}).") from None
        if not ready and not letters:
            return 0
        in_hand = self._jobs.pending_work(MAIL) | self._jobs.pending_work(WEBHOOKS)
        lost = [(owed, contact) for owed, contact in ready if work_of_delivery(owed, contact) not in in_hand]
        for owed, contact in lost:
            self._enqueue(owed, contact, now)
        for letter in letters:
            if task_job_id(letter.id) not in in_hand:
                self._jobs.enqueue_task(letter.id, attempt_id(now, letter.due))
        return len(lost) + len(letters)

    def _enqueue(self, owed: OutboxEntry, contact: Contact, now: datetime) -> None:
        if wants_daily_mail(contact, owed.delivery):
            self._jobs.enqueue_daily_mail(contact.player, attempt_id(now, owed.due))
        else:
            self._jobs.enqueue_delivery(owed.delivery, attempt_id(now, owed.due))

    def _select_ready(self, owed: Sequence[OutboxEntry], now: datetime) -> list[tuple[OutboxEntry, Contact]]:
        """What is to go out now. The rest leaves the agenda, or is looked at again later."""
        agenda, contacts = self._services.outbox, self._services.preferences
        known = contacts.get_many(list({one.delivery.player for one in owed}))
        ready, settled = [], []
        for one in owed:
            contact = known[one.delivery.player]
            due = (
                due_at(contact, one.delivery.channel, one.delivery.kind, one.raised_at, now) if one.raised_at else None
            )
            if one.raised_at is None:
                if not agenda.drop_if_obsolete(one.delivery):
                    agenda.postpone(one.delivery, now + UNKNOWN_RETRY)
            elif due is None:
                settled.append(one.delivery)
            elif due > now:
                agenda.postpone(one.delivery, min(due, now + MAX_POSTPONEMENT))
            elif one.delivery.channel == "mail" and self._services.settings.smtp_url is None:
                agenda.postpone(one.delivery, now + MAX_POSTPONEMENT)
            else:
                ready.append((one, contact))
            if due is not None and wants_daily_mail(contact, one.delivery):
                contacts.add_to_digest(contact.player, [outbox_member(one.delivery)])
        if settled:
            agenda.mark_not_needed(settled)
        return ready


def work_of_delivery(owed: OutboxEntry, contact: Contact) -> str:
    """What the job for a delivery is about."""
    return daily_job_id(contact.player) if wants_daily_mail(contact, owed.delivery) else delivery_job_id(owed.delivery)


def attempt_id(now: datetime, due: datetime) -> str:
    """Which attempt is due: that of this appointment, and how often it was looked for by now."""
    return f"{int(due.timestamp() * 1000)}x{attempt_number(now - due)}"
