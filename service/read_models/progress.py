"""The progress of the read models: each shard's checkpoint, and the matches that could not be read."""

from collections.abc import Iterable

from redis import Redis, RedisCluster

from service.event_store.keys import SHARDS, projection_key
from service.read_models.shards import ShardReader, members_with_scores


class FeedProgress:
    """How far the shards' feeds have been applied to the read models."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._shards = ShardReader(redis)

    def checkpoint(self, shard: int) -> int:
        """Return the last applied position of the shard's feed, or 0 at the beginning."""
        return self.checkpoints([shard])[shard]

    def checkpoints(self, shards: Iterable[int] = range(SHARDS)) -> dict[int, int]:
        """Return the checkpoints of several shards, in one round trip."""
        wanted = list(shards)
        found = self._shards.read([("GET", projection_key(shard, "checkpoint")) for shard in wanted])
        return {shard: int(value or 0) for shard, value in zip(wanted, found, strict=True)}

    def unreadable_matches(self) -> dict[int, dict[str, int]]:
        """Return, by shard, the unreadable matches with the position of their newest announcement."""
        found = self._shards.read(
            [("ZRANGE", projection_key(shard, "unread"), 0, -1, "WITHSCORES") for shard in range(SHARDS)]
        )
        return {
            shard: {match.decode(): int(at) for match, at in members_with_scores(each)}
            for shard, each in enumerate(found)
        }
