"""Files verified by the server: whose signature they need here, and how many at a time.

A verification may take a second of a processor. It runs aside of the greenlets that serve, and only so many of them run
in a process; whoever comes then is asked to come again.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import cast

import msgspec
from flask import current_app, request
from prometheus_client import Gauge

from replays.file import MAX_LINE
from replays.report import Report
from replays.signature import Trust
from replays.verify import verify
from service.bootstrap import Services
from service.event_store.keys import is_match_id
from service.runtime.concurrency_limits import Slots
from service.runtime.gevent_support import aside
from service.runtime.rate_limits import TooMany

MOST_VERIFICATIONS = 2
"""How many files a process verifies at a time."""
MOST_UPLOADS, UPLOADS_OF_ONE = 8, 4
"""How many files a process holds in memory while they come in, and how many of these may come from one address: a large
one may take minutes."""
BUSY_SECONDS = 5
"""When to come again."""


class Busy(Exception):
    """As many files as this process takes at a time are there; `retry_after` is in how many seconds to try again."""

    retry_after = BUSY_SECONDS

    def __init__(self) -> None:
        super().__init__("Other files are being verified; try again. Or check it yourself: `crumbtrail verify FILE`.")


class Places:
    """So many may do something at a time; who finds no place is sent away."""

    def __init__(self, most: int) -> None:
        self._places = threading.BoundedSemaphore(most)

    @contextmanager
    def one(self) -> Iterator[None]:
        """A place. Raises Busy."""
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            yield
        finally:
            self._places.release()


VERIFYING = Places(MOST_VERIFICATIONS)


def upload_slots(gauge: Gauge) -> Slots:
    """Places for files that come in."""
    return Slots(MOST_UPLOADS, UPLOADS_OF_ONE, Busy, too_many_files, gauge)


def too_many_files(of_one: int) -> TooMany:
    """One address sends as many files as one may send at a time."""
    message = f"There are {of_one} files coming in from your address: wait until one of them has been verified."
    return TooMany("too_many_files", message, BUSY_SECONDS)


def place_to_upload() -> AbstractContextManager[None]:
    """A place for the file that this request brings. To enter it raises Busy, TooMany."""
    places = cast(Slots, current_app.extensions["crumbtrail-uploads"])
    return places.one(request.remote_addr or "")


class Named(msgspec.Struct, frozen=True):
    """What a header says of its match, as far as it matters here."""

    match: str


def verify_file(services: Services, raw: bytes) -> Report:
    """The report on a file that somebody has sent. Raises Busy, LogUnavailable.

    This server signs every file of its own matches, so such a file without one of its keys is none of them.
    """
    return verify_aside(raw, services.notary.trust(required=is_own(services, match_named(raw))))


def verify_aside(raw: bytes, trust: Trust) -> Report:
    """The report on a file. Raises Busy."""
    with VERIFYING.one():
        return aside(partial(verify, trust=trust), raw)


def match_named(raw: bytes) -> str | None:
    """The match that the header names; None where it cannot be read, and then the file is refused anyway."""
    header = raw[:MAX_LINE].partition(b"\n")[0]
    try:
        return msgspec.json.decode(header, type=Named).match
    except (ValueError, RecursionError):
        return None


def is_own(services: Services, match: str | None) -> bool:
    """Whether this is a match that is played here; one that was taken up from a file may come from elsewhere."""
    if match is None or not is_match_id(match) or services.archive.holds(match):
        return False
    return bool(services.log.lines(match, 1, 1))
