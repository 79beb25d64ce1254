"""Whether a log server's append-only file may end inside a transaction, and how it is repaired.

The writes of an append are one transaction in the file. When a crash tears it, most servers cut the file off after the
last complete command, which leaves the beginning of the transaction (`MULTI`, `XADD`). The server's memory is correct.
But at the *next* start, the next transaction in the file completes the torn one: the torn event is carried out, and
takes the place of the event that was acknowledged since. Only a rewrite of the file removes the remains, because it is
written from memory.

So every new connection checks whether the server has restarted, and starts a rewrite before its first command.
`docs/decisions/0034` has the experiments.
"""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from redis.exceptions import BusyLoadingError, ResponseError

from service.event_store.errors import RewritingFile

FIRST_SAFE_VALKEY = (9, 1, 2)
"""Reverts a torn transaction as a whole. Valkey up to 9.1.1 and every tried Redis leave its beginning in the file."""
LAST_TRIED_VALKEY = (9, 1)
"""Later versions count as affected until they have been tried. For a safe version, a rewrite is merely unnecessary."""
MULTI_PART = (7, 0)
"""Since Redis 7.0, a rewrite begins a new file immediately, so nothing more is written after the torn transaction."""
REWRITE_WAIT_SECONDS = 1.0
"""How long a new connection waits for a rewrite to begin or, before Redis 7.0, to end."""
POLL_SECONDS = 0.01


class FileState(NamedTuple):
    """What INFO reports about a server process and its append-only file.

    `may_be_torn`: the file may still have the beginning of a torn transaction. `is_multi_part`: a rewrite begins a new
    file immediately, instead of replacing the file at its end.
    """

    run_id: str
    is_primary: bool
    is_loading: bool
    is_multi_part: bool
    may_be_torn: bool
    is_rewriting: bool
    last_rewrite_failed: bool


_settled_runs: set[str] = set()
"""Run ids of the servers whose files get nothing more after a torn transaction."""


def file_state(info: Mapping[str, Any]) -> FileState:
    """Return the state of a server's file from the fields of INFO."""

    def number(name: str, otherwise: int = 0) -> int:
        return int(info.get(name, otherwise))

    failed = str(info.get("aof_last_bgrewrite_status", "ok")) != "ok"
    was_rewritten = number("aof_last_rewrite_time_sec", -1) >= 0 and not failed  # -1: not since the server started
    return FileState(
        run_id=str(info.get("run_id", "")),
        is_primary=str(info.get("role")) == "master",
        is_loading=bool(number("loading")),
        is_multi_part=_version(info.get("redis_version")) >= MULTI_PART,
        may_be_torn=bool(number("aof_enabled")) and not was_rewritten and not reverts_torn_transactions(info),
        is_rewriting=bool(number("aof_rewrite_in_progress")),
        last_rewrite_failed=failed,
    )


def reverts_torn_transactions(info: Mapping[str, Any]) -> bool:
    """Return whether this version is known to remove a torn transaction from its file as a whole."""
    version = _version(info.get("valkey_version"))
    return version >= FIRST_SAFE_VALKEY and version[:2] <= LAST_TRIED_VALKEY


def rewrite_after_restart(connection: Any) -> None:
    """Start a rewrite if the server of this new redis-py connection has restarted and its file may be torn.

    Does nothing for an account without permission; the check before the first append then gives the reason. Raises
    RewritingFile if the connection can't be used yet, and redis-py's network errors.
    """
    try:
        run_id = _parse(_ask(connection, "INFO", "server")).get("run_id", "")
        if run_id in _settled_runs:
            return
        _settle(connection)
    except ResponseError:
        return


def prepare_connection(connection: Any) -> None:
    """Log in on a new redis-py connection, and then do `rewrite_after_restart`."""
    connection.on_connect()
    rewrite_after_restart(connection)


def _settle(connection: Any) -> None:
    """Make sure that nothing more is written after a torn transaction. Raises RewritingFile, ResponseError."""
    asked = False
    until = time.monotonic() + REWRITE_WAIT_SECONDS
    while True:
        state = file_state(_parse(_ask(connection, "INFO")))
        if state.is_loading:
            raise BusyLoadingError("The server is loading its file.")
        if not state.is_primary:
            return  # it accepts no writes; a replica's file is rewritten whenever it gets a full copy
        if not state.may_be_torn or (state.is_rewriting and state.is_multi_part):
            _settled_runs.add(state.run_id)
            return
        if not asked and not state.is_rewriting:
            asked = True
            if b"started" in _ask(connection, "BGREWRITEAOF") and state.is_multi_part:
                _settled_runs.add(state.run_id)  # even if the rewrite fails, it has begun a new file
                return
        if time.monotonic() > until:
            raise RewritingFile("The server has restarted and is rewriting its file.")
        time.sleep(POLL_SECONDS)


def _ask(connection: Any, *command: str) -> Any:
    connection.send_command(*command)
    return connection.read_response()


def _parse(info: bytes | str) -> dict[str, str]:
    """Return the fields of an INFO answer."""
    text = info.decode(errors="replace") if isinstance(info, bytes) else info
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line and not line.startswith("#"))


def _version(text: Any) -> tuple[int, ...]:
    """Return a version as numbers; (0,) if there is none."""
    parts = str(text or "0").split("-")[0].split(".")
    return tuple(int(part) for part in parts if part.isdecimal()) or (0,)
