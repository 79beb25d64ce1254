"""Places for what stays open: live streams and requests that wait, of the interface and of the pages alike.

A process has so many connections; whoever could hold them all would leave none to move by.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import cast

from flask import Response, current_app, request
from prometheus_client import Gauge

from service.limits import TooMany, network

MOST_STREAMS = 1500
"""How many streams and waiting requests a process serves; gunicorn gives it 2000 connections."""
RETRY_SECONDS = 2


class TooManyStreams(Exception):
    """This process has as many open streams as it serves; `retry_after` is in how many seconds to try again."""

    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__("This server has as many open streams as it serves. Try again.")


class Slots:
    """How many streams this process still takes on, of all and of one address (`of_one`; 0: as many as of all)."""

    def __init__(self, most: int, of_one: int, gauge: Gauge) -> None:
        self._left = most
        self._of_one = of_one or most
        self._gauge = gauge
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, address: str) -> None:
        """Take one for an address. Raises TooManyStreams, and TooMany when the address itself has too many."""
        who = network(address)
        with self._lock:
            if self._left == 0:
                raise TooManyStreams
            if self._taken[who] >= self._of_one:
                message = f"There are {self._of_one} streams open to your address: end some of them first."
                raise TooMany("too_many_streams", message, RETRY_SECONDS)
            self._left -= 1
            self._taken[who] += 1
        self._gauge.inc()

    @contextmanager
    def one(self, address: str) -> Iterator[None]:
        """Have one inside. Raises what `take` raises."""
        self.take(address)
        try:
            yield
        finally:
            self.free(address)

    def free(self, address: str) -> None:
        """Give one of this address back."""
        who = network(address)
        with self._lock:
            self._left += 1
            self._taken[who] -= 1
            if not self._taken[who]:
                del self._taken[who]
        self._gauge.dec()


def slots() -> Slots:
    """Those of this application."""
    return cast(Slots, current_app.extensions["crumbtrail-slots"])


def open_stream(written: Iterable[str] | Iterable[bytes], form: str) -> Response:
    """A live stream as an answer, which has a place for as long as it is open. Raises TooManyStreams, TooMany."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, mimetype=form)
    taken, address = slots(), request.remote_addr or ""
    taken.take(address)
    response = Response(written, headers=headers, mimetype=form)
    # Not in the generator: one that was never begun is closed without a word.
    response.call_on_close(lambda: taken.free(address))
    return response
