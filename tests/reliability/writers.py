"""Writers that record every acknowledged event of the log."""

import threading
import time
from collections import Counter
from contextlib import AbstractContextManager, closing, suppress
from functools import partial

from service.event_store.connect import connect
from service.event_store.errors import LogUnavailable, VersionConflict
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from tests.reliability.players import running_in_background
from tests.reliability.servers import wait_until_equal
from tests.service.event_store.builders import append_texts, texts_of


class Writers:
    """Threads that append to their own matches and record what was acknowledged."""

    def __init__(self, url: str, count: int) -> None:
        self.acknowledged: dict[str, list[str]] = {}
        self.refused: Counter[str] = Counter()
        self._url = url
        self._count = count

    def at_work(self) -> AbstractContextManager[None]:
        """Write until the block ends and the last events are acknowledged."""
        return running_in_background(partial(self._write, new_match_id()) for _ in range(self._count))

    def until_busy(self) -> None:
        """Wait until a hundred more events are acknowledged."""
        wanted = self.count() + 100
        wait_until_equal(lambda: self.count() >= wanted, True)

    def count(self) -> int:
        """Return the number of acknowledged events."""
        return sum(len(texts) for texts in list(self.acknowledged.values()))

    def longest_pause(self, seconds: float) -> float:
        """Return the longest time without an acknowledged event while watching for this many seconds."""
        begin = last = time.monotonic()
        count, longest = self.count(), 0.0
        while (now := time.monotonic()) < begin + seconds:
            if self.count() != count:
                count, longest, last = self.count(), max(longest, now - last), now
            time.sleep(0.01)
        return max(longest, now - last)

    def until_going_on(self, seconds: float) -> float:
        """Wait until new events are acknowledged, at most this many seconds. Return how long it took."""
        begin, wanted = time.monotonic(), self.count() + 2 * self._count
        wait_until_equal(lambda: self.count() >= wanted, True, seconds)
        return time.monotonic() - begin

    def _write(self, match: str, over: threading.Event) -> None:
        """Append until the end, or until the log lacks an acknowledged event, which `assert_all_there` reports."""
        with closing(connect(self._url)) as client, suppress(VersionConflict):
            log = MatchLog(client, replicas=1)
            texts = self.acknowledged[match] = []
            while not over.is_set():
                text = f"event {len(texts) + 1}"
                while not self._append(log, match, len(texts), text):
                    time.sleep(0.02)
                texts.append(text)

    def _append(self, log: MatchLog, match: str, ply: int, text: str) -> bool:
        try:
            found = append_texts(log, match, ply, text)
        except LogUnavailable as error:
            self.refused[type(error).__name__] += 1
            return False
        assert found.first == found.last == ply + 1
        return True

    def assert_all_there(self) -> None:
        """Check that everything acknowledged is stored once and in order."""
        with closing(connect(self._url)) as client:
            log = MatchLog(client)
            for match, texts in self.acknowledged.items():
                assert list(texts_of(log, match)) == texts
