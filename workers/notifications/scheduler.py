"""Finds what people are to be told by now, and puts it into the queues: the sweep of the agenda.

What a crash, a flush or a failed job has lost stands in the agenda still, as what is due; what nobody needs leaves it
here, without a job.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from service.bootstrap import Services
from service.event_store.errors import REDIS_ERRORS
from service.event_store.keys import SHARDS
from service.event_store.log import LogUnavailable
from service.notifications.outbox import PUT_OFF, Owed, member
from service.notifications.preferences import Contact, due_at
from workers.jobs.queue import MAIL, WEBHOOKS, Jobs, daily_job_id, errand_job_id, tell_job_id
from workers.notifications.delivery import by_the_day
from workers.processes.reconciler import attempt

UNKNOWN = timedelta(minutes=1)
"""For how long a delivery is put off of which the lists cannot say whether it has passed: they are being derived again,
or cannot read its match."""


class Notifier:
    """Compares the agenda with what is in hand."""

    def __init__(self, services: Services, jobs: Jobs) -> None:
        self._services = services
        self._jobs = jobs

    def run(self, shards: Sequence[int] = range(SHARDS), *, errands: bool = True) -> int:
        """Enqueue what is due and not in hand; gives how many jobs. Raises LogUnavailable, QueueUnavailable."""
        now = self._services.clock.now()
        try:
            ready = self._ready(self._services.agenda.due(now, shards), now)
            letters = self._services.errands.due(now) if errands else []
        except REDIS_ERRORS as error:
            raise LogUnavailable(f"The log's server does not do its part ({type(error).__name__}).") from None
        if not ready and not letters:
            return 0
        in_hand = self._jobs.in_hand(MAIL) | self._jobs.in_hand(WEBHOOKS)
        lost = [(owed, contact) for owed, contact in ready if work(owed, contact) not in in_hand]
        for owed, contact in lost:
            self._put(owed, contact, now)
        for letter in letters:
            if errand_job_id(letter.id) not in in_hand:
                self._jobs.errand(letter.id, which(now, letter.due))
        return len(lost) + len(letters)

    def _put(self, owed: Owed, contact: Contact, now: datetime) -> None:
        if by_the_day(contact, owed.delivery):
            self._jobs.daily(contact.player, which(now, owed.due))
        else:
            self._jobs.tell(owed.delivery, which(now, owed.due))

    def _ready(self, owed: Sequence[Owed], now: datetime) -> list[tuple[Owed, Contact]]:
        """What is to go out now. The rest leaves the agenda, or is looked at again later."""
        agenda, contacts = self._services.agenda, self._services.contacts
        known = contacts.of_all(list({one.delivery.player for one in owed}))
        ready, settled = [], []
        for one in owed:
            contact = known[one.delivery.player]
            due = due_at(contact, one.delivery.channel, one.delivery.kind, one.since, now) if one.since else None
            if one.since is None:
                if not agenda.drop_passed(one.delivery):
                    agenda.postpone(one.delivery, now + UNKNOWN)
            elif due is None:
                settled.append(one.delivery)
            elif due > now:
                agenda.postpone(one.delivery, min(due, now + PUT_OFF))
            elif one.delivery.channel == "mail" and self._services.settings.smtp_url is None:
                agenda.postpone(one.delivery, now + PUT_OFF)
            else:
                ready.append((one, contact))
            if due is not None and by_the_day(contact, one.delivery):
                contacts.put_aside(contact.player, [member(one.delivery)])
        if settled:
            agenda.settle(settled)
        return ready


def work(owed: Owed, contact: Contact) -> str:
    """What the job for a delivery is about."""
    return daily_job_id(contact.player) if by_the_day(contact, owed.delivery) else tell_job_id(owed.delivery)


def which(now: datetime, due: datetime) -> str:
    """Which attempt is due: that of this appointment, and how often it was looked for by now."""
    return f"{int(due.timestamp() * 1000)}x{attempt(now - due)}"
