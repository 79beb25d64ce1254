"""Whose turns may have changed: found once for all who listen for theirs in this process, so that silence costs little.

A player's turns stand in the lists of all shards, and to ask for them is a question to each. So a listener asks only
when a match at which the player sits has gone on. That is seen from how far the lists are, by one thread while there
are listeners: what was announced between two looks names the matches, and their rows the players. Where more has
happened than it would cost to ask for every listener, all of them ask. Now and then they do so anyway.
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
"""So long after a look comes the next one: how late a listener hears of a turn that the lists have."""
PAUSE_SECONDS = 0.5
"""How long to wait for a log that does not answer."""
MAX_REFRESH_SECONDS = 30.0
"""So often a listener asks, whatever is known."""
ROWS_PER_READ = 200
"""How many rows are read in one round trip."""


class TurnListener:
    """Somebody who listens for the turns of a player."""

    def __init__(self, player: str) -> None:
        self.player = player
        self._changes = 1
        self._changes_answered = 0
        self._answered_at = 0.0
        self._wakeup = threading.Event()

    def notify(self) -> None:
        """The player's turns may have changed."""
        self._changes += 1
        self._wakeup.set()

    def wait(self, seconds: float) -> None:
        """Return when the player's turns may have changed, or after so long."""
        if self._wakeup.wait(seconds):
            self._wakeup.clear()

    @contextmanager
    def refresh_if_due(self) -> Iterator[bool]:
        """Whether to ask for the turns, which then is done inside; who falls over has to ask again."""
        news, now = self._changes, time.monotonic()
        due = news != self._changes_answered or now - self._answered_at > MAX_REFRESH_SECONDS
        yield due
        if due:
            self._changes_answered, self._answered_at = news, now


class TurnSubscriptions:
    """Tells listeners when to ask. Threads and greenlets may share it."""

    def __init__(self, log: MatchLog, lists: MatchLists, progress: FeedProgress) -> None:
        self._log = log
        self._lists = lists
        self._progress = progress
        self._listeners: dict[str, set[TurnListener]] = defaultdict(set)
        self._checkpoints: dict[int, int] = {}
        """How far the lists of the shards were at the last look."""
        self._lock = threading.Lock()
        self._poll_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()
        """Set while there are no listeners."""

    @contextmanager
    def subscribe(self, player: str) -> Iterator[TurnListener]:
        """A listener, who is to ask at first and then whenever it is told."""
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
        """Tell whom it may concern what has changed since the last look. Raises LogUnavailable, RedisError."""
        with self._poll_lock:
            reached = self._progress.checkpoints()
            self._notify_changes(reached)
            self._checkpoints = reached

    def _poll_forever(self) -> None:
        """Look again and again, while there are listeners."""
        while self._has_listeners():
            try:
                self.poll()
                self._idle.wait(POLL_SECONDS)
            except (LogUnavailable, RedisError, RedisClusterException):
                self._idle.wait(PAUSE_SECONDS)
            except Exception:
                logger.exception("News of turns could not be told; trying again.")
                self._idle.wait(PAUSE_SECONDS)

    def _has_listeners(self) -> bool:
        """Whether there are listeners; without any the lookout is over, and the next one begins anew."""
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
        """Who sits at the matches that were announced in these spans of the feeds."""
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
