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

from domain.match.notices import Kind
from service.notifications.outbox import LEASE_SECONDS, Channel
from service.runtime.clock import Clock

LONGEST_ADDRESS = 254
LONGEST_LOCAL = 64
LONGEST_URL = 500

HAND_ON = files("service.notifications").joinpath("claim_address.lua").read_text(encoding="utf-8")
REMOVE_GONE = files("service.notifications").joinpath("remove_gone_webhook.lua").read_text(encoding="utf-8")

_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*", re.ASCII)
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?", re.ASCII)
_URL = re.compile(r"[!-~]{1,500}", re.ASCII)

MailMode = Literal["each", "daily", "none"]
MAIL_MODES: dict[MailMode, str] = {
    "each": "A mail for each turn",
    "daily": "One mail a day with all that waits",
    "none": "No mail",
}
PATIENCE_MINUTES = (0, 5, 15, 60, 240)
"""How long a turn may wait before a mail goes out, to choose from."""


class BadContact(ValueError):
    """An address, a URL or a wish that cannot be; the text says what would be right."""


class AddressTaken(Exception):
    """Another player has this address."""


class Address(msgspec.Struct, frozen=True):
    """An e-mail address that its owner has confirmed, and when."""

    text: str
    since: datetime


class Quiet(msgspec.Struct, frozen=True):
    """The hours of the day in which no mail is sent: from one local time to another, perhaps over midnight."""

    start: time
    end: time


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a player wants to hear by mail, and when. `since`: what came up before is not told."""

    mail: MailMode = "each"
    patience: int = 5
    """Minutes that a turn waits before it is told: who is there needs no mail."""
    zone: str = "UTC"
    quiet: Quiet | None = None
    hour: int = 8
    """The local hour of the daily mail."""
    since: datetime = datetime(1970, 1, 1, tzinfo=UTC)

    @property
    def place(self) -> tzinfo:
        """The time zone; UTC for one that this machine does not know, since nobody else's mail may wait for that."""
        try:
            return ZoneInfo(self.zone)
        except ZoneInfoNotFoundError:
            return UTC


class Hook(msgspec.Struct, frozen=True):
    """Where a program wants to hear of it, the secret that signs what it hears, and since when."""

    url: str
    secret: str
    since: datetime


class Contact(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of how to reach a player."""

    player: str
    address: Address | None = None
    wishes: Wishes = Wishes()
    hook: Hook | None = None

    def since(self, channel: Channel) -> datetime | None:
        """From when on the player is told by this channel; None: not at all."""
        if channel == "webhook":
            return self.hook.since if self.hook else None
        if self.address is None or self.wishes.mail == "none":
            return None
        return max(self.address.since, self.wishes.since)


class Outcome(msgspec.Struct, frozen=True):
    """How the last delivery of a kind went."""

    at: datetime
    text: str
    well: bool


class Daily(msgspec.Struct, frozen=True):
    """A daily mail that went out: the hour that it was for (milliseconds since 1970), and what it told."""

    slot: int
    names: tuple[str, ...]


def read_address(text: str) -> str:
    """The address as it is used: without spaces around it, its domain in lower case. Raises BadContact."""
    tidy = text.strip(" ")
    local, at, domain = tidy.rpartition("@")
    labels = domain.split(".")
    fits = at and len(tidy) <= LONGEST_ADDRESS and len(local) <= LONGEST_LOCAL and len(labels) > 1
    if not fits or not _LOCAL.fullmatch(local) or not all(map(_LABEL.fullmatch, labels)):
        raise BadContact(
            "An e-mail address looks like ann@example.org, in plain letters, digits and signs. "
            "A domain with other letters is written in its form with xn--."
        )
    return f"{local}@{domain.lower()}"


def read_url(text: str) -> str:
    """The URL of a webhook. Raises BadContact. Where it leads is looked at whenever something is sent there."""
    tidy = text.strip(" ")
    try:
        parts = urlsplit(tidy)
        good = bool(_URL.fullmatch(tidy) and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        good = False
    if not good or parts.username is not None or parts.password is not None or "#" in tidy or "\\" in tidy:
        raise BadContact(
            f"A webhook is a URL of at most {LONGEST_URL} plain characters that begins with https:// or http://, "
            "without a user, a password or a part behind #."
        )
    return tidy


def read_zone(text: str) -> str:
    """The name of a time zone. Raises BadContact."""
    if text not in zones():
        raise BadContact("There is no such time zone. They have names such as Europe/Berlin.")
    return text


@cache
def zones() -> frozenset[str]:
    """The names of all time zones."""
    return frozenset(available_timezones())


def read_quiet(start: str, end: str) -> Quiet | None:
    """Quiet hours given as two times such as 22:00; both empty: none. Raises BadContact."""
    if not start and not end:
        return None
    try:
        quiet = Quiet(read_time(start), read_time(end))
    except ValueError:
        raise BadContact("Quiet hours are two times such as 22:00 and 07:30, or both empty.") from None
    if quiet.start == quiet.end:
        raise BadContact("Quiet hours begin and end at different times. For no mail at all, choose no mail.")
    return quiet


def read_time(text: str) -> time:
    """A time of day such as 07:30. Raises ValueError."""
    if not re.fullmatch(r"\d\d:\d\d", text, re.ASCII):
        raise ValueError(text)
    return time(int(text[:2]), int(text[3:]))


def require_wishes(wishes: Wishes) -> Wishes:
    """The wishes, if they can be granted. Raises BadContact."""
    if wishes.mail not in MAIL_MODES:
        raise BadContact("Choose when you want mail from the list.")
    if wishes.patience not in PATIENCE_MINUTES:
        raise BadContact(f"A mail waits for {', '.join(map(str, PATIENCE_MINUTES))} minutes: choose one of these.")
    if not 0 <= wishes.hour <= 23:
        raise BadContact("The daily mail comes at a full hour from 0 to 23.")
    read_zone(wishes.zone)
    return wishes


# -- when ---------------------------------------------------------------------------------------------------------


def mail_due(wishes: Wishes, kind: Kind, since: datetime) -> datetime:
    """When a mail about something that came up `since` then is to go out."""
    zone = wishes.place
    if wishes.mail == "daily":
        return after_quiet(wishes, next_hour(since, wishes.hour, zone))
    return after_quiet(wishes, since + timedelta(minutes=wishes.patience if kind == "turn" else 0))


def next_hour(after: datetime, hour: int, zone: tzinfo) -> datetime:
    """The first time behind `after` at which local clocks show this full hour; where they skip it, the one behind."""
    day = after.astimezone(zone).date()
    while True:
        at = local(datetime.combine(day, time(hour)), zone)
        if at > after:
            return at
        day += timedelta(days=1)


def last_hour(now: datetime, hour: int, zone: tzinfo) -> datetime:
    """The last time up to `now` at which local clocks showed this full hour."""
    day = now.astimezone(zone).date()
    while True:
        at = local(datetime.combine(day, time(hour)), zone)
        if at <= now:
            return at
        day -= timedelta(days=1)


def due_at(contact: Contact, channel: Channel, kind: Kind, since: datetime, now: datetime) -> datetime | None:
    """When a notice that came up `since` then is to go out by this channel; None: never.

    One from the future, as it seems where the clock was set back, counts as if it came up now.
    """
    told_since = contact.since(channel)
    if told_since is None or since < told_since:
        return None
    came_up = min(since, now)
    return mail_due(contact.wishes, kind, came_up) if channel == "mail" else came_up


def after_quiet(wishes: Wishes, at: datetime) -> datetime:
    """The time itself, or the end of the quiet hours that it falls into."""
    quiet = wishes.quiet
    if quiet is None:
        return at
    zone = wishes.place
    here = at.astimezone(zone)
    now, over_night = here.time(), quiet.start > quiet.end
    inside = (now >= quiet.start or now < quiet.end) if over_night else quiet.start <= now < quiet.end
    if not inside:
        return at
    tomorrow = over_night and now >= quiet.start
    end = datetime.combine(here.date() + timedelta(days=1 if tomorrow else 0), quiet.end)
    ends = (local(end, zone), local(end.replace(fold=1), zone))
    return next((moment for moment in ends if moment > at), at)


def local(naive: datetime, zone: tzinfo) -> datetime:
    """The moment at which clocks in the zone show this: of two the one that `fold` says, of none one behind the gap."""
    return naive.replace(tzinfo=zone).astimezone(UTC)


# -- the store ----------------------------------------------------------------------------------------------------


class Contacts:
    """The players' contacts, one hash each. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock, secret: bytes) -> None:
        self._redis: Any = redis
        self._remove_gone = redis.register_script(REMOVE_GONE)
        self._clock = clock
        self._secret = secret
        self._hand_on = redis.register_script(HAND_ON)

    def of(self, player: str) -> Contact:
        """How to reach a player."""
        return self.of_all([player])[player]

    def of_all(self, players: list[str]) -> dict[str, Contact]:
        """The same for several, in one round trip."""
        with self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.hmget(contact_key(player), "address", "wishes", "hook")
            found = pipeline.execute() if players else []
        return {player: read_contact(player, *raws) for player, raws in zip(players, found, strict=True)}

    def owner(self, address: str) -> str | None:
        """The player who has this address: who stands in its entry, if that player's record names it."""
        entered = self._entered(address)
        return entered if entered and self._names(entered, address) else None

    def set_address(self, player: str, address: str) -> None:
        """The player has confirmed this address. Raises AddressTaken.

        Of two who do so at once, one writes the record first and then looks at the entry, or the other writes the entry
        first and then looks at the record: so they cannot both go on.
        """
        entered, before = self._entered(address), self.of(player).address
        if self._is_of_other(player, entered, address) or not self._enter(address, entered, player):
            raise AddressTaken
        if self._is_of_other(player, entered, address):
            self._enter(address, player, entered)
            raise AddressTaken
        self._keep_address(player, Address(address, self._clock.now()))
        if self._entered(address) != player:
            self._keep_address(player, before)
            raise AddressTaken
        if before and self._address_key(before.text) != self._address_key(address):
            self._enter(before.text, player, None)

    def remove_address(self, player: str) -> None:
        """Forget the address of a player. The record goes last: by it whoever has to finish this finds the entry."""
        before = self.of(player).address
        if before:
            self._enter(before.text, player, None)
            self._keep_address(player, None)

    def _entered(self, address: str) -> str | None:
        """Who stands in the entry of an address."""
        raw = self._redis.get(self._address_key(address))
        return raw.decode() if raw else None

    def _is_of_other(self, player: str, entered: str | None, address: str) -> bool:
        return entered is not None and entered != player and self._names(entered, address)

    def _names(self, player: str, address: str) -> bool:
        """Whether the player's record names this address."""
        known = self.of(player).address
        return known is not None and self._address_key(known.text) == self._address_key(address)

    def _enter(self, address: str, seen: str | None, player: str | None) -> bool:
        """Enter a player for an address, or nobody, in place of whom the caller has seen there; False: too late."""
        return bool(self._hand_on(keys=[self._address_key(address)], args=[seen or "", player or ""]))

    def _keep_address(self, player: str, address: Address | None) -> None:
        if address is None:
            self._redis.hdel(contact_key(player), "address")
        else:
            self._redis.hset(contact_key(player), "address", msgspec.json.encode(address))

    def wish(self, player: str, wishes: Wishes) -> Wishes:
        """From now on the player wants to be told so. Raises BadContact."""
        before = self.of(player).wishes
        began = before.mail == "none" and wishes.mail != "none"
        kept = replace(require_wishes(wishes), since=self._clock.now() if began else before.since)
        self._redis.hset(contact_key(player), "wishes", msgspec.json.encode(kept))
        return kept

    def unsubscribe(self, player: str) -> None:
        """No more mail for this player."""
        self.wish(player, replace(self.of(player).wishes, mail="none"))

    def set_hook(self, player: str, url: str) -> Hook:
        """The player's webhook, with a new secret. Raises BadContact."""
        hook = Hook(read_url(url), new_secret(), self._clock.now())
        self._redis.hset(contact_key(player), "hook", msgspec.json.encode(hook))
        return hook

    def remove_hook(self, player: str) -> None:
        """No more webhook for this player."""
        self._redis.hdel(contact_key(player), "hook")

    def remove_gone_hook(self, player: str, hook: Hook) -> None:
        """The webhook has said that it is gone; one that the player has set meanwhile stays."""
        self._remove_gone([contact_key(player)], [msgspec.json.encode(hook)])

    def erase(self, player: str) -> None:
        """Forget all of it. May be done twice."""
        self.remove_address(player)
        self._redis.delete(contact_key(player), outcomes_key(player), basket_key(player), daily_key(player))

    # -- how it went --------------------------------------------------------------------------------------------

    def note(self, player: str, what: str, text: str, well: bool) -> None:
        """Keep how the last delivery of a kind went, to be shown to the player; not for one who was erased."""
        if self._redis.exists(contact_key(player)):
            outcome = Outcome(self._clock.now(), text, well)
            self._redis.hset(outcomes_key(player), what, msgspec.json.encode(outcome))

    def outcomes(self, player: str) -> dict[str, Outcome]:
        """How the last deliveries went."""
        found = self._redis.hgetall(outcomes_key(player))
        return {what.decode(): msgspec.json.decode(raw, type=Outcome) for what, raw in found.items()}

    # -- the daily mail -----------------------------------------------------------------------------------------

    def put_aside(self, player: str, names: list[str]) -> None:
        """Deliveries that wait for the player's next daily mail, as they stand in the agenda."""
        self._redis.sadd(basket_key(player), *names)

    def aside(self, player: str) -> list[str]:
        """What waits for the next daily mail."""
        return sorted(raw.decode() for raw in self._redis.smembers(basket_key(player)))

    def take_out(self, player: str, names: list[str]) -> None:
        """These were told, or have passed."""
        if names:
            self._redis.srem(basket_key(player), *names)

    def claim_daily(self, player: str) -> bool:
        """Whether the caller, and nobody else for a while, may send the player's daily mail."""
        return bool(self._redis.set(daily_lease_key(player), "1", nx=True, ex=LEASE_SECONDS))

    def release_daily(self, player: str) -> None:
        """The caller is done."""
        self._redis.delete(daily_lease_key(player))

    def last_daily(self, player: str) -> Daily | None:
        """The last daily mail that went out."""
        raw = self._redis.get(daily_key(player))
        return msgspec.json.decode(raw, type=Daily) if raw else None

    def keep_daily(self, player: str, daily: Daily) -> None:
        """This daily mail has gone out."""
        self._redis.set(daily_key(player), msgspec.json.encode(daily))

    # -- leaving ------------------------------------------------------------------------------------------------

    def leaving_code(self, player: str) -> str:
        """The code by which whoever gets this player's mail may end it, without signing in."""
        return hmac.new(self._secret, f"unsubscribe/v1|{player}".encode(), "sha256").hexdigest()[:32]

    def may_leave(self, player: str, code: str) -> bool:
        """Whether this is that code."""
        return code.isascii() and hmac.compare_digest(self.leaving_code(player), code)

    def _address_key(self, address: str) -> str:
        return f"ct:address:{self.digest(address)}"

    def digest(self, address: str) -> str:
        """A keyed hash of an address. Capital letters make no other address: no provider tells them apart."""
        return hmac.new(self._secret, f"address/v1|{address.lower()}".encode(), "sha256").hexdigest()


def contact_key(player: str) -> str:
    """The hash of a player's address, wishes and webhook."""
    return f"ct:contact:{player}"


def outcomes_key(player: str) -> str:
    """The hash of how a player's last deliveries went."""
    return f"ct:outcomes:{player}"


def daily_key(player: str) -> str:
    """The last daily mail of a player."""
    return f"ct:daily:{player}"


def daily_lease_key(player: str) -> str:
    """Held by the worker that is at a player's daily mail."""
    return f"ct:daily-lease:{player}"


def basket_key(player: str) -> str:
    """The set of what waits for a player's next daily mail."""
    return f"ct:basket:{player}"


def read_contact(player: str, address: bytes | None, wishes: bytes | None, hook: bytes | None) -> Contact:
    """A contact as it is stored."""
    return Contact(
        player=player,
        address=msgspec.json.decode(address, type=Address) if address else None,
        wishes=msgspec.json.decode(wishes, type=Wishes) if wishes else Wishes(),
        hook=msgspec.json.decode(hook, type=Hook) if hook else None,
    )


def new_secret() -> str:
    """A secret for signatures, in the form of the Standard Webhooks specification."""
    return "whsec_" + b64encode(secrets.token_bytes(32)).decode()
