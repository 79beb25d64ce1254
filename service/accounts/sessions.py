"""Browsers that are signed in: each can be signed out, and all at once, whoever has a copy of its cookie."""

import secrets
from datetime import timedelta

from redis import Redis

from service.accounts.players import hash_secret
from service.event_store.keys import sessions_key
from service.runtime.clock import Clock

SESSION_LIFETIME = timedelta(days=400)
"""How long a browser stays signed in; browsers keep no cookie longer."""
MAX_SESSIONS = 50
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
            pipeline.zremrangebyscore(sessions_key(player), 0, now - SESSION_LIFETIME.total_seconds())
            pipeline.zadd(sessions_key(player), {hash_secret(secret): now})
            pipeline.zremrangebyrank(sessions_key(player), 0, -MAX_SESSIONS - 1)
            pipeline.expire(sessions_key(player), SESSION_LIFETIME)
            pipeline.execute()
        return secret

    def is_valid(self, player: str, secret: str) -> bool:
        """Whether this is the secret of a session that has not ended."""
        began = self._redis.zscore(sessions_key(player), hash_secret(secret))
        return began is not None and self._clock.now().timestamp() - began < SESSION_LIFETIME.total_seconds()

    def end(self, player: str, secret: str) -> None:
        """End one session. May be done twice."""
        self._redis.zrem(sessions_key(player), hash_secret(secret))

    def end_all(self, player: str) -> None:
        """End all sessions of a player."""
        self._redis.delete(sessions_key(player))
