"""Finds damaged matches after a restart, and records them.

A damaged match accepts no appends until a later check finds it intact again, for instance after the operator has
restored it from a copy and restarted the server.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from redis.exceptions import NoPermissionError, ResponseError

from service.event_store.chain_check import find_damage
from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.keys import SHARDS, command_key, damaged_matches_key, feed_key, log_key

FEED_BATCH = 1000
MATCH_BATCH = 50
DAMAGED_FIELD = "damaged"
"""The field of a match's commands that keeps `append.lua` from appending; empty after a repair."""


NO_STREAM = "Its log can't be read as a stream."


class Damage(msgspec.Struct, frozen=True):
    """What is wrong with a match, as a sentence, and the ply up to which the feed announced it."""

    what: str
    announced: int | None = None


class CheckedMatches(NamedTuple):
    """How many matches were checked, and how many of them are damaged."""

    checked: int
    damaged: int


class _Touched(NamedTuple):
    """The first and the last ply that the feed announced for a match, and what is wrong with the announcements."""

    first: int
    last: int | None
    what: str = ""


def damaged_matches(redis: Any) -> dict[str, str]:
    """Return the damaged matches, each with what is wrong with it. Raises LogUnavailable."""
    found: dict[str, str] = {}
    with redis_errors_as_unavailable(), redis.pipeline(transaction=False) as pipeline:
        for shard in range(SHARDS):
            pipeline.hgetall(damaged_matches_key(shard))
        for each in pipeline.execute():
            found |= {match.decode(): _decode(raw).what for match, raw in each.items()}
    return found


def check_matches(node: Any, after: Mapping[int, int], keep: Callable[[], object]) -> CheckedMatches:
    """Check the matches announced after these positions of the shards, and those recorded as damaged.

    Records the damaged ones, and forgets those that are intact again. `node` is a client of the primary with these
    shards; `keep` is called repeatedly. Raises redis-py's errors.
    """
    checked = damaged = 0
    for shard, known in zip(after, _read_recorded(node, list(after)), strict=True):
        keep()
        touched = {match: _Touched(1, damage.announced) for match, damage in known.items()}
        announced, head = _announced(node, shard, after[shard], keep)
        for match, each in announced.items():
            touched[match] = each._replace(first=1) if match in known else each
        for batch in _batches(list(touched.items())):
            keep()
            found = _confirm(node, shard, head, _find_damaged(node, batch))
            checked, damaged = checked + len(batch), damaged + len(found)
            _record(node, shard, found, [match for match, _ in batch if match in known and match not in found])
    return CheckedMatches(checked, damaged)


def _read_recorded(node: Any, shards: Sequence[int]) -> list[dict[str, Damage]]:
    with node.pipeline(transaction=False) as pipeline:
        for shard in shards:
            pipeline.hgetall(damaged_matches_key(shard))
        return [{match.decode(): _decode(raw) for match, raw in each.items()} for each in pipeline.execute()]


def _announced(node: Any, shard: int, after: int, keep: Callable[[], object]) -> tuple[dict[str, _Touched], int]:
    """Return what the feed announced after a position, by match, and the position of its newest announcement."""
    found: dict[str, _Touched] = {}
    while items := node.xrange(feed_key(shard), f"({after}-0", "+", count=FEED_BATCH):
        keep()
        for _, fields in items:
            match, first, last = fields[b"m"].decode(), int(fields[b"f"]), int(fields[b"l"])
            before = found.get(match)
            if before is None:
                found[match] = _Touched(first, last)
            elif first != (before.last or 0) + 1:
                found[match] = _Touched(1, last, f"The feed announced event {first} after event {before.last}.")
            else:
                found[match] = before._replace(last=last)
        after = int(items[-1][0].split(b"-")[0])
    return found, after


def _find_damaged(node: Any, batch: Sequence[tuple[str, _Touched]]) -> dict[str, Damage]:
    with node.pipeline(transaction=False) as pipeline:
        for match, touched in batch:
            pipeline.xrange(log_key(match), f"{max(1, touched.first - 1)}-0", "+")
        found = pipeline.execute(raise_on_error=False)
    damaged: dict[str, Damage] = {}
    for (match, touched), entries in zip(batch, found, strict=True):
        if isinstance(entries, ResponseError) and not isinstance(entries, NoPermissionError):
            damaged[match] = Damage(NO_STREAM, touched.last)
            continue
        if isinstance(entries, Exception):
            raise entries
        what = touched.what or find_damage(entries, max(1, touched.first - 1), touched.last)
        if what:
            damaged[match] = Damage(what, touched.last)
    return damaged


def _confirm(node: Any, shard: int, head: int, damaged: Mapping[str, Damage]) -> dict[str, Damage]:
    """Return those of the damaged matches that are damaged in one atomic view of log and feed.

    A web process of an earlier release may append during the check.
    """
    confirmed: dict[str, Damage] = {}
    for match, damage in damaged.items():
        if damage.what == NO_STREAM:
            confirmed[match] = damage
            continue
        with node.pipeline(transaction=True) as pipeline:
            pipeline.xrange(log_key(match), "-", "+")
            pipeline.xrange(feed_key(shard), f"({head}-0", "+")
            entries, items = pipeline.execute()
        later = [int(fields[b"l"]) for _, fields in items if fields[b"m"] == match.encode()]
        announced = later[-1] if later else damage.announced
        what = find_damage(entries, 1, announced)
        if what or not later:
            confirmed[match] = Damage(what or damage.what, announced)
    return confirmed


def _record(node: Any, shard: int, damaged: Mapping[str, Damage], whole: Iterable[str]) -> None:
    with node.pipeline(transaction=False) as pipeline:
        for match, damage in damaged.items():
            pipeline.hset(damaged_matches_key(shard), match, msgspec.json.encode(damage))
            pipeline.hset(command_key(match), DAMAGED_FIELD, "1")
        for match in whole:
            pipeline.hset(command_key(match), DAMAGED_FIELD, "")
            pipeline.hdel(damaged_matches_key(shard), match)
        answers = pipeline.execute(raise_on_error=False) if pipeline.command_stack else []
    for answer in answers:
        # To a match whose commands have another type, nothing can be appended anyway.
        if isinstance(answer, Exception) and "WRONGTYPE" not in str(answer):
            raise answer


def _decode(raw: bytes) -> Damage:
    return msgspec.json.decode(raw, type=Damage)


def _batches(matches: Sequence[tuple[str, _Touched]]) -> Iterator[Sequence[tuple[str, _Touched]]]:
    for start in range(0, len(matches), MATCH_BATCH):
        yield matches[start : start + MATCH_BATCH]
