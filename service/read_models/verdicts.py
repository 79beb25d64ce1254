"""The verdicts of audits, the only part of the read models that cannot be rebuilt from the feeds."""

from typing import Any

from redis import Redis, RedisCluster

from service.event_store.keys import SHARDS, projection_key, shard_of, verdict_key
from service.read_models.shards import ShardReader, shard_of_match, try_twice


class AuditVerdicts:
    """The stored verdicts of audits."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._redis: Any = redis
        self._shards = ShardReader(redis)

    def record(self, match: str, verdict: bytes, *, failed: bool = False) -> None:
        """Store the verdict (JSON) of a match's audit, remove the match from the queue and list it if it failed."""
        failures = projection_key(shard_of_match(match), "failed")

        def write() -> None:
            with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.set(verdict_key(match), verdict)
                pipeline.zrem(projection_key(shard_of(match), "unaudited"), match)
                pipeline.sadd(failures, match) if failed else pipeline.srem(failures, match)
                pipeline.execute()

        try_twice(write)

    def find(self, match: str) -> bytes | None:
        """Return the verdict (JSON) of the match's audit, if there is one."""
        shard_of_match(match)  # raises MatchNotFound
        found: bytes | None = try_twice(lambda: self._redis.get(verdict_key(match)))
        return found

    def failed_matches(self) -> list[str]:
        """Return the ids of all matches whose last audit failed."""
        found = self._shards.read([("SMEMBERS", projection_key(shard, "failed")) for shard in range(SHARDS)])
        return sorted(match.decode() for matches in found for match in matches)
