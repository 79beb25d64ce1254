"""What stands in the log and in the lists when all is over, read past the service, as a part of the history."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from redis import Redis

from domain.events import read_event
from domain.match import AnyMatch, fold
from service.audits import Verdict
from service.clock import EPOCH
from service.log.client import MatchLog
from service.log.keys import SHARDS, command_key, log_key, projection_key
from service.matches import game_of
from service.projections import NAMES, Projections, summary
from tests.reliability.faults.history import ClockSet, FeedEntry, MatchRecord, Wait
from workers.projector import Projector


def read_feed(redis: Redis) -> list[FeedEntry]:
    """All that the feeds announce."""
    log, found = MatchLog(redis), []
    for shard in range(SHARDS):
        reached = 0
        while items := log.feed(shard, reached):
            found += [FeedEntry(shard, item.position, item.match, item.first, item.last) for item in items]
            reached = items[-1].position
    return found


def read_matches(
    redis: Redis,
    feed: Sequence[FeedEntry],
    seen: Mapping[tuple[int, int], float],
    audits: Mapping[str, float],
    clock: Sequence[ClockSet],
    ended: float,
) -> list[MatchRecord]:
    """Every match that has a log or is announced, with what was owed in it and when that was done."""
    announced: dict[str, list[FeedEntry]] = defaultdict(list)
    for entry in feed:
        announced[entry.match].append(entry)
    logged = {key.decode().rpartition(":")[2] for key in redis.scan_iter("{ct:*}:log:*", count=1000)}
    found = []
    for match in sorted(logged | announced.keys()):
        times = [(entry.last, seen.get((entry.shard, entry.position), ended)) for entry in announced[match]]
        found.append(read_match(redis, match, times, audits.get(match), clock, ended))
    return found


def read_match(
    redis: Redis,
    match: str,
    times: Sequence[tuple[int, float]],
    audited: float | None,
    clock: Sequence[ClockSet],
    ended: float,
) -> MatchRecord:
    """One match; `times` says when each of its appends was seen, by its last ply."""
    entries: Any = redis.xrange(log_key(match))
    lines = [fields[b"e"] for _, fields in entries]
    commands: Any = redis.hgetall(command_key(match))
    projections = Projections(redis)
    positions = list(folds(lines, [ply for ply, _ in times]))
    verdict = projections.verdict(match)
    row = projections.row(match)
    last = positions[-1] if positions else None
    return MatchRecord(
        id=match,
        ids=tuple(entry.decode() for entry, _ in entries),
        lines=tuple(line.decode() for line in lines),
        commands={name.decode(): value.decode() for name, value in commands.items()},
        row=plain(row),
        folded=plain(summary(last)) if last and last.ply == len(lines) else None,
        bots=tuple(n for n, seat in enumerate(last.seats) if seat.plays) if last else (),
        waits=tuple(waits(positions, [at for _, at in times], audited, clock, ended)),
        over=any(b'"kind":"seed_revealed"' in line for line in lines),
        verdict=None if verdict is None else "ok" if msgspec.json.decode(verdict, type=Verdict).report.ok else "failed",
    )


def folds(lines: Sequence[bytes], plies: Sequence[int]) -> Iterator[AnyMatch]:
    """The match behind each of these plies, as long as its log can be read."""
    match: AnyMatch | None = None
    try:
        game = game_of(lines)
        for ply in plies:
            known = match.ply if match else 0
            match = fold([read_event(line, game) for line in lines[known:ply]], match)
            yield match
    except Exception:  # a log that we have damaged on purpose may make the rules fall over in any way
        return


def waits(
    positions: Sequence[AnyMatch],
    times: Sequence[float],
    audited: float | None,
    clock: Sequence[ClockSet],
    ended: float,
) -> Iterator[Wait]:
    """What was owed behind each append until something happened in the match."""
    for number, match in enumerate(positions):
        since = times[number]
        until = times[number + 1] if number + 1 < len(times) else None
        if any(match.seats[seat].plays for seat in match.to_move):
            yield Wait("bot", match.ply, since, until)
        if match.deadline is not None:
            passed = passing(clock, seconds(match.deadline), since, ended if until is None else until)
            if passed is not None:
                yield Wait("deadline", match.ply, passed, until)
        if match.status == "over" and (not number or positions[number - 1].status != "over"):
            yield Wait("audit", match.ply, since, audited)


def passing(clock: Sequence[ClockSet], shown: float, since: float, until: float) -> float | None:
    """When, within this time, the service's clock began to show this or more for good; None if it does not at the end.

    A clock that is set back takes a deadline with it.
    """
    found: float | None = None
    ends = [*(each.at for each in clock[1:]), float("inf")]
    for each, next_set in zip(clock, ends, strict=True):
        begin, end = max(each.at, since), min(next_set, until)
        if begin > end:
            continue
        reached = max(begin, each.at + shown - each.shows)
        if reached > end:
            found = None
        elif found is None or each.shows + begin - each.at < shown:
            found = reached
    return found


def read_lists(redis: Redis) -> dict[str, Any]:
    """All keys of the lists, as plain data."""
    found: dict[str, Any] = {}
    for shard in range(SHARDS):
        for name in NAMES:
            key = projection_key(shard, name)
            value = read_key(redis, key)
            if value:
                found[key] = value
    return found


def read_key(redis: Any, key: str) -> Any:
    """A key of whatever type."""
    kind = redis.type(key)
    if kind == b"hash":
        return {name.decode(): value.decode() for name, value in sorted(redis.hgetall(key).items())}
    if kind == b"zset":
        return [[member.decode(), score] for member, score in redis.zrange(key, 0, -1, withscores=True)]
    if kind == b"string":
        return redis.get(key).decode()
    return None


def derive_lists(redis: Redis) -> dict[str, Any]:
    """The lists as the feeds make them anew."""
    projections = Projections(redis)
    Projector(MatchLog(redis), projections).rebuild()
    return read_lists(redis)


def plain(value: Any) -> Any:
    """As JSON would have it."""
    return msgspec.to_builtins(value, str_keys=True)


def seconds(at: datetime) -> float:
    """Seconds since 1970."""
    return (at - EPOCH) / timedelta(seconds=1)
