"""The outbox: pending deliveries of notifications, and the records of completed ones.

A delivery is one notice through one channel to one player. `project.lua` adds deliveries to the outbox in the same
atomic step that updates the lists. A delivery leaves the outbox when its notice is obsolete or the delivery has been
recorded. Outbox and records are not projections: rebuilding the lists neither repeats nor reschedules a delivery.
"""

import secrets
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
"""Maximum number of deliveries of a shard returned at a time."""
MAX_POSTPONEMENT = timedelta(minutes=15)
"""Maximum delay of a delivery that has not failed, so that changed preferences take effect soon."""
LEASE_SECONDS = 40
"""How long a delivery is leased to a worker, which is longer than a job may run. If the worker is killed, the
delivery waits this long."""
RELEASE_SCRIPT = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
NOT_NEEDED = b"-"
"""The record of a delivery that was not needed."""


class Delivery(NamedTuple):
    """One notice about a match, through one channel, to one player."""

    match: str
    channel: Channel
    kind: NoticeKind
    ply: int
    player: str

    @property
    def name(self) -> str:
        """The delivery's unique name within the match."""
        return f"{self.channel}:{self.kind}:{self.ply}:{self.player}"

    @property
    def id(self) -> str:
        """A stable, unique id of 32 characters."""
        return sha256(f"{self.match}:{self.name}".encode()).hexdigest()[:32]


class OutboxEntry(NamedTuple):
    """A delivery in the outbox: when its notice was raised, and when it is due.

    `raised_at` is None if the lists have no such notice: it is obsolete, or the lists are being rebuilt.
    """

    delivery: Delivery
    raised_at: datetime | None
    due: datetime

    def is_in_future(self, now: datetime) -> bool:
        """Return whether the notice was raised in the future, as after the clock was set back."""
        return self.raised_at is not None and self.raised_at > now


class DeliveryRecord(msgspec.Struct, frozen=True):
    """The record of a delivery that was made or abandoned."""

    at: datetime
    outcome: str
    message: str


class FailedAttempts(msgspec.Struct, frozen=True):
    """How often a delivery has failed, and the last outcome."""

    count: int
    outcome: str


def parse_delivery_name(match: str, name: str) -> Delivery:
    """Return the delivery of a match with this name. Raises ValueError for an invalid name."""
    channel, kind, ply, player = name.split(":", 3)
    if channel not in CHANNELS:
        raise ValueError(name)
    return Delivery(match, channel, kind, int(ply), player)  # type: ignore[arg-type]


def encode_notices(notices: Iterable[Notice]) -> str:
    """Return the notices in the script's format: one line for each notice and channel, without duplicates."""
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
        self._release = redis.register_script(RELEASE_SCRIPT)
        self._owner = secrets.token_hex(8)
        """The value of this process's leases. A worker runs one job at a time, so its jobs may share it."""

    def due(self, now: datetime, shards: Sequence[int] = range(SHARDS)) -> list[OutboxEntry]:
        """Return the deliveries that are due, the longest overdue first.

        After the clock was set back, deliveries whose notice was raised in the future are due as well,
        regardless of their due time.
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
        """Return when the notice of a delivery was raised, or None if the lists do not have it."""
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

    # -- updates --------------------------------------------------------------------------------------------------

    def claim(self, delivery: Delivery) -> bool:
        """Lease the delivery to the caller. Return False if it has been recorded or is leased to another worker."""
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hexists(delivery_records_key(delivery.match), delivery.name)
            pipeline.set(delivery_lease_key(delivery.match, delivery.id), self._owner, nx=True, ex=LEASE_SECONDS)
            recorded, leased = pipeline.execute()
        if recorded:
            # An earlier release recorded in two steps and may have crashed between them.
            self._remove(self._redis, shard_of(delivery.match), [delivery])
        return not recorded and bool(leased)

    def release(self, delivery: Delivery) -> None:
        """End the caller's own lease, so that the delivery can be retried immediately. Does nothing without one."""
        self._release([delivery_lease_key(delivery.match, delivery.id)], [self._owner])

    def is_recorded(self, delivery: Delivery) -> bool:
        """Return whether the delivery was made, abandoned or not needed."""
        return bool(self._redis.hexists(delivery_records_key(delivery.match), delivery.name))

    def record(self, delivery: Delivery, told: DeliveryRecord) -> None:
        """Record that the delivery was made or abandoned, so that it is never tried again."""
        self._write_records([(delivery, msgspec.json.encode(told))])

    def mark_not_needed(self, deliveries: Iterable[Delivery]) -> None:
        """Record that these deliveries are not needed: the player had no such channel when the notice was raised."""
        self._write_records([(delivery, NOT_NEEDED) for delivery in deliveries])

    def drop(self, delivery: Delivery) -> None:
        """Remove a delivery whose notice is obsolete. It needs no record, because the notice cannot return."""
        self._remove(self._redis, shard_of(delivery.match), [delivery])

    def drop_if_obsolete(self, delivery: Delivery) -> bool:
        """Remove the delivery if its notice is obsolete according to the lists. Return whether it was removed."""
        shard = shard_of(delivery.match)
        keys = [outbox_key(shard), attempts_key(shard), projection_key(shard, "rows"), projection_key(shard, "owing")]
        return bool(self._drop_obsolete(keys, [delivery.match, delivery.name, delivery.ply]))

    def postpone(self, delivery: Delivery, until: datetime, tries: FailedAttempts | None = None) -> None:
        """Reschedule the delivery. `tries` is given if it has failed."""
        shard = shard_of(delivery.match)
        with self._redis.pipeline(transaction=True) as pipeline:
            if tries:
                pipeline.hset(attempts_key(shard), outbox_member(delivery), msgspec.json.encode(tries))
            pipeline.zadd(outbox_key(shard), {outbox_member(delivery): to_milliseconds(until)}, xx=True)
            pipeline.delete(delivery_lease_key(delivery.match, delivery.id))
            pipeline.execute()

    def failed_attempts(self, delivery: Delivery) -> int:
        """Return how often the delivery has failed so far."""
        raw = self._redis.hget(attempts_key(shard_of(delivery.match)), outbox_member(delivery))
        return msgspec.json.decode(raw, type=FailedAttempts).count if raw else 0

    def records(self, match: str) -> dict[str, DeliveryRecord | None]:
        """Return the records of a match by delivery name. None: the delivery was not needed."""
        found = self._redis.hgetall(delivery_records_key(match))
        return {
            name.decode(): None if raw == NOT_NEEDED else msgspec.json.decode(raw, type=DeliveryRecord)
            for name, raw in found.items()
        }

    def _write_records(self, records: Sequence[tuple[Delivery, bytes]]) -> None:
        by_shard: dict[int, dict[Delivery, bytes]] = defaultdict(dict)
        for delivery, record in records:
            by_shard[shard_of(delivery.match)][delivery] = record
        for shard, completed in by_shard.items():
            # One transaction: if a full server rejects the records, the deliveries must stay in the outbox.
            with self._redis.pipeline(transaction=True) as pipeline:
                for delivery, record in completed.items():
                    pipeline.hset(delivery_records_key(delivery.match), delivery.name, record)
                self._remove(pipeline, shard, list(completed))
                pipeline.execute()

    def _remove(self, redis: Any, shard: int, deliveries: Sequence[Delivery]) -> None:
        members = [outbox_member(delivery) for delivery in deliveries]
        redis.zrem(outbox_key(shard), *members)
        redis.hdel(attempts_key(shard), *members)
        redis.execute_command("DEL", *(delivery_lease_key(delivery.match, delivery.id) for delivery in deliveries))


def outbox_member(delivery: Delivery) -> str:
    """Return the delivery's member in the outbox of its shard."""
    return f"{delivery.match}:{delivery.name}"


def parse_outbox_member(text: str) -> Delivery:
    """Return the delivery of an outbox member. Raises ValueError for an invalid text."""
    match, _, name = text.partition(":")
    return parse_delivery_name(match, name)
