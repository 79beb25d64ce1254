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
from replays.signature import SignaturePolicy
from replays.verify import verify
from service.disputes.signing_keys import SigningKeys
from service.event_store.keys import is_match_id
from service.event_store.log import MatchLog
from service.matches.imported_matches import ImportedMatches
from service.runtime.concurrency_limits import ConcurrencyLimiter
from service.runtime.gevent_support import run_in_thread
from service.runtime.rate_limits import LimitExceeded

MAX_VERIFICATIONS = 2
"""How many files a process verifies at a time."""
MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS = 8, 4
"""How many files a process holds in memory while they come in, and how many of these may come from one address: a large
one may take minutes."""
RETRY_SECONDS = 5
"""When to come again."""


class VerificationBusy(Exception):
    """As many files as this process takes at a time are there; `retry_after` is in how many seconds to try again."""

    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__("Other files are being verified; try again. Or check it yourself: `crumbtrail verify FILE`.")


class VerificationSlots:
    """So many may do something at a time; who finds no place is sent away."""

    def __init__(self, most: int) -> None:
        self._semaphore = threading.BoundedSemaphore(most)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """A place. Raises Busy."""
        if not self._semaphore.acquire(blocking=False):
            raise VerificationBusy
        try:
            yield
        finally:
            self._semaphore.release()


VERIFICATION_SLOTS = VerificationSlots(MAX_VERIFICATIONS)


def make_upload_limiter(gauge: Gauge) -> ConcurrencyLimiter:
    """Places for files that come in."""
    return ConcurrencyLimiter(MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS, VerificationBusy, address_uploads_exceeded, gauge)


def address_uploads_exceeded(of_one: int) -> LimitExceeded:
    """One address sends as many files as one may send at a time."""
    message = f"There are {of_one} files coming in from your address: wait until one of them has been verified."
    return LimitExceeded("too_many_files", message, RETRY_SECONDS)


def hold_upload_slot() -> AbstractContextManager[None]:
    """A place for the file that this request brings. To enter it raises Busy, TooMany."""
    places = cast(ConcurrencyLimiter, current_app.extensions["crumbtrail-uploads"])
    return places.hold(request.remote_addr or "")


class NamedMatch(msgspec.Struct, frozen=True):
    """What a header says of its match, as far as it matters here."""

    match: str


class UploadVerifier:
    """Verifies files that somebody has sent."""

    def __init__(self, signing_keys: SigningKeys, log: MatchLog, imported: ImportedMatches) -> None:
        self._signing_keys = signing_keys
        self._log = log
        self._imported = imported

    def verify(self, raw: bytes) -> Report:
        """The report on a file. Raises VerificationBusy, LogUnavailable.

        This server signs every file of its own matches, so such a file must carry a signature by one of its keys.
        """
        return verify_in_thread(raw, self._signing_keys.trust(required=self._is_played_here(match_in_header(raw))))

    def _is_played_here(self, match: str | None) -> bool:
        """Whether this match is played here; an imported match may come from another server."""
        if match is None or not is_match_id(match) or self._imported.contains(match):
            return False
        return bool(self._log.lines(match, 1, 1))


def verify_in_thread(raw: bytes, trust: SignaturePolicy) -> Report:
    """The report on a file. Raises VerificationBusy."""
    with VERIFICATION_SLOTS.hold():
        return run_in_thread(partial(verify, trust=trust), raw)


def match_in_header(raw: bytes) -> str | None:
    """The match that the header names; None where it cannot be read, and then the file is refused anyway."""
    header = raw[:MAX_LINE].partition(b"\n")[0]
    try:
        return msgspec.json.decode(header, type=NamedMatch).match
    except (ValueError, RecursionError):
        return None
