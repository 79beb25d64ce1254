"""Rate limits per player and per address. They are generous for people and bots, but stop a flood.

The counters are in Redis, one for each time window, so that all processes share them. Frequent events are first counted
in the process and reported in batches, which avoids a round trip in the common case.
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
"""Minimum number of reports of a counter before it reaches its limit."""
MAX_WINDOWS = 20_000
"""Maximum number of counters that a process keeps."""
MAX_REPORTS, MAX_REPORTS_FROM = 10, 30
"""Reports per hour of one player about others, and from one address. Operators cannot change these limits."""
MAX_LINKS_PER_MAILBOX, MAX_LINKS_PER_ADDRESS, MAX_WEBHOOK_TESTS = 5, 20, 20
"""Sign-in links per hour to one mailbox, and from one address; tests per hour of one player's webhook. Operators cannot
change these limits, because they protect other people's mailboxes and servers."""
OPEN_MATCHES_RETRY_SECONDS = 600
"""Seconds after which a player with too many open matches may try again."""


class RateLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits; 0 means no limit.

    `open_matches`: unfinished matches of one creator; `new_matches`: per creator and hour; `registrations`: per address
    and hour; `requests`: per player and minute; `address_requests`: per address and minute; `address_streams`: open
    streams per address in each process.

    Three limits count per player and, with the prefix `address_`, per address: `unmoved_seats`: seats in other people's
    matches without a first move; `seats_left`: seats left per hour; `aborts`: matches aborted in seven days,
    and, per player, two-player rated matches resigned before both players have moved.
    """

    open_matches: int = 0
    new_matches: int = 0
    registrations: int = 0
    requests: int = 0
    address_requests: int = 0
    address_streams: int = 0
    unmoved_seats: int = 0
    address_unmoved_seats: int = 0
    seats_left: int = 0
    address_seats_left: int = 0
    aborts: int = 0
    address_aborts: int = 0


DEFAULT_LIMITS = RateLimits(
    open_matches=500,
    new_matches=300,
    registrations=200,
    requests=3000,
    address_requests=12_000,
    address_streams=500,
    unmoved_seats=10,
    address_unmoved_seats=30,
    seats_left=10,
    address_seats_left=30,
    aborts=3,
    address_aborts=12,
)
"""The limits unless the operator sets others."""


def parse_rate_limits(text: str) -> RateLimits:
    """Return the limits of a setting: `off`, or words such as `open_matches=100` that change the defaults.

    Raises ValueError with a message for the operator.
    """
    if text.strip() == "off":
        return RateLimits()
    given = dict(word.partition("=")[::2] for word in text.split())
    unknown = given.keys() - set(RateLimits.__struct_fields__)
    if unknown or not all(value.isdecimal() for value in given.values()):
        known = ", ".join(RateLimits.__struct_fields__)
        raise ValueError(f"CRUMBTRAIL_LIMITS must be `off`, or NAME=NUMBER for some of {known}; it is {text!r}.")
    return msgspec.structs.replace(DEFAULT_LIMITS, **{name: int(value) for name, value in given.items()})


class LimitExceeded(Exception):
    """A limit was exceeded. `retry_after` is in seconds."""

    def __init__(self, code: str, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after = retry_after


class Window(NamedTuple):
    """The count of one player or address in one time window, as far as this process knows."""

    name: str
    number: int
    total: int
    """The count in all processes at the last report, including a report in progress."""
    unreported: int
    """The count in this process since then."""


class RateLimiter:
    """Counts against the rate limits for this process."""

    def __init__(self, redis: Redis, clock: Clock, rates: RateLimits, open_matches: Callable[[str], int]) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._limits = rates
        self._count_open_matches = open_matches
        self._windows: LRUCache[tuple[str, str], Window] = LRUCache(MAX_WINDOWS)
        self._lock = threading.Lock()
        """Held only for a few statements, never during a round trip to Redis."""

    def count_request_from(self, address: str) -> None:
        """Count a request from an address. Raises LimitExceeded."""
        most = self._limits.address_requests
        self._count("address_requests", address_network(address), most, MINUTE, "requests from your address", "minute")

    def count_request_of(self, player: str) -> None:
        """Count a request of a player. Raises LimitExceeded."""
        self._count("requests", player, self._limits.requests, MINUTE, "requests", "minute")

    def count_registration_from(self, address: str) -> None:
        """Count a new player from an address. Raises LimitExceeded."""
        most = self._limits.registrations
        self._count("registrations", address_network(address), most, HOUR, "new players from your address", "hour")

    def count_new_match_of(self, player: str) -> None:
        """Count a new match of a player unless they have too many open ones. Raises LimitExceeded."""
        most = self._limits.open_matches
        if most and self._count_open_matches(player) >= most:
            message = f"You have {most} unfinished matches. Finish or cancel some of them first."
            raise LimitExceeded("too_many_matches", message, OPEN_MATCHES_RETRY_SECONDS)
        self._count("new_matches", player, self._limits.new_matches, HOUR, "new matches", "hour")

    def count_link_from(self, address: str) -> None:
        """Count a sign-in link by the address that requested it. Raises LimitExceeded."""
        self._count("links_from", address_network(address), MAX_LINKS_PER_ADDRESS, HOUR, "sign-in links", "hour")

    def count_link_to(self, mailbox: str) -> None:
        """Count a sign-in link to a mailbox, given by its hash. Raises LimitExceeded."""
        self._count("links_to", mailbox, MAX_LINKS_PER_MAILBOX, HOUR, "sign-in links to this email address", "hour")

    def count_report_of(self, player: str, address: str) -> None:
        """Count a report by a player, and by the address that it comes from. Raises LimitExceeded."""
        self._count("reports", player, MAX_REPORTS, HOUR, "reports", "hour")
        network = address_network(address)
        self._count("reports_from", network, MAX_REPORTS_FROM, HOUR, "reports from your address", "hour")

    def count_webhook_test_of(self, player: str) -> None:
        """Count a test of a player's webhook. Raises LimitExceeded."""
        self._count("tests", player, MAX_WEBHOOK_TESTS, HOUR, "tests of your webhook", "hour")

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
        message = f"You have reached the limit of {most} {what} per {unit}. Try again in {format_wait(again)}."
        raise LimitExceeded("too_many_requests", message, again)

    def _increment(self, name: str, who: str, number: int, most: int) -> tuple[Window, int]:
        """Count one more in the window, and return the window and how much of it the caller must report.

        If the limit was already reached, nothing is counted and the returned total exceeds it. The amount to report is
        moved out of `unreported` first, so that concurrent callers neither report it again nor lose it.
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
        """Report to Redis and return the total of all processes, or this process's total if Redis fails."""
        key = rate_limit_key(window.name, who, window.number)
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, telling)
                pipeline.expire(key, 2 * seconds)
                counted = int(pipeline.execute()[0])
        except REDIS_ERRORS:
            return window.total  # while Redis is unavailable, each process counts alone
        with self._lock:
            latest = self._windows.get((window.name, who))
            if latest and latest.number == window.number:
                self._windows[window.name, who] = latest._replace(total=max(latest.total, counted))
        return counted


def format_wait(seconds: int) -> str:
    """Return a waiting time as text."""
    minutes = -(-seconds // MINUTE)
    return f"{seconds} s" if seconds < 2 * MINUTE else f"{minutes} minutes"


@lru_cache(maxsize=MAX_WINDOWS)
def address_network(address: str) -> str:
    """Return the address to count. For IPv6 it is the /64 network, because one subscriber has all of it."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if found.version == 4:
        return str(found)
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped) if mapped else found.exploded[:19]
