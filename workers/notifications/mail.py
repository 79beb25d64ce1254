"""Composes emails to players and sends emails about single notices."""

from collections.abc import Sequence
from email.message import EmailMessage

from domain.match.state import AnyMatch
from service.accounts.players import Players
from service.matches.repository import MatchRepository
from service.notifications.email_templates import Email, build_message, digest_email, notice_email
from service.notifications.outbox import MAX_POSTPONEMENT, Delivery, DeliveryRecord, Outbox
from service.notifications.preferences import Contact, NotificationPreferences
from service.runtime.clock import Clock
from service.runtime.settings import Settings
from workers.notifications.notices import awaits_expiry, load_head, notice_since
from workers.notifications.records import record_outcome
from workers.notifications.retries import EXPIRY_WAIT, MAIL_RETRY_SECONDS, retry_later
from workers.notifications.smtp import MailDelayed, MailRefused, send_mail, smtp_connection


class MailComposer:
    """Composes emails to players who have an address."""

    def __init__(
        self, players: Players, preferences: NotificationPreferences, settings: Settings, clock: Clock
    ) -> None:
        self._players = players
        self._preferences = preferences
        self._settings = settings
        self._clock = clock

    def notice(self, match: AnyMatch, delivery: Delivery, contact: Contact) -> EmailMessage:
        """Return the email about one notice."""
        unsubscribe = self._unsubscribe_url(contact.player)
        email = notice_email(match, delivery, contact, self._names([match]), self._settings, unsubscribe)
        return self._address(email, contact)

    def digest(self, notices: list[tuple[AnyMatch, Delivery]], contact: Contact, slot: int) -> EmailMessage:
        """Return the daily digest of these notices."""
        names = self._names([match for match, _ in notices])
        unsubscribe = self._unsubscribe_url(contact.player)
        return self._address(digest_email(notices, contact, slot, names, self._settings, unsubscribe), contact)

    def _names(self, matches: Sequence[AnyMatch]) -> dict[str, str]:
        """Return the names of all players in these matches, by player id."""
        return self._players.names({seat.player for match in matches for seat in match.seats if seat.player})

    def _unsubscribe_url(self, player: str) -> str:
        """Return the URL that unsubscribes the player from all emails."""
        return f"{self._settings.public_url}/unsubscribe/{player}/{self._preferences.unsubscribe_code(player)}"

    def _address(self, email: Email, contact: Contact) -> EmailMessage:
        assert contact.address is not None, "the caller checks for an address"
        return build_message(email, contact.address.text, self._settings, self._clock.now())


class MailDelivery:
    """Sends an email about one notice."""

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

    def deliver(self, delivery: Delivery, contact: Contact) -> None:
        """Send the email, unless its notice is obsolete by the time the mail server is connected."""
        if contact.address is None or self._smtp_url is None:
            self._outbox.postpone(delivery, self._clock.now() + MAX_POSTPONEMENT)
            return
        try:
            with smtp_connection(self._smtp_url) as smtp:
                head = load_head(self._matches, delivery.match)
                if head is None or notice_since(head, delivery) is None:
                    self._outbox.drop(delivery)
                    return
                if awaits_expiry(head, delivery, self._clock.now()):
                    self._outbox.postpone(delivery, self._clock.now() + EXPIRY_WAIT)
                    return
                send_mail(smtp, self._composer.notice(head, delivery, contact))
                self._record(delivery, "sent")
        except MailRefused as refusal:
            self._record(delivery, str(refusal))
            self._preferences.record_outcome(delivery.player, "mail", f"Not sent: {refusal}.", well=False)
            return
        except MailDelayed as delay:
            retry_later(self._outbox, delivery, MAIL_RETRY_SECONDS, str(delay), self._clock.now())
            self._preferences.record_outcome(delivery.player, "mail", f"Delayed: {delay}.", well=False)
            return
        self._preferences.record_outcome(delivery.player, "mail", "Sent.", well=True)

    def _record(self, delivery: Delivery, outcome: str) -> None:
        record_outcome(self._outbox, delivery, DeliveryRecord(self._clock.now(), outcome, delivery.id))
