"""Jobs that went wrong, counted beside the log: for the operator's metrics, and so that no turn is tried the same way
for ever."""

from typing import Any, Final

from redis import Redis

from service.event_store.keys import shard_of, tag

TOTALS: Final = "ct:failed-jobs"
TURN_SECONDS = 24 * 60 * 60
"""For how long it is known how often a turn has gone wrong, and how often an audit has not come to its end."""
AUDITS: Final = "audits"
MOST_AUDITS = 2
"""How often a match is audited in vain, each time for as long as a job may take: then others are let through."""


class Failures:
    """How many jobs went wrong. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def count(self, job: str) -> None:
        """One more job of this name went wrong."""
        self._redis.hincrby(TOTALS, job, 1)

    def count_turn(self, job: str, match: str, ply: int) -> None:
        """The same, and this turn of a bot with it. Raises ValueError for what is no match id."""
        key = turns_key(match)
        self._redis.hincrby(key, str(ply), 1)
        self._redis.expire(key, TURN_SECONDS)
        self.count(job)

    def of_turn(self, match: str, ply: int) -> int:
        """How often the turn behind this ply has gone wrong."""
        return int(self._redis.hget(turns_key(match), str(ply)) or 0)

    def count_audit(self, match: str) -> None:
        """An audit of this match was not done in its time. Raises ValueError for what is no match id."""
        key = turns_key(match)
        self._redis.hincrby(key, AUDITS, 1)
        self._redis.expire(key, TURN_SECONDS)

    def audits_rest(self, match: str) -> bool:
        """Whether audits of this match have taken too long too often: until a day has passed there are no more."""
        return int(self._redis.hget(turns_key(match), AUDITS) or 0) >= MOST_AUDITS

    def totals(self) -> dict[str, int]:
        """How many jobs went wrong, by name."""
        return {name.decode(): int(times) for name, times in self._redis.hgetall(TOTALS).items()}


def turns_key(match: str) -> str:
    """The hash of what went wrong in a match: ply of a turn, or `audits` for those that took too long, to times."""
    return f"{tag(shard_of(match))}:failed-turns:{match}"
