"""The dispatcher's heartbeat: when it last ran, and the state of the queues at that time.

It is stored on the log server, so the metrics need no access to the queue server. A missing heartbeat shows that the
dispatcher has stopped.
"""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from redis import Redis

from service.event_store.keys import HEARTBEAT_KEY


class QueueState(msgspec.Struct, frozen=True):
    """A queue's waiting jobs, the age of the oldest one in seconds, and its number of workers."""

    jobs: int
    oldest: float
    workers: int


class Heartbeat(msgspec.Struct, frozen=True):
    """A heartbeat at a time in seconds since 1970. `queues` is None if the queue server did not answer."""

    at: float
    queues: dict[str, QueueState] | None


class DispatcherHeartbeat:
    """The dispatcher's last heartbeat. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def record(self, queues: Mapping[str, QueueState] | None) -> None:
        """Record a heartbeat with the state of the queues."""
        beat = Heartbeat(time.time(), dict(queues) if queues is not None else None)
        self._redis.set(HEARTBEAT_KEY, msgspec.json.encode(beat))

    def last(self) -> Heartbeat | None:
        """Return the last heartbeat, or None if there has never been one."""
        raw = self._redis.get(HEARTBEAT_KEY)
        return msgspec.json.decode(raw, type=Heartbeat) if raw else None
