"""The sentinels of a group of log servers: which server is the primary, and which are its replicas."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from redis import Redis
from redis.exceptions import ResponseError
from redis.sentinel import SentinelConnectionPool

from service.event_store.errors import REDIS_ERRORS

IN_PROGRESS = "INPROG"


class Address(NamedTuple):
    """The address of a server, as the sentinels know it."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return `host:port`."""
        return f"{self.host}:{self.port}"


class KnownReplica(NamedTuple):
    """A replica as a sentinel sees it. `priority` 0 means that Sentinel never promotes it."""

    address: Address
    priority: int
    is_down: bool


class GroupView(NamedTuple):
    """What the sentinels that answer know together."""

    primary: Address
    replicas: tuple[KnownReplica, ...]
    is_down: bool
    """Whether a quorum of sentinels agrees that the primary is down (`o_down`)."""
    is_failing_over: bool
    has_majority: bool
    """Whether more than half of the sentinels answered."""

    @property
    def servers(self) -> tuple[Address, ...]:
        """The addresses of all known servers, the primary first."""
        return (self.primary, *(replica.address for replica in self.replicas))


class SentinelGroup:
    """The sentinels of the service `name`, and connections to the servers that they watch."""

    def __init__(self, name: str, sentinels: list[Redis], connect_server: Callable[[Address], Redis]) -> None:
        self.name = name
        self._sentinels: list[Any] = list(sentinels)
        self._connect_server = connect_server
        self._servers: dict[Address, Redis] = {}

    def view(self) -> GroupView | None:
        """Return what the sentinels know, or None if none of them answers.

        They may disagree for a moment after a failover. The one with the newest configuration names the primary.
        """
        answers = list(self._answers())
        if not answers:
            return None
        newest, _ = max(answers, key=lambda answer: int(answer[0]["config-epoch"]))
        primary = _address(newest)
        current = [(state, replicas) for state, replicas in answers if _address(state) == primary]
        known: dict[Address, KnownReplica] = {}
        for replica in (replica for _, replicas in current for replica in replicas):
            other = known.get(replica.address, replica)
            known[replica.address] = KnownReplica(
                replica.address, max(replica.priority, other.priority), replica.is_down or other.is_down
            )
        known.pop(primary, None)
        flags = [state["flags"].split(",") for state, _ in current]
        return GroupView(
            primary,
            tuple(known[address] for address in sorted(known)),
            is_down=any("o_down" in each for each in flags),
            is_failing_over=any("failover_in_progress" in each for each in flags),
            has_majority=2 * len(answers) > len(self._sentinels),
        )

    def server(self, address: Address) -> Any:
        """Return a client of one server."""
        if address not in self._servers:
            self._servers[address] = self._connect_server(address)
        return self._servers[address]

    def fail_over(self) -> None:
        """Ask one sentinel after the other to promote the replica that has a priority, until one has begun.

        A sentinel refuses until it has read the new priority, so repeat this until the replica is promoted.
        """
        for sentinel in self._sentinels:
            try:
                sentinel.execute_command("SENTINEL", "FAILOVER", self.name)
            except ResponseError as refusal:
                if str(refusal).startswith(IN_PROGRESS):
                    return
            except REDIS_ERRORS:
                continue
            else:
                return

    def close(self) -> None:
        """Close all connections."""
        for client in (*self._sentinels, *self._servers.values()):
            client.close()

    def _answers(self) -> Iterator[tuple[dict[str, str], list[KnownReplica]]]:
        for sentinel in self._sentinels:
            with suppress(*REDIS_ERRORS):
                state = _pairs(sentinel.execute_command("SENTINEL", "MASTER", self.name))
                yield state, _replicas(sentinel, self.name)


def replica_priorities(redis: Any) -> dict[Address, int] | None:
    """Return the priority of each running replica as the sentinels of this client know it; None without Sentinel.

    Where sentinels disagree, this is the highest priority, because any of them may lead a failover.
    """
    pool = getattr(redis, "connection_pool", None)
    if not isinstance(pool, SentinelConnectionPool):
        return None
    found: dict[Address, int] = {}
    for sentinel in pool.sentinel_manager.sentinels:
        with suppress(*REDIS_ERRORS):
            for each in _replicas(sentinel, pool.service_name):
                if not each.is_down:
                    found[each.address] = max(each.priority, found.get(each.address, 0))
    return found


def _replicas(sentinel: Any, name: str) -> list[KnownReplica]:
    answer = sentinel.execute_command("SENTINEL", "REPLICAS", name)
    return [
        KnownReplica(_address(state), int(state["slave-priority"]), "s_down" in state["flags"])
        for state in map(_pairs, answer)
    ]


def _pairs(answer: list[bytes]) -> dict[str, str]:
    words = [word.decode(errors="replace") for word in answer]
    return dict(zip(words[::2], words[1::2], strict=True))


def _address(state: dict[str, str]) -> Address:
    return Address(state["ip"], int(state["port"]))
