"""Places for what takes long: live streams, requests that wait, and files that come in, of interface and pages alike.

A process has so many connections, and so much memory; whoever could hold it all would leave none to the others.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import cast

from flask import Response, current_app, request
from prometheus_client import Gauge

from service.runtime.rate_limits import LimitExceeded, address_network

MAX_STREAMS = 1500
"""How many streams and waiting requests a process serves; gunicorn gives it 2000 connections."""
RETRY_SECONDS = 2


class TooManyStreams(Exception):
    """This process has as many open streams as it serves; `retry_after` is in how many seconds to try again."""

    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__("This server has as many open streams as it serves. Try again.")


class ConcurrencyLimiter:
    """How many of something this process still takes on, of all and of one address (`of_one`; 0: as many as of all).

    `full` is raised when there is no place for anybody, `crowded` when an address has all of its own.
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
        """Take one for an address. Raises what is raised when there is none."""
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
        """Have one inside. Raises what `take` raises."""
        self.acquire(address)
        try:
            yield
        finally:
            self.release(address)

    def release(self, address: str) -> None:
        """Give one of this address back."""
        who = address_network(address)
        with self._lock:
            self._available += 1
            self._held[who] -= 1
            if not self._held[who]:
                del self._held[who]
        self._gauge.dec()


def make_stream_limiter(most: int, of_one: int, gauge: Gauge) -> ConcurrencyLimiter:
    """Places for streams and for requests that wait."""
    return ConcurrencyLimiter(most, of_one, TooManyStreams, address_streams_exceeded, gauge)


def address_streams_exceeded(of_one: int) -> LimitExceeded:
    """One address has as many streams as one may have."""
    message = f"There are {of_one} streams open to your address: end some of them first."
    return LimitExceeded("too_many_streams", message, RETRY_SECONDS)


def stream_limiter() -> ConcurrencyLimiter:
    """Those of this application."""
    return cast(ConcurrencyLimiter, current_app.extensions["crumbtrail-slots"])


def limited_stream_response(written: Iterable[str] | Iterable[bytes], form: str) -> Response:
    """A live stream as an answer, which has a place for as long as it is open. Raises TooManyStreams, TooMany."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, mimetype=form)
    taken, address = stream_limiter(), request.remote_addr or ""
    taken.acquire(address)
    response = Response(written, headers=headers, mimetype=form)
    # Not in the generator: one that was never begun is closed without a word.
    response.call_on_close(lambda: taken.release(address))
    return response
