"""`/readyz` answers 200 if and only if a move could be accepted: each test puts a real server into a state and also
moves."""

import logging
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import UnavailableReason
from service.event_store.keys import probe_key
from service.event_store.log_disk import is_on_this_machine
from service.runtime import readiness
from service.runtime.readiness import ADVICE, CACHE_SECONDS
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.reliability.servers import Server, running, url_of
from tests.service.api.builders import Person, assert_problem, mark_cell, started_match
from tests.waiting import wait_until


@pytest.fixture(autouse=True)
def short_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep results for a twentieth of a second, so that the tests need not wait for new ones."""
    monkeypatch.setattr(readiness, "CACHE_SECONDS", 0.05)


class Table:
    """A running match on an application, and the results of its health check."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.services = build_services(Settings(log_url=url, **settings))
        self.app: Flask = create_app(self.services)
        self.match = ""
        self.players: tuple[Person, ...] = ()

    def seat_players(self) -> "Table":
        """Start a match of two players."""
        self.match, self.players = started_match(self.app)
        return self

    def ready(self) -> Any:
        """Ask /readyz for a result that is not older than this request."""
        time.sleep(max(0.0, self.services.runtime.readiness.valid_for()))
        return self.app.test_client().get("/readyz")

    def assert_ready(self) -> None:
        """Assert that /readyz answers 200 and that a move is taken."""
        answer = self.ready()
        assert answer.status_code == 200, answer.text
        assert self.move().status_code == 201

    def assert_unready(self, reason: str, code: str = "log_unavailable") -> dict[str, Any]:
        """Assert that /readyz answers 503 with this reason and advice, and return the problem document."""
        answer = self.ready()
        assert (answer.status_code, answer.mimetype) == (503, "application/problem+json"), answer.text
        found: dict[str, Any] = answer.json
        assert (found["code"], found["reason"]) == (code, reason), found
        assert found["detail"] == ADVICE[reason]  # type: ignore[index]
        assert answer.headers["Retry-After"] == str(found["retry_after"])
        return found

    def move(self) -> Any:
        """Mark the next free cell for the player to move."""
        ann, bob = self.players
        ply = ann.get(f"/matches/{self.match}").json["ply"] if self.log_answers() else 4
        return mark_cell((ann, bob)[ply % 2], self.match, ply - 4)

    def log_answers(self) -> bool:
        """Return whether the match can be read."""
        return bool(self.players[0].get(f"/matches/{self.match}").status_code == 200)


@pytest.fixture
def table(own_server: EmbeddedServer) -> Iterator[Table]:
    """A running match on a server of its own."""
    table = Table(own_server.url()).seat_players()
    yield table
    table.services.runtime.redis.close()


@pytest.fixture
def admin(own_server: EmbeddedServer) -> Iterator[Redis]:
    """The operator's connection to that server."""
    with Redis(unix_socket_path=str(own_server.socket_path)) as client:
        yield client


def test_a_healthy_log_is_ready(table: Table) -> None:
    table.assert_ready()


def test_a_server_at_its_memory_limit_is_not_ready(
    table: Table, admin: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    admin.config_set("maxmemory", 1)
    found = table.assert_unready("memory")
    assert found["faults"] == ["The log server is out of memory and accepts no writes."]
    assert "maxmemory" in found["detail"]
    with caplog.at_level(logging.WARNING, "crumbtrail.access"):
        assert_problem(table.move(), 503, "log_unavailable")
    assert caplog.messages[-1] == "unavailable (503): memory: The log server is out of memory and accepts no writes."
    admin.config_set("maxmemory", 0)
    table.assert_ready()


def test_a_read_only_replica_is_not_ready(table: Table, admin: Redis) -> None:
    admin.replicaof("127.0.0.1", "1")
    found = table.assert_unready("read_only", "not_durable")
    assert "REPLICAOF NO ONE" in found["detail"]
    assert_problem(table.move(), 503, "log_unavailable")
    admin.replicaof("NO", "ONE")
    table.assert_ready()


def test_a_server_that_requires_replicas_and_has_none_is_not_ready(table: Table, admin: Redis) -> None:
    admin.config_set("min-replicas-to-write", 1)
    found = table.assert_unready("replicas")
    assert found["faults"] == ["The log server has too few replicas connected and accepts no writes."]
    assert_problem(table.move(), 503, "log_unavailable")
    admin.config_set("min-replicas-to-write", 0)
    table.assert_ready()


@pytest.mark.full
def test_a_server_that_hangs_is_not_ready(table: Table, own_server: EmbeddedServer) -> None:
    """Given a server that keeps its connections but answers nothing, then /readyz answers within its timeouts."""
    assert own_server.pid is not None
    os.kill(own_server.pid, signal.SIGSTOP)
    began = time.monotonic()
    found = table.assert_unready("unreachable")
    assert time.monotonic() - began < 12
    os.kill(own_server.pid, signal.SIGCONT)
    assert found["faults"] == ["The log server did not answer in time."]
    table.assert_ready()


def test_every_503_has_a_log_line_with_its_cause(
    table: Table, admin: Redis, own_server: EmbeddedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a log that fails, then requests to the API, pages and health checks leave a line that says why."""
    client = table.app.test_client()
    admin.config_set("min-replicas-to-write", 1)
    caplog.set_level(logging.WARNING, "crumbtrail.access")
    assert_problem(table.move(), 503, "log_unavailable")
    assert table.ready().status_code == 503
    admin.config_set("min-replicas-to-write", 0)
    own_server.kill()
    assert client.get("/").status_code == 503
    few = "replicas: The log server has too few replicas connected and accepts no writes."
    gone = "unreachable: The log server cannot be reached."
    assert caplog.messages == [f"unavailable (503): {cause}" for cause in (few, few, gone)]
    routes = [record.fields["route"] for record in caplog.records]  # type: ignore[attr-defined]
    assert routes == ["/api/v1/matches/<match>/moves", "/readyz", "/"]


def test_every_reason_has_advice() -> None:
    assert set(ADVICE) == {*get_args(UnavailableReason), "settings", "clock"}


@pytest.mark.full
def test_a_missing_replica_is_reported_until_it_is_back() -> None:
    """Given a service whose moves a replica must confirm, then it is ready only while the replica does."""
    with running(Server) as primary, running(Server) as replica:
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until(lambda: primary.replicas() == 1, 30)
        table = Table(url_of(primary), replicas=1).seat_players()
        table.assert_ready()
        replica.stall()
        found = table.assert_unready("replicas")
        assert found["faults"][0] == "The write was confirmed by 0 of 1 required replicas."
        assert_problem(table.move(), 503, "log_unavailable")
        assert replica.process is not None
        os.kill(replica.process.pid, signal.SIGCONT)
        wait_until(lambda: table.ready().status_code == 200, 30)
        table.services.runtime.redis.close()


@pytest.mark.full
def test_a_server_that_loads_its_file_is_not_ready() -> None:
    """Given a file that takes seconds to load, then /readyz says so until it is loaded."""
    with running(Server) as server:
        table = Table(url_of(server)).seat_players()
        with server.redis.pipeline(transaction=False) as pipeline:
            for number in range(50_000):
                pipeline.set(f"filler:{number}", "x")
            pipeline.execute()
        server.kill()
        server.start("--key-load-delay", "80")  # microseconds for each entry: a big file on a slow disk
        wait_until(lambda: table.ready().json.get("reason") == "loading", 60)
        found = table.assert_unready("loading")
        assert found["faults"] == ["The log server is starting and still loading its data."]
        served = table.app.test_client().get("/metrics").get_data(as_text=True)
        assert 'crumbtrail_log_loading{server="log"} 1.0' in served
        assert "crumbtrail_log_memory_used_bytes" in served
        wait_until(lambda: table.ready().status_code == 200, 60)
        table.assert_ready()
        table.services.runtime.redis.close()


@pytest.mark.full
def test_a_server_that_cannot_write_its_file_is_not_ready(own_server: EmbeddedServer, admin: Redis) -> None:
    """Given a log that syncs every second on a full disk, then it keeps running and refuses writes."""
    admin.config_set("appendfsync", "everysec")
    table = Table(own_server.url(), allow_fast=True).seat_players()
    table.assert_ready()
    limit_file_size(own_server, 1)
    wait_until(lambda: table.ready().json.get("reason") == "disk", 60)
    table.assert_unready("disk", "not_durable")
    assert_problem(table.move(), 503, "log_unavailable")
    limit_file_size(own_server, resource.RLIM_INFINITY)
    wait_until(lambda: table.ready().status_code == 200, 30)
    table.assert_ready()
    table.services.runtime.redis.close()


@pytest.mark.full
def test_a_durable_server_on_a_full_disk_exits_and_is_not_ready(table: Table, own_server: EmbeddedServer) -> None:
    """Given `appendfsync always`, then the server exits rather than acknowledge a write that it can't store."""
    table.assert_ready()
    limit_file_size(own_server, 1)
    table.assert_unready("unreachable")
    wait_until(lambda: own_server.pid is None, 60)
    own_server.start()
    wait_until(lambda: table.ready().status_code == 200, 60)
    table.assert_ready()


@pytest.mark.full
def test_a_full_disk_is_found_before_the_check_writes_to_it(short_dir: Path) -> None:
    """Given a server on a full disk, then /readyz names the disk, and its own write does not stop the server."""
    folder = short_dir / "disk"
    folder.mkdir()
    if (
        os.getuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], check=False).returncode
    ):
        pytest.skip("only root can mount a small disk")
    try:
        with EmbeddedServer(folder / "log") as server:
            table = Table(server.url()).seat_players()
            table.assert_ready()
            with (folder / "filler").open("wb") as filler:
                filler.write(bytes(shutil.disk_usage(folder).free))
            table.assert_unready("disk")
            assert server.pid is not None
            (folder / "filler").unlink()
            table.assert_ready()
            with (folder / "filler").open("wb") as filler:
                filler.write(bytes(shutil.disk_usage(folder).free))
            server.kill()
            table.assert_unready("disk")  # the folder is known, so the cause is shown although the server is gone
            table.services.runtime.redis.close()
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_different_clock_is_not_ready(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    true = time.time
    monkeypatch.setattr("service.event_store.write_probe.time.time", lambda: true() + 60)
    found = table.assert_unready("clock", "clock_wrong")
    assert found["faults"] == ["The log server's clock differs by -60 s from this machine's."]
    monkeypatch.undo()
    table.assert_ready()


def test_an_unreadable_clock_is_not_ready(own_server: EmbeddedServer, tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text("2026-01-01T00:00:00Z")
    table = Table(own_server.url(), clock_file=clock).seat_players()
    table.assert_ready()
    clock.write_text("noon")
    assert "CRUMBTRAIL_CLOCK_FILE" in table.assert_unready("clock", "clock_wrong")["faults"][0]
    assert table.move().status_code == 500
    clock.write_text("2026-01-01T00:00:01Z")
    table.assert_ready()
    table.services.runtime.redis.close()


def test_a_rejected_login_is_not_ready(table: Table, admin: Redis) -> None:
    admin.config_set("requirepass", "changed")
    admin.client_kill_filter(_type="normal", skipme=True)
    table.assert_unready("login")
    admin.config_set("requirepass", "")
    table.assert_ready()


@pytest.mark.full
def test_an_account_that_cannot_read_seeds_is_not_ready(own_server: EmbeddedServer, admin: Redis) -> None:
    """Given a separate account for seeds, then losing its permission is noticed: each move reads a seed."""
    admin.acl_setuser("seeds", enabled=True, passwords=["+right"], commands=["+@all"], keys=["*"], channels=["*"])
    seeds = own_server.url().replace("unix://", "unix://seeds:right@")
    table = Table(own_server.url(), seed_url=seeds).seat_players()
    table.assert_ready()
    admin.acl_setuser("seeds", enabled=True, commands=["-get"])
    table.assert_unready("permission")
    admin.acl_setuser("seeds", enabled=True, commands=["+get"])
    table.assert_ready()
    table.services.runtime.redis.close()


def test_health_checks_write_at_most_once_a_second(table: Table, admin: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given many requests to /readyz within a second, then the log is written to once."""
    monkeypatch.setattr(readiness, "CACHE_SECONDS", CACHE_SECONDS)
    client = table.app.test_client()
    began, before = time.monotonic(), writes(admin)
    assert {client.get("/readyz").status_code for _ in range(50)} == {200}
    passed = time.monotonic() - began
    assert 1 <= writes(admin) - before <= 1 + passed
    assert admin.keys("*probe*") == [probe_key(0).encode()]


def test_a_server_on_another_machine_has_an_unknown_disk() -> None:
    local = ("unix:///run/log.sock", "redis://127.0.0.1:6379/0", "rediss://:pw@localhost", "redis://[::1]:1")
    remote = ("redis://log.internal:6379", "redis://10.0.0.7", "cluster+redis://127.0.0.1:1", "sentinel+redis://::1/x")
    assert all(map(is_on_this_machine, local))
    assert not any(map(is_on_this_machine, remote))


def writes(admin: Redis) -> int:
    """Return how many SET commands the server has run."""
    return int(admin.info("commandstats").get("cmdstat_set", {"calls": 0})["calls"])


def limit_file_size(server: EmbeddedServer, limit: int) -> None:
    """Make every write beyond this many bytes fail, as on a full disk."""
    if sys.platform != "linux":
        pytest.skip("only Linux can limit the files of a running process")
    assert server.pid is not None
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
