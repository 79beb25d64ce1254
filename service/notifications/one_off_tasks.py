"""What workers shall do once that no match asks for: a letter with a link to sign in, a first call of a webhook.

An errand stands in a list until it is done or too late, so that no crash loses it; the reconciler finds it there.
"""

from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from redis import Redis

from service.event_store.keys import TASKS_KEY, task_key, task_lease_key
from service.notifications.outbox import LEASE_SECONDS
from service.runtime.clock import Clock, from_milliseconds, to_milliseconds

MAX_DUE = 200
"""How many are looked at in one go."""
RETENTION_SECONDS = 24 * 60 * 60
"""For how long an errand is kept at most, far longer than any makes sense. It may name an address, and whoever dies
before it stands in the list leaves one that nobody finds."""


class OneOffTask(msgspec.Struct, frozen=True, kw_only=True):
    """One errand: a `sign_in` letter to an address, or a `test` of a player's webhook. Too late at `until`."""

    id: str
    what: Literal["sign_in", "test"]
    until: datetime
    player: str | None = None
    address: str | None = None
    tries: int = 0


class DueTask(NamedTuple):
    """An errand by its id, and when it was to be looked at."""

    id: str
    due: datetime


class OneOffTasks:
    """The errands of this service. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis: Any = redis
        self._clock = clock

    def enqueue(self, errand: OneOffTask) -> None:
        """One more errand, to be done soon."""
        self._redis.set(task_key(errand.id), msgspec.json.encode(errand), ex=RETENTION_SECONDS)
        self._redis.zadd(TASKS_KEY, {errand.id: to_milliseconds(self._clock.now())})

    def due(self, now: datetime) -> list[DueTask]:
        """What is to be done by now, the longest due first."""
        found = self._redis.zrangebyscore(
            TASKS_KEY, "-inf", to_milliseconds(now), start=0, num=MAX_DUE, withscores=True
        )
        return [DueTask(raw.decode(), from_milliseconds(score)) for raw, score in found]

    def claim(self, errand: str) -> OneOffTask | None:
        """The errand, for the caller alone for a while; None when it is done, too late, or somebody is at it."""
        raw = self._redis.get(task_key(errand))
        found = msgspec.json.decode(raw, type=OneOffTask) if raw else None
        if found is None or found.until <= self._clock.now():
            self.complete(errand)
            return None
        return found if self._redis.set(task_lease_key(errand), "1", nx=True, ex=LEASE_SECONDS) else None

    def postpone(self, errand: OneOffTask, until: datetime) -> None:
        """It failed once more: again then, unless it was forgotten meanwhile."""
        again = msgspec.structs.replace(errand, tries=errand.tries + 1)
        self._redis.set(task_key(errand.id), msgspec.json.encode(again), xx=True, ex=RETENTION_SECONDS)
        self._redis.zadd(TASKS_KEY, {errand.id: to_milliseconds(until)}, xx=True)
        self._redis.delete(task_lease_key(errand.id))

    def complete(self, errand: str) -> None:
        """Forget an errand. Its place in the list goes last: by that it is found by whoever has to finish this."""
        self._redis.delete(task_key(errand), task_lease_key(errand))
        self._redis.zrem(TASKS_KEY, errand)

    def forget_player(self, player: str, address: str | None) -> None:
        """Forget all errands of a player, and the letters to an address, in whatever capitals."""
        wanted = address.lower() if address else None
        for raw in self._redis.zrange(TASKS_KEY, 0, -1):
            found = self._redis.get(task_key(raw.decode()))
            errand = msgspec.json.decode(found, type=OneOffTask) if found else None
            if errand and (errand.player == player or (errand.address and errand.address.lower() == wanted)):
                self.complete(errand.id)
