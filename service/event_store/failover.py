"""Failover of a Sentinel group without losing a confirmed write, even if not every replica confirms each one.

With three servers, a write is confirmed once the primary and one of two replicas have it. Sentinel chooses the replica
to promote by offsets that may be seconds old, and then overwrites the other one. So it could promote the replica that
lacks the last confirmed writes, and delete the only copy.

Therefore every server has `replica-priority 0`, so Sentinel promotes none of them. When the sentinels agree that the
primary is down, the guard first separates enough replicas from it, so that it can confirm nothing more. Then it
compares how far each has got, gives the most advanced one a priority, and asks Sentinel for the failover. "Enough" is
the number of servers minus the number of replicas that confirm a write: any such set contains a copy of every confirmed
write. With fewer, nothing is promoted, and moves wait. `docs/decisions/0036-three-servers.md` has the argument.

A server also starts separated (`--replicaof 127.0.0.1 1`), so that none returns as a second primary. If the primary
restarts, another server takes over. If the others restarted too and can't be compared, the primary continues.

Several guards may run. They compare copies that no longer change, so they choose the same one.
"""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from redis.exceptions import ResponseError

from service.event_store.errors import REDIS_ERRORS
from service.event_store.keys import FAILOVER_GUARD_KEY, SHARDS, feed_key
from service.event_store.sentinels import Address, GroupView, SentinelGroup

PROMOTABLE, NEVER_PROMOTED = 100, 0
"""Values of `replica-priority`."""
PROMOTION_SECONDS = 3.0
"""How long a comparison is valid. Longer than Sentinel needs to read a priority while the primary is down (1 s)."""
REATTACH_SECONDS = 7.0
"""How long a server stays separated from a primary that has returned: until no guard can act on a comparison made
before. Sentinel itself waits for 8 s."""
GUARD_SECONDS = 15
"""How long a guard counts as running after its last sign of life."""
TAKEOVER_POLL_SECONDS = 0.1
NOWHERE_PORT = 1
"""A separated server follows this port of a loopback address, where nothing listens. The address differs each time."""

Level = Literal["info", "warning", "error"]


class ReplicaState(NamedTuple):
    """How far a server has got: the id of the history that it follows, and how many bytes of it have been applied.

    If it has become a primary in the meantime, these are the numbers of its takeover, and `own_history` is the id of
    the history that it began.
    """

    address: Address
    history: str
    offset: int
    own_history: str = ""


class FailoverRefused(Exception):
    """No replica may be promoted now. The message says why and what to do."""


class FailoverGuard:
    """Watches one Sentinel group of `servers` servers, in which `replicas` replicas confirm each write."""

    def __init__(self, group: SentinelGroup, servers: int, replicas: int, report: Callable[[Level, str], None]) -> None:
        if not 1 <= replicas < servers:
            raise ValueError("At least one replica must confirm a write, and there must be that many.")
        self._group = group
        self._expected = servers
        self._needed = servers - replicas
        self._report = report
        self._last_text = ""
        self._separated_since: dict[Address, tuple[str, float]] = {}

    def step(self) -> None:
        """Check the group once, and do what is needed: prepare the servers, or fail over."""
        view = self._group.view()
        if view is None or not view.has_majority:
            self._say("warning", "Most sentinels don't answer, so nothing is promoted.")
        elif view.is_down or self._separation_of(view.primary):
            try:
                self._fail_over(view)
            except FailoverRefused as refusal:
                if not self._resume(view):
                    self._say("error", f"The primary {view.primary} is down and no replica is promoted: {refusal}")
        elif not view.is_failing_over:
            self._prepare(view)

    # -- while the primary is up ---------------------------------------------------------------------------------

    def _prepare(self, view: GroupView) -> None:
        """Make sure that Sentinel never promotes a server on its own, and attach separated replicas to the primary
        again."""
        reached = [view.primary, *(replica.address for replica in view.replicas if not replica.is_down)]
        forbidden = [self._forbid_promotion(address) for address in reached]
        if not all(forbidden):
            return
        if not any(replica.priority for replica in view.replicas):
            for address in reached[1:]:
                self._reattach(address, view.primary)
        with suppress(*REDIS_ERRORS):
            self._group.server(view.primary).set(FAILOVER_GUARD_KEY, int(time.time()), ex=GUARD_SECONDS)
        self._last_text = ""

    def _forbid_promotion(self, address: Address) -> bool:
        """Return whether the server answers and has priority 0."""
        server = self._group.server(address)
        try:
            if _read_priority(server) != NEVER_PROMOTED:
                _write_priority(server, NEVER_PROMOTED)
                self._say("info", f"Set replica-priority 0 on {address}, so that only a guard chooses what to promote.")
        except REDIS_ERRORS:
            return False
        return True

    def _reattach(self, address: Address, primary: Address) -> None:
        """Attach a replica to the primary if it has been separated for long enough."""
        found, now = self._separation_of(address), time.monotonic()
        if not found:
            self._separated_since.pop(address, None)
            return
        before, since = self._separated_since.get(address, ("", now))
        if before != found:
            since = now
        self._separated_since[address] = (found, since)
        if now - since >= REATTACH_SECONDS:
            with suppress(*REDIS_ERRORS):
                self._group.server(address).replicaof(*primary)
                self._say("info", f"{address} follows the primary {primary} again.")

    def _separation_of(self, address: Address) -> str:
        """Return the loopback address that a separated server follows, or nothing."""
        with suppress(*REDIS_ERRORS):
            return _separation(self._group.server(address).info("replication"))
        return ""

    # -- while the primary is down, or has restarted -------------------------------------------------------------

    def _fail_over(self, view: GroupView) -> None:
        """Promote the most advanced replica. Raises FailoverRefused if that is unknown."""
        if len(view.servers) > self._expected:
            raise FailoverRefused(
                f"the sentinels know {len(view.servers)} servers, but CRUMBTRAIL_LOG_SERVERS is {self._expected}. "
                "Remove old servers with SENTINEL RESET."
            )
        addresses = [replica.address for replica in view.replicas]
        states = self._require_enough(addresses, [self._state_of(address) for address in addresses])
        if view.is_failing_over and any(state.own_history for state in states):
            return  # Sentinel has promoted a server and is telling the others
        until = time.monotonic() + PROMOTION_SECONDS
        states = self._require_enough(addresses, [self._separate(address) for address in addresses])
        best = most_advanced(states)
        for state in states:
            self._set_priority(state.address, PROMOTABLE if state is best else NEVER_PROMOTED)
        lag = ", ".join(
            f"{each.address} lacks {best.offset - each.offset} bytes"
            for each in states
            if each.history == best.history and each.offset < best.offset
        )
        self._say("warning", f"The primary {view.primary} is down. Promoting {best.address}{lag and f'; {lag}'}.")
        if self._promote(best.address, until):
            self._check_takeover(best)

    def _resume(self, view: GroupView) -> bool:
        """Make a restarted primary the primary again, if it has everything that the other servers have.

        It has every confirmed write on its disk. The comparison protects against a primary with an empty one.
        """
        if view.is_down or view.is_failing_over:
            return False
        others = [replica.address for replica in view.replicas]
        try:
            ours = self._feed_lengths(view.primary)
            theirs = [self._feed_lengths(address) for address in others if self._is_loaded(address)]
            if not theirs or any(a < b for lengths in theirs for a, b in zip(ours, lengths, strict=True)):
                return False
            self._group.server(view.primary).replicaof("NO", "ONE")
        except REDIS_ERRORS:
            return False
        self._say("warning", f"{view.primary} restarted and is the primary again, since no replica can be compared.")
        return True

    def _is_loaded(self, address: Address) -> bool:
        with suppress(*REDIS_ERRORS):
            return not self._group.server(address).info("persistence")["loading"]
        return False

    def _feed_lengths(self, address: Address) -> list[int]:
        """Return how many announcements each shard has, which is how many appends it has seen."""
        with self._group.server(address).pipeline(transaction=False) as pipeline:
            for shard in range(SHARDS):
                pipeline.xlen(feed_key(shard))
            return list(map(int, pipeline.execute()))

    def _require_enough(self, addresses: list[Address], found: "list[ReplicaState | None]") -> "list[ReplicaState]":
        """Return the replicas that answered, if they include a copy of every confirmed write."""
        usable = [state for state in found if state is not None]
        if len(usable) < self._needed:
            missing = ", ".join(str(a) for a in addresses if a not in [state.address for state in usable])
            raise FailoverRefused(
                f"{len(usable)} of {self._expected} servers can be compared, but {self._needed} are needed to be sure "
                f"that no confirmed move is lost. Start the primary or {missing or 'the missing replica'}."
            )
        return usable

    def _state_of(self, address: Address) -> "ReplicaState | None":
        """Return how far a replica has got, or None if it does not answer or has no complete copy."""
        with suppress(*REDIS_ERRORS):
            return replica_state(address, self._group.server(address).info())
        return None

    def _separate(self, address: Address) -> "ReplicaState | None":
        """Separate a replica from the primary, and return how far it has got. Its copy then stays as it is.

        The new loopback address tells other guards that a comparison has begun.
        """
        with suppress(*REDIS_ERRORS):
            server = self._group.server(address)
            if server.info("replication")["role"] != "master":
                nowhere = f"127.{random.randrange(1, 255)}.{random.randrange(256)}.{random.randrange(1, 255)}"  # noqa: S311 -- no secret
                server.replicaof(nowhere, NOWHERE_PORT)
            found = server.info()
            if found["role"] == "master" or _separation(found):
                return replica_state(address, found)
        return None

    def _set_priority(self, address: Address, priority: int) -> None:
        try:
            _write_priority(self._group.server(address), priority)
        except REDIS_ERRORS:
            raise FailoverRefused(f"{address} stopped answering.") from None

    def _promote(self, address: Address, until: float) -> bool:
        """Let Sentinel promote the replica. Return whether it was promoted in time.

        Sentinel reads the new priority within a second, and refuses until then.
        """
        server = self._group.server(address)
        while time.monotonic() < until:
            self._group.fail_over()
            with suppress(*REDIS_ERRORS):
                if server.info("replication")["role"] == "master":
                    return True
            time.sleep(TAKEOVER_POLL_SECONDS)
        return False

    def _check_takeover(self, compared: "ReplicaState") -> None:
        """Report whether the new primary took over exactly what was compared, and forbid its later promotion."""
        server = self._group.server(compared.address)
        with suppress(*REDIS_ERRORS):
            now = server.info("replication")
            if (now["master_replid2"], now["second_repl_offset"]) == (compared.history, compared.offset + 1):
                self._say("info", f"{compared.address} is the primary now, with every confirmed move.")
            else:
                self._say(
                    "error", f"{compared.address} took over at a different point from the one compared. Run an audit."
                )
            _write_priority(server, NEVER_PROMOTED)

    def _say(self, level: Level, text: str) -> None:
        """Report something once, until something else is reported or the primary is up again."""
        if text != self._last_text:
            self._last_text = text
            self._report(level, text)


def replica_state(address: Address, info: dict[str, Any]) -> ReplicaState | None:
    """Return how far a server has got according to its INFO, or None if it has no complete copy to compare."""
    if info.get("loading") or info.get("master_sync_in_progress"):
        return None
    if info["role"] == "master":
        state = ReplicaState(
            address, info["master_replid2"], int(info["second_repl_offset"]) - 1, own_history=info["master_replid"]
        )
    else:
        state = ReplicaState(address, info["master_replid"], int(info["slave_repl_offset"]))
    return state if state.offset > 0 else None


def most_advanced(states: Sequence[ReplicaState]) -> ReplicaState:
    """Return the server with the most of the common history. Raises FailoverRefused if they do not share one."""
    promoted = [state for state in states if state.own_history]
    followers = {state.own_history for state in promoted}
    compared = [state for state in states if state.history not in followers]
    if len({state.history for state in compared}) != 1:
        names = " and ".join(str(state.address) for state in states)
        raise FailoverRefused(f"{names} followed different primaries and cannot be compared. Start the primary again.")
    return max(compared, key=lambda state: (state.offset, bool(state.own_history), state.address))


def _separation(info: dict[str, Any]) -> str:
    """Return the loopback address that a separated server follows, or nothing."""
    if info["role"] == "slave" and int(info["master_port"]) == NOWHERE_PORT:
        return str(info["master_host"])
    return ""


def _read_priority(server: Any) -> int:
    return int(server.config_get("replica-priority")["replica-priority"])


def _write_priority(server: Any, priority: int) -> None:
    """Set the priority, and save it in the server's settings file if there is one that the server may write."""
    server.config_set("replica-priority", priority)
    with suppress(ResponseError):
        server.config_rewrite()
