"""One-off tasks for workers that belong to no match: an email with a magic link, or a test call of a webhook.

A task stays in the list until it is done or has expired, so that no crash loses it.
"""

from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from redis import Redis

from service.event_store.keys import TASKS_KEY, task_key, task_lease_key
from service.notifications.outbox import LEASE_SECONDS
from service.runtime.clock import Clock, from_milliseconds, to_milliseconds

MAX_DUE = 200
"""Maximum number of tasks returned at a time."""
RETENTION_SECONDS = 24 * 60 * 60
"""Maximum lifetime of a task record, which may hold an address. Much longer than any task needs. It removes the records
of a process that crashed before it added the task to the list."""


class OneOffTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task: a `sign_in` email to an address, or a `test` call of a player's webhook. It expires at `until`."""

    id: str
    what: Literal["sign_in", "test"]
    until: datetime
    player: str | None = None
    address: str | None = None
    tries: int = 0


class DueTask(NamedTuple):
    """The id of a task, and when it is due."""

    id: str
    due: datetime


class OneOffTasks:
    """The one-off tasks of this service. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis: Any = redis
        self._clock = clock

    def enqueue(self, errand: OneOffTask) -> None:
        """Add a task that is due now."""
        self._redis.set(task_key(errand.id), msgspec.json.encode(errand), ex=RETENTION_SECONDS)
        self._redis.zadd(TASKS_KEY, {errand.id: to_milliseconds(self._clock.now())})

    def due(self, now: datetime) -> list[DueTask]:
        """Return the tasks that are due, the longest overdue first."""
        found = self._redis.zrangebyscore(
            TASKS_KEY, "-inf", to_milliseconds(now), start=0, num=MAX_DUE, withscores=True
        )
        return [DueTask(raw.decode(), from_milliseconds(score)) for raw, score in found]

    def claim(self, errand: str) -> OneOffTask | None:
        """Lease the task to the caller. Return None if it is done, has expired or is leased to another worker."""
        raw = self._redis.get(task_key(errand))
        found = msgspec.json.decode(raw, type=OneOffTask) if raw else None
        if found is None or found.until <= self._clock.now():
            self.complete(errand)
            return None
        return found if self._redis.set(task_lease_key(errand), "1", nx=True, ex=LEASE_SECONDS) else None

    def postpone(self, errand: OneOffTask, until: datetime) -> None:
        """Schedule another attempt after a failure, unless the task has been removed meanwhile."""
        again = msgspec.structs.replace(errand, tries=errand.tries + 1)
        self._redis.set(task_key(errand.id), msgspec.json.encode(again), xx=True, ex=RETENTION_SECONDS)
        self._redis.zadd(TASKS_KEY, {errand.id: to_milliseconds(until)}, xx=True)
        self._redis.delete(task_lease_key(errand.id))

    def complete(self, errand: str) -> None:
        """Delete a task. Its list entry is removed last, so that an interrupted deletion can be completed later."""
        self._redis.delete(task_key(errand), task_lease_key(errand))
        self._redis.zrem(TASKS_KEY, errand)

    def forget_player(self, player: str, address: str | None) -> None:
        """Delete all tasks of a player, and all emails to an address regardless of case."""
        wanted = address.lower() if address else None
        for raw in self._redis.zrange(TASKS_KEY, 0, -1):
            found = self._redis.get(task_key(raw.decode()))
            errand = msgspec.json.decode(found, type=OneOffTask) if found else None
            if errand and (errand.player == player or (errand.address and errand.address.lower() == wanted)):
                self.complete(errand.id)
