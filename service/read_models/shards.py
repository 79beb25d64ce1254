"""Queries over all shards, for the read models. Each shard has its own keys, and every query merges them.

`project.lua` writes a shard's keys together with its checkpoint, so that each position of the feed counts exactly once.
Everything except the verdicts of audits can be deleted and rebuilt from the feeds.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace
from redis import Redis, RedisCluster

from domain.kernel.registry import is_installed
from service.event_store.errors import REDIS_ERRORS, MatchNotFound, is_transient, redis_errors_as_unavailable
from service.event_store.keys import SHARDS, is_match_id, projection_key, shard_of
from service.read_models.summary import (
    MatchSummary,
)

T = TypeVar("T")


KEY_NAMES = (
    *("checkpoint", "rows", "index", "entries", "due", "unaudited", "unheard", "expiring", "owing"),
    *("results", "unfolded", "unread"),
)
"""A shard's keys that can be rebuilt from its feed, in the script's order."""
MAX_RETRY_PAUSE = 0.05
"""Maximum pause before the second attempt, in seconds."""


_summary_decoder = msgspec.json.Decoder(MatchSummary)


def read_summary(raw: bytes) -> MatchSummary:
    """Return a stored row. Its game may have been uninstalled since it was written."""
    row = _summary_decoder.decode(raw)
    return row if is_installed(row.game) else replace(row, without_game=True)


class ShardReader:
    """Queries over all shards. Threads, greenlets and processes may share it.

    Its methods, and those of the read models, raise LogUnavailable when the server fails, and MatchNotFound for a text
    that is not a match id.
    """

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._redis: Any = redis

    def load_summaries(self, matches: Iterable[str]) -> list[MatchSummary]:
        """Return the summaries of these matches in this order, without unknown ones."""
        wanted = list(matches)
        by_shard: dict[int, list[str]] = {}
        for match in wanted:
            by_shard.setdefault(shard_of_match(match), []).append(match)
        found = self.read([("HMGET", projection_key(shard, "rows"), *ids) for shard, ids in by_shard.items()])
        known: dict[str, bytes | None] = {}
        for ids, rows in zip(by_shard.values(), found, strict=True):
            known.update(zip(ids, rows, strict=True))
        return [read_summary(raw) for match in wanted if (raw := known[match])]

    def first_places(self, prefix: str, limit: int, after: str | None = None) -> list[str]:
        """Return the first places in a list, or the first ones after a place, merged over the shards."""
        start = f"[{prefix}" if after is None else f"({prefix}{after}"
        query = (start, end_of_list(prefix), "LIMIT", 0, limit)
        found = self.read([("ZRANGEBYLEX", projection_key(shard, "index"), *query) for shard in range(SHARDS)])
        return sorted(place_in_list(entry, prefix) for entries in found for entry in entries)[:limit]

    def last_places(self, prefix: str, limit: int) -> list[str]:
        """Return the last places in a list, merged over the shards, last first."""
        query = (end_of_list(prefix), f"[{prefix}", "LIMIT", 0, limit)
        found = self.read([("ZREVRANGEBYLEX", projection_key(shard, "index"), *query) for shard in range(SHARDS)])
        places = (place_in_list(entry, prefix) for entries in found for entry in entries)
        return sorted(places, reverse=True)[:limit]

    def count_entries(self, prefixes: Sequence[str]) -> list[int]:
        """Return how many entries each of these lists has, in one round trip."""
        counts = self.read(
            [
                ("ZLEXCOUNT", projection_key(shard, "index"), f"[{prefix}", end_of_list(prefix))
                for prefix in prefixes
                for shard in range(SHARDS)
            ]
        )
        return [sum(counts[first : first + SHARDS]) for first in range(0, len(counts), SHARDS)]

    def read(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the answers to read-only commands, each for one shard, in one round trip."""
        return try_twice(lambda: self.run_pipeline(commands))

    def run_pipeline(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the answers to these commands, in one round trip."""
        if not commands:
            return []
        with self._redis.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            return list(pipeline.execute())


def try_twice(call: Callable[[], T]) -> T:
    """Return the call's result, retrying once after a transient error. The call must be safe to repeat."""
    with redis_errors_as_unavailable():
        try:
            return call()
        except REDIS_ERRORS as error:
            if not is_transient(error):
                raise
        time.sleep(random.uniform(0, MAX_RETRY_PAUSE))  # noqa: S311 -- jitter, no secret
        return call()


def projection_keys(shard: int) -> list[str]:
    """Return the keys of a shard that are derived from its feed, in the script's order."""
    return [projection_key(shard, name) for name in KEY_NAMES]


def shard_of_match(match: str) -> int:
    """Return the shard of a match. Raises MatchNotFound for a text that is not a match id."""
    if not is_match_id(match):
        raise MatchNotFound("There is no such match.")
    return shard_of(match)


def end_of_list(prefix: str) -> str:
    """Return the end of a list: digits follow the prefix, and the colon sorts after all of them."""
    return f"({prefix}:"


def place_in_list(entry: bytes, prefix: str) -> str:
    """Return the place of an index entry in the list with this prefix."""
    return entry[len(prefix.encode()) :].decode()


def match_of_place(place: str) -> str:
    """Return the match at a place in a list."""
    return place.partition(":")[2]


def members_with_scores(answer: Sequence[Any]) -> Iterator[tuple[bytes, float]]:
    """Yield members with their scores from an answer in either version of the protocol."""
    if answer and isinstance(answer[0], list | tuple):
        yield from ((member, float(score)) for member, score in answer)
    else:
        yield from ((member, float(score)) for member, score in zip(answer[::2], answer[1::2], strict=True))
