"""Whom the ratings trust, and whom they leave out: decided by the operator and the moderators, not by results.

*Founders* are people whom the operator knows. They are where trust begins: without founders, the first active accounts
of a game get the first places on its leaderboard. *Excluded* players were banned for cheating. Their results count for
nobody.
"""

from typing import Any

import msgspec
from redis import Redis

from service.event_store.keys import EXCLUDED_KEY, FOUNDERS_KEY
from service.read_models.shards import try_twice


class RatingTrust(msgspec.Struct, frozen=True):
    """The founders and the excluded players, by id. They are the same for all games."""

    founders: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def changed_players(self, other: "RatingTrust") -> frozenset[str]:
        """Return the players whose results count differently. It is about everybody if only one side has founders."""
        return (self.founders ^ other.founders) | (self.excluded ^ other.excluded)


NO_TRUST = RatingTrust()


class TrustStore:
    """Stores the founders and the excluded players. Every method raises LogUnavailable."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def current(self) -> RatingTrust:
        """Return the founders and the excluded players."""
        founders, excluded = self._members(FOUNDERS_KEY), self._members(EXCLUDED_KEY)
        return RatingTrust(founders, excluded)

    def add_founder(self, player: str) -> None:
        """Make a player a founder. Idempotent."""
        try_twice(lambda: self._redis.sadd(FOUNDERS_KEY, player))

    def remove_founder(self, player: str) -> None:
        """Make a player an ordinary player. Idempotent."""
        try_twice(lambda: self._redis.srem(FOUNDERS_KEY, player))

    def exclude(self, player: str) -> None:
        """Let a player's results count for nobody. Idempotent."""
        try_twice(lambda: self._redis.sadd(EXCLUDED_KEY, player))

    def readmit(self, player: str) -> None:
        """Let a player's results count again, as if they had always counted. Idempotent."""
        try_twice(lambda: self._redis.srem(EXCLUDED_KEY, player))

    def _members(self, key: str) -> frozenset[str]:
        return frozenset(each.decode() for each in try_twice(lambda: self._redis.smembers(key)))


def encode_trust(trust: RatingTrust) -> bytes:
    """Return the stored form of the trust by which a game's ratings were computed."""
    return msgspec.json.encode([sorted(trust.founders), sorted(trust.excluded)])


def decode_trust(raw: bytes) -> RatingTrust:
    """Return the trust that `encode_trust` stored."""
    founders, excluded = msgspec.json.decode(raw, type=tuple[frozenset[str], frozenset[str]])
    return RatingTrust(founders, excluded)
