"""The daily digest: one email a day about all pending notices, for players who prefer that."""

from datetime import datetime

from domain.match.state import AnyMatch
from service.matches.repository import MatchRepository
from service.notifications.outbox import Delivery, DeliveryRecord, Outbox, outbox_member, parse_outbox_member
from service.notifications.preferences import (
    Contact,
    NotificationPreferences,
    SentDigest,
    due_at,
    last_local_hour,
    next_local_hour,
)
from service.runtime.clock import Clock, to_milliseconds
from workers.notifications.mail import MailComposer
from workers.notifications.notices import awaits_expiry, is_caused_by_player, load_head, notice_since
from workers.notifications.retries import MAIL_RETRY_SECONDS, retry_later
from workers.notifications.smtp import MailDelayed, MailRefused, send_mail, smtp_connection

MAX_DAILY_NOTICES = 100
"""Maximum number of notices in a digest. The others wait for the next one."""


class DailyDigest:
    """Sends daily digests."""

    def __init__(
        self,
        outbox: Outbox,
        preferences: NotificationPreferences,
        matches: MatchRepository,
        composer: MailComposer,
        clock: Clock,
        smtp_url: str | None,
    ) -> None:
        self._outbox = outbox
        self._preferences = preferences
        self._matches = matches
        self._composer = composer
        self._clock = clock
        self._smtp_url = smtp_url

    def deliver(self, player: str) -> None:
        """Send a player's daily digest, unless there is nothing to send or another worker is sending it."""
        if not self._preferences.claim_digest(player):
            return
        try:
            self._send(self._preferences.get(player))
        finally:
            self._preferences.release_digest(player)

    def _send(self, contact: Contact) -> None:
        """Send one email about all pending notices. Remove sent and obsolete notices from the outbox."""
        player, names = contact.player, self._preferences.pending_digest(contact.player)
        if contact.mail_preferences.mail != "daily" or contact.address is None or self._smtp_url is None:
            self._preferences.remove_from_digest(player, names)  # they stay in the outbox and are sent individually
            return
        now, zone = self._clock.now(), contact.mail_preferences.timezone
        slot = to_milliseconds(last_local_hour(now, contact.mail_preferences.hour, zone))
        last = self._preferences.last_digest(player)
        if last and last.slot >= slot:
            self._record_sent(player, [name for name in names if name in last.names])
            late = [name for name in names if name not in last.names]
            self._postpone(late, next_local_hour(now, contact.mail_preferences.hour, zone))
            return
        notices = self._select(contact, names)
        if not notices:
            return
        members = [outbox_member(delivery) for _, delivery in notices]
        try:
            with smtp_connection(self._smtp_url) as smtp:
                send_mail(smtp, self._composer.digest(notices, contact, slot))
                self._preferences.record_digest(player, SentDigest(slot, tuple(members)))
        except MailDelayed as delay:
            for _, delivery in notices:
                retry_later(self._outbox, delivery, MAIL_RETRY_SECONDS, str(delay), self._clock.now())
            self._preferences.record_outcome(player, "mail", f"Delayed: {delay}.", well=False)
            return
        except MailRefused as refusal:
            self._preferences.record_outcome(player, "mail", f"Not sent: {refusal}.", well=False)
        else:
            self._preferences.record_outcome(player, "mail", "Sent.", well=True)
        self._record_sent(player, members)

    def _select(self, contact: Contact, names: list[str]) -> list[tuple[AnyMatch, Delivery]]:
        """Return the notices for the digest. Drop obsolete ones and keep those that are not due yet."""
        notices: list[tuple[AnyMatch, Delivery]] = []
        for name in names:
            delivery = parse_outbox_member(name)
            if self._outbox.is_recorded(delivery):  # a sweep that read an older outbox added it again
                self._outbox.drop(delivery)
                self._preferences.remove_from_digest(contact.player, [name])
                continue
            head = load_head(self._matches, delivery.match)
            since = notice_since(head, delivery)
            due = due_at(contact, "mail", delivery.kind, since, self._clock.now()) if since else None
            if head is None or due is None or is_caused_by_player(self._matches, head, delivery):
                self._outbox.drop(delivery) if since is None else self._outbox.mark_not_needed([delivery])
                self._preferences.remove_from_digest(contact.player, [name])
            elif awaits_expiry(head, delivery, self._clock.now()):
                continue
            elif due <= self._clock.now() and len(notices) < MAX_DAILY_NOTICES:
                notices.append((head, delivery))
        return notices

    def _record_sent(self, player: str, names: list[str]) -> None:
        """Record that a digest covered these deliveries."""
        for name in names:
            delivery = parse_outbox_member(name)
            self._outbox.record(delivery, DeliveryRecord(self._clock.now(), "sent in the daily digest", delivery.id))
        self._preferences.remove_from_digest(player, names)

    def _postpone(self, names: list[str], until: datetime) -> None:
        """Postpone deliveries that were too late for today's digest."""
        for name in names:
            self._outbox.postpone(parse_outbox_member(name), until)
