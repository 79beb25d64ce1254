"""The dispatcher's signs of life, beside the log: when it was last at work, and how the queues stood then.

Whoever serves the metrics need not reach the queue's server, and a dispatcher that has died shows by its silence.
"""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from redis import Redis

from service.event_store.keys import HEARTBEAT_KEY


class QueueState(msgspec.Struct, frozen=True):
    """How many jobs wait in a queue, for how many seconds the oldest does, and how many workers serve it."""

    jobs: int
    oldest: float
    workers: int


class Heartbeat(msgspec.Struct, frozen=True):
    """One sign of life, `at` this moment (seconds since 1970); without queues when their server did not answer."""

    at: float
    queues: dict[str, QueueState] | None


class DispatcherHeartbeat:
    """The last sign of life. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def record(self, queues: Mapping[str, QueueState] | None) -> None:
        """The dispatcher is at work, and has seen the queues so."""
        beat = Heartbeat(time.time(), dict(queues) if queues is not None else None)
        self._redis.set(HEARTBEAT_KEY, msgspec.json.encode(beat))

    def last(self) -> Heartbeat | None:
        """The last sign of life; None if there has never been one."""
        raw = self._redis.get(HEARTBEAT_KEY)
        return msgspec.json.decode(raw, type=Heartbeat) if raw else None
