"""Three log servers with three sentinels and two failover guards, as in `docs/operations.md`."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from redis import Redis
from redis.exceptions import RedisError

from service.cli.listen import free_port
from service.event_store.embedded import DURABLE_SETTINGS, server_binary
from tests.reliability.accounts import LOG_SERVER, Accounts
from tests.reliability.one_way import OneWayProxy
from tests.reliability.servers import FAST_REPLICATION, Server, wait_until_equal

DOWN_AFTER = 1500
"""Milliseconds without an answer after which a sentinel counts a server as down."""

NOBODY = ("--replicaof", "127.0.0.1", "1")
"""Start as a replica of nothing, so that a returning server is never a second primary."""


class ConfiguredServer(Server):
    """A server with a settings file, which Sentinel and the guard rewrite, behind a proxy for everyone else."""

    proxy: OneWayProxy

    @property
    def announced_port(self) -> int:
        """The port under which the sentinels, the other servers and the clients know it."""
        if not hasattr(self, "proxy"):
            self.proxy = OneWayProxy(self.port)
        return self.proxy.port

    def start(self, *more: str) -> None:
        """Start or restart the server."""
        file = self.folder / "server.conf"
        if not file.exists():
            words = ("port", str(self.port), "dir", str(self.folder), "bind", "127.0.0.1", *FAST_REPLICATION)
            pairs = zip(words[::2], words[1::2], strict=True)
            settings = {**dict(pairs), **DURABLE_SETTINGS, "replica-priority": "0", "min-replicas-to-write": "1"}
            settings |= {"replica-announce-ip": "127.0.0.1", "replica-announce-port": str(self.announced_port)}
            file.write_text("".join(f"{name.lstrip('-')} {value or chr(34) * 2}\n" for name, value in settings.items()))
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [server_binary(), file, *self.settings[len(FAST_REPLICATION) :], *NOBODY, *more],
                stdout=output,
                stderr=output,
            )


class SentinelTrio:
    """A primary and two replicas, monitored by three sentinels and two guards."""

    name = "crumbs"
    group: ClassVar = {"CRUMBTRAIL_REPLICAS": "1", "CRUMBTRAIL_LOG_SERVERS": "3"}

    def __init__(self, folder: Path, guards: int = 2, priority: int = 0, accounts: Accounts | None = None) -> None:
        self.folder = folder
        self.accounts = accounts
        settings, login = (accounts.settings, accounts.admin) if accounts else ((), None)
        self.servers = [ConfiguredServer(folder, *settings, login=login) for _ in range(3)]
        for server in self.servers:
            server.redis.config_set("replica-priority", priority)
        first, *others = self.servers
        first.redis.execute_command("REPLICAOF", "NO", "ONE")
        for other in others:
            other.redis.execute_command("REPLICAOF", "127.0.0.1", first.announced_port)
        wait_until_equal(first.replicas, 2)
        self.sentinel_processes: list[subprocess.Popen[bytes]] = []
        self.sentinels: list[Any] = []
        for number in range(3):
            self._start_sentinel(folder / f"sentinel{number}.conf", first.announced_port)
        for sentinel in self.sentinels:
            wait_until_equal(lambda s=sentinel: s.sentinel_master(self.name)["num-slaves"], 2, 60)
            wait_until_equal(lambda s=sentinel: s.sentinel_master(self.name)["num-other-sentinels"], 2, 60)
        self.guards: list[subprocess.Popen[bytes]] = []
        for _ in range(guards):
            self.start_guard()

    def _start_sentinel(self, settings: Path, primary: int) -> None:
        port = free_port("127.0.0.1")
        settings.write_text(
            f"port {port}\nbind 127.0.0.1\n"
            f"sentinel monitor {self.name} 127.0.0.1 {primary} 2\n"
            f"sentinel down-after-milliseconds {self.name} {DOWN_AFTER}\n"
            f"sentinel failover-timeout {self.name} 6000\n"
        )
        if self.accounts:
            with settings.open("a") as file:
                user, password = self.accounts.sentinel
                file.write(f"sentinel auth-user {self.name} {user}\nsentinel auth-pass {self.name} {password}\n")
        with settings.with_suffix(".log").open("ab") as output:
            self.sentinel_processes.append(
                subprocess.Popen([server_binary(), settings, "--sentinel"], stdout=output, stderr=output)
            )
        self.sentinels.append(Redis(port=port, socket_timeout=5))
        wait_until_equal(self.sentinels[-1].ping, True)

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the service."""
        url = {"CRUMBTRAIL_LOG_URL": self.url}
        return {**self.group, **(self.accounts.urls_at(self.hosts, self.hosts) if self.accounts else url)}

    @property
    def hosts(self) -> str:
        """The addresses of the sentinels, as in a URL."""
        ports = (sentinel.connection_pool.connection_kwargs["port"] for sentinel in self.sentinels)
        return ",".join(f"127.0.0.1:{port}" for port in ports)

    @property
    def url(self) -> str:
        """The URL for clients, which leads to the current primary."""
        return f"sentinel+redis://{self.hosts}/{self.name}"

    def start_guard(self) -> None:
        """Start another guard."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
        url = self.accounts.guard_url.replace(LOG_SERVER, self.hosts) if self.accounts else self.url
        environment |= {**self.group, "CRUMBTRAIL_LOG_URL": url}
        with (self.folder / "guards").open("ab") as output:
            self.guards.append(
                subprocess.Popen(
                    [sys.executable, "-m", "service.cli", "failover-guard"],
                    env=environment,
                    stdout=output,
                    stderr=output,
                )
            )

    def guard_lines(self) -> str:
        """Return everything that the guards have logged."""
        lines = self.folder / "guards"
        return lines.read_text() if lines.exists() else ""

    def primary(self) -> ConfiguredServer:
        """Return the server that most sentinels report as primary."""
        ports = []
        for sentinel in self.sentinels:
            with suppress(RedisError):
                ports.append(int(sentinel.sentinel_get_master_addr_by_name(self.name)[1]))
        most = max(ports, key=ports.count)
        return next(server for server in self.servers if server.announced_port == most)

    def replicas(self) -> list[ConfiguredServer]:
        """Return the servers that are not the primary."""
        primary = self.primary()
        return [server for server in self.servers if server is not primary]

    def wait_until_whole(self) -> None:
        """Wait until the primary has both replicas and no server can be promoted without a guard.

        The primary counts a replica that still loads the data as being in sync, so the replicas are asked too.
        """
        wait_until_equal(lambda: self.primary().replicas(), 2, 60)
        wait_until_equal(
            lambda: [each.redis.info("replication").get("master_link_status") for each in self.replicas()],
            ["up"] * 2,
            60,
        )
        wait_until_equal(lambda: {self.priority_of(server) for server in self.servers}, {0}, 30)
        wait_until_equal(
            lambda: {r["slave-priority"] for s in self.sentinels for r in s.sentinel_slaves(self.name)}, {0}, 60
        )

    def priority_of(self, server: Server) -> int:
        """Return the priority with which Sentinel would promote the server."""
        return int(server.redis.config_get("replica-priority")["replica-priority"])

    def wait_until_seen_down(self, replica: ConfiguredServer) -> None:
        """Wait until every sentinel counts a replica as down."""

        def seen() -> bool:
            states = (state for sentinel in self.sentinels for state in sentinel.sentinel_slaves(self.name))
            return all("s_down" in state["flags"] for state in states if state["port"] == replica.announced_port)

        wait_until_equal(seen, True)

    def leave_behind(self, replica: Server, megabytes: int = 24) -> None:
        """Suspend a replica, and write more than the network's buffers hold, so that it misses what comes next."""
        replica.stall()
        for number in range(megabytes):
            self.primary().redis.set("padding", bytes([number]) * 1_000_000)

    def end(self) -> None:
        """Kill everything."""
        for process in (*self.guards, *self.sentinel_processes):
            process.kill()
            process.wait()
        for server in self.servers:
            server.kill()
            server.proxy.close()
