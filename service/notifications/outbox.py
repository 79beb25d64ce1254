"""What people are to be told outside of the pages: the agenda of deliveries, and the record of what was told.

A delivery is one notice by one channel to one player. What is owed is projected from the feeds by `project.lua`, with
the lists and as atomically; a delivery leaves the agenda when its notice has passed, or when it is recorded as told.
Neither agenda nor record is a projection: when the lists are derived again, what was told stays told, and what was put
off stays put off.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from importlib.resources import files
from itertools import product
from typing import Any, Literal, NamedTuple

import msgspec
from redis import Redis

from domain.match.state import Notice, NoticeKind
from service.event_store.keys import (
    SHARDS,
    attempts_key,
    delivery_lease_key,
    delivery_records_key,
    outbox_key,
    projection_key,
    shard_of,
)
from service.runtime.clock import from_milliseconds, to_milliseconds

DROP_OBSOLETE_SCRIPT = files("service.notifications").joinpath("acknowledge.lua").read_text(encoding="utf-8")

Channel = Literal["mail", "webhook"]
CHANNELS: tuple[Channel, ...] = ("mail", "webhook")
MAX_DUE_PER_SHARD = 100
"""How many deliveries of a shard are looked at in one go."""
MAX_POSTPONEMENT = timedelta(minutes=15)
"""The longest that a delivery which has not failed is put off in one go, so that changed wishes are heard soon."""
LEASE_SECONDS = 40
"""For how long one worker alone is at a delivery; a job is ended earlier. A killed worker's delivery waits so long."""
NOT_NEEDED = b"-"
"""The record of a delivery that nobody needed."""


class Delivery(NamedTuple):
    """One notice of a match, by one channel, to one player."""

    match: str
    channel: Channel
    kind: NoticeKind
    ply: int
    player: str

    @property
    def name(self) -> str:
        """What tells it from the match's other deliveries."""
        return f"{self.channel}:{self.kind}:{self.ply}:{self.player}"

    @property
    def id(self) -> str:
        """32 characters for this delivery and no other, always the same."""
        return sha256(f"{self.match}:{self.name}".encode()).hexdigest()[:32]


class OutboxEntry(NamedTuple):
    """A delivery in the agenda: when its notice came up, and when it was to be looked at.

    `since` is None where the lists know no such notice: it has passed, or they are being derived again.
    """

    delivery: Delivery
    raised_at: datetime | None
    due: datetime

    def is_in_future(self, now: datetime) -> bool:
        """Whether the notice lies in the future."""
        return self.raised_at is not None and self.raised_at > now


class DeliveryRecord(msgspec.Struct, frozen=True):
    """The record of a delivery that was made, or given up."""

    at: datetime
    outcome: str
    message: str


class FailedAttempts(msgspec.Struct, frozen=True):
    """How often a delivery has failed, and how the last time."""

    count: int
    outcome: str


def parse_delivery_name(match: str, name: str) -> Delivery:
    """The delivery of a match under this name. Raises ValueError for a text that is no name."""
    channel, kind, ply, player = name.split(":", 3)
    if channel not in CHANNELS:
        raise ValueError(name)
    return Delivery(match, channel, kind, int(ply), player)  # type: ignore[arg-type]


def encode_notices(notices: Iterable[Notice]) -> str:
    """What the script reads: every notice by every channel, each once."""
    names = {
        f"{channel}:{notice.kind}:{notice.ply}:{notice.player} {to_milliseconds(notice.at)}": None
        for notice in notices
        for channel in CHANNELS
    }
    return "\n".join(names)


class Outbox:
    """The deliveries of all matches. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis
        self._drop_obsolete = redis.register_script(DROP_OBSOLETE_SCRIPT)

    def due(self, now: datetime, shards: Sequence[int] = range(SHARDS)) -> list[OutboxEntry]:
        """What is to be looked at by now, the longest due first; what came up later than now is due as well.

        That is so where the clock was set back. What is put off for longer than usual is not, unless it came up then.
        """
        spans = [("-inf", f"{to_milliseconds(now)}"), (f"({to_milliseconds(now + MAX_POSTPONEMENT)}", "+inf")]
        with self._redis.pipeline(transaction=False) as pipeline:
            for shard, span in product(shards, spans):
                pipeline.zrangebyscore(outbox_key(shard), *span, start=0, num=MAX_DUE_PER_SHARD, withscores=True)
            found = [
                (parse_outbox_member(raw.decode()), from_milliseconds(score))
                for raws in pipeline.execute()
                for raw, score in raws
            ]
        since = self._raised_at([delivery for delivery, _ in found])
        owed = [OutboxEntry(delivery, since.get(delivery), due) for delivery, due in found]
        return sorted((one for one in owed if one.due <= now or one.is_in_future(now)), key=lambda one: one.due)

    def raised_at(self, delivery: Delivery) -> datetime | None:
        """When the notice of a delivery came up; None when it has passed, as far as the lists know."""
        return self._raised_at([delivery]).get(delivery)

    def _raised_at(self, deliveries: Sequence[Delivery]) -> dict[Delivery, datetime]:
        matches = list(dict.fromkeys(delivery.match for delivery in deliveries))
        with self._redis.pipeline(transaction=False) as pipeline:
            for match in matches:
                pipeline.hget(projection_key(shard_of(match), "owing"), match)
            lines = dict(zip(matches, pipeline.execute(), strict=True)) if matches else {}
        return {
            parse_delivery_name(match, name.decode()): from_milliseconds(at)
            for match, text in lines.items()
            for name, at in (line.split(b" ") for line in (text or b"").splitlines())
        }

    # -- doing --------------------------------------------------------------------------------------------------

    def claim(self, delivery: Delivery) -> bool:
        """Whether the caller, and nobody else for a while, may make this delivery: it was not told yet."""
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hexists(delivery_records_key(delivery.match), delivery.name)
            pipeline.set(delivery_lease_key(delivery.match, delivery.id), "1", nx=True, ex=LEASE_SECONDS)
            told, leased = pipeline.execute()
        if told:
            # A release before this one recorded in two steps, and may have fallen over in between.
            self._remove(self._redis, shard_of(delivery.match), [delivery])
        return not told and bool(leased)

    def is_recorded(self, delivery: Delivery) -> bool:
        """Whether the delivery was made, given up, or needed by nobody."""
        return bool(self._redis.hexists(delivery_records_key(delivery.match), delivery.name))

    def record(self, delivery: Delivery, told: DeliveryRecord) -> None:
        """The delivery was made, or given up: it is never tried again."""
        self._write_records([(delivery, msgspec.json.encode(told))])

    def mark_not_needed(self, deliveries: Iterable[Delivery]) -> None:
        """Nobody needs these: the player has no such channel, or came up before it had one."""
        self._write_records([(delivery, NOT_NEEDED) for delivery in deliveries])

    def drop(self, delivery: Delivery) -> None:
        """The notice has passed. No record is needed: it cannot come again."""
        self._remove(self._redis, shard_of(delivery.match), [delivery])

    def drop_if_obsolete(self, delivery: Delivery) -> bool:
        """Drop the delivery if the lists say that its notice has passed; False when they do not, or not yet."""
        shard = shard_of(delivery.match)
        keys = [outbox_key(shard), attempts_key(shard), projection_key(shard, "rows"), projection_key(shard, "owing")]
        return bool(self._drop_obsolete(keys, [delivery.match, delivery.name, delivery.ply]))

    def postpone(self, delivery: Delivery, until: datetime, tries: FailedAttempts | None = None) -> None:
        """Look at the delivery again then; `tries`: it has failed."""
        shard = shard_of(delivery.match)
        with self._redis.pipeline(transaction=True) as pipeline:
            if tries:
                pipeline.hset(attempts_key(shard), outbox_member(delivery), msgspec.json.encode(tries))
            pipeline.zadd(outbox_key(shard), {outbox_member(delivery): to_milliseconds(until)}, xx=True)
            pipeline.delete(delivery_lease_key(delivery.match, delivery.id))
            pipeline.execute()

    def failed_attempts(self, delivery: Delivery) -> int:
        """How often the delivery has failed so far."""
        raw = self._redis.hget(attempts_key(shard_of(delivery.match)), outbox_member(delivery))
        return msgspec.json.decode(raw, type=FailedAttempts).count if raw else 0

    def records(self, match: str) -> dict[str, DeliveryRecord | None]:
        """What the people of a match were told, by the names of the deliveries; None: nobody needed it."""
        found = self._redis.hgetall(delivery_records_key(match))
        return {
            name.decode(): None if raw == NOT_NEEDED else msgspec.json.decode(raw, type=DeliveryRecord)
            for name, raw in found.items()
        }

    def _write_records(self, records: Sequence[tuple[Delivery, bytes]]) -> None:
        by_shard: dict[int, dict[Delivery, bytes]] = defaultdict(dict)
        for delivery, record in records:
            by_shard[shard_of(delivery.match)][delivery] = record
        for shard, told in by_shard.items():
            # All or nothing: a server that is full takes no record, and must not take what is owed away either.
            with self._redis.pipeline(transaction=True) as pipeline:
                for delivery, record in told.items():
                    pipeline.hset(delivery_records_key(delivery.match), delivery.name, record)
                self._remove(pipeline, shard, list(told))
                pipeline.execute()

    def _remove(self, redis: Any, shard: int, deliveries: Sequence[Delivery]) -> None:
        members = [outbox_member(delivery) for delivery in deliveries]
        redis.zrem(outbox_key(shard), *members)
        redis.hdel(attempts_key(shard), *members)
        redis.execute_command("DEL", *(delivery_lease_key(delivery.match, delivery.id) for delivery in deliveries))


def outbox_member(delivery: Delivery) -> str:
    """How a delivery stands in the agenda of its shard."""
    return f"{delivery.match}:{delivery.name}"


def parse_outbox_member(text: str) -> Delivery:
    """The delivery that stands there. Raises ValueError for a text that is none."""
    match, _, name = text.partition(":")
    return parse_delivery_name(match, name)
