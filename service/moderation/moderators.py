"""Moderators, the players who may use the admin area. The operator appoints them with `crumbtrail admin grant`."""

from typing import Any

from redis import Redis

from service.event_store.keys import MODERATORS_KEY


class Moderators:
    """The players who are moderators."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def add(self, player: str) -> None:
        """Give the role to a player."""
        self._redis.sadd(MODERATORS_KEY, player)

    def remove(self, player: str) -> None:
        """Take the role from a player. What they did as a moderator stays in force."""
        self._redis.srem(MODERATORS_KEY, player)

    def player_ids(self) -> list[str]:
        """Return the ids of all moderators, sorted."""
        return sorted(player.decode() for player in self._redis.smembers(MODERATORS_KEY))

    def is_moderator(self, player: str | None) -> bool:
        """Return whether the player is a moderator."""
        return player is not None and bool(self._redis.sismember(MODERATORS_KEY, player))
