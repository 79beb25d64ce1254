"""Notification preferences: a player's address, options and webhook. Kept outside the log, erased with the player.

An address belongs to one player at most. It is looked up by a keyed hash, so that no key contains it. In a cluster that
entry and the player's record are in different slots, and a process may crash between the two writes. A player has an
address only if both agree. An entry without a matching record is ignored; the next player to confirm the address
takes it over.
"""

import hmac
import re
import secrets
from base64 import b64encode
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import cache
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import msgspec
from msgspec.structs import replace
from redis import Redis

from domain.match.state import NoticeKind
from service.event_store.keys import (
    address_key,
    contact_key,
    digest_lease_key,
    last_digest_key,
    outcomes_key,
    pending_digest_key,
)
from service.notifications.outbox import LEASE_SECONDS, Channel
from service.runtime.clock import Clock

MAX_ADDRESS_LENGTH = 254
MAX_LOCAL_PART_LENGTH = 64
MAX_URL_LENGTH = 500

CLAIM_ADDRESS_SCRIPT = files("service.notifications").joinpath("claim_address.lua").read_text(encoding="utf-8")
REMOVE_GONE_WEBHOOK_SCRIPT = (
    files("service.notifications").joinpath("remove_gone_webhook.lua").read_text(encoding="utf-8")
)

_LOCAL_PART = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*", re.ASCII)
_DOMAIN_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?", re.ASCII)
_URL = re.compile(r"[!-~]{1,500}", re.ASCII)

MailMode = Literal["each", "daily", "none"]
MAIL_MODES: dict[MailMode, str] = {
    "each": "An email for each notification",
    "daily": "A daily digest",
    "none": "No email",
}
TURN_DELAY_MINUTES = (0, 5, 15, 60, 240)
"""Choices for how long to wait before emailing a player about a turn."""


class InvalidPreference(ValueError):
    """An invalid address, URL or option. The message says what to enter."""


class AddressTaken(Exception):
    """Another player has this address."""


class Address(msgspec.Struct, frozen=True):
    """A confirmed email address, and when it was confirmed."""

    text: str
    since: datetime


class QuietPeriod(msgspec.Struct, frozen=True):
    """The local hours in which no email is sent. The period may span midnight."""

    start: time
    end: time


class MailPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """A player's email options. Notices raised before `since` are not sent."""

    mail: MailMode = "each"
    patience: int = 5
    """How many minutes to wait before emailing the player about a turn. A player who is online needs no email."""
    zone: str = "UTC"
    quiet: QuietPeriod | None = None
    hour: int = 8
    """The local hour of the daily digest."""
    since: datetime = datetime(1970, 1, 1, tzinfo=UTC)

    @property
    def timezone(self) -> tzinfo:
        """The time zone, or UTC if this machine does not know it, so that one bad setting cannot stop the job."""
        try:
            return ZoneInfo(self.zone)
        except ZoneInfoNotFoundError:
            return UTC


class Webhook(msgspec.Struct, frozen=True):
    """A webhook: its URL, the secret that signs its calls, and when it was set."""

    url: str
    secret: str
    since: datetime


class Contact(msgspec.Struct, frozen=True, kw_only=True):
    """A player's address, email options and webhook."""

    player: str
    address: Address | None = None
    mail_preferences: MailPreferences = MailPreferences()
    webhook: Webhook | None = None

    def notified_since(self, channel: Channel) -> datetime | None:
        """Return the time from which the player gets notifications through this channel, or None."""
        if channel == "webhook":
            return self.webhook.since if self.webhook else None
        if self.address is None or self.mail_preferences.mail == "none":
            return None
        return max(self.address.since, self.mail_preferences.since)


class LastDelivery(msgspec.Struct, frozen=True):
    """The outcome of the last delivery of a kind."""

    at: datetime
    text: str
    well: bool


class SentDigest(msgspec.Struct, frozen=True):
    """A daily digest that was sent: its scheduled time (milliseconds since 1970) and its deliveries."""

    slot: int
    names: tuple[str, ...]


def parse_address(text: str) -> str:
    """Return the address without surrounding spaces, its domain in lower case. Raises InvalidPreference."""
    tidy = text.strip(" ")
    local, at, domain = tidy.rpartition("@")
    labels = domain.split(".")
    fits = at and len(tidy) <= MAX_ADDRESS_LENGTH and len(local) <= MAX_LOCAL_PART_LENGTH and len(labels) > 1
    if not fits or not _LOCAL_PART.fullmatch(local) or not all(map(_DOMAIN_LABEL.fullmatch, labels)):
        raise InvalidPreference(
            "This email address isn't valid. Enter one such as ann@example.org, without accented letters. "
            "Write an international domain in its xn-- form."
        )
    return f"{local}@{domain.lower()}"


def parse_webhook_url(text: str) -> str:
    """Return the URL of a webhook. Raises InvalidPreference. The target host is checked before each call."""
    tidy = text.strip(" ")
    try:
        parts = urlsplit(tidy)
        good = bool(_URL.fullmatch(tidy) and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        good = False
    if not good or parts.username is not None or parts.password is not None or "#" in tidy or "\\" in tidy:
        raise InvalidPreference(
            f"This webhook URL isn't valid. Enter up to {MAX_URL_LENGTH} plain characters that begin with https:// or "
            "http://, without a user name, a password or a # part."
        )
    return tidy


def parse_timezone(text: str) -> str:
    """Return the name of a time zone. Raises InvalidPreference."""
    if text not in timezone_names():
        raise InvalidPreference("This time zone doesn't exist. Enter a name such as Europe/Berlin.")
    return text


@cache
def timezone_names() -> frozenset[str]:
    """Return the names of all time zones."""
    return frozenset(available_timezones())


def parse_quiet_hours(start: str, end: str) -> QuietPeriod | None:
    """Return the quiet hours from two times such as 22:00, or None if both are empty. Raises InvalidPreference."""
    if not start and not end:
        return None
    try:
        quiet = QuietPeriod(parse_time(start), parse_time(end))
    except ValueError:
        raise InvalidPreference(
            "Quiet hours need two times such as 22:00 and 07:30. To turn them off, leave both empty."
        ) from None
    if quiet.start == quiet.end:
        raise InvalidPreference(
            "Quiet hours must start and end at different times. To turn off email, choose “No email”."
        )
    return quiet


def parse_time(text: str) -> time:
    """Return a time of day such as 07:30. Raises ValueError."""
    if not re.fullmatch(r"\d\d:\d\d", text, re.ASCII):
        raise ValueError(text)
    return time(int(text[:2]), int(text[3:]))


def require_valid_preferences(wishes: MailPreferences) -> MailPreferences:
    """Return the preferences if they are valid. Raises InvalidPreference."""
    if wishes.mail not in MAIL_MODES:
        raise InvalidPreference("Choose one of the email options in the list.")
    if wishes.patience not in TURN_DELAY_MINUTES:
        raise InvalidPreference(f"Choose one of these delays, in minutes: {', '.join(map(str, TURN_DELAY_MINUTES))}.")
    if not 0 <= wishes.hour <= 23:
        raise InvalidPreference("Choose a full hour from 0 to 23 for the daily digest.")
    parse_timezone(wishes.zone)
    return wishes


# -- when to send ------------------------------------------------------------------------------------------------


def mail_due_at(wishes: MailPreferences, kind: NoticeKind, since: datetime) -> datetime:
    """Return when to send an email about a notice raised at `since`."""
    zone = wishes.timezone
    if wishes.mail == "daily":
        return after_quiet_hours(wishes, next_local_hour(since, wishes.hour, zone))
    return after_quiet_hours(wishes, since + timedelta(minutes=wishes.patience if kind == "turn" else 0))


def next_local_hour(after: datetime, hour: int, zone: tzinfo) -> datetime:
    """Return the first time after `after` at which local clocks show this hour, or the next hour if they skip it."""
    day = after.astimezone(zone).date()
    while True:
        at = local_to_utc(datetime.combine(day, time(hour)), zone)
        if at > after:
            return at
        day += timedelta(days=1)


def last_local_hour(now: datetime, hour: int, zone: tzinfo) -> datetime:
    """Return the last time up to `now` at which local clocks showed this full hour."""
    day = now.astimezone(zone).date()
    while True:
        at = local_to_utc(datetime.combine(day, time(hour)), zone)
        if at <= now:
            return at
        day -= timedelta(days=1)


def due_at(contact: Contact, channel: Channel, kind: NoticeKind, since: datetime, now: datetime) -> datetime | None:
    """Return when to send a notice raised at `since` through this channel, or None if never.

    A notice from the future, as after the clock was set back, counts as raised now.
    """
    notified_since = contact.notified_since(channel)
    if notified_since is None or since < notified_since:
        return None
    raised_at = min(since, now)
    return mail_due_at(contact.mail_preferences, kind, raised_at) if channel == "mail" else raised_at


def after_quiet_hours(wishes: MailPreferences, at: datetime) -> datetime:
    """Return `at`, or the end of the quiet hours that contain it."""
    quiet = wishes.quiet
    if quiet is None:
        return at
    zone = wishes.timezone
    here = at.astimezone(zone)
    now, over_night = here.time(), quiet.start > quiet.end
    inside = (now >= quiet.start or now < quiet.end) if over_night else quiet.start <= now < quiet.end
    if not inside:
        return at
    tomorrow = over_night and now >= quiet.start
    end = datetime.combine(here.date() + timedelta(days=1 if tomorrow else 0), quiet.end)
    ends = (local_to_utc(end, zone), local_to_utc(end.replace(fold=1), zone))
    return next((moment for moment in ends if moment > at), at)


def local_to_utc(naive: datetime, zone: tzinfo) -> datetime:
    """Return the time at which clocks in the zone show `naive`.

    If there are two, `fold` chooses; if there is none, the time is after the gap.
    """
    return naive.replace(tzinfo=zone).astimezone(UTC)


# -- the store ----------------------------------------------------------------------------------------------------


class NotificationPreferences:
    """The players' contacts, one hash each. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock, secret: bytes) -> None:
        self._redis: Any = redis
        self._remove_gone_script = redis.register_script(REMOVE_GONE_WEBHOOK_SCRIPT)
        self._clock = clock
        self._secret = secret
        self._claim_address = redis.register_script(CLAIM_ADDRESS_SCRIPT)

    def get(self, player: str) -> Contact:
        """Return a player's contact."""
        return self.get_many([player])[player]

    def get_many(self, players: list[str]) -> dict[str, Contact]:
        """Return the contacts of several players, in one round trip."""
        with self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.hmget(contact_key(player), "address", "wishes", "hook")
            found = pipeline.execute() if players else []
        return {player: decode_contact(player, *raws) for player, raws in zip(players, found, strict=True)}

    def address_owner(self, address: str) -> str | None:
        """Return the player who has this address, if its entry and the player's record agree."""
        entered = self._address_entry(address)
        return entered if entered and self._record_names(entered, address) else None

    def set_address(self, player: str, address: str) -> None:
        """Store an address that the player has confirmed. Raises AddressTaken.

        Writes the entry, checks the record of its previous owner, writes the new record, then checks the entry again.
        So two players who confirm the address at the same time cannot both succeed.
        """
        entered, before = self._address_entry(address), self.get(player).address
        if self._belongs_to_other(player, entered, address) or not self._swap_address_entry(address, entered, player):
            raise AddressTaken
        if self._belongs_to_other(player, entered, address):
            self._swap_address_entry(address, player, entered)
            raise AddressTaken
        self._store_address(player, Address(address, self._clock.now()))
        if self._address_entry(address) != player:
            self._store_address(player, before)
            raise AddressTaken
        if before and self.hash_address(before.text) != self.hash_address(address):
            self._swap_address_entry(before.text, player, None)

    def remove_address(self, player: str) -> None:
        """Delete a player's address. The record is deleted last, so that an interrupted call can be repeated."""
        before = self.get(player).address
        if before:
            self._swap_address_entry(before.text, player, None)
            self._store_address(player, None)

    def _address_entry(self, address: str) -> str | None:
        """Return the player in the entry of an address."""
        raw = self._redis.get(address_key(self.hash_address(address)))
        return raw.decode() if raw else None

    def _belongs_to_other(self, player: str, entered: str | None, address: str) -> bool:
        return entered is not None and entered != player and self._record_names(entered, address)

    def _record_names(self, player: str, address: str) -> bool:
        """Return whether the player's record has this address."""
        known = self.get(player).address
        return known is not None and self.hash_address(known.text) == self.hash_address(address)

    def _swap_address_entry(self, address: str, seen: str | None, player: str | None) -> bool:
        """Replace the player `seen` in an address's entry. Return False if the entry has changed meanwhile."""
        key = address_key(self.hash_address(address))
        return bool(self._claim_address(keys=[key], args=[seen or "", player or ""]))

    def _store_address(self, player: str, address: Address | None) -> None:
        if address is None:
            self._redis.hdel(contact_key(player), "address")
        else:
            self._redis.hset(contact_key(player), "address", msgspec.json.encode(address))

    def set_mail_preferences(self, player: str, wishes: MailPreferences) -> MailPreferences:
        """Store the player's email options and return them. Raises InvalidPreference."""
        before = self.get(player).mail_preferences
        began = before.mail == "none" and wishes.mail != "none"
        kept = replace(require_valid_preferences(wishes), since=self._clock.now() if began else before.since)
        self._redis.hset(contact_key(player), "wishes", msgspec.json.encode(kept))
        return kept

    def unsubscribe(self, player: str) -> None:
        """Turn off email for this player."""
        self.set_mail_preferences(player, replace(self.get(player).mail_preferences, mail="none"))

    def set_webhook(self, player: str, url: str) -> Webhook:
        """Set and return the player's webhook with a new secret. Raises InvalidPreference."""
        hook = Webhook(parse_webhook_url(url), new_webhook_secret(), self._clock.now())
        self._redis.hset(contact_key(player), "hook", msgspec.json.encode(hook))
        return hook

    def remove_webhook(self, player: str) -> None:
        """Remove the player's webhook."""
        self._redis.hdel(contact_key(player), "hook")

    def remove_gone_webhook(self, player: str, hook: Webhook) -> None:
        """Remove a webhook that answered 410 Gone, unless the player has set another one meanwhile."""
        self._remove_gone_script([contact_key(player)], [msgspec.json.encode(hook)])

    def erase(self, player: str) -> None:
        """Delete everything about a player. May be repeated."""
        self.remove_address(player)
        self._redis.delete(
            contact_key(player), outcomes_key(player), pending_digest_key(player), last_digest_key(player)
        )

    # -- outcomes --------------------------------------------------------------------------------------------

    def record_outcome(self, player: str, what: str, text: str, well: bool) -> None:
        """Store the outcome of the last delivery of a kind, to show to the player, unless the player was erased."""
        if self._redis.exists(contact_key(player)):
            outcome = LastDelivery(self._clock.now(), text, well)
            self._redis.hset(outcomes_key(player), what, msgspec.json.encode(outcome))

    def outcomes(self, player: str) -> dict[str, LastDelivery]:
        """Return the outcomes of the last deliveries by kind."""
        found = self._redis.hgetall(outcomes_key(player))
        return {what.decode(): msgspec.json.decode(raw, type=LastDelivery) for what, raw in found.items()}

    # -- daily digest -----------------------------------------------------------------------------------------

    def add_to_digest(self, player: str, names: list[str]) -> None:
        """Add deliveries, given as outbox members, to the player's next daily digest."""
        self._redis.sadd(pending_digest_key(player), *names)

    def pending_digest(self, player: str) -> list[str]:
        """Return the outbox members waiting for the next daily digest."""
        return sorted(raw.decode() for raw in self._redis.smembers(pending_digest_key(player)))

    def remove_from_digest(self, player: str, names: list[str]) -> None:
        """Remove deliveries that were sent or are obsolete."""
        if names:
            self._redis.srem(pending_digest_key(player), *names)

    def claim_digest(self, player: str) -> bool:
        """Lease the player's daily digest to the caller. Return False if another worker holds the lease."""
        return bool(self._redis.set(digest_lease_key(player), "1", nx=True, ex=LEASE_SECONDS))

    def release_digest(self, player: str) -> None:
        """Release the lease."""
        self._redis.delete(digest_lease_key(player))

    def last_digest(self, player: str) -> SentDigest | None:
        """Return the last daily digest sent, if any."""
        raw = self._redis.get(last_digest_key(player))
        return msgspec.json.decode(raw, type=SentDigest) if raw else None

    def record_digest(self, player: str, daily: SentDigest) -> None:
        """Record that a daily digest was sent."""
        self._redis.set(last_digest_key(player), msgspec.json.encode(daily))

    # -- unsubscribe links -------------------------------------------------------------------------------------

    def unsubscribe_code(self, player: str) -> str:
        """Return the code in the player's unsubscribe link, which works without signing in."""
        return hmac.new(self._secret, f"unsubscribe/v1|{player}".encode(), "sha256").hexdigest()[:32]

    def is_unsubscribe_code(self, player: str, code: str) -> bool:
        """Return whether this is the player's unsubscribe code."""
        return code.isascii() and hmac.compare_digest(self.unsubscribe_code(player), code)

    def hash_address(self, address: str) -> str:
        """Return a keyed hash of an address, ignoring case because mail providers do."""
        return hmac.new(self._secret, f"address/v1|{address.lower()}".encode(), "sha256").hexdigest()


def decode_contact(player: str, address: bytes | None, wishes: bytes | None, hook: bytes | None) -> Contact:
    """Return a contact decoded from its stored fields."""
    return Contact(
        player=player,
        address=msgspec.json.decode(address, type=Address) if address else None,
        mail_preferences=msgspec.json.decode(wishes, type=MailPreferences) if wishes else MailPreferences(),
        webhook=msgspec.json.decode(hook, type=Webhook) if hook else None,
    )


def new_webhook_secret() -> str:
    """Return a new signing secret in the format of the Standard Webhooks specification."""
    return "whsec_" + b64encode(secrets.token_bytes(32)).decode()
