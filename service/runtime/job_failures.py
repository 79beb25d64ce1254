"""Jobs that went wrong, counted beside the log: for the operator's metrics, and so that no turn is tried the same way
for ever."""

from typing import Any, Final

from redis import Redis

from service.event_store.keys import FAILED_JOBS_KEY, failed_turns_key

RETENTION_SECONDS = 24 * 60 * 60
"""For how long it is known how often a turn has gone wrong, and how often an audit has not come to its end."""
AUDITS_FIELD: Final = "audits"
MAX_SLOW_AUDITS = 2
"""How often a match is audited in vain, each time for as long as a job may take: then others are let through."""


class JobFailures:
    """How many jobs went wrong. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def record_failure(self, job: str) -> None:
        """One more job of this name went wrong."""
        self._redis.hincrby(FAILED_JOBS_KEY, job, 1)

    def record_turn_failure(self, job: str, match: str, ply: int) -> None:
        """The same, and this turn of a bot with it. Raises ValueError for what is no match id."""
        key = failed_turns_key(match)
        self._redis.hincrby(key, str(ply), 1)
        self._redis.expire(key, RETENTION_SECONDS)
        self.record_failure(job)

    def turn_failures(self, match: str, ply: int) -> int:
        """How often the turn behind this ply has gone wrong."""
        return int(self._redis.hget(failed_turns_key(match), str(ply)) or 0)

    def record_slow_audit(self, match: str) -> None:
        """An audit of this match was not done in its time. Raises ValueError for what is no match id."""
        key = failed_turns_key(match)
        self._redis.hincrby(key, AUDITS_FIELD, 1)
        self._redis.expire(key, RETENTION_SECONDS)

    def are_audits_suspended(self, match: str) -> bool:
        """Whether audits of this match have taken too long too often: until a day has passed there are no more."""
        return int(self._redis.hget(failed_turns_key(match), AUDITS_FIELD) or 0) >= MAX_SLOW_AUDITS

    def totals(self) -> dict[str, int]:
        """How many jobs went wrong, by name."""
        return {name.decode(): int(times) for name, times in self._redis.hgetall(FAILED_JOBS_KEY).items()}
