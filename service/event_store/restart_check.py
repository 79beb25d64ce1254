"""The check of a primary that has restarted or was promoted, before it accepts its first append.

A server forgets its scripts when it exits. So `append.lua` is never sent with an append: it is loaded here, after the
primary has been checked, and every append names it by its digest. A primary that nobody has checked answers NOSCRIPT,
and the process that gets this answer checks it:

1. Its append-only file must have been rewritten since it started, if it may be torn (see `torn_files.py`).
2. Every match that the feeds have announced since the last completed rewrite is read and checked link by link.
3. Damaged matches are recorded. They accept no appends, and `crumbtrail doctor` names them.
4. Its run id is recorded, and the script is loaded on the same connection that has just named that run id.

One process checks at a time. The others wait briefly, and then refuse the append with RestartUnchecked.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from redis import Redis, RedisCluster
from redis.exceptions import NoPermissionError

from service.event_store.damaged_matches import check_matches
from service.event_store.errors import REDIS_ERRORS, LogUnavailable, RestartUnchecked
from service.event_store.keys import (
    SHARDS,
    command_key,
    feed_key,
    hash_tag,
    log_key,
    restart_check_key,
    restart_lock_key,
)
from service.event_store.torn_files import FileState, file_state

WAIT_SECONDS = 1.5
"""How long an append waits for the check. It is below the answer timeout of the log server."""
LEASE_SECONDS = 15
"""How long a check may show no sign of life before another process starts it again."""
POLL_SECONDS = 0.02
SHORTEN_AFTER = 10_000
"""After this many appends since the last completed rewrite, a check is followed by a rewrite, so that the next check is
short."""

SHORTEN_WHILE_RUNNING = 100_000
"""The same limit for a server that keeps running. Checking this many appends takes about four seconds."""

TAKE_LEASE = """
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, #ARGV[1] + 1) == ARGV[1] .. ' ' then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
"""Takes a lease for a run id (the first argument) unless a process holds it for the same run id."""
CHANGE_LEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('EXPIRE', KEYS[1], ARGV[2])
"""
"""Extends a lease by some seconds if it is still the caller's own; 0 ends it."""

logger = logging.getLogger("crumbtrail.log")


class _AnotherProcess(RestartUnchecked):
    """Another process is checking this primary."""


class ShardRecord(NamedTuple):
    """The run id under which a shard was last checked, and the feed position of the last completed rewrite."""

    run_id: str
    position: int


class _Task:
    """A check in a thread of its own. `error` is set before `done`."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.error: Exception | None = None


class RestartCheck:
    """Checks the primaries of one log and loads `script` into them. Threads and greenlets may share it."""

    def __init__(self, redis: "Redis | RedisCluster", script: str) -> None:
        self._redis: Any = redis
        self._script = script
        self._tasks: dict[str, _Task] = {}
        self._turn = threading.Lock()

    def admit(self, key: str) -> None:
        """Check the primary of this key and load the script into it, or wait until another process has done so.

        Raises RestartUnchecked if that takes longer or can't be done, LogUnavailable, and redis-py's errors.
        """
        name, node = self._primary(key)
        until = time.monotonic() + WAIT_SECONDS
        while True:
            task = self._start(name, node)
            if not task.done.wait(max(0.0, until - time.monotonic())):
                raise RestartUnchecked("The log server has restarted, and its matches are being checked.")
            if task.error is None:
                return
            if not isinstance(task.error, _AnotherProcess) or time.monotonic() > until:
                raise task.error
            time.sleep(POLL_SECONDS)

    def shorten_next(self, after: int = SHORTEN_WHILE_RUNNING) -> None:
        """Rewrite the files of primaries with more than `after` appends since the last rewrite, in the background.

        Raises redis-py's errors only if the shards of a cluster can't be found.
        """
        for name, node in dict(self._primary(hash_tag(shard)) for shard in range(SHARDS)).items():
            threading.Thread(target=self._shorten, args=(name, node, after), name="restart-check", daemon=True).start()

    def _shorten(self, name: str, node: Any, after: int) -> None:
        with suppress(RestartUnchecked, *REDIS_ERRORS):
            shorten_next_check(node, self._shards(name), after)

    def _primary(self, key: str) -> tuple[str, Any]:
        if not isinstance(self._redis, RedisCluster):
            return "", self._redis
        node = self._redis.get_node_from_key(key)
        return str(node.name), self._redis.get_redis_connection(node)

    def _shards(self, name: str) -> list[int]:
        """Return the shards of a primary."""
        if not isinstance(self._redis, RedisCluster):
            return list(range(SHARDS))
        return [shard for shard in range(SHARDS) if str(self._redis.get_node_from_key(hash_tag(shard)).name) == name]

    def _start(self, name: str, node: Any) -> _Task:
        """Return the running check of this primary, or a new one."""
        with self._turn:
            task = self._tasks.get(name)
            if task is None or task.done.is_set():
                task = self._tasks[name] = _Task()
                threading.Thread(target=self._run, args=(task, name, node), name="restart-check", daemon=True).start()
            return task

    def _run(self, task: _Task, name: str, node: Any) -> None:
        shards: list[int] = []
        checked = False
        try:
            shards = self._shards(name)
            checked = self._check(node, shards)
        except (LogUnavailable, *REDIS_ERRORS) as error:  # raised by the callers who wait for it
            task.error = error
        except Exception:
            logger.exception("the check after a restart of the log server failed")
            task.error = RestartUnchecked("The log server has restarted, and checking its matches failed.")
        finally:
            task.done.set()
        if checked:
            with suppress(RestartUnchecked, *REDIS_ERRORS):
                shorten_next_check(node, shards)

    def _check(self, node: Any, shards: Sequence[int]) -> bool:
        """Check the primary, unless this was done since it started, and load the script. Return whether it was new."""
        state = file_state(node.info())
        if not state.is_primary:
            raise RestartUnchecked("The log server is a replica, and accepts no moves.", "read_only")
        records = read_records(node, shards)
        stale = [shard for shard in shards if records[shard].run_id != state.run_id]
        if stale:
            with _lease(node, shards[0], state.run_id) as keep:
                _require_rewritten(node, state, keep)
                began = time.monotonic()
                found = check_matches(node, {shard: records[shard].position for shard in stale}, keep)
                with node.pipeline(transaction=False) as pipeline:
                    for shard in stale:
                        pipeline.hset(restart_check_key(shard), "run", state.run_id)
                    pipeline.execute()
                logger.info(
                    "checked the log server after its start: %d matches, %d damaged, %.1f s",
                    found.checked,
                    found.damaged,
                    time.monotonic() - began,
                )
        self._load(node, state.run_id, shards[0])
        return bool(stale)

    def _load(self, node: Any, run_id: str, shard: int) -> None:
        """Load the script on a connection to the process with this run id. If that process ends, so does this."""
        match = f"{shard:02}" + "a" * 16
        pool = node.connection_pool
        connection = pool.get_connection()
        try:
            connection.send_command("INFO", "server")
            if f"run_id:{run_id}\r" not in _as_text(connection.read_response()):
                raise RestartUnchecked("The log server has restarted again.")
            # No ply equals "none", so nothing is appended. SCRIPT LOAD would be replicated and stored by Redis 6.2.
            keys = (log_key(match), command_key(match), feed_key(shard))
            connection.send_command("EVAL", self._script, len(keys), *keys, match, "none", "", "", "", "")
            connection.read_response()
        finally:
            pool.release(connection)


def read_records(node: Any, shards: Sequence[int]) -> dict[int, ShardRecord]:
    """Return what is recorded about the shards. Without a record, everything in the shard has to be checked."""
    with node.pipeline(transaction=False) as pipeline:
        for shard in shards:
            pipeline.hmget(restart_check_key(shard), "run", "position")
        found = pipeline.execute()
    return {
        shard: ShardRecord((run or b"").decode(), int(position or 0))
        for shard, (run, position) in zip(shards, found, strict=True)
    }


def shorten_next_check(node: Any, shards: Sequence[int], after: int = SHORTEN_AFTER) -> bool:
    """Rewrite the primary's file if more than `after` appends would have to be checked after a restart.

    Returns whether it did. Raises RestartUnchecked if the rewrite failed, and redis-py's errors.
    """
    heads, records = _feed_heads(node, shards), read_records(node, shards)
    state = file_state(node.info())
    if sum(heads[shard] - records[shard].position for shard in shards) <= after or not state.is_primary:
        return False
    if not node.info("persistence").get("aof_enabled"):
        return False
    with _lease(node, shards[0], state.run_id) as keep:
        _rewrite(node, keep)
        with node.pipeline(transaction=False) as pipeline:
            for shard in shards:
                pipeline.hset(restart_check_key(shard), "position", heads[shard])
            pipeline.execute()
    return True


def _feed_heads(node: Any, shards: Sequence[int]) -> dict[int, int]:
    with node.pipeline(transaction=False) as pipeline:
        for shard in shards:
            pipeline.xrevrange(feed_key(shard), count=1)
        found = pipeline.execute()
    return {shard: int(each[0][0].split(b"-")[0]) if each else 0 for shard, each in zip(shards, found, strict=True)}


def _require_rewritten(node: Any, state: FileState, keep: Callable[[], None]) -> None:
    """Wait until the file has been rewritten since the server started, if it may be torn. Raises RestartUnchecked."""
    if not state.may_be_torn:
        return
    _await_rewrite(node, keep)
    if not file_state(node.info()).may_be_torn:
        return
    try:
        _rewrite(node, keep)
    except NoPermissionError:
        raise RestartUnchecked(
            "The log server has restarted, and its file must be rewritten before it accepts moves, but this account "
            "may not do that. Give it the permissions from `crumbtrail acl`, or run BGREWRITEAOF as the operator.",
            "permission",
        ) from None


def _rewrite(node: Any, keep: Callable[[], None]) -> None:
    """Rewrite the file from the beginning to the end. Raises RestartUnchecked if that fails, and redis-py's errors."""
    _await_rewrite(node, keep)
    node.bgrewriteaof()
    info = _await_rewrite(node, keep)
    if info.get("aof_last_bgrewrite_status") != "ok":
        raise RestartUnchecked(
            "The log server has restarted and failed to rewrite its file. Check its disk and its own log file.", "disk"
        )


def _await_rewrite(node: Any, keep: Callable[[], None]) -> dict[str, Any]:
    """Wait until no rewrite is running or scheduled, and return the server's INFO about its file."""
    while True:
        info: dict[str, Any] = node.info("persistence")
        if not info.get("aof_rewrite_in_progress") and not info.get("aof_rewrite_scheduled"):
            return info
        keep()
        time.sleep(POLL_SECONDS)


@contextmanager
def _lease(node: Any, shard: int, run_id: str) -> Iterator[Callable[[], None]]:
    """Hold the lease of the primary with this run id; the function that it yields extends the lease.

    A lease is replicated and stored like any key, so the primary may have that of an earlier run. Such a lease doesn't
    count. Raises _AnotherProcess if the lease is taken or lost. After a failure the lease is kept for a second, so that
    a rewrite that fails isn't started again and again.
    """
    key, owner = restart_lock_key(shard), f"{run_id} {secrets.token_hex(8)}"
    if not node.eval(TAKE_LEASE, 1, key, run_id, owner, LEASE_SECONDS):
        raise _AnotherProcess("The log server has restarted, and its matches are being checked.")
    extended_at = time.monotonic()

    def keep() -> None:
        nonlocal extended_at
        if time.monotonic() - extended_at > LEASE_SECONDS / 5:
            if not node.eval(CHANGE_LEASE, 1, key, owner, LEASE_SECONDS):
                raise _AnotherProcess("The log server has restarted, and another process is checking its matches.")
            extended_at = time.monotonic()

    try:
        yield keep
    except BaseException:
        with suppress(*REDIS_ERRORS):
            node.eval(CHANGE_LEASE, 1, key, owner, 1)
        raise
    node.eval(CHANGE_LEASE, 1, key, owner, 0)


def _as_text(answer: Any) -> str:
    return answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
