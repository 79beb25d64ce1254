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

from service.event_store.keys import SHARDS
from service.event_store.log import LogUnavailable, MatchLog
from service.read_models.projections import Projections

logger = logging.getLogger("crumbtrail")

LOOK_SECONDS = 0.25
"""So long after a look comes the next one: how late a listener hears of a turn that the lists have."""
PAUSE_SECONDS = 0.5
"""How long to wait for a log that does not answer."""
ANYWAY_SECONDS = 30.0
"""So often a listener asks, whatever is known."""
AT_ONCE = 200
"""How many rows are read in one round trip."""


class Listener:
    """Somebody who listens for the turns of a player."""

    def __init__(self, player: str) -> None:
        self.player = player
        self._news = 1
        self._asked = 0
        self._asked_at = 0.0
        self._bell = threading.Event()

    def tell(self) -> None:
        """The player's turns may have changed."""
        self._news += 1
        self._bell.set()

    def wait(self, seconds: float) -> None:
        """Return when the player's turns may have changed, or after so long."""
        if self._bell.wait(seconds):
            self._bell.clear()

    @contextmanager
    def asking(self) -> Iterator[bool]:
        """Whether to ask for the turns, which then is done inside; who falls over has to ask again."""
        news, now = self._news, time.monotonic()
        due = news != self._asked or now - self._asked_at > ANYWAY_SECONDS
        yield due
        if due:
            self._asked, self._asked_at = news, now


class TurnNews:
    """Tells listeners when to ask. Threads and greenlets may share it."""

    def __init__(self, log: MatchLog, projections: Projections) -> None:
        self._log = log
        self._projections = projections
        self._listeners: dict[str, set[Listener]] = defaultdict(set)
        self._reached: dict[int, int] = {}
        """How far the lists of the shards were at the last look."""
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._lookout: threading.Thread | None = None
        self._nobody = threading.Event()
        """Set while there are no listeners."""

    @contextmanager
    def listen(self, player: str) -> Iterator[Listener]:
        """A listener, who is to ask at first and then whenever it is told."""
        listener = Listener(player)
        with self._lock:
            self._listeners[player].add(listener)
            self._nobody.clear()
            if self._lookout is None:
                self._lookout = threading.Thread(target=self._look_out, name="turn-news", daemon=True)
                self._lookout.start()
        try:
            yield listener
        finally:
            with self._lock:
                self._listeners[player].discard(listener)
                if not self._listeners[player]:
                    del self._listeners[player]
                if not self._listeners:
                    self._nobody.set()

    def look(self) -> None:
        """Tell whom it may concern what has changed since the last look. Raises LogUnavailable, RedisError."""
        with self._looking:
            reached = self._projections.checkpoints()
            self._tell(reached)
            self._reached = reached

    def _look_out(self) -> None:
        """Look again and again, while there are listeners."""
        while self._is_wanted():
            try:
                self.look()
                self._nobody.wait(LOOK_SECONDS)
            except (LogUnavailable, RedisError, RedisClusterException):
                self._nobody.wait(PAUSE_SECONDS)
            except Exception:
                logger.exception("News of turns could not be told; trying again.")
                self._nobody.wait(PAUSE_SECONDS)

    def _is_wanted(self) -> bool:
        """Whether there are listeners; without any the lookout is over, and the next one begins anew."""
        with self._lock:
            if not self._listeners:
                self._lookout, self._reached = None, {}
            return bool(self._listeners)

    def _tell(self, reached: Mapping[int, int]) -> None:
        before = self._reached
        moved = {shard: at for shard, at in reached.items() if at != before.get(shard)}
        steps = [at - before.get(shard, 0) for shard, at in moved.items()]
        with self._lock:
            listeners = sum(map(len, self._listeners.values()))
        if any(step < 0 for step in steps) or sum(steps) > SHARDS * listeners or not before:
            self._tell_all()
            return
        for player in self._players({shard: (before[shard], at) for shard, at in moved.items()}):
            self._tell_player(player)

    def _players(self, spans: Mapping[int, tuple[int, int]]) -> set[str]:
        """Who sits at the matches that were announced in these spans of the feeds."""
        longest = max((last - first for first, last in spans.values()), default=0)
        feeds = self._log.feeds({shard: first for shard, (first, _) in spans.items()}, max(1, longest))
        changed = {item.match for shard, items in feeds.items() for item in items if item.position <= spans[shard][1]}
        matches = sorted(changed)
        found: set[str] = set()
        for begin in range(0, len(matches), AT_ONCE):
            rows = self._projections.rows(matches[begin : begin + AT_ONCE])
            found |= {seat.player for row in rows for seat in row.seats if seat.player}
        return found

    def _tell_player(self, player: str) -> None:
        with self._lock:
            for listener in self._listeners.get(player, ()):
                listener.tell()

    def _tell_all(self) -> None:
        with self._lock:
            for each in self._listeners.values():
                for listener in each:
                    listener.tell()
