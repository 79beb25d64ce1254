"""Results of rated matches, for the ratings."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from redis import Redis, RedisCluster

from service.event_store.keys import SHARDS, projection_key
from service.read_models.shards import ShardReader, match_of_place, members_with_scores, shard_of_match
from service.read_models.summary import RatedResult

_result_decoder = msgspec.json.Decoder(RatedResult)


class PendingResults(NamedTuple):
    """Results that the ratings must take into account: a growing number for each shard and `game:place`.

    The number is the position of the feed that changed the result. For a match that could not be read at that
    position, it is one after the checkpoint.
    """

    marks: dict[tuple[int, str], float]

    def added_since(self, earlier: "PendingResults") -> "PendingResults":
        """Return the results that are not in an earlier set of pending results."""
        return PendingResults({mark: at for mark, at in self.marks.items() if earlier.marks.get(mark) != at})

    def first_places(self) -> dict[str, str]:
        """Return the first place of each game."""
        found: dict[str, str] = {}
        for _, mark in self.marks:
            game, _, place = mark.partition(":")
            found[game] = min(place, found.get(game, place))
        return found


class ResultFeed:
    """Rated results, and the pending ones that the ratings have not taken into account."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._shards = ShardReader(redis)

    def pending_results(self) -> PendingResults:
        """Return the results that the ratings have not taken into account."""
        found = self._shards.read(
            [("ZRANGE", projection_key(s, "unfolded"), 0, -1, "WITHSCORES") for s in range(SHARDS)]
        )
        marks = (
            (shard, mark.decode(), at) for shard, each in enumerate(found) for mark, at in members_with_scores(each)
        )
        return PendingResults({(shard, mark): at for shard, mark, at in marks})

    def acknowledge_results(self, news: PendingResults) -> None:
        """Remove results that the ratings have taken into account. Those that changed meanwhile stay pending."""
        seen: dict[int, float] = {}
        for (shard, _), position in news.marks.items():
            seen[shard] = max(position, seen.get(shard, 0))
        self._shards.read(
            [("ZREMRANGEBYSCORE", projection_key(shard, "unfolded"), "-inf", at) for shard, at in seen.items()]
        )

    def count_results(self, games: Iterable[str]) -> int:
        """Return how many rated results these games have."""
        return sum(self._shards.count_entries([f"rated:{game}:" for game in games]))

    def rated_results(self, game: str, after: str, limit: int) -> list[RatedResult]:
        """Return the rated results after a place (`""`: from the first), in order."""
        places = self._shards.first_places(f"rated:{game}:", limit, after)
        by_shard: dict[int, list[str]] = {}
        for match in map(match_of_place, places):
            by_shard.setdefault(shard_of_match(match), []).append(match)
        raw = self._shards.read([("HMGET", projection_key(shard, "results"), *ids) for shard, ids in by_shard.items()])
        results = [_result_decoder.decode(each.partition(b" ")[2]) for found in raw for each in found if each]
        # A result that has changed between the two queries is pending again.
        return sorted((r for r in results if r.order_key > after), key=lambda result: result.order_key)
