"""Calls players' webhooks about notices."""

from datetime import datetime
from typing import Any

from domain.match.state import AnyMatch
from service.notifications.email_templates import match_url
from service.notifications.outbox import Delivery, DeliveryRecord, Outbox
from service.notifications.preferences import Contact, NotificationPreferences, Webhook
from service.runtime.clock import Clock
from service.runtime.settings import Settings
from workers.notifications.records import record_outcome
from workers.notifications.retries import WEBHOOK_RETRY_SECONDS, retry_later
from workers.notifications.webhooks import WebhookFailed, call_webhook


class WebhookDelivery:
    """Calls a player's webhook about one notice."""

    def __init__(self, outbox: Outbox, preferences: NotificationPreferences, settings: Settings, clock: Clock) -> None:
        self._outbox = outbox
        self._preferences = preferences
        self._settings = settings
        self._clock = clock

    def deliver(self, delivery: Delivery, contact: Contact, match: AnyMatch) -> None:
        """Call the webhook and record the response."""
        hook, now = contact.webhook, self._clock.now()
        assert hook is not None, "only players with a webhook have due calls"
        payload = webhook_payload(delivery, match, match_url(self._settings, match.id), now)
        try:
            status = call_webhook(hook, delivery.id, payload, now, self._settings.hook_loopback)
        except WebhookFailed as failure:
            self._handle_failure(delivery, hook, failure)
            return
        self._record(delivery, f"answered {status}")
        self._preferences.record_outcome(delivery.player, "webhook", f"Your server responded with {status}.", well=True)

    def _handle_failure(self, delivery: Delivery, hook: Webhook, failure: WebhookFailed) -> None:
        """Retry later, or give up after the last pause or if the receiver responds with 410 Gone."""
        if not failure.gone and self._outbox.failed_attempts(delivery) < len(WEBHOOK_RETRY_SECONDS):
            retry_later(self._outbox, delivery, WEBHOOK_RETRY_SECONDS, str(failure), self._clock.now())
            self._preferences.record_outcome(delivery.player, "webhook", f"{failure} We'll try again.", well=False)
            return
        self._record(delivery, f"given up: {failure}")
        outcome = f"{failure} We won't send that notification again."
        self._preferences.record_outcome(delivery.player, "webhook", outcome, well=False)
        if failure.gone:
            self._preferences.remove_gone_webhook(delivery.player, hook)

    def _record(self, delivery: Delivery, outcome: str) -> None:
        record_outcome(self._outbox, delivery, DeliveryRecord(self._clock.now(), outcome, delivery.id))


def webhook_payload(delivery: Delivery, match: AnyMatch, page: str, at: datetime) -> dict[str, Any]:
    """Return the body of a call (see `docs/notifications.md`). It contains no hidden information."""
    mine = match.seats_of(delivery.player)
    deadlines = [match.clocks[seat].deadline for seat in mine] if match.clocks else []
    return {
        "type": f"match.{delivery.kind}",
        "timestamp": at,
        "data": {
            "player": delivery.player,
            "match": match.id,
            "game": match.game,
            "brought_by": delivery.ply,
            "ply": match.ply,
            "status": match.status,
            "seats": mine,
            "to_move": sorted(match.to_move),
            "deadline": min((each for each in deadlines if each), default=None),
            "page": page,
        },
    }
