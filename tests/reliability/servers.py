"""Servers as an operator runs them: a cluster of three primaries with a replica each, and a pair under a Sentinel."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from service.log.embedded import DURABLE, server_binary
from service.log.keys import tag

NODE_TIMEOUT = 1500
"""Milliseconds of silence after which the others take a node for dead."""


QUICK = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
"""A replica is served at once, without waiting whether another one comes."""


class Server:
    """One server on a port, to kill and to start again on the same data."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.port = free_port()
        self.folder = folder / str(self.port)
        self.folder.mkdir(parents=True)
        self.settings = settings
        self.process: subprocess.Popen[bytes] | None = None
        self.redis = Redis(port=self.port, socket_timeout=5)
        self.start()

    def start(self, *more: str) -> None:
        """Start, or start again."""
        durable = [word for name, value in DURABLE.items() for word in (f"--{name}", value)]
        address = ("--port", str(self.port), "--dir", str(self.folder), "--bind", "127.0.0.1")
        with (self.folder / "said").open("ab") as said:
            self.process = subprocess.Popen(
                [server_binary(), *address, *durable, *self.settings, *more], stdout=said, stderr=said
            )

    def kill(self) -> None:
        """Kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.redis.connection_pool.disconnect()

    def stall(self) -> None:
        """Stop it without closing anything, as a machine that hangs."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)

    def replicas(self) -> int:
        """How many replicas follow and have all that was before."""
        found = self.redis.info("replication")
        return sum(found[f"slave{n}"]["state"] == "online" for n in range(found["connected_slaves"]))

    def is_primary(self) -> bool:
        """Whether it says so itself."""
        return bool(self.redis.info("replication")["role"] == "master")


class Cluster:
    """Three primaries and three replicas."""

    def __init__(self, folder: Path) -> None:
        self.servers = [
            Server(
                folder,
                *("--cluster-enabled", "yes", "--cluster-port", str(free_port())),
                *("--cluster-node-timeout", str(NODE_TIMEOUT), "--cluster-replica-validity-factor", "0"),
                *QUICK,
            )
            for _ in range(6)
        ]
        first = self.servers[0]
        for server in self.servers:
            until(server.redis.ping, True)
        for server in self.servers[1:]:
            bus = server.settings[server.settings.index("--cluster-port") + 1]
            first.redis.execute_command("CLUSTER MEET", "127.0.0.1", server.port, bus)
        for server, (low, high) in zip(self.servers, ((0, 5460), (5461, 10922), (10923, 16383)), strict=False):
            server.redis.execute_command("CLUSTER ADDSLOTSRANGE", low, high)
        for replica, primary in zip(self.servers[3:], self.servers, strict=False):
            until(lambda r=replica, p=primary: follow(r, self.id_of(p)), True)
        self.until_whole()

    @property
    def url(self) -> str:
        """Where a client begins: at any of three nodes."""
        return "cluster+redis://" + ",".join(f"127.0.0.1:{server.port}" for server in self.servers[::2])

    def id_of(self, server: Server) -> str:
        """The node's own id."""
        return text(server.redis.execute_command("CLUSTER MYID"))

    def until_whole(self) -> None:
        """Wait until every slot is served and each primary has its replica."""
        for server in self.servers:
            until(lambda s=server: s.redis.cluster("INFO")["cluster_state"], "ok")
        until(lambda: sorted(server.replicas() for server in self.servers), [0] * 3 + [1] * 3)

    def primary_of(self, shard: int) -> Server:
        """The node that has the slot of a shard of the log."""
        return next(server for server in self.servers if server.process and self.owns(server, slot_of(shard)))

    def owns(self, server: Server, slot: int) -> bool:
        """Whether the node says that the slot is its own."""
        with suppress(RedisError):
            for low, high, owner, *_ in server.redis.execute_command("CLUSTER SLOTS"):
                if low <= slot <= high:
                    return text(owner[2]) == self.id_of(server)
        return False

    def another_primary(self, than: Server) -> Server:
        """A primary that is not this one."""
        return next(server for server in self.servers if server is not than and server.is_primary())

    def move_shard(self, shard: int) -> Server:
        """Move a shard's slot to another primary, as `docs/operations.md` says; gives the new owner."""
        source, slot = self.primary_of(shard), slot_of(shard)
        target = self.another_primary(source)
        source.redis.execute_command("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", self.id_of(target))
        until(lambda: self.owns(target, slot) and not self.owns(source, slot), True)
        return target

    def move_shard_key_by_key(self, shard: int) -> Server:
        """The same in the old way, for Redis and older Valkeys: the slot is half here and half there for a moment."""
        source, slot = self.primary_of(shard), slot_of(shard)
        target = self.another_primary(source)
        target.redis.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", self.id_of(source))
        source.redis.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", self.id_of(target))
        while keys := source.redis.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 20):
            source.redis.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 2000, "KEYS", *keys)
        for server in (target, source, *(s for s in self.servers if s.is_primary())):
            server.redis.execute_command("CLUSTER", "SETSLOT", slot, "NODE", self.id_of(target))
        return target

    def end(self) -> None:
        """Kill all."""
        for server in self.servers:
            server.kill()


class Watched:
    """A primary and its replica under the eyes of a Sentinel."""

    name = "crumbs"

    def __init__(self, folder: Path) -> None:
        self.servers = [Server(folder, *QUICK), Server(folder, *QUICK)]
        first, second = self.servers
        for server in self.servers:
            until(server.redis.ping, True)
        second.redis.execute_command("REPLICAOF", "127.0.0.1", first.port)
        until(first.replicas, 1)
        self.port = free_port()
        settings = folder / "sentinel.conf"
        settings.write_text(
            f"port {self.port}\nbind 127.0.0.1\n"
            f"sentinel monitor {self.name} 127.0.0.1 {first.port} 1\n"
            f"sentinel down-after-milliseconds {self.name} 1000\nsentinel failover-timeout {self.name} 5000\n"
        )
        self.process = subprocess.Popen([server_binary(), settings, "--sentinel"], stdout=subprocess.DEVNULL)
        self.sentinel = Redis(port=self.port)
        until(lambda: self.sentinel.sentinel_master(self.name)["num-slaves"], 1)

    @property
    def url(self) -> str:
        """How a client finds the primary."""
        return f"sentinel+redis://127.0.0.1:{self.port}/{self.name}"

    def primary(self) -> Server:
        """The server that the Sentinel names."""
        _, port = self.sentinel.sentinel_get_master_addr_by_name(self.name)
        return next(server for server in self.servers if server.port == int(port))

    def until_whole(self) -> None:
        """Wait until the primary has its replica."""
        until(lambda: self.primary().replicas(), 1, 40)

    def start_again(self, server: Server) -> None:
        """Start a server that was killed, as the replica that it is now; the Sentinel would see to it by and by."""
        server.start("--replicaof", f"127.0.0.1 {self.primary().port}")

    def end(self) -> None:
        """Kill all."""
        self.process.kill()
        self.process.wait()
        for server in self.servers:
            server.kill()


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A cluster until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.end()
        shutil.rmtree(folder)


@contextmanager
def running_pair() -> Iterator[Watched]:
    """A pair under a Sentinel until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    pair = Watched(folder)
    try:
        yield pair
    finally:
        pair.end()
        shutil.rmtree(folder)


@contextmanager
def running_server(*settings: str) -> Iterator[Server]:
    """One server until the block ends, for a queue."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    server = Server(folder, *QUICK, *settings)
    try:
        until(server.redis.ping, True)
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)


def follow(replica: Server, primary: str) -> bool:
    """Make a node a replica; the others have to be known to it first."""
    return text(replica.redis.execute_command("CLUSTER REPLICATE", primary)) == "OK"


def slot_of(shard: int) -> int:
    """The hash slot of a shard."""
    return key_slot(tag(shard).encode())


def text(answer: Any) -> str:
    return answer.decode() if isinstance(answer, bytes) else str(answer) if answer is not True else "OK"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def until(do: Callable[[], object], what: object, seconds: float = 30) -> None:
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
