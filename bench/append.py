"""Compares an append with a bare call of a Lua script with two XADDs, in pairs, with the same client and log.

An append takes a decided event, seals it into the hash chain, encodes it, and identifies the command and its payload by
digests. The script looks for the command, compares the expected ply and its hash, appends, remembers the command,
announces it on the feed, and wakes readers. This is one round trip, like the bare call.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from redis import Redis

from bench.load import free_port
from bench.measure import ROUNDS, Row, at_most, ratio
from domain.kernel.chance import Luck
from domain.kernel.event_codec import write_event
from domain.kernel.events import AnyEvent
from domain.kernel.hash_chain import seal_events
from domain.kernel.registry import find_game
from domain.match.commands import Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.lobby import create
from domain.match.luck import new_secrets, stored_secrets
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from service.matches.results import IdempotencyKey, payload_digest
from service.runtime.clock import SystemClock

BARE = """
redis.call('XADD', KEYS[1], '*', 'e', ARGV[1])
return redis.call('XADD', KEYS[2], '*', 'm', ARGV[2], 'f', ARGV[3], 'l', ARGV[3])
"""
PAIRS = {"everysec": 1500, "always": 150}
"""The number of pairs of calls in a round, by the setting of fsync."""
PLAYER = "p_0123456789abcdef"


def rows() -> Iterator[Row]:
    """Yield the median of both calls and their ratio, for each transport and fsync setting."""
    for transport in ("unix socket", "TCP"):
        for fsync in PAIRS:
            yield from paired(transport, fsync)


def paired(transport: str, fsync: str) -> Iterator[Row]:
    """Yield the figures of one setting."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        port = free_port("127.0.0.1") if transport == "TCP" else None
        server = stack.enter_context(EmbeddedServer(folder, port=port))
        client: Any = connect(server.url())
        plain = stack.enter_context(Redis.from_url(server.url()))
        client.config_set("appendfsync", fsync)
        bare, usual, ours = Bare(client), Bare(plain), Appender(MatchLog(client))
        medians = [middles((bare.call, usual.call, ours.call), PAIRS[fsync]) for _ in range(ROUNDS + 1)][1:]
        client.close()
    floor, redis_py, append = ([each[n] for each in medians] for n in range(3))
    how = f"{transport}, fsync {fsync}"
    yield Row(f"bare script with two XADDs: {how}", floor, "us")
    yield Row(f"the same by redis-py's own client: {how}", redis_py, "us")
    yield Row(f"append: {how}", append, "us")
    yield Row(f"append : bare script: {how}", ratio(append, floor), target=at_most(1.3))
    yield Row(f"append : bare script by redis-py's own client: {how}", ratio(append, redis_py))


def middles(calls: tuple[Callable[[], object], ...], times: int) -> list[float]:
    """Return the median duration in us of each call. The calls take turns."""
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(times):
        for call, durations in zip(calls, found, strict=True):
            start = time.perf_counter()
            call()
            durations.append((time.perf_counter() - start) * 1e6)
    return [statistics.median(durations) for durations in found]


class Bare:
    """Two XADDs in a script, with a line and an announcement as long as ours."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._script = client.script_load(BARE)
        self._line = write_event(first_move(new_match_id())[1][-1])

    def call(self) -> None:
        """Append once."""
        self._client.evalsha(self._script, 2, "{bare}:log", "{bare}:feed", self._line, PLAYER, 12)


class Appender:
    """Appends one move after another to one match, without checking that they are legal."""

    def __init__(self, log: MatchLog) -> None:
        self._log = log
        self._id = new_match_id()
        self._luck, events = first_move(self._id)
        lines = [write_event(event) for event in events[:-1]]
        log.append(self._id, 0, lines, command="0" * 64, payload="", seed=stored_secrets(self._luck))
        self._move, self._head, self._ply = events[-1], str(events[-2].hash), len(lines)

    def call(self) -> None:
        """Append one move."""
        wanted = Play(0, {"type": "mark", "cell": 4})
        by = IdempotencyKey(PLAYER, f"key {self._ply}")
        (event,) = seal_events([replace(self._move, ply=self._ply + 1)], self._head, self._luck)
        self._log.append(
            self._id,
            self._ply,
            [write_event(event)],
            command=by.digest().hex(),
            payload=payload_digest([self._id, wanted]),
            head=self._head,
        )
        self._head, self._ply = str(event.hash), self._ply + 1


def first_move(match: str) -> tuple[Luck, list[AnyEvent]]:
    """Return the luck of a tic-tac-toe match, and its events up to the first move."""
    luck, now = new_secrets(find_game("tic_tac_toe"), match, bytes(32), bytes(32)), SystemClock().now()
    seats = (SeatSpec("human", PLAYER), SeatSpec("human", PLAYER))
    wish = Create(match=match, game="tic_tac_toe", creator=PLAYER, options={}, seats=seats)
    begun, started = create(wish, now, luck)
    return luck, [*begun, *decide(started, Play(0, {"type": "mark", "cell": 4}), now, luck).events]
