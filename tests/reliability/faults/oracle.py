"""Reads the final state of the log and the lists directly from the servers, for the history."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace
from redis import Redis

from domain.kernel.event_codec import read_event
from domain.match.clock import opening_deadline
from domain.match.history import fold
from domain.match.state import AnyMatch
from service.event_store.damaged_matches import DAMAGED_FIELD
from service.event_store.keys import SHARDS, command_key, log_key, orders_key, outbox_key, projection_key, shard_of
from service.event_store.log import MatchLog
from service.matches.repository import pinned_game
from service.matches.standing_orders import StandingOrders
from service.notifications.outbox import Outbox
from service.notifications.preferences import NotificationPreferences
from service.read_models.ratings import Ratings, rating_keys
from service.read_models.shards import KEY_NAMES
from service.read_models.summary import summarize_match
from service.runtime.clock import EPOCH
from service.verification.audits import Verdict
from tests.projections import Projections
from tests.reliability.faults import history
from tests.reliability.faults.history import ClockChange, FeedEntry, MatchRecord, Notice, Reader, TakenDelivery, Wait
from tests.workers.receivers import HookServer, MailServer, mail_text
from workers.projection.projector import Projector
from workers.projection.ratings import Rater


def read_feed(redis: Redis) -> list[FeedEntry]:
    """Return all entries of the feeds."""
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
    clock: Sequence[ClockChange],
    ended: float,
) -> list[MatchRecord]:
    """Return every match that has a log or is announced, with its waits."""
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
    clock: Sequence[ClockChange],
    ended: float,
) -> MatchRecord:
    """Return one match; `times` has the last ply of each append and when it was seen."""
    entries: Any = redis.xrange(log_key(match))
    lines = [fields[b"e"] for _, fields in entries]
    commands: Any = redis.hgetall(command_key(match))
    projections = Projections(redis)
    damaged = commands.pop(DAMAGED_FIELD.encode(), b"") != b""
    positions = list(fold_at_plies(lines, [ply for ply, _ in times]))
    verdict = projections.verdicts.find(match)
    row = projections.lists.find_match(match)
    last = positions[-1] if positions else None
    return MatchRecord(
        id=match,
        ids=tuple(entry.decode() for entry, _ in entries),
        lines=tuple(line.decode() for line in lines),
        commands={name.decode(): value.decode() for name, value in commands.items()},
        row=plain(row),
        folded=plain(summarize_match(last)) if last and last.ply == len(lines) else None,
        bots=tuple(n for n, seat in enumerate(last.seats) if seat.acting_bot_level) if last else (),
        waits=tuple(find_waits(positions, [at for _, at in times], audited, clock, ended)),
        over=any(b'"kind":"seed_revealed"' in line for line in lines),
        verdict=None if verdict is None else "ok" if msgspec.json.decode(verdict, type=Verdict).report.ok else "failed",
        notices=tuple(find_notices(positions, [at for _, at in times])),
        told={name: made.outcome if made else None for name, made in Outbox(redis).records(match).items()},
        owed=tuple(read_owed(redis, match)),
        orders=read_orders(redis, match),
        damaged=damaged,
    )


def read_owed(redis: Any, match: str) -> Iterator[str]:
    """Yield the names of the match's deliveries in the outbox."""
    for raw in redis.zrange(outbox_key(shard_of(match)), 0, -1):
        of, _, name = raw.decode().partition(":")
        if of == match:
            yield name


def read_orders(redis: Redis, match: str) -> history.Orders | None:
    """Return the remaining standing orders of the match, or None."""
    if not redis.exists(orders_key(match)):
        return None
    book = StandingOrders(redis).load(match)
    left = {seat: tuple(order.id for order in orders.moves) for seat, orders in book.seats.items()}
    return history.Orders(
        book.checked_ply, left, {seat: tuple(each.id for each in orders.dropped) for seat, orders in book.seats.items()}
    )


def fold_at_plies(lines: Sequence[bytes], plies: Sequence[int]) -> Iterator[AnyMatch]:
    """Yield the match after each of these plies, as long as its log can be read."""
    match: AnyMatch | None = None
    try:
        game = pinned_game(lines)
        for ply in plies:
            known = match.ply if match else 0
            match = fold([read_event(line, game) for line in lines[known:ply]], match)
            yield match
    except Exception:  # a log damaged on purpose may make the rules fail in any way
        return


def find_notices(positions: Sequence[AnyMatch], times: Sequence[float]) -> Iterator[Notice]:
    """Yield the notices due to the players of a match, and how long each was current."""
    found: dict[tuple[str, int, str], Notice] = {}
    for match, at in zip(positions, times, strict=False):
        now = {(each.kind, each.ply, each.player): each for each in match.notices}
        for name, each in now.items():
            if name not in found:
                found[name] = Notice(
                    kind=each.kind, ply=each.ply, player=each.player, at=seconds(each.at), first=match.ply, since=at
                )
        for name in found.keys() - now.keys():
            if found[name].last is None:
                found[name] = replace(found[name], last=match.ply, until=at)
    yield from found.values()


def find_waits(
    positions: Sequence[AnyMatch],
    times: Sequence[float],
    audited: float | None,
    clock: Sequence[ClockChange],
    ended: float,
) -> Iterator[Wait]:
    """Yield the work due after each append until the next one."""
    for number, match in enumerate(positions):
        since = times[number]
        until = times[number + 1] if number + 1 < len(times) else None
        if any(match.seats[seat].acting_bot_level for seat in match.to_move):
            yield Wait("bot", match.ply, since, until)
        deadline = opening_deadline(match) if match.status == "opening" else match.deadline
        if deadline is not None:
            passed = time_reached(clock, seconds(deadline), since, ended if until is None else until)
            if passed is not None:
                yield Wait("deadline", match.ply, passed, until)
        if match.status == "over" and (not number or positions[number - 1].status != "over"):
            yield Wait("audit", match.ply, since, audited)


def time_reached(clock: Sequence[ClockChange], shown: float, since: float, until: float) -> float | None:
    """Return when, in this period, the service's clock reached `shown` for good; None if it is earlier at the end.

    Setting the clock back revives a deadline.
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


def read_lists(redis: Redis, games: Iterable[str]) -> dict[str, Any]:
    """Return all keys of the lists and of these games' ratings as plain data."""
    lists = [projection_key(shard, name) for shard in range(SHARDS) for name in KEY_NAMES]
    values = {key: read_key(redis, key) for key in [*lists, *(key for game in games for key in rating_keys(game))]}
    return {key: value for key, value in values.items() if value}


def read_key(redis: Any, key: str) -> Any:
    """Return the value of a key of any type."""
    kind = redis.type(key)
    if kind == b"hash":
        return {name.decode(): value.decode() for name, value in sorted(redis.hgetall(key).items())}
    if kind == b"zset":
        return [[member.decode(), score] for member, score in redis.zrange(key, 0, -1, withscores=True)]
    if kind == b"string":
        return redis.get(key).decode()
    return None


def derive_lists(redis: Redis, games: Sequence[str]) -> dict[str, Any]:
    """Rebuild the lists and ratings from the feeds and return them."""
    projections = Projections(redis)
    Projector(MatchLog(redis), projections.writer, projections.progress).rebuild()
    Rater(projections.results, Ratings(redis)).rebuild(games)
    return read_lists(redis, games)


def read_readers(contacts: NotificationPreferences, players: Iterable[str]) -> tuple[Reader, ...]:
    """Return the players that get both emails and webhook calls."""
    found = contacts.get_many([player for player in sorted(players) if player])
    return tuple(
        Reader(
            player=each.player,
            address=each.address.text,
            hook=urlsplit(each.webhook.url).path,
            secret=each.webhook.secret,
            since={"mail": seconds(each.address.since), "webhook": seconds(each.webhook.since)},
        )
        for each in found.values()
        if each.address and each.webhook
    )


def read_taken_deliveries(post: MailServer, hooks: HookServer) -> tuple[TakenDelivery, ...]:
    """Return everything that the receivers accepted."""
    mails = [
        TakenDelivery(
            channel="mail", to=str(mail["To"]), at=at, id=mail["Message-ID"][1:].partition("@")[0], body=mail_text(mail)
        )
        for mail, at in zip(post.mails, post.times, strict=True)
    ]
    calls = [
        TakenDelivery(
            channel="webhook",
            to=call.path,
            at=call.at,
            id=call.headers["webhook-id"],
            body=call.body.decode(),
            stamp=call.headers["webhook-timestamp"],
            signature=call.headers["webhook-signature"],
        )
        for call in hooks.calls
        if call.status == 204
    ]
    return (*mails, *calls)


def plain(value: Any) -> Any:
    """Return the value as plain JSON data."""
    return msgspec.to_builtins(value, str_keys=True)


def seconds(at: datetime) -> float:
    """Return a time as seconds since 1970."""
    return (at - EPOCH) / timedelta(seconds=1)
