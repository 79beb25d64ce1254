"""Whether this process could accept a move now, and if not, why."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoPermissionError, ResponseError

from service.event_store.durability import DURABLE_MODES, DurabilityMode
from service.event_store.errors import (
    REDIS_ERRORS,
    LogUnavailable,
    MatchNotFound,
    UnavailableReason,
    raise_as_unavailable,
)
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from service.event_store.log_disk import LogDisk
from service.event_store.write_probe import ClockSkew, WriteProbe
from service.runtime.clock import Clock
from service.runtime.durability_status import DurabilityStatus
from service.runtime.settings import Settings

CACHE_SECONDS = 1.0
"""How long a result is valid, so that health checks write at most once a second per process."""
MAX_CLOCK_SKEW_SECONDS = 5.0
"""Moves are refused if this machine's clock differs from a log server's by more than this, in seconds. `crumbtrail
doctor` reports smaller differences."""

UnreadyReason = Literal[UnavailableReason, "settings", "clock"]
"""Why no move can be accepted, as one word."""

ADVICE: dict[UnreadyReason, str] = {
    "unreachable": "The log server doesn't answer. Check that it runs; its own log file says why it stopped.",
    "loading": "The log server is loading its file. Wait until it has finished; nothing is lost.",
    "memory": "The log server has reached its memory limit. Raise its `maxmemory`, or add memory.",
    "replicas": "Too few replicas confirm writes. Start the missing ones, and check that they reach the primary.",
    "disk": "The log server can't write to its disk. Free some space, or replace the disk.",
    "read_only": "The log server is a replica. Point CRUMBTRAIL_LOG_URL to the primary, or run REPLICAOF NO ONE on it.",
    "login": "The log server rejects the user name or password. Check CRUMBTRAIL_LOG_URL and CRUMBTRAIL_SEED_URL.",
    "permission": "The account lacks a permission. Give it the permissions from `crumbtrail acl`.",
    "cluster": "A part of the cluster is down or moving. Check `CLUSTER NODES`.",
    "restarted": "The log server has restarted, and its matches are checked before the first move. Wait a moment.",
    "damaged": "The log is damaged. `crumbtrail doctor` names the matches; restore them from a backup.",
    "other": "The log server refuses a command. Its own log file may say why.",
    "settings": "The log server may lose confirmed moves. `faults` lists the settings to change.",
    "clock": "The clocks differ, so events would get wrong times. Synchronise all clocks with NTP.",
}
"""What is wrong and what to do about it, by reason."""


class Problem(NamedTuple):
    """Something that keeps the service from accepting moves, in a word and in a sentence."""

    reason: UnreadyReason
    message: str


class Readiness(msgspec.Struct, frozen=True):
    """The result of a check: ready if `reason` is None.

    `durability` is None while the log server does not answer; `is_durable` says whether this mode is allowed.
    `problems` keep the service from accepting moves. `settings_faults` has a sentence for each wrong setting, including
    those that don't matter to moves.
    """

    reason: UnreadyReason | None
    durability: DurabilityMode | None
    is_durable: bool
    problems: tuple[Problem, ...]
    settings_faults: tuple[str, ...]
    servers: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """A sentence for each problem and each wrong setting."""
        return (*(problem.message for problem in self.problems), *self.settings_faults)

    @property
    def advice(self) -> str:
        """What is wrong and what to do about it; empty if moves can be accepted."""
        return ADVICE[self.reason] if self.reason else ""


class ReadinessCheck:
    """Checks whether a move could be accepted. Threads and greenlets may share it; one of them checks at a time."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        redis: "Redis | RedisCluster",
        log: MatchLog,
        durability_status: DurabilityStatus,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._redis = redis
        self._log = log
        self._durability = durability_status
        self._probe = WriteProbe(redis, settings.replicas)
        self.disk = LogDisk(settings.log_url)
        self._turn = threading.Lock()
        self._last: Readiness | None = None
        self._checked_at = float("-inf")

    def current(self) -> Readiness:
        """Return whether a move could be accepted, as found at most `CACHE_SECONDS` ago. Never raises."""
        with self._turn:
            if self._last is None or not self.valid_for():
                self._last = self.check()
                self._checked_at = time.monotonic()
            return self._last

    def valid_for(self) -> float:
        """Return how many seconds the last result remains valid, at least 0."""
        return max(0.0, self._checked_at + CACHE_SECONDS - time.monotonic())

    def check(self) -> Readiness:
        """Check now. Writes to every primary, unless its disk is known to be full. Never raises."""
        try:
            durability = self._durability.refresh()
            self._find_disk()
        except LogUnavailable as error:
            reason = "disk" if error.reason == "unreachable" and self.disk.is_full() else error.reason
            return Readiness(reason, None, False, (Problem(reason, str(error)),), (), ())
        is_durable = durability.mode in DURABLE_MODES or (durability.mode == "fast" and self._settings.allow_fast)
        found = list(self._problems())
        reasons = [*(problem.reason for problem in found), *(() if is_durable else ("settings",))]
        return Readiness(
            reason=reasons[0] if reasons else None,
            durability=durability.mode,
            is_durable=is_durable,
            problems=tuple(found),
            settings_faults=durability.faults,
            servers=durability.servers,
        )

    def _problems(self) -> Iterator[Problem]:
        """Yield what keeps this process from accepting a move, apart from the server's settings."""
        if self.disk.is_full():
            # With `appendfsync always`, the server would exit at the next write, so the probe must not be that write.
            yield Problem("disk", "The disk of the log server is full.")
            return
        failures = [Problem(error.reason, str(error)) for error in self._probe.failures()]
        yield from failures
        if failures:
            return
        try:
            self._log.require_moves_allowed()
            self._read_seed()
            skews = self._probe.clock_skews()
        except LogUnavailable as error:
            yield Problem(error.reason, str(error))
            return
        yield from clock_problems(skews)
        yield from self._own_clock_problems()

    def _find_disk(self) -> None:
        """Learn the data folder of a server on this machine. Without the permission to ask, it stays unknown."""
        if isinstance(self._redis, RedisCluster):
            return
        try:
            self.disk.find_folder(self._redis)
        except (NoPermissionError, ResponseError):
            return
        except REDIS_ERRORS as error:
            raise_as_unavailable(error)

    def _read_seed(self) -> None:
        """Read the seed of a match that doesn't exist, as each move reads the seed of its match."""
        with suppress(MatchNotFound):
            self._log.seed(new_match_id())

    def _own_clock_problems(self) -> Iterator[Problem]:
        """Yield a problem if the time can't be read, which is possible only with CRUMBTRAIL_CLOCK_FILE."""
        try:
            self._clock.now()
        except (OSError, ValueError) as error:
            yield Problem("clock", f"The time can't be read ({type(error).__name__}). Check CRUMBTRAIL_CLOCK_FILE.")


def clock_problems(skews: Iterable[ClockSkew]) -> Iterator[Problem]:
    """Yield a problem for each log server whose clock is too far from this machine's."""
    for server, seconds in skews:
        if abs(seconds) > MAX_CLOCK_SKEW_SECONDS:
            which = f"The clock of the log server at {server}" if server else "The log server's clock"
            yield Problem("clock", f"{which} differs by {seconds:+.0f} s from this machine's.")
