"""Connections to a single server, a cluster and Sentinel: the log works on each, and redis-py never retries."""

import shutil
import subprocess
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from redis import Redis, RedisCluster
from redis.crc import key_slot
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import RedisError, ResponseError
from redis.sentinel import SentinelManagedSSLConnection

from service.cli.listen import free_port
from service.event_store.connect import MAX_CONNECTIONS, InvalidLogUrl, connect
from service.event_store.durability import check_durability
from service.event_store.embedded import DURABLE_SETTINGS, EmbeddedServer, server_binary
from service.event_store.errors import CommandReused, LogUnavailable, VersionConflict
from service.event_store.keys import SHARDS, log_key, new_match_id, shard_of
from service.event_store.log import AppendResult, MatchLog
from tests.service.event_store.builders import SEED, append_texts, assert_feeds_announce_all, digest, texts_of

SECRET = "hunter2"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://localhost",
        f"mysql://me:{SECRET}@host/db",
        f"cluster+http://me:{SECRET}@host",
        f"redis://me:{SECRET}@host:port/0",
        f"redis://me:{SECRET}#more@host:6379/0",
        f"redis://[me:{SECRET}@host",
        f"cluster+redis://me:{SECRET}@:7000",
        f"cluster+redis://me:{SECRET}@host:port",
        f"sentinel+redis://me:{SECRET}@host:26379",
        f"sentinel+redis://me:{SECRET}@host:26379/service?db={SECRET}",
    ],
)
def test_an_invalid_url(url: str) -> None:
    """The error names the valid schemes and does not reveal the URL's password."""
    with pytest.raises(InvalidLogUrl, match=r"The URL must begin with one of redis://.*sentinel\+redis") as refusal:
        connect(url)
    assert SECRET not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(
    "url",
    [
        "redis://me:secret@host:7/3",
        "rediss://host",
        "unix:///run/log.sock?db=3",
        "sentinel+redis://me:secret@one:1,two/service?db=3",
        "redis://host?retry_on_timeout=yes",
    ],
)
def test_clients_never_retry_a_command(url: str) -> None:
    client = connect(url)
    assert isinstance(client, Redis)
    pool = client.connection_pool
    assert pool.connection_kwargs["retry"].get_retries() == 0
    connection = pool.connection_class(**pool.connection_kwargs)
    assert connection.retry.get_retries() == 0
    assert (connection.socket_timeout, connection.socket_connect_timeout) == (2.0, 1.0)


def test_tls_with_the_operators_own_certificates() -> None:
    client = connect("sentinel+rediss://one,two/service?ssl_ca_certs=/etc/ca.pem")
    assert isinstance(client, Redis)
    pool = client.connection_pool
    assert pool.connection_class is SentinelManagedSSLConnection
    assert pool.connection_kwargs["ssl_ca_certs"] == "/etc/ca.pem"


def test_all_parts_of_the_url_are_used() -> None:
    client = connect("redis://me:p%40ss@host:7/3")
    assert isinstance(client, Redis)
    found = client.connection_pool.connection_kwargs
    assert {name: found[name] for name in ("host", "port", "db", "username", "password")} == {
        "host": "host",
        "port": 7,
        "db": 3,
        "username": "me",
        "password": "p@ss",
    }


# -- one server -----------------------------------------------------------------------------------------------------


def test_a_connection_closed_by_the_server_is_reopened(server: EmbeddedServer, redis: Redis) -> None:
    client = connect(server.url())
    assert isinstance(client, Redis)
    number = client.client_id()
    assert redis.client_kill_filter(_id=number) == 1
    assert client.ping()
    assert client.client_id() != number
    client.close()


def test_a_refused_command_keeps_the_connection(server: EmbeddedServer) -> None:
    client = connect(server.url())
    assert isinstance(client, Redis)
    number = client.client_id()
    with pytest.raises(ResponseError, match="wrong number of arguments"):
        client.execute_command("GET")
    assert (client.client_id(), client.ping()) == (number, True)
    client.close()


def test_a_command_larger_than_the_socket_buffer_arrives_whole(server: EmbeddedServer) -> None:
    """One system call sends only a part of it."""
    client = connect(server.url())
    assert isinstance(client, Redis)
    value = bytes(range(256)) * 32_768
    client.set("large", value)
    assert client.get("large") == value
    client.delete("large")
    client.close()


def test_a_caller_waits_for_a_free_connection_and_fails_after_the_timeout(server: EmbeddedServer) -> None:
    client = connect(server.url())
    assert isinstance(client, Redis)
    pool = client.connection_pool
    pool.timeout = 0.2
    taken = [pool.get_connection() for _ in range(MAX_CONNECTIONS)]
    with pytest.raises(Disconnected, match="No connection"):
        client.ping()
    threading.Timer(0.05, pool.release, [taken.pop()]).start()
    assert client.ping()
    for connection in taken:
        pool.release(connection)
    client.close()


# -- cluster and Sentinel -------------------------------------------------------------------------------------------


def start_server(folder: Path, port: int, *settings: str) -> "subprocess.Popen[bytes]":
    """Start a server on a port, as an operator would."""
    folder.mkdir(parents=True)
    durable = [word for name, value in DURABLE_SETTINGS.items() for word in (f"--{name}", value)]
    return subprocess.Popen(
        [server_binary(), "--port", str(port), "--dir", str(folder), "--bind", "127.0.0.1", *durable, *settings],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def retry_until(do: Callable[[], object], what: object, seconds: float = 20) -> None:
    """Wait until a call returns the expected value."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            found = do()
        except (RedisError, LogUnavailable) as error:
            found = error
        if found == what:
            return
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def stop_servers(*processes: "subprocess.Popen[bytes]") -> None:
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def cluster() -> Iterator[list[int]]:
    """The ports of a cluster in which each of two primaries has half of the slots."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    ports, buses = [free_port("127.0.0.1"), free_port("127.0.0.1")], [free_port("127.0.0.1"), free_port("127.0.0.1")]
    processes = [
        start_server(folder / str(port), port, "--cluster-enabled", "yes", "--cluster-port", str(bus))
        for port, bus in zip(ports, buses, strict=True)
    ]
    nodes = [Redis(port=port) for port in ports]
    try:
        for node in nodes:
            retry_until(node.ping, True)
        nodes[0].execute_command("CLUSTER MEET", "127.0.0.1", ports[1], buses[1])
        nodes[0].execute_command("CLUSTER ADDSLOTSRANGE", 0, 8191)
        nodes[1].execute_command("CLUSTER ADDSLOTSRANGE", 8192, 16383)
        for node in nodes:
            retry_until(lambda node=node: node.cluster("INFO")["cluster_state"], "ok")
            retry_until(lambda node=node: node.cluster("INFO")["cluster_known_nodes"], "2")
        yield ports
    finally:
        for node in nodes:
            node.close()
        stop_servers(*processes)
        shutil.rmtree(folder)


@pytest.fixture
def cluster_log(cluster: list[int]) -> Iterator[MatchLog]:
    # The first host is down, so the client must start with the second.
    with closing(connect(f"cluster+redis://127.0.0.1:1,127.0.0.1:{cluster[1]}")) as client:
        assert isinstance(client, RedisCluster)
        assert client.retry.get_retries() == 0
        client.flushall(target_nodes=RedisCluster.PRIMARIES)
        yield MatchLog(client)


def test_the_log_on_a_cluster(cluster_log: MatchLog) -> None:
    """Every shard behaves like a single server, whichever node it is on."""
    matches = [new_match_id() for _ in range(200)]
    for match in matches:
        assert append_texts(cluster_log, match, 0, "created", "taken") == AppendResult(1, 2, is_duplicate=False)
        assert append_texts(cluster_log, match, 0, "created", "taken") == AppendResult(1, 2, is_duplicate=True)
    match = matches[0]
    with pytest.raises(VersionConflict):
        append_texts(cluster_log, match, 1, "late")
    with pytest.raises(CommandReused):
        append_texts(cluster_log, match, 2, "other", command="created+taken")
    assert cluster_log.seed(match) == SEED
    assert cluster_log.tail(match, 1, digest("created+taken")).remembered is not None
    cluster_log.write_snapshot(match, 2, "v", b"raw")
    assert cluster_log.read_snapshot(match) is not None
    assert texts_of(cluster_log, match) == ["created", "taken"]
    feeds = cluster_log.feeds(dict.fromkeys(range(SHARDS), 0))
    assert sum(map(len, feeds.values())) == len(matches)
    assert_feeds_announce_all(cluster_log, matches)


def test_hints_from_all_nodes_of_a_cluster_arrive(cluster_log: MatchLog) -> None:
    matches = {f"{shard:02}mzxw6ytboi3dgnbv" for shard in range(0, SHARDS, 7)}
    with cluster_log.wakeups() as hints:
        for match in matches:
            append_texts(cluster_log, match, 0, "created")
        # Nodes forward messages with a delay, so hints from earlier tests may arrive too.
        hinted = (hint.match for hint in islice(hints, 1000))
        assert set(islice((match for match in hinted if match in matches), len(matches))) == matches


def test_every_primary_of_a_cluster_must_be_durable(cluster: list[int]) -> None:
    with (
        closing(connect(f"cluster+redis://127.0.0.1:{cluster[0]}")) as client,
        closing(Redis(port=cluster[1])) as second,
    ):
        assert check_durability(client).mode == "durable"
        assert len(check_durability(client).servers) == 2
        second.config_set("appendfsync", "everysec")
        found = check_durability(client)
        second.config_set("appendfsync", "always")
    assert found.mode == "fast"
    (fault,) = found.faults
    assert fault.endswith(f"at 127.0.0.1:{cluster[1]}.")


def test_a_single_server_url_for_a_cluster_node_is_refused(cluster: list[int]) -> None:
    """Given a single-server URL for a cluster node, then the error says how the URL must begin."""
    elsewhere = next(match for match in iter(new_match_id, "") if key_slot(log_key(match).encode()) > 8191)
    with (
        closing(connect(f"redis://127.0.0.1:{cluster[0]}")) as client,
        pytest.raises(LogUnavailable, match=r"must begin with cluster\+redis://"),
    ):
        append_texts(MatchLog(client), elsewhere, 0, "created")


def test_a_cluster_that_is_down() -> None:
    with pytest.raises(LogUnavailable):
        connect(f"cluster+redis://127.0.0.1:{free_port('127.0.0.1')}")


def test_the_log_with_sentinel(short_dir: Path) -> None:
    primary, sentinel = free_port("127.0.0.1"), free_port("127.0.0.1")
    settings = short_dir / "sentinel.conf"
    settings.write_text(f"port {sentinel}\nbind 127.0.0.1\nsentinel monitor crumbs 127.0.0.1 {primary} 1\n")
    processes = [start_server(short_dir / "log", primary)]
    processes.append(
        subprocess.Popen([server_binary(), settings, "--sentinel"], stdout=subprocess.DEVNULL, cwd=short_dir)
    )
    try:
        with closing(connect(f"sentinel+redis://127.0.0.1:1,127.0.0.1:{sentinel}/crumbs")) as client:
            log, match = MatchLog(client), new_match_id()
            retry_until(log.ping, None)
            with log.wakeups() as hints:
                assert append_texts(log, match, 0, "created") == AppendResult(1, 1, is_duplicate=False)
                hint = hints.poll(5)
            assert hint is not None
            assert (hint.match, hint.shard) == (match, shard_of(match))
            assert texts_of(log, match) == ["created"]
            assert check_durability(client).mode == "durable"
            stop_servers(processes[1])
            assert append_texts(log, match, 1, "moved") == AppendResult(2, 2, is_duplicate=False)
            stop_servers(processes[0])
            with pytest.raises(LogUnavailable):
                append_texts(log, match, 2, "moved again")
    finally:
        stop_servers(*processes)


def test_unreachable_sentinels() -> None:
    with (
        closing(connect(f"sentinel+redis://127.0.0.1:{free_port('127.0.0.1')}/crumbs")) as client,
        pytest.raises(LogUnavailable, match="cannot be reached"),
    ):
        MatchLog(client).ping()
