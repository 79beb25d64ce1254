"""Browsers that are signed in: each can be signed out, and all at once, whoever has a copy of its cookie."""

import secrets
from datetime import timedelta

from redis import Redis

from service.accounts.players import hashed
from service.runtime.clock import Clock

GOOD_FOR = timedelta(days=400)
"""How long a browser stays signed in; browsers keep no cookie longer."""
MOST_SESSIONS = 50
"""How many browsers of one player are signed in at once; the oldest make room."""


class Sessions:
    """The sessions of players, one key each player. A session's secret stands in its cookie, and here as its hash."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock

    def begin(self, player: str) -> str:
        """The secret of a new session."""
        secret, now = secrets.token_urlsafe(32), self._clock.now().timestamp()
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.zremrangebyscore(key(player), 0, now - GOOD_FOR.total_seconds())
            pipeline.zadd(key(player), {hashed(secret): now})
            pipeline.zremrangebyrank(key(player), 0, -MOST_SESSIONS - 1)
            pipeline.expire(key(player), GOOD_FOR)
            pipeline.execute()
        return secret

    def holds(self, player: str, secret: str) -> bool:
        """Whether this is the secret of a session that has not ended."""
        began = self._redis.zscore(key(player), hashed(secret))
        return began is not None and self._clock.now().timestamp() - began < GOOD_FOR.total_seconds()

    def end(self, player: str, secret: str) -> None:
        """End one session. May be done twice."""
        self._redis.zrem(key(player), hashed(secret))

    def end_all(self, player: str) -> None:
        """End all sessions of a player."""
        self._redis.delete(key(player))


def key(player: str) -> str:
    """Where a player's sessions are."""
    return f"ct:sessions:{player}"
