"""How a player wants to be told, and where: address, wishes, webhook. Outside of the log, and erased with the player.

An address belongs to one player at most. It is found by a keyed hash, so that no key spells it. That entry and the
player's record lie apart on a cluster, and whoever writes both may die in between: an address is a player's when both
say so. An entry without its record counts for nothing, and the next who confirms the address takes it over.
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
    "each": "A mail for each turn",
    "daily": "One mail a day with all that waits",
    "none": "No mail",
}
TURN_DELAY_MINUTES = (0, 5, 15, 60, 240)
"""How long a turn may wait before a mail goes out, to choose from."""


class InvalidPreference(ValueError):
    """An address, a URL or a wish that cannot be; the text says what would be right."""


class AddressTaken(Exception):
    """Another player has this address."""


class Address(msgspec.Struct, frozen=True):
    """An e-mail address that its owner has confirmed, and when."""

    text: str
    since: datetime


class QuietPeriod(msgspec.Struct, frozen=True):
    """The hours of the day in which no mail is sent: from one local time to another, perhaps over midnight."""

    start: time
    end: time


class MailPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """What a player wants to hear by mail, and when. `since`: what came up before is not told."""

    mail: MailMode = "each"
    patience: int = 5
    """Minutes that a turn waits before it is told: who is there needs no mail."""
    zone: str = "UTC"
    quiet: QuietPeriod | None = None
    hour: int = 8
    """The local hour of the daily mail."""
    since: datetime = datetime(1970, 1, 1, tzinfo=UTC)

    @property
    def timezone(self) -> tzinfo:
        """The time zone; UTC for one that this machine does not know, since nobody else's mail may wait for that."""
        try:
            return ZoneInfo(self.zone)
        except ZoneInfoNotFoundError:
            return UTC


class Webhook(msgspec.Struct, frozen=True):
    """Where a program wants to hear of it, the secret that signs what it hears, and since when."""

    url: str
    secret: str
    since: datetime


class Contact(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of how to reach a player."""

    player: str
    address: Address | None = None
    mail_preferences: MailPreferences = MailPreferences()
    webhook: Webhook | None = None

    def notified_since(self, channel: Channel) -> datetime | None:
        """From when on the player is told by this channel; None: not at all."""
        if channel == "webhook":
            return self.webhook.since if self.webhook else None
        if self.address is None or self.mail_preferences.mail == "none":
            return None
        return max(self.address.since, self.mail_preferences.since)


class LastDelivery(msgspec.Struct, frozen=True):
    """How a delivery went."""

    at: datetime
    text: str
    well: bool


class SentDigest(msgspec.Struct, frozen=True):
    """A daily mail that went out: the hour that it was for (milliseconds since 1970), and what it told."""

    slot: int
    names: tuple[str, ...]


def parse_address(text: str) -> str:
    """The address as it is used: without spaces around it, its domain in lower case. Raises BadContact."""
    tidy = text.strip(" ")
    local, at, domain = tidy.rpartition("@")
    labels = domain.split(".")
    fits = at and len(tidy) <= MAX_ADDRESS_LENGTH and len(local) <= MAX_LOCAL_PART_LENGTH and len(labels) > 1
    if not fits or not _LOCAL_PART.fullmatch(local) or not all(map(_DOMAIN_LABEL.fullmatch, labels)):
        raise InvalidPreference(
            "An e-mail address looks like ann@example.org, in plain letters, digits and signs. "
            "A domain with other letters is written in its form with xn--."
        )
    return f"{local}@{domain.lower()}"


def parse_webhook_url(text: str) -> str:
    """The URL of a webhook. Raises BadContact. Where it leads is looked at whenever something is sent there."""
    tidy = text.strip(" ")
    try:
        parts = urlsplit(tidy)
        good = bool(_URL.fullmatch(tidy) and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        good = False
    if not good or parts.username is not None or parts.password is not None or "#" in tidy or "\\" in tidy:
        raise InvalidPreference(
            f"A webhook is a URL of at most {MAX_URL_LENGTH} plain characters that begins with https:// or http://, "
            "without a user, a password or a part behind #."
        )
    return tidy


def parse_timezone(text: str) -> str:
    """The name of a time zone. Raises BadContact."""
    if text not in timezone_names():
        raise InvalidPreference("There is no such time zone. They have names such as Europe/Berlin.")
    return text


@cache
def timezone_names() -> frozenset[str]:
    """The names of all time zones."""
    return frozenset(available_timezones())


def parse_quiet_hours(start: str, end: str) -> QuietPeriod | None:
    """Quiet hours given as two times such as 22:00; both empty: none. Raises BadContact."""
    if not start and not end:
        return None
    try:
        quiet = QuietPeriod(parse_time(start), parse_time(end))
    except ValueError:
        raise InvalidPreference("Quiet hours are two times such as 22:00 and 07:30, or both empty.") from None
    if quiet.start == quiet.end:
        raise InvalidPreference("Quiet hours begin and end at different times. For no mail at all, choose no mail.")
    return quiet


def parse_time(text: str) -> time:
    """A time of day such as 07:30. Raises ValueError."""
    if not re.fullmatch(r"\d\d:\d\d", text, re.ASCII):
        raise ValueError(text)
    return time(int(text[:2]), int(text[3:]))


def require_valid_preferences(wishes: MailPreferences) -> MailPreferences:
    """The wishes, if they can be granted. Raises BadContact."""
    if wishes.mail not in MAIL_MODES:
        raise InvalidPreference("Choose when you want mail from the list.")
    if wishes.patience not in TURN_DELAY_MINUTES:
        raise InvalidPreference(
            f"A mail waits for {', '.join(map(str, TURN_DELAY_MINUTES))} minutes: choose one of these."
        )
    if not 0 <= wishes.hour <= 23:
        raise InvalidPreference("The daily mail comes at a full hour from 0 to 23.")
    parse_timezone(wishes.zone)
    return wishes


# -- when ---------------------------------------------------------------------------------------------------------


def mail_due_at(wishes: MailPreferences, kind: NoticeKind, since: datetime) -> datetime:
    """When a mail about something that came up `since` then is to go out."""
    zone = wishes.timezone
    if wishes.mail == "daily":
        return after_quiet_hours(wishes, next_local_hour(since, wishes.hour, zone))
    return after_quiet_hours(wishes, since + timedelta(minutes=wishes.patience if kind == "turn" else 0))


def next_local_hour(after: datetime, hour: int, zone: tzinfo) -> datetime:
    """The first time behind `after` at which local clocks show this full hour; where they skip it, the one behind."""
    day = after.astimezone(zone).date()
    while True:
        at = local_to_utc(datetime.combine(day, time(hour)), zone)
        if at > after:
            return at
        day += timedelta(days=1)


def last_local_hour(now: datetime, hour: int, zone: tzinfo) -> datetime:
    """The last time up to `now` at which local clocks showed this full hour."""
    day = now.astimezone(zone).date()
    while True:
        at = local_to_utc(datetime.combine(day, time(hour)), zone)
        if at <= now:
            return at
        day -= timedelta(days=1)


def due_at(contact: Contact, channel: Channel, kind: NoticeKind, since: datetime, now: datetime) -> datetime | None:
    """When a notice that came up `since` then is to go out by this channel; None: never.

    One from the future, as it seems where the clock was set back, counts as if it came up now.
    """
    told_since = contact.notified_since(channel)
    if told_since is None or since < told_since:
        return None
    came_up = min(since, now)
    return mail_due_at(contact.mail_preferences, kind, came_up) if channel == "mail" else came_up


def after_quiet_hours(wishes: MailPreferences, at: datetime) -> datetime:
    """The time itself, or the end of the quiet hours that it falls into."""
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
    """The moment at which clocks in the zone show this: of two the one that `fold` says, of none one behind the gap."""
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
        """How to reach a player."""
        return self.get_many([player])[player]

    def get_many(self, players: list[str]) -> dict[str, Contact]:
        """The same for several, in one round trip."""
        with self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.hmget(contact_key(player), "address", "wishes", "hook")
            found = pipeline.execute() if players else []
        return {player: decode_contact(player, *raws) for player, raws in zip(players, found, strict=True)}

    def address_owner(self, address: str) -> str | None:
        """The player who has this address: who stands in its entry, if that player's record names it."""
        entered = self._address_entry(address)
        return entered if entered and self._record_names(entered, address) else None

    def set_address(self, player: str, address: str) -> None:
        """The player has confirmed this address. Raises AddressTaken.

        Of two who do so at once, one writes the record first and then looks at the entry, or the other writes the entry
        first and then looks at the record: so they cannot both go on.
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
        """Forget the address of a player. The record goes last: by it whoever has to finish this finds the entry."""
        before = self.get(player).address
        if before:
            self._swap_address_entry(before.text, player, None)
            self._store_address(player, None)

    def _address_entry(self, address: str) -> str | None:
        """Who stands in the entry of an address."""
        raw = self._redis.get(address_key(self.hash_address(address)))
        return raw.decode() if raw else None

    def _belongs_to_other(self, player: str, entered: str | None, address: str) -> bool:
        return entered is not None and entered != player and self._record_names(entered, address)

    def _record_names(self, player: str, address: str) -> bool:
        """Whether the player's record names this address."""
        known = self.get(player).address
        return known is not None and self.hash_address(known.text) == self.hash_address(address)

    def _swap_address_entry(self, address: str, seen: str | None, player: str | None) -> bool:
        """Enter a player for an address, or nobody, in place of whom the caller has seen there; False: too late."""
        key = address_key(self.hash_address(address))
        return bool(self._claim_address(keys=[key], args=[seen or "", player or ""]))

    def _store_address(self, player: str, address: Address | None) -> None:
        if address is None:
            self._redis.hdel(contact_key(player), "address")
        else:
            self._redis.hset(contact_key(player), "address", msgspec.json.encode(address))

    def set_mail_preferences(self, player: str, wishes: MailPreferences) -> MailPreferences:
        """From now on the player wants to be told so. Raises BadContact."""
        before = self.get(player).mail_preferences
        began = before.mail == "none" and wishes.mail != "none"
        kept = replace(require_valid_preferences(wishes), since=self._clock.now() if began else before.since)
        self._redis.hset(contact_key(player), "wishes", msgspec.json.encode(kept))
        return kept

    def unsubscribe(self, player: str) -> None:
        """No more mail for this player."""
        self.set_mail_preferences(player, replace(self.get(player).mail_preferences, mail="none"))

    def set_webhook(self, player: str, url: str) -> Webhook:
        """The player's webhook, with a new secret. Raises BadContact."""
        hook = Webhook(parse_webhook_url(url), new_webhook_secret(), self._clock.now())
        self._redis.hset(contact_key(player), "hook", msgspec.json.encode(hook))
        return hook

    def remove_webhook(self, player: str) -> None:
        """No more webhook for this player."""
        self._redis.hdel(contact_key(player), "hook")

    def remove_gone_webhook(self, player: str, hook: Webhook) -> None:
        """The webhook has said that it is gone; one that the player has set meanwhile stays."""
        self._remove_gone_script([contact_key(player)], [msgspec.json.encode(hook)])

    def erase(self, player: str) -> None:
        """Forget all of it. May be done twice."""
        self.remove_address(player)
        self._redis.delete(
            contact_key(player), outcomes_key(player), pending_digest_key(player), last_digest_key(player)
        )

    # -- how it went --------------------------------------------------------------------------------------------

    def record_outcome(self, player: str, what: str, text: str, well: bool) -> None:
        """Keep how the last delivery of a kind went, to be shown to the player; not for one who was erased."""
        if self._redis.exists(contact_key(player)):
            outcome = LastDelivery(self._clock.now(), text, well)
            self._redis.hset(outcomes_key(player), what, msgspec.json.encode(outcome))

    def outcomes(self, player: str) -> dict[str, LastDelivery]:
        """How the last deliveries went."""
        found = self._redis.hgetall(outcomes_key(player))
        return {what.decode(): msgspec.json.decode(raw, type=LastDelivery) for what, raw in found.items()}

    # -- the daily mail -----------------------------------------------------------------------------------------

    def add_to_digest(self, player: str, names: list[str]) -> None:
        """Deliveries that wait for the player's next daily mail, as they stand in the agenda."""
        self._redis.sadd(pending_digest_key(player), *names)

    def pending_digest(self, player: str) -> list[str]:
        """What waits for the next daily mail."""
        return sorted(raw.decode() for raw in self._redis.smembers(pending_digest_key(player)))

    def remove_from_digest(self, player: str, names: list[str]) -> None:
        """These were told, or have passed."""
        if names:
            self._redis.srem(pending_digest_key(player), *names)

    def claim_digest(self, player: str) -> bool:
        """Whether the caller, and nobody else for a while, may send the player's daily mail."""
        return bool(self._redis.set(digest_lease_key(player), "1", nx=True, ex=LEASE_SECONDS))

    def release_digest(self, player: str) -> None:
        """The caller is done."""
        self._redis.delete(digest_lease_key(player))

    def last_digest(self, player: str) -> SentDigest | None:
        """The last daily mail that went out."""
        raw = self._redis.get(last_digest_key(player))
        return msgspec.json.decode(raw, type=SentDigest) if raw else None

    def record_digest(self, player: str, daily: SentDigest) -> None:
        """This daily mail has gone out."""
        self._redis.set(last_digest_key(player), msgspec.json.encode(daily))

    # -- leaving ------------------------------------------------------------------------------------------------

    def unsubscribe_code(self, player: str) -> str:
        """The code by which whoever gets this player's mail may end it, without signing in."""
        return hmac.new(self._secret, f"unsubscribe/v1|{player}".encode(), "sha256").hexdigest()[:32]

    def is_unsubscribe_code(self, player: str, code: str) -> bool:
        """Whether this is that code."""
        return code.isascii() and hmac.compare_digest(self.unsubscribe_code(player), code)

    def hash_address(self, address: str) -> str:
        """A keyed hash of an address. Capital letters make no other address: no provider tells them apart."""
        return hmac.new(self._secret, f"address/v1|{address.lower()}".encode(), "sha256").hexdigest()


def decode_contact(player: str, address: bytes | None, wishes: bytes | None, hook: bytes | None) -> Contact:
    """A contact as it is stored."""
    return Contact(
        player=player,
        address=msgspec.json.decode(address, type=Address) if address else None,
        mail_preferences=msgspec.json.decode(wishes, type=MailPreferences) if wishes else MailPreferences(),
        webhook=msgspec.json.decode(hook, type=Webhook) if hook else None,
    )


def new_webhook_secret() -> str:
    """A secret for signatures, in the form of the Standard Webhooks specification."""
    return "whsec_" + b64encode(secrets.token_bytes(32)).decode()
