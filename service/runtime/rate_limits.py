"""How much one player, or one address, may ask of the service: generous for people and bots, an end for floods.

Counters stand in Redis, one for each window of time, so that all processes count together. Frequent ones are counted in
the process first and told in steps, which keeps the common case free of round trips.
"""

import threading
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address
from math import ceil
from typing import Any, NamedTuple

import msgspec
from cachetools import LRUCache
from redis import Redis

from service.event_store.errors import REDIS_ERRORS
from service.event_store.keys import rate_limit_key
from service.runtime.clock import Clock

MINUTE, HOUR = 60, 3600
REPORTS_PER_WINDOW = 20
"""A counter is told so many times, at least, before it is full."""
MAX_WINDOWS = 20_000
"""How many players and addresses a process counts at once."""
MAX_LINKS_PER_MAILBOX, MAX_LINKS_PER_ADDRESS, MAX_WEBHOOK_TESTS = 5, 20, 20
"""Links by mail to one address, and for one reader; tries of one player's webhook. These hold whatever the operator
says: they guard the mailboxes and servers of others."""
OPEN_MATCHES_RETRY_SECONDS = 600
"""Seconds after which somebody with too many open matches may try again."""


class RateLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much is allowed; 0 is without limit.

    `open_matches` of one creator that are not over, `new_matches` of one in an hour, `registrations` from one address
    in an hour, `requests` of one player in a minute, `address_requests` from one address in a minute,
    `address_streams` open to one address in each process.
    """

    open_matches: int = 0
    new_matches: int = 0
    registrations: int = 0
    requests: int = 0
    address_requests: int = 0
    address_streams: int = 0


DEFAULT_LIMITS = RateLimits(
    open_matches=500,
    new_matches=300,
    registrations=200,
    requests=3000,
    address_requests=12_000,
    address_streams=500,
)
"""What holds unless the operator says otherwise."""


def parse_rate_limits(text: str) -> RateLimits:
    """The rates of a setting: `off`, or words such as `open_matches=100` that change the usual ones.

    Raises ValueError, with words for the operator.
    """
    if text.strip() == "off":
        return RateLimits()
    given = dict(word.partition("=")[::2] for word in text.split())
    unknown = given.keys() - set(RateLimits.__struct_fields__)
    if unknown or not all(value.isdecimal() for value in given.values()):
        known = ", ".join(RateLimits.__struct_fields__)
        raise ValueError(f"CRUMBTRAIL_LIMITS is `off`, or NAME=NUMBER for some of {known}; it is {text!r}")
    return msgspec.structs.replace(DEFAULT_LIMITS, **{name: int(value) for name, value in given.items()})


class LimitExceeded(Exception):
    """Somebody asks for too much; `retry_after` is in how many seconds to try again."""

    def __init__(self, code: str, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after = retry_after


class Window(NamedTuple):
    """What one player or address has done in one window of time, as far as this process knows."""

    name: str
    number: int
    total: int
    """In all processes, as they were told last, with what is being told."""
    unreported: int
    """Here, since then."""


class RateLimiter:
    """The counters of this process."""

    def __init__(self, redis: Redis, clock: Clock, rates: RateLimits, open_matches: Callable[[str], int]) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._limits = rates
        self._count_open_matches = open_matches
        self._windows: LRUCache[tuple[str, str], Window] = LRUCache(MAX_WINDOWS)
        self._lock = threading.Lock()
        """Held for a few lines, never while the server is asked."""

    def count_request_from(self, address: str) -> None:
        """Count a request from an address. Raises TooMany."""
        most = self._limits.address_requests
        self._count("address_requests", address_network(address), most, MINUTE, "requests from your address", "minute")

    def count_request_of(self, player: str) -> None:
        """Count a request of a player. Raises TooMany."""
        self._count("requests", player, self._limits.requests, MINUTE, "requests of yours", "minute")

    def count_registration_from(self, address: str) -> None:
        """Count a new player from an address. Raises TooMany."""
        most = self._limits.registrations
        self._count("registrations", address_network(address), most, HOUR, "new players from your address", "hour")

    def count_new_match_of(self, player: str) -> None:
        """Count a new match of a player who has not too many already. Raises TooMany."""
        most = self._limits.open_matches
        if most and self._count_open_matches(player) >= most:
            message = f"You have {most} matches that are not over. End or cancel some of them first."
            raise LimitExceeded("too_many_matches", message, OPEN_MATCHES_RETRY_SECONDS)
        self._count("new_matches", player, self._limits.new_matches, HOUR, "new matches of yours", "hour")

    def count_link_from(self, address: str) -> None:
        """Count a link by mail that a reader asks for, by the address that they come from. Raises TooMany."""
        self._count("links_from", address_network(address), MAX_LINKS_PER_ADDRESS, HOUR, "links for you", "hour")

    def count_link_to(self, mailbox: str) -> None:
        """Count a link to a mailbox, of which only a digest is given. Raises TooMany."""
        self._count("links_to", mailbox, MAX_LINKS_PER_MAILBOX, HOUR, "links to this address", "hour")

    def count_webhook_test_of(self, player: str) -> None:
        """Count a try of a player's webhook. Raises TooMany."""
        self._count("tests", player, MAX_WEBHOOK_TESTS, HOUR, "tries of your webhook", "hour")

    def _count(self, name: str, who: str, most: int, seconds: int, what: str, unit: str) -> None:
        if not most:
            return
        now = self._clock.now().timestamp()
        number = int(now // seconds)
        window, telling = self._increment(name, who, number, most)
        counted = self._report(window, telling, who, seconds) if telling else window.total
        if counted <= most:
            return
        again = ceil((number + 1) * seconds - now)
        message = f"More than {most} {what} in one {unit}: try again in {format_wait(again)}."
        raise LimitExceeded("too_many_requests", message, again)

    def _increment(self, name: str, who: str, number: int, most: int) -> tuple[Window, int]:
        """The window with one more counted, and how many of it the caller has to tell; a full one is more than full.

        Whoever tells takes what is to be told out of the window first: others come by while the server is asked, and
        must neither tell it again nor forget it.
        """
        with self._lock:
            found = self._windows.get((name, who))
            window = found if found and found.number == number else Window(name, number, 0, 0)
            if window.total >= most and not window.unreported:
                return window._replace(total=most + 1), 0
            since = window.unreported + 1
            telling = since >= max(1, most // REPORTS_PER_WINDOW) or window.total + since > most or window.total == 0
            window = (
                window._replace(total=window.total + since, unreported=0)
                if telling
                else window._replace(unreported=since)
            )
            self._windows[name, who] = window
            return window, since if telling else 0

    def _report(self, window: Window, telling: int, who: str, seconds: int) -> int:
        """Tell the server; gives how many there are in all processes with these, as few as this one knows of."""
        key = rate_limit_key(window.name, who, window.number)
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, telling)
                pipeline.expire(key, 2 * seconds)
                counted = int(pipeline.execute()[0])
        except REDIS_ERRORS:
            return window.total  # while the counters are away, each process counts for itself
        with self._lock:
            latest = self._windows.get((window.name, who))
            if latest and latest.number == window.number:
                self._windows[window.name, who] = latest._replace(total=max(latest.total, counted))
        return counted


def format_wait(seconds: int) -> str:
    """A time to wait, in words."""
    minutes = -(-seconds // MINUTE)
    return f"{seconds} s" if seconds < 2 * MINUTE else f"{minutes} minutes"


@lru_cache(maxsize=MAX_WINDOWS)
def address_network(address: str) -> str:
    """An address as it is counted: of IPv6 the network, since one subscriber has all of it."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if found.version == 4:
        return str(found)
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped) if mapped else found.exploded[:19]
