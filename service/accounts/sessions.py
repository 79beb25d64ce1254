"""Sessions of signed-in browsers. Ending a session on the server also invalidates copies of its cookie."""

import secrets
from datetime import timedelta

from redis import Redis

from service.accounts.players import hash_secret
from service.event_store.keys import sessions_key, signed_in_key
from service.runtime.clock import Clock

SESSION_LIFETIME = timedelta(days=400)
"""How long a browser stays signed in. Browsers keep cookies no longer than this."""
RECENT_SIGN_IN = timedelta(minutes=30)
"""How long after a sign-in with a link the admin area can be used."""
MAX_SESSIONS = 50
"""Maximum number of sessions of one player. The oldest ones are ended to make room."""


class Sessions:
    """The sessions of players, one key per player. The cookie has a session's secret; only its hash is stored here."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock

    def begin(self, player: str) -> str:
        """Start a session and return its secret."""
        secret, now = secrets.token_urlsafe(32), self._clock.now().timestamp()
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.zremrangebyscore(sessions_key(player), 0, now - SESSION_LIFETIME.total_seconds())
            pipeline.zadd(sessions_key(player), {hash_secret(secret): now})
            pipeline.zremrangebyrank(sessions_key(player), 0, -MAX_SESSIONS - 1)
            pipeline.expire(sessions_key(player), SESSION_LIFETIME)
            pipeline.execute()
        return secret

    def is_valid(self, player: str, secret: str) -> bool:
        """Return whether the secret belongs to a session that has not ended."""
        began = self._redis.zscore(sessions_key(player), hash_secret(secret))
        return began is not None and self._clock.now().timestamp() - began < SESSION_LIFETIME.total_seconds()

    def record_sign_in(self, player: str, secret: str) -> None:
        """Record that this session began with a link from the player's email. It counts as recent for 30 minutes."""
        self._redis.set(signed_in_key(hash_secret(secret)), player, ex=RECENT_SIGN_IN)

    def signed_in_recently(self, player: str, secret: str) -> bool:
        """Return whether this session began with a link, at most 30 minutes ago."""
        signed_in = self._redis.get(signed_in_key(hash_secret(secret)))
        return signed_in == player.encode() and self.is_valid(player, secret)

    def end(self, player: str, secret: str) -> None:
        """End one session. Idempotent."""
        self._redis.zrem(sessions_key(player), hash_secret(secret))
        self._redis.delete(signed_in_key(hash_secret(secret)))

    def end_all(self, player: str) -> None:
        """End all sessions of a player."""
        self._redis.delete(sessions_key(player))
