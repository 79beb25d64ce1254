"""The client of the log.

`MatchLog` appends events with `append.lua` and reads them back. redis-py's own retries are off, because a repeated
command would store an event twice. `MatchLog` retries with the same command id, which the script recognises. Every
server error becomes a `LogUnavailable`, after which the same append may be repeated with the same command id until it
gets a definite answer.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha1
from importlib.resources import files
from typing import Any, TypeVar

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoScriptError

from service.event_store.connect import connect
from service.event_store.errors import (
    REDIS_ERRORS,
    CommandReused,
    LogDamaged,
    LogUnavailable,
    MatchNotFound,
    NotReplicated,
    RestartUnchecked,
    VersionConflict,
    is_transient,
    raise_as_unavailable,
    redis_errors_as_unavailable,
)
from service.event_store.keys import SHARDS, command_key, feed_key, is_match_id, log_key, seed_key, snapshot_key
from service.event_store.replication import ReplicatedWriter
from service.event_store.restart_check import RestartCheck
from service.event_store.wakeups import Wakeup, WakeupSubscription
from service.event_store.write_probe import shards_to_probe

__all__ = [
    "AppendResult",
    "CommandReused",
    "FeedItem",
    "LogDamaged",
    "LogTail",
    "LogUnavailable",
    "MatchLog",
    "MatchNotFound",
    "NotReplicated",
    "RememberedCommand",
    "StoredSnapshot",
    "VersionConflict",
    "Wakeup",
    "WakeupSubscription",
    "connect",
]

T = TypeVar("T")

APPEND_SCRIPT = files("service.event_store").joinpath("append.lua").read_text(encoding="utf-8")
APPEND_SCRIPT_SHA1 = sha1(APPEND_SCRIPT.encode(), usedforsecurity=False).hexdigest()

RETRY_PAUSES = (0.05, 0.1)
"""Maximum pauses before the second and third attempt, in seconds. The actual pause is random up to this limit."""
RETRY_WINDOW_SECONDS = 2.5
"""No attempt begins later than this many seconds after the first."""


class AppendResult(msgspec.Struct, frozen=True):
    """The result of an append: the plies of the command's first and last event.

    `is_duplicate`: the command was already carried out, by an earlier call or by an attempt of this call whose answer
    was lost. `first` and `last` are then the plies of that append.
    """

    first: int
    last: int
    is_duplicate: bool


class RememberedCommand(msgspec.Struct, frozen=True):
    """A completed command: the plies of its first and last event, and the digest of its payload."""

    first: int
    last: int
    payload: str


class LogTail(msgspec.Struct, frozen=True):
    """The event lines after a ply, and the requested command if the match has carried it out."""

    lines: list[bytes]
    remembered: RememberedCommand | None


class FeedItem(msgspec.Struct, frozen=True):
    """An append as announced in its shard's feed: the match and the plies of the first and last event."""

    position: int
    match: str
    first: int
    last: int


class StoredSnapshot(msgspec.Struct, frozen=True):
    """A cached position of a match: `raw` is the stored bytes, `version` their format."""

    ply: int
    version: str
    raw: bytes


class MatchLog:
    """The logs of all matches on one server, Sentinel group or cluster. Threads and greenlets may share it.

    Every method raises LogUnavailable when the server fails, and MatchNotFound for a malformed match id. An append
    that fewer than `replicas` replicas confirm raises NotReplicated. Commands that read or write seeds go through
    `seeds`, a client with its own account, if given.
    """

    def __init__(
        self, redis: "Redis | RedisCluster", replicas: int = 0, seeds: "Redis | RedisCluster | None" = None
    ) -> None:
        self._redis: Any = redis
        self._seeds: Any = seeds or redis
        self._writer = ReplicatedWriter(redis, replicas)
        self._unconfirmed = ReplicatedWriter(redis)
        self._seed_writer = ReplicatedWriter(self._seeds, replicas)
        self._restarts = RestartCheck(redis, APPEND_SCRIPT)

    def require_moves_allowed(self) -> None:
        """Check that every primary has been checked since it started, so that it accepts appends; check it if not.

        Raises RestartUnchecked with the reason, and LogUnavailable.
        """
        for shard in shards_to_probe(self._redis).values():
            self._with_retries(partial(self._append_nothing, shard))

    def shorten_next_check(self) -> None:
        """Keep the check after the next restart short: rewrite the server's file in the background if that is due.

        Raises LogUnavailable.
        """
        with redis_errors_as_unavailable():
            self._restarts.shorten_next()

    def _append_nothing(self, shard: int) -> None:
        """Run the script without effect: no ply equals "none"."""
        match = f"{shard:02}" + "a" * 16
        keys = (log_key(match), command_key(match), feed_key(shard))
        self._run_append(self._unconfirmed, keys, (match, "none", "", "", "", ""))

    def append(
        self,
        match: str,
        expected: int,
        lines: Sequence[bytes],
        *,
        command: str,
        payload: str,
        seed: bytes | None = None,
        head: str = "",
    ) -> AppendResult:
        """Append the event lines of one command after the ply `expected` (0: a new match), all or none.

        `command` identifies the command within the match; `payload` is a digest of its content. `seed` is stored with
        the first event. `head`, if given, is the hash that the event at `expected` must have. Raises VersionConflict
        if the match is at a different ply or has a different event there, and CommandReused if the command id was used
        with a different payload. After LogUnavailable it is unknown whether the events were appended.
        """
        if not lines:
            raise ValueError("An append needs at least one event.")
        _require_id(match)
        keys = (log_key(match), command_key(match), feed_key(int(match[:2])), *((seed_key(match),) if seed else ()))
        arguments = (match, expected, command, payload, seed.hex() if seed else "", head, *lines)
        writer = self._seed_writer if seed else self._writer
        status, *rest = self._with_retries(lambda: self._run_append(writer, keys, arguments))
        if status == b"CONFLICT":
            raise VersionConflict(expected, rest[0])
        first, last, found = rest
        if status == b"DUP" and found.decode() != payload:
            raise CommandReused("This idempotency key was already used for a different request. Use a new key.")
        return AppendResult(first, last, is_duplicate=status == b"DUP")

    def tail(self, match: str, after: int, command: str | None = None) -> LogTail:
        """Return the events after the ply `after` and the remembered command, in one round trip.

        A match that does not exist has no events. A remembered command is first confirmed on the replicas, because the
        caller treats it as acknowledged.
        """
        _require_id(match)

        if command is None:  # a pipeline of one command costs more than the command
            return LogTail(self.lines(match, after + 1), None)

        def read() -> Any:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.xrange(log_key(match), f"({after}-0", "+")
                pipeline.hget(command_key(match), command)
                return pipeline.execute()

        entries, found = self._with_retries(read)
        if found is not None:
            self.confirm_replicated(match, command)
        return LogTail(_require_lines(match, entries, after + 1), _parse_remembered(found))

    def confirm_replicated(self, match: str, command: str) -> None:
        """Wait until the replicas have this command's events and everything before them, if any are required.

        Events that too few replicas confirmed in time can still be read on the primary but may be lost. Raises
        NotReplicated, and LogUnavailable if the match has no such command, for instance after a failover.
        """
        if not self._writer.replicas:
            return
        # The script finds the command and writes it back. Without it nothing is appended, as no ply equals "none".
        arguments = (match, "none", command, "", "", "")
        keys = (log_key(match), command_key(match), feed_key(int(match[:2])))
        status, *_ = self._with_retries(lambda: self._run_append(self._writer, keys, arguments))
        if status != b"DUP":
            raise LogUnavailable("The log server has lost a command after a failover.")

    def tails(self, after: Mapping[str, int]) -> dict[str, list[bytes]]:
        """Return the event lines of several matches, each after its own ply, in one round trip. Skips damaged logs."""
        found = self.spans({match: (ply + 1, None) for match, ply in after.items()})
        return {match: lines for match, lines in found.items() if not isinstance(lines, LogDamaged)}

    def spans(self, wanted: Mapping[str, tuple[int, int | None]]) -> dict[str, list[bytes] | LogDamaged]:
        """Return the event lines, or the damage, of several matches from a first to a last ply, in one round trip."""

        def read() -> Any:
            with self._redis.pipeline(transaction=False) as pipeline:
                for match, (first, last) in wanted.items():
                    pipeline.xrange(log_key(match), f"{first}-0", "+" if last is None else f"{last}-0")
                return pipeline.execute()

        found: dict[str, list[bytes] | LogDamaged] = {}
        for match, entries in zip(wanted, self._with_retries(read) if wanted else [], strict=True):
            try:
                found[match] = _require_lines(match, entries, wanted[match][0])
            except LogDamaged as error:
                found[match] = error
        return found

    def lines(self, match: str, first: int = 1, last: int | None = None) -> list[bytes]:
        """Return the event lines from ply `first` to `last`, both included, or to the end if `last` is None."""
        _require_id(match)
        end = "+" if last is None else f"{last}-0"
        return _require_lines(
            match, self._with_retries(lambda: self._redis.xrange(log_key(match), f"{first}-0", end)), first
        )

    def seed(self, match: str) -> bytes:
        """Return the secret seed of the match. Raises MatchNotFound."""
        _require_id(match)
        seed = self._with_retries(lambda: self._seeds.get(seed_key(match)))
        if seed is None:
            raise MatchNotFound("There is no such match.")
        return bytes.fromhex(seed.decode())

    def write_snapshot(self, match: str, ply: int, version: str, raw: bytes) -> None:
        """Cache the position of the match at a ply, replacing the previous snapshot."""
        _require_id(match)
        fields = {"ply": ply, "version": version, "raw": raw}
        self._with_retries(lambda: self._redis.hset(snapshot_key(match), mapping=fields))

    def read_snapshot(self, match: str) -> StoredSnapshot | None:
        """Return the cached position of the match, if any."""
        _require_id(match)
        ply, version, raw = self._with_retries(lambda: self._redis.hmget(snapshot_key(match), "ply", "version", "raw"))
        return None if ply is None else StoredSnapshot(int(ply), version.decode(), raw)

    def feed(self, shard: int, after: int, count: int = 200) -> list[FeedItem]:
        """Return up to `count` appends that the shard announced after position `after`, oldest first."""
        return self.feeds({shard: after}, count)[shard]

    def feeds(self, positions: Mapping[int, int], count: int = 200) -> dict[int, list[FeedItem]]:
        """Return the same as `feed` for several shards, each after its own position, in one round trip."""

        def read() -> Any:
            with self._redis.pipeline(transaction=False) as pipeline:
                for shard, after in positions.items():
                    pipeline.xrange(feed_key(shard), f"({after}-0", "+", count=count)
                return pipeline.execute()

        found = self._with_retries(read) if positions else []
        return {
            shard: [_parse_feed_item(*entry) for entry in entries]
            for shard, entries in zip(positions, found, strict=True)
        }

    def feed_head(self, shard: int) -> int:
        """Return the position of the shard's newest announcement, or 0 if there is none."""
        newest = self._with_retries(lambda: self._redis.xrevrange(feed_key(shard), count=1))
        return _entry_number(newest[0][0]) if newest else 0

    def feed_heads(self) -> dict[int, int]:
        """Return `feed_head` of every shard, in one round trip."""

        def read() -> Any:
            with self._redis.pipeline(transaction=False) as pipeline:
                for shard in range(SHARDS):
                    pipeline.xrevrange(feed_key(shard), count=1)
                return pipeline.execute()

        found = self._with_retries(read)
        return {shard: _entry_number(newest[0][0]) if newest else 0 for shard, newest in enumerate(found)}

    def wakeups(self) -> WakeupSubscription:
        """Return a subscription to the hints of all appends, on its own connection: `with log.wakeups() as hints`."""
        return WakeupSubscription(self._redis)

    def ping(self) -> None:
        """Check that the server answers. Raises LogUnavailable."""
        self._with_retries(self._redis.ping)

    def _run_append(self, writer: ReplicatedWriter, keys: tuple[str, ...], arguments: tuple[Any, ...]) -> Any:
        """Run the script. If the primary doesn't know it, the primary has to be checked first; see `RestartCheck`."""
        command = ("EVALSHA", APPEND_SCRIPT_SHA1, len(keys), *keys, *arguments)
        try:
            answer = writer.run(keys[0], *command)
        except NoScriptError:
            self._restarts.admit(keys[0])
            try:
                answer = writer.run(keys[0], *command)
            except NoScriptError:
                raise RestartUnchecked("The log server has restarted, and its matches are being checked.") from None
        if answer[0] == b"DAMAGED":
            raise LogDamaged(f"The log of match {arguments[0]} is damaged, so nothing is appended to it.")
        return answer

    def _with_retries(self, call: Callable[[], T]) -> T:
        last_begin = time.monotonic() + RETRY_WINDOW_SECONDS
        for pause in RETRY_PAUSES:
            try:
                return call()
            except REDIS_ERRORS as error:
                if not is_transient(error) or time.monotonic() > last_begin:
                    raise_as_unavailable(error)
            time.sleep(random.uniform(0, pause))  # noqa: S311 -- jitter, no secret
        try:
            return call()
        except REDIS_ERRORS as error:
            raise_as_unavailable(error)


def _require_id(match: str) -> None:
    if not is_match_id(match):
        raise MatchNotFound("There is no such match.")


def _entry_number(entry_id: bytes) -> int:
    return int(entry_id.split(b"-")[0])


def _require_lines(match: str, entries: list[tuple[bytes, dict[bytes, bytes]]], first: int) -> list[bytes]:
    """Return the lines of the entries, numbered from `first` without a gap. Raises LogDamaged."""
    for ply, (entry_id, _) in enumerate(entries, first):
        if entry_id != b"%d-0" % ply:
            found = entry_id.decode()
            raise LogDamaged(f"The log of match {match} is damaged: entry {found} is in the place of event {ply}.")
    return [fields[b"e"] for _, fields in entries]


def _parse_remembered(value: bytes | None) -> RememberedCommand | None:
    if value is None:
        return None
    first, last, payload = value.decode().split(":", 2)
    return RememberedCommand(int(first), int(last), payload)


def _parse_feed_item(entry_id: bytes, fields: dict[bytes, bytes]) -> FeedItem:
    return FeedItem(_entry_number(entry_id), fields[b"m"].decode(), int(fields[b"f"]), int(fields[b"l"]))
