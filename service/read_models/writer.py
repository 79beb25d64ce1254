"""Writes the read models: `project.lua` applies each position of a shard's feed exactly once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha1
from importlib.resources import files
from itertools import islice
from typing import Any

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoScriptError

from domain.match.state import Notice
from service.event_store.keys import delivery_records_key, feed_key, log_key, outbox_key, verdict_key
from service.event_store.log import FeedItem
from service.notifications.outbox import encode_notices
from service.read_models.shards import ShardReader, projection_keys, try_twice
from service.read_models.summary import MatchSummary, index_entries, rated_result
from service.runtime.clock import to_milliseconds

PROJECT_SCRIPT = files("service.read_models").joinpath("project.lua").read_text(encoding="utf-8")
PROJECT_SCRIPT_SHA1 = sha1(PROJECT_SCRIPT.encode(), usedforsecurity=False).hexdigest()
UNREADABLE_ROW = b"?"
"""Passed to the script instead of the row of an unreadable match, or before the row if its game can't be used."""


class FeedGap(Exception):
    """The feed must be read again from `checkpoint`, because a position is missing or has changed.

    This position was not applied.
    """

    def __init__(self, position: int, checkpoint: int) -> None:
        super().__init__(f"position {position} cannot follow {checkpoint}")
        self.checkpoint = checkpoint


class ProjectionChange(msgspec.Struct, frozen=True):
    """A position of a shard's feed, with the new row of its match and the notices for its players.

    Without a row the match stays unchanged: either a later position has its row, or the match cannot be read. An
    unreadable match is marked (`is_unreadable`) for a process that can read it. That process may apply the position
    with a row later, although it is before the checkpoint. Until then its row has what is known without its game,
    and no work is due for it. A failover may have lost what was read, so a change is
    applied only if the feed has the `required_announcements` and the log has the event with `head_hash` at the row's
    ply.
    """

    position: int
    match: str
    row: MatchSummary | None
    notices: tuple[Notice, ...] = ()
    required_announcements: tuple[FeedItem, ...] = ()
    head_hash: str = ""
    is_unreadable: bool = False


class ProjectionWriter:
    """Writes the read models of all shards. Threads, greenlets and processes may share it."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._redis: Any = redis
        self._shards = ShardReader(redis)

    def apply_shards(self, changes: Mapping[int, Sequence[ProjectionChange]]) -> dict[int, list[bool] | FeedGap]:
        """Apply consecutive positions of the feeds of several shards, in one round trip.

        Returns for each shard which of its positions this call has applied, or the gap that stopped it. A gap in one
        shard does not stop the others.
        """
        runs = {shard: list(_group_changes(each)) for shard, each in changes.items()}
        calls = {shard: [self._script_call(shard, run) for run in each] for shard, each in runs.items()}
        answers = iter(try_twice(lambda: self._run_script(calls.values())))
        return {shard: _read_answers(each, list(islice(answers, len(each)))) for shard, each in runs.items()}

    def _script_call(self, shard: int, run: Sequence[ProjectionChange]) -> tuple[Any, ...]:
        """Return the script's keys and arguments for changes of which only the last may have a row."""
        change = run[-1]
        row = change.row
        verdict = verdict_key(change.match)
        keys = [*projection_keys(shard), outbox_key(shard), delivery_records_key(change.match), verdict]
        keys += [feed_key(shard), log_key(change.match)]
        working = None if change.is_unreadable else row
        due = to_milliseconds(working.at) if working and working.is_bot_to_move else ""
        over = to_milliseconds(working.at) if working and working.status == "over" else ""
        disputed = to_milliseconds(working.at) if working and working.unheard else ""
        due_at = working.next_deadline if working else None
        deadline = to_milliseconds(due_at) if due_at else ""
        raw = (UNREADABLE_ROW if change.is_unreadable else b"") + (msgspec.json.encode(row) if row else b"")
        result = rated_result(row) if row else None
        return (
            len(keys),
            *keys,
            change.position,
            change.match,
            raw,
            due,
            over,
            disputed,
            deadline,
            encode_notices(change.notices),
            b"%s:%s %s" % (result.game.encode(), result.order_key.encode(), msgspec.json.encode(result))
            if result
            else "",
            run[0].position,
            "\n".join(announcement_line(item) for each in run for item in each.required_announcements),
            f"{row.ply} {change.head_hash}" if row and change.head_hash else "",
            *(index_entries(row) if row else ()),
        )

    def _run_script(self, calls: Collection[Sequence[tuple[Any, ...]]]) -> list[Any]:
        """Run the script with all these calls, in order within each shard, and return the answers."""
        try:
            return self._shards.run_pipeline(
                [("EVALSHA", PROJECT_SCRIPT_SHA1, *call) for each in calls for call in each]
            )
        except NoScriptError:
            # The first call for a shard loads the script into that shard's server.
            firsts = [[("EVAL", PROJECT_SCRIPT, *call) for call in each[:1]] for each in calls]
            others = [[("EVALSHA", PROJECT_SCRIPT_SHA1, *call) for call in each[1:]] for each in calls]
            return self._shards.run_pipeline(
                [call for both in zip(firsts, others, strict=True) for each in both for call in each]
            )

    def reset(self, shard: int) -> None:
        """Delete the shard's projections, to rebuild them from position 1 of its feed."""
        try_twice(lambda: self._redis.unlink(*projection_keys(shard)))


def _group_changes(changes: Iterable[ProjectionChange]) -> Iterator[list[ProjectionChange]]:
    """Split consecutive changes into runs, each ending after a change with a row or an unreadable one."""
    run: list[ProjectionChange] = []
    for change in changes:
        run.append(change)
        if change.row is not None or change.is_unreadable:
            yield run
            run = []
    if run:
        yield run


def _read_answers(runs: Sequence[Sequence[ProjectionChange]], answers: Sequence[Any]) -> list[bool] | FeedGap:
    """Return which of a shard's changes were applied by this call, or the gap that stopped them."""
    applied: list[bool] = []
    for run, (status, checkpoint) in zip(runs, answers, strict=True):
        if status in (b"GAP", b"GONE"):
            return FeedGap(run[0].position, checkpoint)
        applied += [status == b"APPLIED" and change.position > checkpoint for change in run]
    return applied


def announcement_line(item: FeedItem) -> str:
    """Return an announcement in the script's format."""
    return f"{item.position} {item.match} {item.first} {item.last}"
