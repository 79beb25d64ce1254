"""Notifies listeners when a player's turns may have changed, so that they need not query constantly.

Listing a player's turns takes a query to every shard, so a listener queries only after a match of the player has
changed. While there are listeners, one thread polls the checkpoints of the lists. The feeds between two checkpoints
name the changed matches, and their rows name the players. If too much has changed, all listeners query. They also query
at regular intervals.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from redis.exceptions import RedisClusterException, RedisError

from service.event_store.errors import LogUnavailable
from service.event_store.keys import SHARDS
from service.event_store.log import MatchLog
from service.read_models.match_lists import MatchLists
from service.read_models.progress import FeedProgress

logger = logging.getLogger("crumbtrail")

POLL_SECONDS = 0.25
"""Pause between two polls, which is also the maximum delay after the lists have changed."""
PAUSE_SECONDS = 0.5
"""Pause before trying again when the log does not answer."""
MAX_REFRESH_SECONDS = 30.0
"""Maximum time between two queries of a listener, even without changes."""
ROWS_PER_READ = 200
"""Maximum number of rows read in one round trip."""


class TurnListener:
    """A listener for the turns of one player."""

    def __init__(self, player: str) -> None:
        self.player = player
        self._changes = 1
        self._changes_answered = 0
        self._answered_at = 0.0
        self._wakeup = threading.Event()

    def notify(self) -> None:
        """Signal that the player's turns may have changed."""
        self._changes += 1
        self._wakeup.set()

    def wait(self, seconds: float) -> None:
        """Return when the player's turns may have changed, or after `seconds`."""
        if self._wakeup.wait(seconds):
            self._wakeup.clear()

    @contextmanager
    def refresh_if_due(self) -> Iterator[bool]:
        """Yield whether to query the turns inside the block. A query that raises remains due."""
        news, now = self._changes, time.monotonic()
        due = news != self._changes_answered or now - self._answered_at > MAX_REFRESH_SECONDS
        yield due
        if due:
            self._changes_answered, self._answered_at = news, now


class TurnSubscriptions:
    """Notifies listeners when to query. Threads and greenlets may share it."""

    def __init__(self, log: MatchLog, lists: MatchLists, progress: FeedProgress) -> None:
        self._log = log
        self._lists = lists
        self._progress = progress
        self._listeners: dict[str, set[TurnListener]] = defaultdict(set)
        self._checkpoints: dict[int, int] = {}
        """The checkpoints of the shards at the last poll."""
        self._lock = threading.Lock()
        self._poll_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()
        """Set while there are no listeners."""

    @contextmanager
    def subscribe(self, player: str) -> Iterator[TurnListener]:
        """Return a listener. Its first query is due immediately, and later ones when it is notified."""
        listener = TurnListener(player)
        with self._lock:
            self._listeners[player].add(listener)
            self._idle.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._poll_forever, name="turn-news", daemon=True)
                self._thread.start()
        try:
            yield listener
        finally:
            with self._lock:
                self._listeners[player].discard(listener)
                if not self._listeners[player]:
                    del self._listeners[player]
                if not self._listeners:
                    self._idle.set()

    def poll(self) -> None:
        """Notify the players whose matches have changed since the last poll. Raises LogUnavailable, RedisError."""
        with self._poll_lock:
            reached = self._progress.checkpoints()
            self._notify_changes(reached)
            self._checkpoints = reached

    def _poll_forever(self) -> None:
        """Poll while there are listeners."""
        while self._has_listeners():
            try:
                self.poll()
                self._idle.wait(POLL_SECONDS)
            except (LogUnavailable, RedisError, RedisClusterException):
                self._idle.wait(PAUSE_SECONDS)
            except Exception:
                logger.exception("Could not deliver updates of turns; trying again.")
                self._idle.wait(PAUSE_SECONDS)

    def _has_listeners(self) -> bool:
        """Return whether there are listeners. If not, reset the state, so that a new thread starts fresh."""
        with self._lock:
            if not self._listeners:
                self._thread, self._checkpoints = None, {}
            return bool(self._listeners)

    def _notify_changes(self, reached: Mapping[int, int]) -> None:
        before = self._checkpoints
        moved = {shard: at for shard, at in reached.items() if at != before.get(shard)}
        steps = [at - before.get(shard, 0) for shard, at in moved.items()]
        with self._lock:
            listeners = sum(map(len, self._listeners.values()))
        if any(step < 0 for step in steps) or sum(steps) > SHARDS * listeners or not before:
            self._notify_all()
            return
        for player in self._players_in({shard: (before[shard], at) for shard, at in moved.items()}):
            self._notify_player(player)

    def _players_in(self, spans: Mapping[int, tuple[int, int]]) -> set[str]:
        """Return the players in the matches announced in these ranges of the feeds."""
        longest = max((last - first for first, last in spans.values()), default=0)
        feeds = self._log.feeds({shard: first for shard, (first, _) in spans.items()}, max(1, longest))
        changed = {item.match for shard, items in feeds.items() for item in items if item.position <= spans[shard][1]}
        matches = sorted(changed)
        found: set[str] = set()
        for begin in range(0, len(matches), ROWS_PER_READ):
            rows = self._lists.find_matches(matches[begin : begin + ROWS_PER_READ])
            found |= {seat.player for row in rows for seat in row.seats if seat.player}
        return found

    def _notify_player(self, player: str) -> None:
        with self._lock:
            for listener in self._listeners.get(player, ()):
                listener.notify()

    def _notify_all(self) -> None:
        with self._lock:
            for each in self._listeners.values():
                for listener in each:
                    listener.notify()
