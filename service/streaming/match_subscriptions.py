"""Who watches a match from this process, and how news reach them: read once for all, whoever watches.

One subscription to the log's hints serves all watchers. What has come meanwhile is read for all matches that are
watched in one round trip, folded once, and handed to each watcher. A watcher that was too slow to take it finds a gap,
and reads for itself. Matches that nobody watches cost nothing here, and those in which nothing happens next to nothing.
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
"""Hints can be lost, and tokens are revoked without one, so both are looked after this often."""
PAUSE_SECONDS = 0.5
"""How long to wait for a log that does not answer."""
MATCHES_PER_READ = 200
"""How many matches are read in one round trip."""


EventFilter = Callable[[Iterable[AnyEvent], AnyMatch, Seat | None], list[AnyEvent]]


class StreamItem(NamedTuple):
    """One entry of a stream: its id to resume from, its name, its JSON."""

    id: str
    name: str
    data: bytes


class WatcherUpdate:
    """What has happened to a match, up to its head. It is the same for all who watch it from the same seat."""

    def __init__(self, look: MatchUpdate, seen: EventFilter) -> None:
        self.match = look.match
        self._events = look.events
        self._filter_events = seen
        self._by_seat: dict[Seat | None, list[tuple[int, StreamItem]]] = {}

    def is_complete_after(self, after: int) -> bool:
        """Whether nothing that happened behind the ply `after` is missing."""
        return after >= self.match.ply - len(self._events)

    def items(self, seat: Seat | None, after: int) -> list[StreamItem]:
        """The events behind `after` as this seat may see them, written once for all who sit there."""
        if seat not in self._by_seat:
            events = self._filter_events(self._events, self.match, seat)
            self._by_seat[seat] = [(event.ply, encode_event(event)) for event in events]
        return [item for ply, item in self._by_seat[seat] if ply > after]


def encode_event(event: AnyEvent) -> StreamItem:
    """An event as a stream tells it."""
    return StreamItem(str(event.ply), kind_of(event), msgspec.json.encode(event))


class Watcher:
    """Somebody who waits for news of one match, perhaps with a token.

    `ended`: nothing more comes from here, because the token was revoked, or the match or this process is no more.
    """

    def __init__(self, match: str, secret: str | None) -> None:
        self.match = match
        self.secret = secret
        self.ended = False
        self._wakeup = threading.Event()
        self._update: WatcherUpdate | None = None

    def wait(self, seconds: float) -> WatcherUpdate | None:
        """The last news, as soon as there are any; None if there are none for so long. Some may be missing between."""
        if not self._wakeup.wait(seconds):
            return None
        self._wakeup.clear()
        return self._update

    def notify(self, news: WatcherUpdate) -> None:
        """Hand news over."""
        self._update = news
        self._wakeup.set()

    def end(self) -> None:
        """Nothing more comes."""
        self.ended = True
        self._wakeup.set()


class MatchSubscriptions:
    """Tells watchers when their match has news, and ends them when this process is to stop (`closed`)."""

    def __init__(self, log: MatchLog, repository: MatchRepository, players: Players) -> None:
        self._log = log
        self._repository = repository
        self._players = players
        self._watchers: dict[str, set[Watcher]] = defaultdict(set)
        self._heads: dict[str, AnyMatch] = {}
        """Each watched match as its watchers were told of it last."""
        self._feeds: dict[int, int] = {}
        """How far the shards' feeds were at the last sweep."""
        self._lock = threading.Lock()
        self._listener: threading.Thread | None = None
        self.closed = False

    @contextmanager
    def subscribe(self, match: str, secret: str | None = None) -> Iterator[Watcher]:
        """A watcher who is told of whatever happens from now on. Who reads the match behind this misses nothing.

        With the `secret` of a token, the watcher ends when the token does.
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
        """This process is to stop: end all watchers, since nothing more comes from here."""
        self.closed = True
        for watcher in self._watchers_of():
            watcher.end()

    def read_update(self, watcher: Watcher, after: int) -> WatcherUpdate:
        """What has happened behind a ply, for one watcher: who begins, or was too slow to take what all were told.

        Ends a watcher whose token is good no more. Raises MatchNotFound, LogUnavailable, RedisError.
        """
        news = WatcherUpdate(self._repository.update_since(watcher.match, after), self._repository.filter_events)
        if not self._with_valid_token([watcher]):  # behind what was read: who has lost the token gets nothing of it
            watcher.end()
        return news

    # -- the one who reads for all ------------------------------------------------------------------------------

    def _listen(self) -> None:
        while True:
            try:
                with self._log.wakeups() as hints:
                    self._handle_wakeups(hints)
            except (LogUnavailable, RedisError, RedisClusterException):
                time.sleep(PAUSE_SECONDS)
            except Exception:
                logger.exception("News of matches could not be told; trying again.")
                time.sleep(PAUSE_SECONDS)

    def _handle_wakeups(self, hints: WakeupSubscription) -> None:
        """Tell what hints and sweeps find. Raises LogUnavailable, RedisError; then all of it is looked at anew."""
        self._feeds = {}
        renewals, sweep_at = hints.renewals, 0.0
        while True:
            if hints.renewals != renewals:  # what was announced meanwhile was not heard
                self._feeds, renewals, sweep_at = {}, hints.renewals, 0.0
            if (now := time.monotonic()) >= sweep_at:
                self._sweep()
                sweep_at = now + SWEEP_SECONDS
            self._notify({hint.match for hint in hints.gather(sweep_at - time.monotonic())})

    def _sweep(self) -> None:
        """Look where something has happened since the last sweep, hint or no hint, and at the tokens of all."""
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
        """Read what is new in these matches, and tell those who watch them. Raises LogUnavailable, RedisError."""
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
        """Remember how far the watchers of these matches have been told."""
        with self._lock:
            for match, found in news.items():
                if found is not None and match in self._watchers:
                    self._heads[match] = found.match

    def _watchers_of(self, matches: Iterable[str] | None = None) -> list[Watcher]:
        """The watchers of these matches, or of all."""
        with self._lock:
            of = self._watchers if matches is None else matches
            return [watcher for match in of for watcher in self._watchers.get(match, ())]

    def _with_valid_token(self, watchers: Collection[Watcher]) -> set[Watcher]:
        """Those among them who came without a token, or with one that is good."""
        secrets = {watcher.secret for watcher in watchers if watcher.secret is not None}
        good = self._players.known_secrets(secrets)
        return {watcher for watcher in watchers if watcher.secret is None or watcher.secret in good}
