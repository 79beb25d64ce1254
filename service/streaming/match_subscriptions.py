"""Subscriptions to the updates of matches, shared by all watchers in this process.

One subscription to the log's hints serves all watchers. New events of all watched matches are read in one round trip,
folded once and handed to each watcher. A watcher that was too slow to take an update detects the gap and reads the
events itself. Matches without watchers cost nothing, and idle matches cost almost nothing.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import msgspec
from redis.exceptions import RedisClusterException, RedisError

from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from replays.file import kind_of
from service.accounts.players import Players
from service.event_store.errors import LogUnavailable
from service.event_store.keys import shard_of
from service.event_store.log import MatchLog
from service.event_store.wakeups import WakeupSubscription
from service.matches.repository import MatchRepository
from service.matches.results import MatchUpdate

logger = logging.getLogger("crumbtrail")

SWEEP_SECONDS = 5.0
"""Interval between sweeps, because hints can be lost and revoking a token sends none."""
PAUSE_SECONDS = 0.5
"""Pause before trying again when the log does not answer."""
MATCHES_PER_READ = 200
"""Maximum number of matches read in one round trip."""


EventFilter = Callable[[Iterable[AnyEvent], AnyMatch, Seat | None], list[AnyEvent]]


class StreamItem(NamedTuple):
    """An entry of a stream: the id to resume from, the event name and the JSON data."""

    id: str
    name: str
    data: bytes


class WatcherUpdate:
    """The new events of a match up to its head, shared by all watchers of the match."""

    def __init__(self, look: MatchUpdate, seen: EventFilter) -> None:
        self.match = look.match
        self._events = look.events
        self._filter_events = seen
        self._by_seat: dict[Seat | None, list[tuple[int, StreamItem]]] = {}

    def is_complete_after(self, after: int) -> bool:
        """Return whether the update contains every event after the ply `after`."""
        return after >= self.match.ply - len(self._events)

    def items(self, seat: Seat | None, after: int) -> list[StreamItem]:
        """Return the events after `after` as this seat may see them, encoded once per seat."""
        if seat not in self._by_seat:
            events = self._filter_events(self._events, self.match, seat)
            self._by_seat[seat] = [(event.ply, encode_event(event)) for event in events]
        return [item for ply, item in self._by_seat[seat] if ply > after]


def encode_event(event: AnyEvent) -> StreamItem:
    """Return an event in the format of a stream."""
    return StreamItem(str(event.ply), kind_of(event), msgspec.json.encode(event))


class Watcher:
    """A watcher of one match, optionally with a token.

    `ended`: no more updates will come, because the token was revoked, the match is gone or the process is stopping.
    """

    def __init__(self, match: str, secret: str | None) -> None:
        self.match = match
        self.secret = secret
        self.ended = False
        self._wakeup = threading.Event()
        self._update: WatcherUpdate | None = None

    def wait(self, seconds: float) -> WatcherUpdate | None:
        """Wait for an update and return the latest one, or None after `seconds`. Earlier updates may be skipped."""
        if not self._wakeup.wait(seconds):
            return None
        self._wakeup.clear()
        return self._update

    def notify(self, news: WatcherUpdate) -> None:
        """Deliver an update."""
        self._update = news
        self._wakeup.set()

    def end(self) -> None:
        """Mark the watcher as ended and wake it up."""
        self.ended = True
        self._wakeup.set()


class MatchSubscriptions:
    """Delivers updates to the watchers of matches, and ends all of them when the process is stopping (`closed`)."""

    def __init__(self, log: MatchLog, repository: MatchRepository, players: Players) -> None:
        self._log = log
        self._repository = repository
        self._players = players
        self._watchers: dict[str, set[Watcher]] = defaultdict(set)
        self._heads: dict[str, AnyMatch] = {}
        """Each watched match as last delivered to its watchers."""
        self._feeds: dict[int, int] = {}
        """The heads of the shards' feeds at the last sweep."""
        self._lock = threading.Lock()
        self._listener: threading.Thread | None = None
        self.closed = False

    @contextmanager
    def subscribe(self, match: str, secret: str | None = None) -> Iterator[Watcher]:
        """Return a watcher that receives all updates from now on.

        Read the match after subscribing, so that no event is missed. With the `secret` of a token, the watcher ends
        when the token is revoked.
        """
        watcher = Watcher(match, secret)
        with self._lock:
            self._watchers[match].add(watcher)
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="live", daemon=True)
                self._listener.start()
        if self.closed:
            watcher.end()
        try:
            yield watcher
        finally:
            with self._lock:
                self._watchers[match].discard(watcher)
                if not self._watchers[match]:
                    del self._watchers[match]
                    self._heads.pop(match, None)

    def close(self) -> None:
        """End all watchers, because the process is stopping."""
        self.closed = True
        for watcher in self._watchers_of():
            watcher.end()

    def read_update(self, watcher: Watcher, after: int) -> WatcherUpdate:
        """Read the events after a ply for one watcher that starts, or has missed an update.

        Ends the watcher if its token is no longer valid. Raises MatchNotFound, LogUnavailable, RedisError.
        """
        news = WatcherUpdate(self._repository.update_since(watcher.match, after), self._repository.filter_events)
        if not self._with_valid_token([watcher]):  # after the read, so that a revoked token gets none of it
            watcher.end()
        return news

    # -- shared listener thread ---------------------------------------------------------------------------------

    def _listen(self) -> None:
        while True:
            try:
                with self._log.wakeups() as hints:
                    self._handle_wakeups(hints)
            except (LogUnavailable, RedisError, RedisClusterException):
                time.sleep(PAUSE_SECONDS)
            except Exception:
                logger.exception("Could not deliver updates of matches; trying again.")
                time.sleep(PAUSE_SECONDS)

    def _handle_wakeups(self, hints: WakeupSubscription) -> None:
        """Deliver updates found by hints and sweeps. Raises LogUnavailable, RedisError; the caller then starts over."""
        self._feeds = {}
        renewals, sweep_at = hints.renewals, 0.0
        while True:
            if hints.renewals != renewals:  # hints may have been lost meanwhile
                self._feeds, renewals, sweep_at = {}, hints.renewals, 0.0
            if (now := time.monotonic()) >= sweep_at:
                self._sweep()
                sweep_at = now + SWEEP_SECONDS
            self._notify({hint.match for hint in hints.gather(sweep_at - time.monotonic())})

    def _sweep(self) -> None:
        """Check all feeds that have moved since the last sweep, even without a hint, and all tokens."""
        watchers = self._watchers_of()
        if not watchers:
            self._feeds = {}
            return
        feeds = self._log.feed_heads()
        moved = {shard for shard, head in feeds.items() if head != self._feeds.get(shard)}
        self._notify({each.match for each in watchers if shard_of(each.match) in moved})
        self._feeds = feeds
        good = self._with_valid_token(watchers)
        for watcher in watchers:
            if watcher not in good:
                watcher.end()

    def _notify(self, matches: Iterable[str]) -> None:
        """Read and deliver the new events of these matches. Raises LogUnavailable, RedisError."""
        watched = iter([match for match in matches if match in self._watchers])
        while some := list(islice(watched, MATCHES_PER_READ)):
            looks = self._repository.updates_since({match: self._heads.get(match) for match in some})
            news = {
                match: WatcherUpdate(look, self._repository.filter_events) if look else None
                for match, look in looks.items()
            }
            watchers = self._watchers_of(news)
            good = self._with_valid_token(watchers)
            for watcher in watchers:
                found = news[watcher.match]
                if found is None or watcher not in good:
                    watcher.end()
                else:
                    watcher.notify(found)
            self._remember_heads(news)

    def _remember_heads(self, news: Mapping[str, WatcherUpdate | None]) -> None:
        """Remember the heads delivered to the watchers of these matches."""
        with self._lock:
            for match, found in news.items():
                if found is not None and match in self._watchers:
                    self._heads[match] = found.match

    def _watchers_of(self, matches: Iterable[str] | None = None) -> list[Watcher]:
        """Return the watchers of these matches, or all watchers."""
        with self._lock:
            of = self._watchers if matches is None else matches
            return [watcher for match in of for watcher in self._watchers.get(match, ())]

    def _with_valid_token(self, watchers: Collection[Watcher]) -> set[Watcher]:
        """Return the watchers without a token or with a valid one."""
        secrets = {watcher.secret for watcher in watchers if watcher.secret is not None}
        good = self._players.known_secrets(secrets)
        return {watcher for watcher in watchers if watcher.secret is None or watcher.secret in good}
