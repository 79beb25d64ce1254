"""Work queues: bot turns, deadlines, audits and disputes."""

from datetime import datetime, timedelta
from typing import NamedTuple

from redis import Redis, RedisCluster

from service.event_store.keys import SHARDS, projection_key
from service.read_models.shards import ShardReader, match_of_place
from service.read_models.summary import MatchSummary
from service.runtime.clock import to_milliseconds

MAX_WORK_PER_SHARD = 100
"""Maximum number of waiting matches of a shard that one query returns, so that a long queue stays fast to query."""


class WorkItem(NamedTuple):
    """A match waiting for a worker at this ply, and since when."""

    match: str
    ply: int
    since: datetime


class WorkLists:
    """Matches waiting for a worker or an arbiter."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._shards = ShardReader(redis)

    def due_bot_turns(self, before: datetime | None = None, now: datetime | None = None) -> list[WorkItem]:
        """Return matches in which a bot must move, longest waiting first.

        `before`: only those that have been waiting since before this time. `now`: also those waiting since a later
        time, which happens when the clock was set back.
        """
        return [
            WorkItem(row.id, row.ply, row.at) for row in self._waiting_since("due", before, now) if row.is_bot_to_move
        ]

    def expired_deadlines(self, now: datetime) -> list[WorkItem]:
        """Return matches in which the deadline of a seat, the lobby or a dispute has passed, earliest first."""
        ends = ((row, row.next_deadline) for row in self._waiting_since("expiring", now + timedelta(milliseconds=1)))
        found = [WorkItem(row.id, row.ply, end) for row, end in ends if end and end <= now]
        return sorted(found, key=lambda waiting: waiting.since)

    def unaudited_matches(self, before: datetime | None = None, now: datetime | None = None) -> list[WorkItem]:
        """Return finished matches without a verdict, longest waiting first. Parameters: see `due_bot_turns`."""
        return [WorkItem(row.id, row.ply, row.at) for row in self._waiting_since("unaudited", before, now)]

    def disputes_awaiting_verdict(self, before: datetime | None = None, now: datetime | None = None) -> list[WorkItem]:
        """Return disputes (`ply` is their number) without a verdict, longest waiting first. See `due_bot_turns`."""
        rows = self._waiting_since("unheard", before, now)
        return [WorkItem(row.id, number, row.at) for row in rows for number in row.unheard]

    def overlooked_disputes(self, before: datetime) -> list[WorkItem]:
        """Return finished matches with disputes whose row has no deadline for them.

        An earlier release wrote these rows. `before`: only those in which nothing has happened since this time.
        """
        rows = self.disputed_matches()
        return [
            WorkItem(row.id, row.ply, row.at)
            for row in rows
            if row.status == "over" and not row.archived and row.ruling_due is None and row.at < before
        ]

    def disputed_matches(self, limit: int = 500) -> list[MatchSummary]:
        """Return matches with unresolved disputes, longest waiting first."""
        places = self._shards.first_places("court:", limit)
        return [row for row in self._shards.load_summaries(map(match_of_place, places)) if row.disputes]

    def _waiting_since(self, name: str, before: datetime | None, now: datetime | None = None) -> list[MatchSummary]:
        spans = [("-inf", f"({to_milliseconds(before)}" if before else "+inf")]
        spans += [(f"({to_milliseconds(now)}", "+inf")] if before and now else []
        keys = [projection_key(shard, name) for shard in range(SHARDS)]
        queries = [(key, *span, "LIMIT", 0, MAX_WORK_PER_SHARD) for key in keys for span in spans]
        found = self._shards.read([("ZRANGEBYSCORE", *query) for query in queries])
        rows = self._shards.load_summaries(match.decode() for waiting in found for match in waiting)
        return sorted(rows, key=lambda row: row.at)
