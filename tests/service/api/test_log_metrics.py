"""The metrics of the log server: each shows the state that a real server was put into."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.cli.main import main
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.processes import children_of
from tests.reliability.servers import Cluster, Server, running, url_of
from tests.service.api.test_metrics import Figures, figures
from tests.waiting import wait_until


@pytest.fixture
def app(own_server: EmbeddedServer) -> Iterator[Flask]:
    """The application on a server of its own."""
    services = build_services(Settings(log_url=own_server.url()))
    yield create_app(services)
    services.runtime.redis.close()


@pytest.fixture
def admin(own_server: EmbeddedServer) -> Iterator[Redis]:
    """The operator's connection to that server."""
    with Redis(unix_socket_path=str(own_server.socket_path)) as client:
        yield client


def log_figures(app: Flask) -> dict[str, float]:
    """Return the figures of a single log server by their names after `crumbtrail_log_`."""
    served = figures(app)
    return {
        name.removeprefix("crumbtrail_log_"): value
        for (name, labels), value in served.items()
        if name.startswith("crumbtrail_log_") and dict(labels).get("server") in ("log", None)
    }


def labels_of(served: Figures, name: str) -> list[dict[str, str]]:
    """Return the labels of each series of a metric."""
    return [dict(labels) for found, labels in served if found == name]


def test_memory_file_and_disk_are_shown(app: Flask, admin: Redis, own_server: EmbeddedServer) -> None:
    admin.config_set("maxmemory", 10**9)
    admin.set("filler", "x" * 10**6)
    found = log_figures(app)
    assert found["memory_limit_bytes"] == 10**9
    assert 10**6 < found["memory_used_bytes"] < 10**8
    assert 10**6 < found["file_bytes"] < 10**7
    disk = os.statvfs(own_server.data_dir)
    assert 0 < found["disk_free_bytes"] < found["disk_size_bytes"] == disk.f_blocks * disk.f_frsize
    assert (found["primary"], found["loading"], found["write_failed"]) == (1, 0, 0)
    assert abs(found["clock_skew_seconds"]) < 1
    assert (found["replicas"], found["replicas_required"], found["up"]) == (0, 0, 1)


def test_product_version_and_role_are_shown(app: Flask, admin: Redis) -> None:
    (labels,) = labels_of(figures(app), "crumbtrail_log_server_info")
    version = admin.info("server")["valkey_version"]
    assert labels == {"server": "log", "product": "Valkey", "version": version, "role": "master"}
    admin.replicaof("127.0.0.1", "1")
    served = figures(app)
    assert [found["role"] for found in labels_of(served, "crumbtrail_log_server_info")] == ["slave"]
    assert served["crumbtrail_log_primary", (("server", "log"),)] == 0


def test_a_rewrite_and_its_failure_are_shown(app: Flask, admin: Redis, own_server: EmbeddedServer) -> None:
    """Given two slow rewrites, the second of which is killed, then they are shown as running, done and failed."""
    admin.mset({f"filler:{number}": "x" for number in range(300)})
    admin.config_set("rdb-key-save-delay", 5000)  # microseconds for each entry
    admin.bgrewriteaof()
    assert log_figures(app)["rewriting"] == 1
    wait_until(lambda: log_figures(app)["rewriting"] == 0, 30)
    found = log_figures(app)
    assert (found["rewrite_failed"], found["file_base_bytes"] > 0) == (0, True)
    admin.bgrewriteaof()
    assert own_server.pid is not None
    (child,) = children_of(own_server.pid)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: log_figures(app)["rewrite_failed"] == 1, 30)


@pytest.mark.full
def test_restarts_are_counted(app: Flask, own_server: EmbeddedServer) -> None:
    """Given a server that was restarted twice, once by kill -9, then two restarts are counted, and still are later."""
    assert log_figures(app)["restarts_total"] == 0
    own_server.stop()
    own_server.start()
    assert log_figures(app)["restarts_total"] == 1
    own_server.kill()
    own_server.start()
    assert [log_figures(app)["restarts_total"] for _ in range(2)] == [2, 2]
    assert log_figures(app)["uptime_seconds"] < 60


def test_a_restart_is_counted_while_the_server_accepts_no_writes(
    app: Flask, admin: Redis, own_server: EmbeddedServer
) -> None:
    assert log_figures(app)["restarts_total"] == 0
    own_server.stop()
    own_server.start()
    admin.config_set("maxmemory", 1)
    assert [log_figures(app)["restarts_total"] for _ in range(2)] == [1, 1]


def test_the_last_backup_is_shown(
    app: Flask, own_server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert log_figures(app)["last_backup_timestamp_seconds"] == 0
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", own_server.url())
    before = time.time()
    result = CliRunner().invoke(main, ["backup", str(tmp_path / "copy")])
    assert result.exit_code == 0, result.output
    assert int(before) <= log_figures(app)["last_backup_timestamp_seconds"] <= time.time()


def test_a_backup_of_a_server_that_accepts_no_writes_succeeds_without_a_record(
    own_server: EmbeddedServer, admin: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", own_server.url())
    admin.config_set("maxmemory", 1)
    result = CliRunner().invoke(main, ["backup", str(tmp_path / "copy")])
    assert result.exit_code == 0, result.output
    assert "the metrics won't show its time: The log server is out of memory" in result.output
    assert (tmp_path / "copy" / "appendonlydir").is_dir()


def test_readiness_is_shown_with_its_reason(app: Flask, admin: Redis) -> None:
    served = figures(app)
    assert (served["crumbtrail_ready", ()], labels_of(served, "crumbtrail_unready")) == (1, [])
    admin.config_set("maxmemory", 1)
    wait_until(lambda: figures(app)["crumbtrail_ready", ()] == 0, 60)
    assert labels_of(figures(app), "crumbtrail_unready") == [{"reason": "memory"}]


def test_the_reason_is_shown_while_the_server_is_down(app: Flask, own_server: EmbeddedServer) -> None:
    figures(app)
    own_server.kill()
    wait_until(lambda: figures(app)["crumbtrail_ready", ()] == 0, 60)
    served = figures(app)
    assert labels_of(served, "crumbtrail_unready") == [{"reason": "unreachable"}]
    assert served["crumbtrail_log_up", ()] == 0
    assert served["crumbtrail_log_disk_free_bytes", (("server", "log"),)] > 0


@pytest.mark.full
def test_replicas_in_sync_are_counted() -> None:
    with running(Server) as primary, running(Server) as replica:
        app = create_app(build_services(Settings(log_url=url_of(primary), replicas=1)))
        found = log_figures(app)
        assert (found["replicas"], found["replicas_required"]) == (0, 1)
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until(lambda: log_figures(app)["replicas"] == 1, 30)


@pytest.mark.full
def test_each_primary_of_a_cluster_has_its_own_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a cluster, then each primary is probed, has its own series, and its own time of the last backup."""
    with running(Cluster) as cluster:
        services = build_services(Settings(log_url=cluster.url, queue_url=url_of(cluster.servers[0])))
        app = create_app(services)
        assert app.test_client().get("/readyz").status_code == 200
        primaries = [server for server in cluster.servers if server.is_primary()]
        assert all(server.redis.keys("*:p:probe") for server in primaries)
        named = {f"127.0.0.1:{server.port}" for server in primaries}
        served = figures(app)
        assert {labels["server"] for labels in labels_of(served, "crumbtrail_log_memory_used_bytes")} == named
        monkeypatch.setenv("CRUMBTRAIL_LOG_URL", cluster.url)
        monkeypatch.setenv("CRUMBTRAIL_QUEUE_URL", url_of(cluster.servers[0]))
        result = CliRunner().invoke(main, ["backup", str(tmp_path / "one"), "--server", url_of(primaries[0])])
        assert result.exit_code == 0, result.output
        assert "won't show" not in result.output
        served = figures(app)
        saved = {
            dict(labels)["server"]: at > 0
            for (name, labels), at in served.items()
            if name == "crumbtrail_log_last_backup_timestamp_seconds"
        }
        assert saved == {name: name == f"127.0.0.1:{primaries[0].port}" for name in named}
        primaries[0].kill()
        wait_until(lambda: app.test_client().get("/readyz").status_code == 503, 60)
