"""Accounts with minimal permissions: the whole service works with them, and each can do only its own work."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError, ResponseError

from domain.match.commands import Play, SeatSpec
from service.bootstrap import build_services
from service.cli.listen import free_port
from service.cli.main import main
from service.event_store.connect import connect
from service.event_store.keys import command_key, feed_key, log_key, new_match_id, seed_key, shard_of
from service.event_store.log import MatchLog
from service.event_store.server_accounts import REPLICA_ACCOUNT
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from tests import plain_http
from tests.reliability.accounts import Accounts, create_accounts
from tests.reliability.log_servers import Binary, embedded_binary, other_binaries
from tests.reliability.players import Client, play_to_end
from tests.reliability.servers import Server, running, wait_until_equal
from tests.reliability.stack import running_stack
from tests.service.event_store.builders import SEED, append_texts, digest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")

EMBEDDED = embedded_binary()
OTHERS = [pytest.param(each, id=each.version, marks=pytest.mark.full) for each in other_binaries()]
every_server = pytest.mark.parametrize("binary", [pytest.param(EMBEDDED, id=EMBEDDED.version), *OTHERS])
"""The embedded server, and those that `CRUMBTRAIL_TEST_SERVERS` names."""


@dataclass
class Closed:
    """A server that accepts only the service's accounts."""

    server: Server
    accounts: Accounts
    urls: dict[str, str]
    operator: Redis


@pytest.fixture(scope="module")
def closed() -> Iterator[Closed]:
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    accounts = create_accounts(folder / "accounts")
    assert {path.stat().st_mode & 0o777 for path in (folder / "accounts").iterdir()} == {0o600}
    with running(partial(of_accounts, accounts)) as server:
        here = f"127.0.0.1:{server.port}"
        with Redis(port=server.port, decode_responses=True, **accounts.admin._asdict()) as operator:
            yield Closed(server, accounts, accounts.urls_at(here, here), operator)
    shutil.rmtree(folder)


def of_accounts(accounts: Accounts, folder: Path) -> Server:
    """Start a server with these accounts."""
    return Server(folder, *accounts.settings, login=accounts.admin)


@pytest.mark.full
def test_the_whole_service_works_under_its_accounts(closed: Closed, tmp_path: Path) -> None:
    """Plays a match against a bot and uses audits, lists and metrics without a refused command.

    The log lines of all processes lead from a request to its match and its jobs, and contain no secrets.
    """
    closed.operator.acl_log_reset()
    settings = {**closed.urls, "CRUMBTRAIL_LOG_FORMAT": "json"}
    with running_stack(tmp_path / "var", tmp_path / "output", **settings) as stack:
        client = Client(stack)
        match = client.create_bot_match("tic_tac_toe")
        play_to_end(client, match, [])
        wait_until_equal(lambda: len(client.ask("GET", "/matches?status=over")["matches"]), 1)
        wait_until_equal(lambda: plain_http.get(f"{stack.url}/api/v1/audits/{match}").status_code, 200)
        clock = {"kind": "per_move", "seconds": 86400}
        other = {"game": "mice_cake", "seats": [{"kind": "me"}, {"kind": "open"}], "clock": clock, "rated": True}
        client.ask("POST", "/matches", json=other)
        for path in ("/", "/metrics", "/readyz", "/leaders", "/.well-known/crumbtrail-key", "/api/v1/games"):
            assert plain_http.get(f"{stack.url}{path}").status_code in (200, 404), path
        assert "crumbtrail_queue_workers" in plain_http.get(f"{stack.url}/metrics").text
        # RQ asks for its own address, but works without it.
        assert {entry["object"] for entry in closed.operator.acl_log()} <= {"client|list"}
        checked = CliRunner().invoke(main, ["doctor"], env=closed.urls)
        assert checked.exit_code == 0, checked.output
        assert "only their own account can read them" in checked.output
        seed = connect(closed.urls["CRUMBTRAIL_SEED_URL"]).get(seed_key(match)).decode()
    output = (tmp_path / "output").read_text()
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    others = [line for line in output.splitlines() if not line.startswith("{")]
    assert all(line.startswith(("Crumbtrail is running", "Stop")) or not line for line in others), others
    match_lines = [line for line in lines if line.get("match") == match]
    assert {line["process"] for line in match_lines} >= {"web", "worker of bots", "worker of audits"}
    assert any(
        line["request"] and line["route"] == "/api/v1/matches/<match>/moves" for line in match_lines if "route" in line
    )
    assert any(line["job"].startswith(f"bot-{match}") and line["ms"] > 0 for line in match_lines if "job" in line)
    for secret in (seed, *closed.accounts.passwords(), client.token, "permission", "Traceback"):
        assert secret not in output


@every_server
def test_a_match_is_played_under_the_accounts_on_every_server(binary: Binary, tmp_path: Path) -> None:
    """A server that doesn't know a command of the account file refuses to start."""
    accounts = create_accounts(tmp_path / "accounts")
    with running(lambda at: Server(at, *accounts.settings, login=accounts.admin, binary=binary.path)) as server:
        here = f"127.0.0.1:{server.port}"
        urls = accounts.urls_at(here, here)
        services = build_services(Settings(log_url=urls["CRUMBTRAIL_LOG_URL"], seed_url=urls["CRUMBTRAIL_SEED_URL"]))
        with closing(services.runtime.redis):
            seats = [SeatSpec("human", player="ann"), SeatSpec("human", player="bob")]
            match = services.matches.creation.create("ann", "tic_tac_toe", seats, {}).match
            move = Play(min(match.to_move), {"type": "mark", "cell": 4})
            moved = services.matches.commands.submit(match.id, move, IdempotencyKey("ann", "k"))
            assert moved.match.ply == match.ply + 1
            assert services.runtime.durability_status.refresh().mode == "durable"
        assert [entry["object"] for entry in server.redis.acl_log()] == []


def client_of(closed: Closed, name: str) -> Any:
    return connect(closed.urls[f"CRUMBTRAIL_{name}_URL"])


MATCH = new_match_id()
MAY_NOT: dict[str, list[tuple[Any, ...]]] = {
    "LOG": [
        *(("GET", seed_key(MATCH)), ("GETRANGE", seed_key(MATCH), 0, -1), ("DUMP", seed_key(MATCH))),
        *(("SET", seed_key(MATCH), "ff"), ("DEL", seed_key(MATCH)), ("COPY", seed_key(MATCH), "ct:mine")),
        *(("EVAL", "return redis.call('GET', KEYS[1])", 1, seed_key(MATCH)),),
        *(("EVAL", f"return redis.call('GET', '{seed_key(MATCH)}')", 0),),
        *((word, log_key(MATCH)) for word in ("DEL", "UNLINK", "DUMP")),
        *(("XTRIM", log_key(MATCH), "MAXLEN", 0), ("XDEL", log_key(MATCH), "1-0"), ("XSETID", log_key(MATCH), "9-0")),
        *(("RENAME", log_key(MATCH), "ct:gone"), ("EXPIRE", log_key(MATCH), 1), ("SET", log_key(MATCH), "x")),
        *(("EVAL", "return redis.call('DEL', KEYS[1])", 1, log_key(MATCH)),),
        *(("DEL", command_key(MATCH)), ("HDEL", command_key(MATCH), "c"), ("DEL", feed_key(shard_of(MATCH)))),
        *(("GET", "rq:queues"), ("RPUSH", "rq:queue:bots", "job"), ("GET", "elsewhere")),
        *(("PUBLISH", "other", "x"), ("SUBSCRIBE", "other")),
    ],
    "SEED": [
        *((word, log_key(MATCH)) for word in ("DEL", "GET", "DUMP")),
        *(("SET", log_key(MATCH), "x"), ("XTRIM", log_key(MATCH), "MAXLEN", 0), ("XRANGE", log_key(MATCH), "-", "+")),
        *(("DEL", seed_key(MATCH)), ("GET", "ct:secret"), ("GET", "ct:notary:keys"), ("SET", "ct:arbiters", "x")),
        *(("HGETALL", "{ct:07}:p:rows"), ("GET", "rq:queues"), ("INFO",), ("CONFIG", "GET", "*")),
        *(("SCAN", 0), ("BGREWRITEAOF",)),
    ],
    "QUEUE": [
        *(("GET", seed_key(MATCH)), ("XRANGE", log_key(MATCH), "-", "+"), ("XADD", log_key(MATCH), "9-0", "e", "x")),
        *(("GET", "ct:secret"), ("SET", "ct:pulse", "x"), ("HGETALL", "{ct:07}:p:rows"), ("DEL", "ct:secret")),
        *(("PUBLISH", "ct:hint", "x"), ("PUBLISH", "rq:pubsub:worker", "x"), ("CONFIG", "GET", "*")),
        *(("SCAN", 0), ("BGREWRITEAOF",)),
        *(("EVAL", "return redis.call('GET', KEYS[1])", 1, seed_key(MATCH)),),
    ],
}
NOBODY_MAY: list[tuple[Any, ...]] = [
    *(("FLUSHALL",), ("FLUSHDB",), ("SHUTDOWN",), ("CONFIG", "SET", "appendfsync", "no"), ("CONFIG", "REWRITE")),
    *(("KEYS", "*"), ("RANDOMKEY",), ("DBSIZE",), ("MONITOR",), ("SAVE",)),
    *(("BGSAVE",), ("REPLICAOF", "NO", "ONE"), ("SCRIPT", "FLUSH"), ("FUNCTION", "FLUSH"), ("ACL", "LIST")),
    *(("ACL", "SETUSER", "me", "on"), ("CLIENT", "KILL", "TYPE", "normal"), ("CLIENT", "LIST"), ("SWAPDB", 0, 1)),
    *(("MODULE", "LIST"), ("CLUSTER", "RESET"), ("MIGRATE", "h", 1, "k", 0, 1), ("LATENCY", "RESET")),
]


@pytest.mark.parametrize("name", MAY_NOT)
def test_an_account_cannot_do_anything_else(closed: Closed, name: str) -> None:
    with closing(client_of(closed, "LOG")) as log, closing(client_of(closed, "SEED")) as seeds:
        if not log.xlen(log_key(MATCH)):
            append_texts(MatchLog(log, seeds=seeds), MATCH, 0, "created")
    with closing(client_of(closed, name)) as client:
        for command in (*MAY_NOT[name], *NOBODY_MAY):
            with pytest.raises(ResponseError) as refused:
                client.execute_command(*command)
            denied = isinstance(refused.value, NoPermissionError) or "ACL failure" in str(refused.value)
            assert denied or "permission" in str(refused.value).lower(), (command, refused.value)


def test_only_log_and_seed_accounts_together_can_start_a_match(closed: Closed) -> None:
    match = new_match_id()
    with closing(client_of(closed, "LOG")) as redis, closing(client_of(closed, "SEED")) as seeds:
        log = MatchLog(redis, seeds=seeds)
        append_texts(log, match, 0, "created")
        append_texts(log, match, 1, "moved")
        assert log.seed(match) == SEED
        assert log.tail(match, 1, digest("moved")).remembered is not None
        alone = MatchLog(redis)
        with pytest.raises(Exception, match="lacks a permission"):
            alone.seed(match)
        with pytest.raises(Exception, match="lacks a permission"):
            append_texts(alone, new_match_id(), 0, "created")


def test_unknown_users_and_wrong_passwords_are_refused(closed: Closed) -> None:
    for user, password in (("default", ""), ("crumbtrail-log", "wrong"), ("nobody", "x")):
        with (
            Redis(port=closed.server.port, username=user, password=password) as client,
            pytest.raises(AuthenticationError),
        ):
            client.ping()


def test_the_replica_account_can_only_replicate(closed: Closed) -> None:
    password = closed.operator.config_get("masterauth")["masterauth"]
    with running(
        lambda folder: Server(folder, "--masteruser", REPLICA_ACCOUNT.name, "--masterauth", password)
    ) as replica:
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", closed.server.port)
        wait_until_equal(lambda: replica.redis.info("replication")["master_link_status"], "up")
    with Redis(port=closed.server.port, username=REPLICA_ACCOUNT.name, password=password) as client:
        for command in (("GET", "ct:secret"), ("CONFIG", "GET", "*"), ("FLUSHALL",)):
            with pytest.raises(NoPermissionError):
                client.execute_command(*command)


def test_accounts_are_created_once_and_a_server_url_with_a_password_is_refused(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["acl", str(tmp_path / "a")]).exit_code == 0
    again = CliRunner().invoke(main, ["acl", str(tmp_path / "a")])
    assert (again.exit_code, "may be in use" in again.output) == (1, True)
    named = CliRunner().invoke(
        main, ["acl", str(tmp_path / "b"), "--server", f"redis://me:x@host:{free_port('127.0.0.1')}"]
    )
    assert (named.exit_code, "without user name and password" in named.output) == (1, True)
    assert not (tmp_path / "b").exists()
