"""Verifies uploaded files: which signature each needs, and how many are verified at a time.

A verification may take a second of CPU time. It runs in a thread outside gevent's event loop. A process runs only a few
at a time and asks other clients to try again.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import msgspec
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
"""Maximum number of files that a process verifies at a time."""
MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS = 8, 4
"""Maximum number of uploads in memory per process and per address, as a large upload may take minutes."""
RETRY_SECONDS = 5
"""The `Retry-After` of a refused upload."""


class VerificationBusy(Exception):
    """This process has reached its limit of uploads or verifications. `retry_after` is in seconds."""

    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__(
            "The server is busy. Try again in a few seconds, or verify the file yourself: `crumbtrail verify FILE`."
        )


class VerificationSlots:
    """A limit on concurrent verifications. Excess calls are refused."""

    def __init__(self, most: int) -> None:
        self._semaphore = threading.BoundedSemaphore(most)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold a slot inside the block. Raises VerificationBusy."""
        if not self._semaphore.acquire(blocking=False):
            raise VerificationBusy
        try:
            yield
        finally:
            self._semaphore.release()


VERIFICATION_SLOTS = VerificationSlots(MAX_VERIFICATIONS)


def make_upload_limiter(gauge: Gauge) -> ConcurrencyLimiter:
    """Return the limiter for uploads."""
    return ConcurrencyLimiter(MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS, VerificationBusy, address_uploads_exceeded, gauge)


def address_uploads_exceeded(of_one: int) -> LimitExceeded:
    """Return the error for an address that has reached its limit of uploads."""
    message = f"Your address is already uploading {of_one} files. Wait until one of them has been verified."
    return LimitExceeded("too_many_files", message, RETRY_SECONDS)


class NamedMatch(msgspec.Struct, frozen=True):
    """The part of a replay file's header that names its match."""

    match: str


class UploadVerifier:
    """Verifies uploaded files."""

    def __init__(self, signing_keys: SigningKeys, log: MatchLog, imported: ImportedMatches) -> None:
        self._signing_keys = signing_keys
        self._log = log
        self._imported = imported

    def verify(self, raw: bytes) -> Report:
        """Verify a file and return the report. Raises VerificationBusy, LogUnavailable.

        This server signs every file of its own matches, so such a file must carry a signature by one of its keys.
        """
        return verify_in_thread(raw, self._signing_keys.trust(required=self._is_played_here(match_in_header(raw))))

    def _is_played_here(self, match: str | None) -> bool:
        """Return whether this match was played on this server. An imported match may come from another server."""
        if match is None or not is_match_id(match) or self._imported.contains(match):
            return False
        return bool(self._log.lines(match, 1, 1))


def verify_in_thread(raw: bytes, trust: SignaturePolicy) -> Report:
    """Verify a file in a thread and return the report. Raises VerificationBusy."""
    with VERIFICATION_SLOTS.hold():
        return run_in_thread(partial(verify, trust=trust), raw)


def match_in_header(raw: bytes) -> str | None:
    """Return the match named in the header, or None if the header is unreadable. Such a file fails anyway."""
    header = raw[:MAX_LINE].partition(b"\n")[0]
    try:
        return msgspec.json.decode(header, type=NamedMatch).match
    except (ValueError, RecursionError):
        return None
