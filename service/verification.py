"""Checking replay files that somebody sends, for pages and interface alike: only so many at a time."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from replays.report import Report
from replays.verify import Trust, verify
from service.greenlets import aside

MOST_VERIFICATIONS = 2
"""How many files a process verifies at a time."""
MOST_UPLOADS = 8
"""How many files a process holds in memory while they come in."""
BUSY_SECONDS = 5
"""When to try again."""


class Busy(Exception):
    """Other files are being verified; `retry_after` is in how many seconds to try again."""

    retry_after = BUSY_SECONDS


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


VERIFYING, UPLOADING = Places(MOST_VERIFICATIONS), Places(MOST_UPLOADS)


def verified(file: bytes | Iterable[bytes], trust: Trust) -> Report:
    """The report on a file. Raises Busy."""
    with VERIFYING.one():
        return aside(partial(verify, trust=trust), file)
