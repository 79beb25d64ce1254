"""Who waits for news of a match, in this process. One subscription to the log's hints serves all of them."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from service.log.client import LogUnavailable, MatchLog

POLL_SECONDS = 5.0
"""Hints can be lost, so a watcher looks by itself this often."""


class Live:
    """Wakes watchers when their match has news, and when the process is to stop (`closed`)."""

    def __init__(self, log: MatchLog) -> None:
        self._log = log
        self._bells: dict[str, set[threading.Event]] = defaultdict(set)
        self._lock = threading.Lock()
        self._listener: threading.Thread | None = None
        self.closed = False

    @contextmanager
    def watch(self, match: str) -> Iterator[threading.Event]:
        """A bell that is set whenever the match has news; clear it before you look."""
        bell = threading.Event()
        with self._lock:
            self._bells[match].add(bell)
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="live", daemon=True)
                self._listener.start()
        try:
            yield bell
        finally:
            with self._lock:
                self._bells[match].discard(bell)
                if not self._bells[match]:
                    del self._bells[match]

    def close(self) -> None:
        """This process is to stop: wake all watchers, who see that nothing more comes from here."""
        self.closed = True
        self._ring(self._all_bells())

    def _listen(self) -> None:
        while True:
            try:
                with self._log.hints() as hints:
                    self._ring(self._all_bells())  # for what was appended before the subscription stood
                    while True:
                        hint = hints.poll(POLL_SECONDS)
                        self._ring(self._bells_of(hint.match) if hint else self._all_bells())
            except LogUnavailable:
                threading.Event().wait(0.5)

    def _ring(self, bells: list[threading.Event]) -> None:
        for bell in bells:
            bell.set()

    def _bells_of(self, match: str) -> list[threading.Event]:
        with self._lock:
            return list(self._bells.get(match, ()))

    def _all_bells(self) -> list[threading.Event]:
        with self._lock:
            return [bell for bells in self._bells.values() for bell in bells]
