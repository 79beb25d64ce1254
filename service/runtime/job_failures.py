"""Counts failed jobs, for metrics and to stop retrying the same turn or audit forever."""

from typing import Any, Final

from redis import Redis

from service.event_store.keys import FAILED_JOBS_KEY, failed_turns_key

RETENTION_SECONDS = 24 * 60 * 60
"""How long failures of a turn or an audit are remembered."""
AUDITS_FIELD: Final = "audits"
MAX_SLOW_AUDITS = 2
"""After this many timeouts, a match is not audited for a while, so that other audits can run."""


class JobFailures:
    """The counts of failed jobs. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def record_failure(self, job: str) -> None:
        """Count a failed job of this name."""
        self._redis.hincrby(FAILED_JOBS_KEY, job, 1)

    def record_turn_failure(self, job: str, match: str, ply: int) -> None:
        """Count a failed job and the bot turn that it was for. Raises ValueError for an invalid match id."""
        key = failed_turns_key(match)
        self._redis.hincrby(key, str(ply), 1)
        self._redis.expire(key, RETENTION_SECONDS)
        self.record_failure(job)

    def turn_failures(self, match: str, ply: int) -> int:
        """Return how often the turn after this ply has failed."""
        return int(self._redis.hget(failed_turns_key(match), str(ply)) or 0)

    def record_slow_audit(self, match: str) -> None:
        """Count an audit of this match that timed out. Raises ValueError for an invalid match id."""
        key = failed_turns_key(match)
        self._redis.hincrby(key, AUDITS_FIELD, 1)
        self._redis.expire(key, RETENTION_SECONDS)

    def are_audits_suspended(self, match: str) -> bool:
        """Return whether audits of this match are suspended for a day because they timed out too often."""
        return int(self._redis.hget(failed_turns_key(match), AUDITS_FIELD) or 0) >= MAX_SLOW_AUDITS

    def totals(self) -> dict[str, int]:
        """Return the number of failed jobs by name."""
        return {name.decode(): int(times) for name, times in self._redis.hgetall(FAILED_JOBS_KEY).items()}
