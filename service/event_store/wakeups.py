"""Wake-up hints: published after each append, so that readers of the feeds can poll rarely.

A hint is lost when the connection breaks and is never repeated, so readers must also check their feeds regularly.
"""

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import ConnectionError as Disconnected

from service.event_store.errors import REDIS_ERRORS
from service.event_store.keys import WAKEUP_CHANNEL

RESUBSCRIBE_PAUSE = 0.2
"""Seconds between two attempts to subscribe."""


class Wakeup(msgspec.Struct, frozen=True):
    """A hint about an append: the match, its shard and the ply of its newest event."""

    shard: int
    match: str
    last: int


class WakeupSubscription:
    """A subscription to the hints of all shards, for use by one thread. It reconnects when its connection is lost.

    After `silence` seconds without a message it pings the server. If it hears nothing for as long again, it reconnects.
    `renewals` counts the successful subscriptions. Hints may have been lost between any two of them.
    """

    def __init__(self, redis: "Redis | RedisCluster", silence: float = 10.0) -> None:
        self._redis: Any = redis
        self._silence = silence
        self._pubsub: Any = None
        self._subscribed = False
        self._last_heard = 0.0
        self._ping_sent = False
        self.renewals = 0

    def __enter__(self) -> Self:
        """Subscribe and wait up to one second for the confirmation, so that later appends are not missed."""
        until = time.monotonic() + 1.0
        while not self._subscribed and time.monotonic() < until:
            self.poll(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def __iter__(self) -> Iterator[Wakeup]:
        """Yield every hint received, forever."""
        while True:
            hint = self.poll(self._silence)
            if hint is not None:
                yield hint

    def poll(self, timeout: float) -> Wakeup | None:
        """Return the next hint, or None after `timeout` seconds or as soon as the subscription has been renewed.

        Never raises a server error: while the server is down there are no hints.
        """
        until = time.monotonic() + timeout
        while True:
            left = max(0.0, until - time.monotonic())
            try:
                message = self._listen(left)
            except REDIS_ERRORS:
                self._close()
                time.sleep(min(RESUBSCRIBE_PAUSE, left))
                message = None
            if message is not None and message["type"] == "message":
                return _parse(message["data"])
            if message is not None and message["type"] == "subscribe":
                self._subscribed = True
                self.renewals += 1
                return None
            if left == 0:
                return None

    def gather(self, timeout: float, not_before: float = 0.0) -> list[Wakeup]:
        """Return the next hint and all hints received after it, or an empty list where `poll` returns None.

        After the first hint it collects more until `not_before` (a `time.monotonic` time), so that a reader can pause
        between two rounds.
        """
        hint = self.poll(max(0.0, timeout))
        if hint is not None and (rest := not_before - time.monotonic()) > 0:
            time.sleep(rest)
        found = []
        while hint is not None:
            found.append(hint)
            hint = self._next_buffered()
        return found

    def _next_buffered(self) -> Wakeup | None:
        """Return a hint that has already arrived, or None. Connection errors are left to the next `poll`."""
        try:
            message = self._pubsub.get_message(timeout=0)
        except REDIS_ERRORS:
            return None
        return _parse(message["data"]) if message is not None and message["type"] == "message" else None

    def _listen(self, timeout: float) -> Any:
        """Return the next message of any kind. Raises redis-py's errors."""
        if self._pubsub is None:
            self._subscribe()
        self._check_silence()
        message = self._pubsub.get_message(timeout=min(timeout, self._silence / 2))
        if message is not None:
            self._last_heard, self._ping_sent = time.monotonic(), False
        return message

    def _subscribe(self) -> None:
        self._pubsub = self._redis.pubsub()
        self._pubsub.subscribe(WAKEUP_CHANNEL)
        self._last_heard, self._ping_sent = time.monotonic(), False

    def _check_silence(self) -> None:
        """Ping a silent connection; raise Disconnected if it stays silent."""
        silent = time.monotonic() - self._last_heard
        if silent > 2 * self._silence:
            raise Disconnected("the subscription has gone silent")
        if silent > self._silence and not self._ping_sent:
            self._pubsub.ping()
            self._ping_sent = True

    def _close(self) -> None:
        pubsub, self._pubsub, self._subscribed = self._pubsub, None, False
        if pubsub is not None:
            pubsub.close()


def _parse(data: bytes) -> Wakeup:
    shard, match, last = data.decode().split(" ")
    return Wakeup(int(shard), match, int(last))
