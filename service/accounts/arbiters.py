"""Who may resolve disputes: a role that the operator gives to players, by `crumbtrail arbiters`."""

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
        """Take the role from a player; what was resolved stays resolved."""
        self._redis.srem(ARBITERS_KEY, player)

    def player_ids(self) -> list[str]:
        """The ids of all arbiters, in order."""
        return sorted(player.decode() for player in self._redis.smembers(ARBITERS_KEY))

    def is_arbiter(self, player: str | None) -> bool:
        """Whether the player is an arbiter."""
        return player is not None and bool(self._redis.sismember(ARBITERS_KEY, player))
