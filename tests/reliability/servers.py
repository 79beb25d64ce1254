"""Production-like servers: a cluster of three primaries with a replica each, and a pair monitored by a Sentinel."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from service.cli.listen import free_port
from service.event_store.embedded import DURABLE_SETTINGS, server_binary
from service.event_store.keys import hash_tag

NODE_TIMEOUT = 1500
"""Milliseconds without an answer after which a node counts as failed."""


FAST_REPLICATION = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
"""Start replication immediately instead of waiting for further replicas."""


class Login(NamedTuple):
    """The operator's account."""

    username: str
    password: str


class Server:
    """A running server on a port, which can be killed and restarted with the same data."""

    def __init__(self, folder: Path, *settings: str, login: Login | None = None, binary: Path | None = None) -> None:
        self.binary = binary or server_binary()
        self.port = free_port("127.0.0.1")
        self.folder = folder / str(self.port)
        self.folder.mkdir(parents=True)
        self.settings = (*FAST_REPLICATION, *settings)
        self.process: subprocess.Popen[bytes] | None = None
        self.redis = Redis(port=self.port, socket_timeout=5, **(login._asdict() if login else {}))
        self.start()
        wait_until_equal(self.redis.ping, True)

    def start(self, *more: str) -> None:
        """Start or restart the server."""
        durable = [word for name, value in DURABLE_SETTINGS.items() for word in (f"--{name}", value)]
        address = ("--port", str(self.port), "--dir", str(self.folder), "--bind", "127.0.0.1")
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [self.binary, *address, *durable, *self.settings, *more], stdout=output, stderr=output
            )

    def kill(self) -> None:
        """Kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.redis.connection_pool.disconnect()

    end = kill

    def stall(self) -> None:
        """Suspend it with open connections, like a machine that hangs."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)

    def wake(self) -> None:
        """Let a suspended server run again."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGCONT)

    def replicas(self) -> int:
        """Return the number of replicas that are in sync."""
        found = self.redis.info("replication")
        return sum(found[f"slave{n}"]["state"] == "online" for n in range(found["connected_slaves"]))

    def is_primary(self) -> bool:
        """Return whether the server reports the role of a primary."""
        return bool(self.redis.info("replication")["role"] == "master")


class Cluster:
    """Three primaries and three replicas."""

    def __init__(self, folder: Path, *settings: str, login: Login | None = None) -> None:
        self._login = login
        self.servers = [
            Server(
                folder,
                *("--cluster-enabled", "yes", "--cluster-port", str(free_port("127.0.0.1"))),
                *("--cluster-node-timeout", str(NODE_TIMEOUT), "--cluster-replica-validity-factor", "0"),
                *settings,
                login=login,
            )
            for _ in range(6)
        ]
        first = self.servers[0]
        for server in self.servers[1:]:
            bus = server.settings[server.settings.index("--cluster-port") + 1]
            first.redis.execute_command("CLUSTER MEET", "127.0.0.1", server.port, bus)
        for server, (low, high) in zip(self.servers, ((0, 5460), (5461, 10922), (10923, 16383)), strict=False):
            server.redis.execute_command("CLUSTER ADDSLOTSRANGE", low, high)
        for replica, primary in zip(self.servers[3:], self.servers, strict=False):
            wait_until_equal(lambda r=replica, p=primary: make_replica(r, self.id_of(p)), True)
        self.wait_until_whole()

    @property
    def url(self) -> str:
        """The URL for clients, with three of the nodes."""
        return f"cluster+redis://{self.nodes}"

    @property
    def nodes(self) -> str:
        """Three of the nodes, as in a URL."""
        return ",".join(f"127.0.0.1:{server.port}" for server in self.servers[::2])

    def id_of(self, server: Server) -> str:
        """Return the id of a node."""
        return decode_text(server.redis.execute_command("CLUSTER MYID"))

    def wait_until_whole(self) -> None:
        """Wait until every slot is served and each primary has its replica."""
        for server in self.servers:
            wait_until_equal(lambda s=server: s.redis.cluster("INFO")["cluster_state"], "ok")
        wait_until_equal(lambda: sorted(server.replicas() for server in self.servers), [0] * 3 + [1] * 3)

    def primary_of(self, shard: int) -> Server:
        """Return the node that owns the slot of a shard of the log."""
        return next(server for server in self.servers if server.process and self.owns(server, slot_of(shard)))

    def owns(self, server: Server, slot: int) -> bool:
        """Return whether the node reports that it owns the slot."""
        with suppress(RedisError):
            for low, high, owner, *_ in server.redis.execute_command("CLUSTER SLOTS"):
                if low <= slot <= high:
                    return decode_text(owner[2]) == self.id_of(server)
        return False

    def other_primary(self, than: Server) -> Server:
        """Return a different primary."""
        return next(server for server in self.servers if server is not than and server.is_primary())

    def fail_over(self, shard: int) -> None:
        """Kill the primary of a shard, and restart it once its replica has taken over."""
        dead, slot = self.primary_of(shard), slot_of(shard)
        dead.kill()
        wait_until_equal(lambda: any(self.owns(server, slot) for server in self.servers if server is not dead), True)
        dead.start()

    def move_shard(self, shard: int) -> Server:
        """Move a shard's slot to another primary as in `docs/operations.md`, and return the new owner."""
        source, slot = self.primary_of(shard), slot_of(shard)
        target = self.other_primary(source)
        with self.migrating_as_operator(source):
            source.redis.execute_command(
                "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", self.id_of(target)
            )
            wait_until_equal(lambda: self.owns(target, slot) and not self.owns(source, slot), True)
        return target

    @contextmanager
    def migrating_as_operator(self, source: Server) -> Iterator[None]:
        """Give a node the operator's account to migrate slots; a replica's account may not write to the target."""
        if self._login is None:
            yield
            return
        before = source.redis.config_get("masteruser", "masterauth")
        source.redis.config_set("masteruser", self._login.username, "masterauth", self._login.password)
        yield
        source.redis.config_set(*(word for pair in before.items() for word in pair))

    def move_shard_key_by_key(self, shard: int) -> Server:
        """Move a shard key by key, as Redis and older Valkey versions need; its slot is then briefly on both nodes."""
        source, slot = self.primary_of(shard), slot_of(shard)
        target = self.other_primary(source)
        target.redis.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", self.id_of(source))
        source.redis.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", self.id_of(target))
        while keys := source.redis.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 20):
            account = ("AUTH2", *self._login) if self._login else ()
            source.redis.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 2000, *account, "KEYS", *keys)
        for server in (target, source, *(s for s in self.servers if s.is_primary())):
            server.redis.execute_command("CLUSTER", "SETSLOT", slot, "NODE", self.id_of(target))
        return target

    def end(self) -> None:
        """Kill all servers."""
        for server in self.servers:
            server.kill()


class SentinelPair:
    """A primary and its replica, monitored by a Sentinel."""

    name = "crumbs"

    def __init__(self, folder: Path) -> None:
        self.servers = [Server(folder), Server(folder)]
        first, second = self.servers
        second.redis.execute_command("REPLICAOF", "127.0.0.1", first.port)
        wait_until_equal(first.replicas, 1)
        self.port = free_port("127.0.0.1")
        settings = folder / "sentinel.conf"
        settings.write_text(
            f"port {self.port}\nbind 127.0.0.1\n"
            f"sentinel monitor {self.name} 127.0.0.1 {first.port} 1\n"
            f"sentinel down-after-milliseconds {self.name} 1000\nsentinel failover-timeout {self.name} 5000\n"
        )
        self.process = subprocess.Popen([server_binary(), settings, "--sentinel"], stdout=subprocess.DEVNULL)
        self.sentinel = Redis(port=self.port)
        wait_until_equal(lambda: self.sentinel.sentinel_master(self.name)["num-slaves"], 1)

    @property
    def url(self) -> str:
        """The URL for clients, which leads to the current primary."""
        return f"sentinel+redis://127.0.0.1:{self.port}/{self.name}"

    def primary(self) -> Server:
        """Return the server that the Sentinel reports as primary."""
        _, port = self.sentinel.sentinel_get_master_addr_by_name(self.name)
        return next(server for server in self.servers if server.port == int(port))

    def wait_until_whole(self) -> None:
        """Wait until the primary has its replica."""
        wait_until_equal(lambda: self.primary().replicas(), 1, 40)

    def fail_over(self) -> None:
        """Kill the primary, and restart it as a replica once the other server has taken over.

        The Sentinel would also make it a replica, but later.
        """
        dead = self.primary()
        dead.kill()
        wait_until_equal(lambda: self.primary() is not dead, True)
        dead.start("--replicaof", f"127.0.0.1 {self.primary().port}")

    def end(self) -> None:
        """Kill all servers."""
        self.process.kill()
        self.process.wait()
        for server in self.servers:
            server.kill()


class Endable(Protocol):
    """Something that runs until `end` is called."""

    def end(self) -> None: ...


E = TypeVar("E", bound=Endable)


@contextmanager
def running(start: Callable[[Path], E]) -> Iterator[E]:
    """Start something in a new folder with a short path, and end it after the block."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    try:
        started = start(folder)
        try:
            yield started
        finally:
            started.end()
    finally:
        shutil.rmtree(folder)


def url_of(server: Server) -> str:
    """Return the URL of a server."""
    return f"redis://127.0.0.1:{server.port}/0"


def make_replica(replica: Server, primary: str) -> bool:
    """Make a node a replica. Return False if the node does not know the primary yet."""
    return decode_text(replica.redis.execute_command("CLUSTER REPLICATE", primary)) == "OK"


def slot_of(shard: int) -> int:
    """Return the hash slot of a shard."""
    return key_slot(hash_tag(shard).encode())


def decode_text(answer: Any) -> str:
    return answer.decode() if isinstance(answer, bytes) else str(answer) if answer is not True else "OK"


def wait_until_equal(do: Callable[[], object], what: object, seconds: float = 30) -> None:
    """Wait until a call returns a value."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            found = do()
        except RedisError as error:
            found = error
        if found == what:
            return
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
