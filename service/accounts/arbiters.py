"""Arbiters, the players who may resolve disputes. The operator appoints them with `crumbtrail arbiters`."""

from typing import Any

from redis import Redis

from service.event_store.keys import ARBITERS_KEY


class Arbiters:
    """The players who are arbiters."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def add(self, player: str) -> None:
        """Give the role to a player."""
        self._redis.sadd(ARBITERS_KEY, player)

    def remove(self, player: str) -> None:
        """Take the role from a player. Rulings of this player remain in force."""
        self._redis.srem(ARBITERS_KEY, player)

    def player_ids(self) -> list[str]:
        """Return the ids of all arbiters, sorted."""
        return sorted(player.decode() for player in self._redis.smembers(ARBITERS_KEY))

    def is_arbiter(self, player: str | None) -> bool:
        """Return whether the player is an arbiter."""
        return player is not None and bool(self._redis.sismember(ARBITERS_KEY, player))
