"""Accounts with minimal permissions on a cluster: the service works with them, also during failovers and migrations."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from service.bootstrap import build_services
from service.cli.main import main
from service.event_store.connect import connect
from service.event_store.keys import log_key, new_match_id, seed_key, shard_of
from service.event_store.log import MatchLog
from service.notifications.preferences import AddressTaken
from service.runtime.settings import Settings
from tests import plain_http
from tests.reliability.accounts import Accounts, create_accounts
from tests.reliability.players import Client, play_to_end
from tests.reliability.servers import Cluster, Server, running, wait_until_equal
from tests.reliability.stack import running_stack
from tests.service.event_store.builders import SEED, append_texts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")


@dataclass
class Closed:
    """A cluster and a queue that accept only the service's accounts."""

    accounts: Accounts
    cluster: Cluster
    queue: Server

    @property
    def urls(self) -> dict[str, str]:
        """The service's environment variables."""
        return self.accounts.urls_at(self.cluster.nodes, f"127.0.0.1:{self.queue.port}")

    def refusals(self) -> set[str]:
        """Return the commands that the servers have refused since their start, with the account."""
        entries = [entry for server in (*self.cluster.servers, self.queue) for entry in server.redis.acl_log()]
        return {f"{entry['username']} {entry['object']}" for entry in entries}


@pytest.fixture(scope="module")
def closed() -> Iterator[Closed]:
    with tempfile.TemporaryDirectory(prefix="ct-", dir="/tmp") as folder:
        accounts = create_accounts(Path(folder) / "accounts", "cluster+redis")
        with (
            running(lambda at: Cluster(at, *accounts.settings, login=accounts.admin)) as cluster,
            running(lambda at: Server(at, *accounts.settings, login=accounts.admin)) as queue,
        ):
            yield Closed(accounts, cluster, queue)


@pytest.mark.full
def test_the_service_works_under_its_accounts_through_a_failover_and_migrations(closed: Closed, tmp_path: Path) -> None:
    """Plays a match against a bot and uses audits, lists, metrics and the doctor without a refused command."""
    acts = (closed.cluster.move_shard, closed.cluster.move_shard_key_by_key, closed.cluster.fail_over)
    settings = {**closed.urls, "CRUMBTRAIL_REPLICAS": "1"}
    with running_stack(tmp_path / "var", tmp_path / "output", **settings) as stack:
        assert plain_http.get(f"{stack.url}/readyz").json()["durability"] == "replicated"
        client = Client(stack)
        match = client.create_bot_match("mice_cake")
        play_to_end(client, match, [partial(act, shard_of(match)) for act in acts])
        wait_until_equal(
            lambda: [found["id"] for found in client.ask("GET", "/matches?status=over")["matches"]], [match]
        )
        wait_until_equal(lambda: plain_http.get(f"{stack.url}/api/v1/audits/{match}").status_code, 200)
        assert "crumbtrail_queue_workers" in plain_http.get(f"{stack.url}/metrics").text
        # RQ asks for its own address, but works without it.
        assert closed.refusals() <= {"crumbtrail-queue client|list"}
        closed.cluster.wait_until_whole()
        checked = CliRunner().invoke(main, ["doctor"], env=settings)
        assert checked.exit_code == 0, checked.output
        assert "only their own account can read them" in checked.output
    output = (tmp_path / "output").read_text()
    assert [secret for secret in closed.accounts.passwords() if secret in output] == []


def test_a_player_can_sign_in_change_address_and_be_erased_across_shards(closed: Closed) -> None:
    urls, before = closed.urls, closed.refusals()
    services = build_services(
        Settings(log_url=urls["CRUMBTRAIL_LOG_URL"], seed_url=urls["CRUMBTRAIL_SEED_URL"], replicas=1)
    )
    ann, bob = (services.accounts.players.create(name).id for name in ("Ann", "Bob"))
    token = services.accounts.players.new_token(ann, "play", "Phone")
    browser = services.accounts.sessions.begin(ann)
    services.notifications.preferences.set_address(ann, "old@example.org")
    services.accounts.magic_links.send("old@example.org", ann)
    with pytest.raises(AddressTaken):
        services.notifications.preferences.set_address(bob, "old@example.org")
    services.notifications.preferences.set_address(ann, "new@example.org")
    assert [services.notifications.preferences.address_owner(f"{which}@example.org") for which in ("old", "new")] == [
        None,
        ann,
    ]
    for _ in range(2):
        services.accounts.eraser.erase(ann)
        assert (services.accounts.players.find(ann), services.accounts.players.find_token(token)) == (None, None)
        assert not services.accounts.sessions.is_valid(ann, browser)
    services.notifications.preferences.set_address(bob, "new@example.org")
    assert services.notifications.preferences.address_owner("new@example.org") == bob
    assert closed.refusals() == before
    services.runtime.redis.close()


def test_no_account_can_exceed_its_permissions_on_any_node(closed: Closed) -> None:
    match = new_match_id()
    urls = closed.urls
    with closing(connect(urls["CRUMBTRAIL_LOG_URL"])) as log, closing(connect(urls["CRUMBTRAIL_SEED_URL"])) as seeds:
        append_texts(MatchLog(log, seeds=seeds), match, 0, "created")
        assert MatchLog(log, seeds=seeds).seed(match) == SEED
        refused = [
            *((log, words) for words in (("GET", seed_key(match)), ("DEL", log_key(match)))),
            *((seeds, words) for words in (("XRANGE", log_key(match), "-", "+"), ("DEL", seed_key(match)))),
        ]
        for client, words in refused:
            with pytest.raises(NoPermissionError):
                client.execute_command(*words)
        for node in log.get_primaries():
            for words in (("FLUSHALL",), ("KEYS", "*"), ("CLUSTER", "RESET"), ("CONFIG", "SET", "appendfsync", "no")):
                with pytest.raises(NoPermissionError):
                    log.execute_command(*words, target_nodes=node)
    for server in closed.cluster.servers:
        with pytest.raises(AuthenticationError):
            Redis(port=server.port).ping()
