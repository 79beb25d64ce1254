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
from service.runtime.clock import Clock

MINUTE, HOUR = 60, 3600
STEPS = 20
"""A counter is told so many times, at least, before it is full."""
COUNTED = 20_000
"""How many players and addresses a process counts at once."""
LINKS_AN_HOUR, LINKS_FOR_ONE, TESTS_AN_HOUR = 5, 20, 20
"""Links by mail to one address, and for one reader; tries of one player's webhook. These hold whatever the operator
says: they guard the mailboxes and servers of others."""
UNTIL_A_MATCH_ENDS = 600
"""Seconds after which somebody with too many open matches may try again."""


class Rates(msgspec.Struct, frozen=True, kw_only=True):
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


GENEROUS = Rates(
    open_matches=500,
    new_matches=300,
    registrations=200,
    requests=3000,
    address_requests=12_000,
    address_streams=500,
)
"""What holds unless the operator says otherwise."""


def read_rates(text: str) -> Rates:
    """The rates of a setting: `off`, or words such as `open_matches=100` that change the usual ones.

    Raises ValueError, with words for the operator.
    """
    if text.strip() == "off":
        return Rates()
    given = dict(word.partition("=")[::2] for word in text.split())
    unknown = given.keys() - set(Rates.__struct_fields__)
    if unknown or not all(value.isdecimal() for value in given.values()):
        known = ", ".join(Rates.__struct_fields__)
        raise ValueError(f"CRUMBTRAIL_LIMITS is `off`, or NAME=NUMBER for some of {known}; it is {text!r}")
    return msgspec.structs.replace(GENEROUS, **{name: int(value) for name, value in given.items()})


class TooMany(Exception):
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
    counted: int
    """In all processes, as they were told last, with what is being told."""
    since: int
    """Here, since then."""


class Limits:
    """The counters of this process."""

    def __init__(self, redis: Redis, clock: Clock, rates: Rates, open_matches: Callable[[str], int]) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._rates = rates
        self._open_matches = open_matches
        self._windows: LRUCache[tuple[str, str], Window] = LRUCache(COUNTED)
        self._lock = threading.Lock()
        """Held for a few lines, never while the server is asked."""

    def request_from(self, address: str) -> None:
        """Count a request from an address. Raises TooMany."""
        most = self._rates.address_requests
        self._count("address_requests", network(address), most, MINUTE, "requests from your address", "minute")

    def request_of(self, player: str) -> None:
        """Count a request of a player. Raises TooMany."""
        self._count("requests", player, self._rates.requests, MINUTE, "requests of yours", "minute")

    def registration_from(self, address: str) -> None:
        """Count a new player from an address. Raises TooMany."""
        most = self._rates.registrations
        self._count("registrations", network(address), most, HOUR, "new players from your address", "hour")

    def new_match_of(self, player: str) -> None:
        """Count a new match of a player who has not too many already. Raises TooMany."""
        most = self._rates.open_matches
        if most and self._open_matches(player) >= most:
            message = f"You have {most} matches that are not over. End or cancel some of them first."
            raise TooMany("too_many_matches", message, UNTIL_A_MATCH_ENDS)
        self._count("new_matches", player, self._rates.new_matches, HOUR, "new matches of yours", "hour")

    def link_from(self, address: str) -> None:
        """Count a link by mail that a reader asks for, by the address that they come from. Raises TooMany."""
        self._count("links_from", network(address), LINKS_FOR_ONE, HOUR, "links for you", "hour")

    def link_to(self, mailbox: str) -> None:
        """Count a link to a mailbox, of which only a digest is given. Raises TooMany."""
        self._count("links_to", mailbox, LINKS_AN_HOUR, HOUR, "links to this address", "hour")

    def test_of(self, player: str) -> None:
        """Count a try of a player's webhook. Raises TooMany."""
        self._count("tests", player, TESTS_AN_HOUR, HOUR, "tries of your webhook", "hour")

    def _count(self, name: str, who: str, most: int, seconds: int, what: str, unit: str) -> None:
        if not most:
            return
        now = self._clock.now().timestamp()
        number = int(now // seconds)
        window, telling = self._one_more(name, who, number, most)
        counted = self._tell(window, telling, who, seconds) if telling else window.counted
        if counted <= most:
            return
        again = ceil((number + 1) * seconds - now)
        message = f"More than {most} {what} in one {unit}: try again in {spoken(again)}."
        raise TooMany("too_many_requests", message, again)

    def _one_more(self, name: str, who: str, number: int, most: int) -> tuple[Window, int]:
        """The window with one more counted, and how many of it the caller has to tell; a full one is more than full.

        Whoever tells takes what is to be told out of the window first: others come by while the server is asked, and
        must neither tell it again nor forget it.
        """
        with self._lock:
            found = self._windows.get((name, who))
            window = found if found and found.number == number else Window(name, number, 0, 0)
            if window.counted >= most and not window.since:
                return window._replace(counted=most + 1), 0
            since = window.since + 1
            telling = since >= max(1, most // STEPS) or window.counted + since > most or window.counted == 0
            window = (
                window._replace(counted=window.counted + since, since=0) if telling else window._replace(since=since)
            )
            self._windows[name, who] = window
            return window, since if telling else 0

    def _tell(self, window: Window, telling: int, who: str, seconds: int) -> int:
        """Tell the server; gives how many there are in all processes with these, as few as this one knows of."""
        key = f"ct:limit:{window.name}:{who}:{window.number}"
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, telling)
                pipeline.expire(key, 2 * seconds)
                counted = int(pipeline.execute()[0])
        except REDIS_ERRORS:
            return window.counted  # while the counters are away, each process counts for itself
        with self._lock:
            latest = self._windows.get((window.name, who))
            if latest and latest.number == window.number:
                self._windows[window.name, who] = latest._replace(counted=max(latest.counted, counted))
        return counted


def spoken(seconds: int) -> str:
    """A time to wait, in words."""
    minutes = -(-seconds // MINUTE)
    return f"{seconds} s" if seconds < 2 * MINUTE else f"{minutes} minutes"


@lru_cache(maxsize=COUNTED)
def network(address: str) -> str:
    """An address as it is counted: of IPv6 the network, since one subscriber has all of it."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if found.version == 4:
        return str(found)
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped) if mapped else found.exploded[:19]
