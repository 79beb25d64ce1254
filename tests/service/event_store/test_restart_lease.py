"""The lease of the check after a restart belongs to one run of a log server.

It is replicated and stored like every key. So a promoted or restarted server has the lease that a process held on the
run before it, and nobody must have to wait until that lease runs out.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.event_store import restart_check
from service.event_store.errors import RestartUnchecked
from service.event_store.keys import restart_check_key, restart_lock_key
from service.event_store.log import APPEND_SCRIPT, MatchLog
from service.event_store.restart_check import RestartCheck, shorten_next_check
from tests.reliability.log_servers import LogServer, embedded_binary
from tests.reliability.servers import Server, running, wait_until_equal
from tests.service.event_store.builders import append_texts, texts_of

MATCH = "00mzxw6ytboi3dgnbv"
AT_ONCE_SECONDS = 10.0
"""Well below the time after which a lease runs out."""


@pytest.fixture
def server(short_dir: Path) -> Iterator[LogServer]:
    """A log server that the test may restart."""
    found = LogServer(embedded_binary(), short_dir / "server")
    found.start()
    yield found
    found.kill()


def hold_lease(client: Redis, seconds: int = 60) -> str:
    """Hold the lease as a process that checks the current run would. Return what the lease says."""
    assert client.eval(restart_check.TAKE_LEASE, 1, restart_lock_key(0), run_id(client), held(client), seconds) == 1
    return held(client)


def held(client: Redis) -> str:
    return f"{run_id(client)} another process"


def run_id(client: Redis) -> str:
    return str(client.info("server")["run_id"])


def test_a_lease_of_the_run_before_a_restart_holds_nobody_up(server: LogServer) -> None:
    """Given a server that was killed during a check, when it runs again, then the next append checks it immediately."""
    with server.raw() as client:
        held = hold_lease(client)
    server.kill()
    server.start()
    with server.client() as client:
        assert client.get(restart_lock_key(0)).decode() == held, "the lease of the earlier run is still there"
        began = time.monotonic()
        append_texts(MatchLog(client), MATCH, 0, "created")
        assert time.monotonic() - began < AT_ONCE_SECONDS
        assert client.hget(restart_check_key(0), "run").decode() == run_id(client)


def test_a_lease_of_the_lost_primary_does_not_hold_up_the_promoted_replica() -> None:
    """Given a lease that was replicated, when the primary dies, then the promoted replica is checked immediately."""
    with running(Server) as primary, running(Server) as replica:
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until_equal(primary.replicas, 1)
        append_texts(MatchLog(primary.redis), MATCH, 0, "created")
        held = hold_lease(primary.redis)
        wait_until_equal(lambda: replica.redis.get(restart_lock_key(0)), held.encode())
        primary.kill()
        replica.redis.execute_command("REPLICAOF", "NO", "ONE")
        began, log = time.monotonic(), MatchLog(replica.redis)
        append_texts(log, MATCH, 1, "first")
        assert time.monotonic() - began < AT_ONCE_SECONDS
        assert list(texts_of(log, MATCH)) == ["created", "first"]


def test_a_lease_of_the_same_run_makes_others_wait(server: LogServer) -> None:
    with server.client() as client:
        held = hold_lease(client)
        with pytest.raises(RestartUnchecked, match="are being checked"):
            RestartCheck(client, APPEND_SCRIPT).admit("00")
        assert client.get(restart_lock_key(0)).decode() == held, "a waiting process must not touch the lease"
        assert client.hget(restart_check_key(0), "run") is None


def test_a_process_that_lost_its_lease_stops_and_leaves_the_lease_of_the_next_one(
    server: LogServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a process that was paused until its lease ran out, then it ends its own check, not the other one's."""
    monkeypatch.setattr(restart_check, "LEASE_SECONDS", 1)
    with server.client() as client:
        append_texts(MatchLog(client), MATCH, 0, "created")

        def lose_lease(node: Redis, keep: "restart_check.Callable[[], None]") -> None:
            client.set(restart_lock_key(0), held(client), ex=60)
            time.sleep(0.3)  # longer than the time after which a lease is extended
            keep()

        monkeypatch.setattr(restart_check, "_rewrite", lose_lease)
        with pytest.raises(RestartUnchecked, match="another process"):
            shorten_next_check(client, range(32), after=0)
        assert client.get(restart_lock_key(0)).decode() == held(client)
        assert client.ttl(restart_lock_key(0)) > 30
        assert client.hget(restart_check_key(0), "position") is None


def test_a_finished_check_leaves_no_lease(server: LogServer) -> None:
    with server.client() as client:
        append_texts(MatchLog(client), MATCH, 0, "created")
        assert shorten_next_check(client, range(32), after=0)
        assert client.exists(restart_lock_key(0)) == 0
