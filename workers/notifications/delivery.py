"""Makes the deliveries of the outbox: one email or webhook call per notice, unless the notice is obsolete.

A worker claims a delivery, checks the head of the match again, sends, and records the outcome. If it is killed between
the mail server's response and the record, the same email is sent again with the same Message-ID. If the log server
stops answering before the email was sent, the worker gives its lease back, so that the next attempt needn't wait for
the lease to expire.
"""

from contextlib import suppress

from redis.exceptions import RedisClusterException, RedisError

from domain.match.state import AnyMatch
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.matches.repository import MatchRepository
from service.notifications.outbox import MAX_POSTPONEMENT, Delivery, DeliveryRecord, Outbox
from service.notifications.preferences import Contact, NotificationPreferences, due_at
from service.runtime.clock import Clock
from workers.notifications.mail import MailDelivery
from workers.notifications.notices import awaits_expiry, is_caused_by_player, load_head, notice_since, wants_daily_mail
from workers.notifications.records import NotRecorded
from workers.notifications.retries import EXPIRY_WAIT, write_through_outage
from workers.notifications.throttle import allowed_at, coalesced_deliveries
from workers.notifications.webhook_delivery import WebhookDelivery


class Deliverer:
    """Makes due deliveries and postpones or drops the others."""

    def __init__(
        self,
        outbox: Outbox,
        preferences: NotificationPreferences,
        matches: MatchRepository,
        clock: Clock,
        mail: MailDelivery,
        webhooks: WebhookDelivery,
    ) -> None:
        self._outbox = outbox
        self._preferences = preferences
        self._matches = matches
        self._clock = clock
        self._mail = mail
        self._webhooks = webhooks

    def deliver(self, delivery: Delivery) -> None:
        """Make one delivery, unless it was already made, another worker has claimed it, or its notice is obsolete."""
        if not self._outbox.claim(delivery):
            return
        try:
            self._deliver_claimed(delivery)
        except NotRecorded:
            raise  # it was sent, so the next attempt is not before the end of the lease
        except (LogUnavailable, RedisError, RedisClusterException):
            with suppress(*REDIS_ERRORS):
                write_through_outage(lambda: self._outbox.release(delivery))
            raise

    def _deliver_claimed(self, delivery: Delivery) -> None:
        head, contact = load_head(self._matches, delivery.match), self._preferences.get(delivery.player)
        since = notice_since(head, delivery)
        if head is None or since is None:
            self._outbox.drop(delivery)
            return
        now = self._clock.now()
        due = due_at(contact, delivery.channel, delivery.kind, since, now)
        if awaits_expiry(head, delivery, now):
            self._outbox.postpone(delivery, now + EXPIRY_WAIT)
        elif due is None or is_caused_by_player(self._matches, head, delivery):
            self._outbox.mark_not_needed([delivery])
        elif due > now or wants_daily_mail(contact, delivery):
            self._outbox.postpone(delivery, min(max(due, now), now + MAX_POSTPONEMENT))
        else:
            self._deliver_or_throttle(delivery, contact, head)

    def _deliver_or_throttle(self, delivery: Delivery, contact: Contact, head: AnyMatch) -> None:
        """Make a due delivery, or postpone it if the player's rate limit for the match is reached.

        Deliveries covered by this one leave the outbox first, so that only this one is retried if it fails.
        """
        now, records = self._clock.now(), self._outbox.records(head.id)
        if (allowed := allowed_at(delivery, records, now)) > now:
            self._outbox.postpone(delivery, allowed)
            return
        for other in coalesced_deliveries(delivery, records, head):
            self._outbox.record(other, DeliveryRecord(now, "covered by another delivery", delivery.id))
        if delivery.channel == "mail":
            self._mail.deliver(delivery, contact)
        else:
            self._webhooks.deliver(delivery, contact, head)
