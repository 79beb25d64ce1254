"""Watches the feeds directly, without the proxy, and records when each entry was first read."""

import threading
import time

from redis.exceptions import RedisError

from service.event_store.errors import LogUnavailable
from service.event_store.keys import SHARDS, verdict_key
from service.event_store.log import MatchLog
from tests.reliability.faults.history import FeedEntry
from tests.reliability.faults.servers import Server
from tests.reliability.faults.three_servers import ThreeServers

POLL_SECONDS = 0.05


class Observer(threading.Thread):
    """Reads all feeds and the verdicts of finished matches until it is stopped."""

    def __init__(self, server: Server | ThreeServers) -> None:
        super().__init__(name="witness", daemon=True)
        self.seen: list[FeedEntry] = []
        self.audited: dict[str, float] = {}
        self._redis = server.client()
        self._log = MatchLog(self._redis)
        self._reached = dict.fromkeys(range(SHARDS), 0)
        self._unaudited: set[str] = set()
        self._over = threading.Event()

    def run(self) -> None:
        """Poll until stopped."""
        while not self._over.wait(POLL_SECONDS):
            try:
                self._look()
            except (LogUnavailable, RedisError):
                continue

    def stop(self) -> None:
        """Stop after a last poll."""
        self._over.set()
        self.join()
        self._look()
        self._redis.close()

    def _look(self) -> None:
        for shard, items in self._log.feeds(self._reached).items():
            now = time.monotonic()
            for item in items:
                self.seen.append(FeedEntry(shard, item.position, item.match, item.first, item.last, now))
                self._reached[shard] = item.position
                if any(b'"kind":"seed_revealed"' in line for line in self._log.lines(item.match, item.first)):
                    self._unaudited.add(item.match)
        for match in tuple(self._unaudited):
            if self._redis.exists(verdict_key(match)):
                self.audited[match] = time.monotonic()
                self._unaudited.remove(match)
