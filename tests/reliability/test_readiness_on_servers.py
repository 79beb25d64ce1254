"""`/readyz` gives the same reasons on every supported log server: each test puts a server into a state and also moves.

Runs on the embedded server, and on those that `CRUMBTRAIL_TEST_SERVERS` names. `tests/service/api/test_readiness.py`
has the details that don't depend on the version.
"""

import os
import resource
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis

from service.runtime import readiness
from tests.reliability.log_servers import LogServer, embedded_binary, other_binaries
from tests.service.api.builders import assert_problem
from tests.service.api.test_readiness import Table
from tests.waiting import wait_until

SERVERS = [embedded_binary(), *other_binaries()]
pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def short_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep results for a twentieth of a second, so that the tests need not wait for new ones."""
    monkeypatch.setattr(readiness, "CACHE_SECONDS", 0.05)


@pytest.fixture(params=[pytest.param(each, id=each.version) for each in SERVERS])
def server(request: pytest.FixtureRequest, short_dir: Any) -> Iterator[LogServer]:
    """A server of its own."""
    server = LogServer(request.param, short_dir / "log")
    server.start()
    yield server
    server.kill()


@pytest.fixture
def admin(server: LogServer) -> Iterator[Redis]:
    """The operator's connection to that server."""
    with server.raw() as client:
        yield client


@pytest.fixture
def new_table(server: LogServer) -> Iterator[Callable[..., Table]]:
    """Start a running match on the server."""
    tables: list[Table] = []

    def start(**settings: Any) -> Table:
        tables.append(Table(server.url, **settings).seat_players())
        return tables[-1]

    yield start
    for table in tables:
        table.services.runtime.redis.close()


def wait_until_ready(table: Table) -> None:
    """Wait until the server has been checked, and then move."""
    wait_until(lambda: table.ready().status_code == 200, 60)
    table.assert_ready()


def test_a_server_at_its_memory_limit_is_not_ready(new_table: Callable[..., Table], admin: Redis) -> None:
    table = new_table()
    wait_until_ready(table)
    admin.config_set("maxmemory", 1)
    assert table.assert_unready("memory")["faults"] == ["The log server is out of memory and accepts no writes."]
    assert_problem(table.move(), 503, "log_unavailable")
    admin.config_set("maxmemory", 0)
    wait_until_ready(table)


def test_a_read_only_replica_is_not_ready(new_table: Callable[..., Table], admin: Redis) -> None:
    table = new_table()
    wait_until_ready(table)
    admin.replicaof("127.0.0.1", "1")
    table.assert_unready("read_only", "not_durable")
    assert_problem(table.move(), 503, "log_unavailable")
    admin.replicaof("NO", "ONE")
    wait_until_ready(table)


def test_a_server_that_requires_replicas_and_has_none_is_not_ready(
    new_table: Callable[..., Table], admin: Redis
) -> None:
    table = new_table()
    wait_until_ready(table)
    admin.config_set("min-replicas-to-write", 1)
    found = table.assert_unready("replicas")
    assert found["faults"] == ["The log server has too few replicas connected and accepts no writes."]
    assert_problem(table.move(), 503, "log_unavailable")
    admin.config_set("min-replicas-to-write", 0)
    wait_until_ready(table)


def test_a_missing_confirmation_is_not_ready(new_table: Callable[..., Table], server: LogServer) -> None:
    """Given no replica at all, but one that must confirm each move, then /readyz says so."""
    wait_until_ready(new_table())
    table = Table(server.url, replicas=1)
    found = table.assert_unready("replicas")
    assert found["faults"][0] == "The write was confirmed by 0 of 1 required replicas."
    table.services.runtime.redis.close()


def test_a_server_that_hangs_is_not_ready(new_table: Callable[..., Table], server: LogServer) -> None:
    table = new_table()
    wait_until_ready(table)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        found = table.assert_unready("unreachable")
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert found["faults"] == ["The log server did not answer in time."]
    wait_until_ready(table)


def test_a_server_that_has_ended_and_returned_is_ready_once_it_was_checked(
    new_table: Callable[..., Table], server: LogServer
) -> None:
    table = new_table()
    wait_until_ready(table)
    server.kill()
    assert table.assert_unready("unreachable")["faults"] == ["The log server cannot be reached."]
    server.start()
    wait_until_ready(table)


def test_a_server_that_loads_its_file_is_not_ready(
    new_table: Callable[..., Table], server: LogServer, admin: Redis
) -> None:
    table = new_table()
    wait_until_ready(table)
    with admin.pipeline(transaction=False) as pipeline:
        for number in range(50_000):
            pipeline.set(f"filler:{number}", "x")
        pipeline.execute()
    server.kill()
    server.spawn("--key-load-delay", "80")  # microseconds for each entry: a big file on a slow disk
    wait_until(lambda: table.ready().json.get("reason") == "loading", 20)
    found = table.assert_unready("loading")
    assert found["faults"] == ["The log server is starting and still loading its data."]
    wait_until_ready(table)


def test_a_server_that_cannot_write_its_file_is_not_ready(
    new_table: Callable[..., Table], server: LogServer, admin: Redis
) -> None:
    """Given a log that syncs every second on a full disk, then it keeps running and refuses writes."""
    admin.config_set("appendfsync", "everysec")
    table = new_table(allow_fast=True)
    wait_until_ready(table)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    wait_until(lambda: table.ready().json.get("reason") == "disk", 20)
    table.assert_unready("disk", "not_durable")
    assert_problem(table.move(), 503, "log_unavailable")
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wait_until_ready(table)


def test_a_rejected_login_is_not_ready(new_table: Callable[..., Table], admin: Redis) -> None:
    table = new_table()
    wait_until_ready(table)
    admin.config_set("requirepass", "changed")
    admin.client_kill_filter(_type="normal", skipme=True)
    table.assert_unready("login")
    admin.config_set("requirepass", "")
    wait_until_ready(table)


def test_an_account_that_cannot_read_seeds_is_not_ready(
    new_table: Callable[..., Table], server: LogServer, admin: Redis
) -> None:
    admin.execute_command("ACL", "SETUSER", "seeds", "on", ">right", "+@all", "~*")
    table = new_table(seed_url=server.url.replace("unix://", "unix://seeds:right@"))
    wait_until_ready(table)
    admin.execute_command("ACL", "SETUSER", "seeds", "-get")
    table.assert_unready("permission")
    admin.execute_command("ACL", "SETUSER", "seeds", "+get")
    wait_until_ready(table)
