"""Limits on concurrent streams, waiting requests and uploads, for the API and the pages.

A process has limited connections and memory, and no single client may use them all.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import Gauge

from service.runtime.rate_limits import LimitExceeded, address_network

MAX_STREAMS = 1500
"""Maximum streams and waiting requests per process; gunicorn allows it 2000 connections."""
RETRY_SECONDS = 2


class TooManyStreams(Exception):
    """This process has reached its limit of open streams. `retry_after` is in seconds."""

    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__("The server has reached its limit of open streams. Try again in a few seconds.")


class ConcurrencyLimiter:
    """Limits concurrent uses of a resource in this process, in total (`most`) and per address (`of_one`; 0: `most`).

    Raises `full` when the total is reached, and `crowded` when an address has reached its limit.
    """

    def __init__(
        self, most: int, of_one: int, full: type[Exception], crowded: Callable[[int], LimitExceeded], gauge: Gauge
    ) -> None:
        self._available = most
        self._per_address = of_one or most
        self._full_error = full
        self._address_error = crowded
        self._gauge = gauge
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()

    def acquire(self, address: str) -> None:
        """Take a slot for an address. Raises the configured error when there is none."""
        who = address_network(address)
        with self._lock:
            if self._available == 0:
                raise self._full_error
            if self._held[who] >= self._per_address:
                raise self._address_error(self._per_address)
            self._available -= 1
            self._held[who] += 1
        self._gauge.inc()

    @contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Hold a slot inside the block. Raises the errors of `acquire`."""
        self.acquire(address)
        try:
            yield
        finally:
            self.release(address)

    def release(self, address: str) -> None:
        """Release a slot of this address."""
        who = address_network(address)
        with self._lock:
            self._available += 1
            self._held[who] -= 1
            if not self._held[who]:
                del self._held[who]
        self._gauge.dec()


def make_stream_limiter(most: int, of_one: int, gauge: Gauge) -> ConcurrencyLimiter:
    """Return the limiter for streams and waiting requests."""
    return ConcurrencyLimiter(most, of_one, TooManyStreams, address_streams_exceeded, gauge)


def address_streams_exceeded(of_one: int) -> LimitExceeded:
    """Return the error for an address that has reached its limit of streams."""
    message = f"Your address has {of_one} open streams. Close some of them first."
    return LimitExceeded("too_many_streams", message, RETRY_SECONDS)
