"""The service on a cluster and on a Sentinel pair: failovers and shard migrations during matches."""

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from domain.match.commands import Play, SeatSpec
from service.bootstrap import Services, build_services
from service.event_store.connect import connect
from service.event_store.durability import check_durability
from service.event_store.errors import NotReplicated, VersionConflict
from service.event_store.keys import new_match_id, shard_of
from service.event_store.log import AppendResult, MatchLog
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests import plain_http
from tests.reliability.players import Client, play_to_end
from tests.reliability.servers import Cluster, SentinelPair, Server, running, url_of, wait_until_equal
from tests.reliability.stack import running_stack
from tests.reliability.writers import Writers
from tests.service.event_store.builders import append_texts, assert_feeds_announce_all, digest, event_line, texts_of
from tests.service.web.visitors import two_player_match as pair_of_visitors

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")

T = TypeVar("T")
GAMES = ("mice_cake", "bakers_brawl", "battle_of_the_bakeries", "take_the_cake", "pie_contest")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running(Cluster) as cluster:
        yield cluster


@pytest.fixture
def pair() -> Iterator[SentinelPair]:
    with running(SentinelPair) as pair:
        yield pair


# -- whole matches ------------------------------------------------------------------------------------------------


def play_all(
    folder: Path,
    url: str,
    games: tuple[str, ...],
    faults: Callable[[str], Iterable[Callable[[], object]]],
    turns: int = 40,
) -> None:
    """Play whole matches against a bot with faults; every acknowledged move must be stored exactly once."""
    with (
        running(Server) as queue,
        running_stack(
            folder / "var",
            folder / "output",
            CRUMBTRAIL_LOG_URL=url,
            CRUMBTRAIL_QUEUE_URL=url_of(queue),
            CRUMBTRAIL_REPLICAS="1",
        ) as stack,
    ):
        assert plain_http.get(f"{stack.url}/readyz").json()["durability"] == "replicated"
        client = Client(stack)
        for game in games:
            match = client.create_bot_match(game)
            play_to_end(client, match, faults(match), turns)
            until_listed(client, match)
            wait_until_equal(lambda: queue.redis.dbsize() > 0, True)


def until_listed(client: Client, match: str) -> None:
    """Wait until the lists show the match as over."""

    def listed() -> bool:
        found = client.ask("GET", "/matches?status=over")["matches"]
        return match in [each["id"] for each in found]

    wait_until_equal(listed, True)


def cluster_faults(cluster: Cluster) -> Callable[[str], Iterable[Callable[[], object]]]:
    """Return faults: kill the primary of the match's shard, and move the shard in both ways."""
    acts = (cluster.fail_over, cluster.move_shard, cluster.move_shard_key_by_key)
    return lambda match: [partial(act, shard_of(match)) for act in acts]


@pytest.mark.full
def test_a_match_on_a_cluster_survives_a_failover_and_two_shard_migrations(cluster: Cluster, tmp_path: Path) -> None:
    play_all(tmp_path, cluster.url, ("mice_cake",), cluster_faults(cluster))
    cluster.wait_until_whole()


@pytest.mark.soak
def test_every_game_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    play_all(tmp_path, cluster.url, GAMES, cluster_faults(cluster))
    cluster.wait_until_whole()


@pytest.mark.full
def test_a_match_on_a_sentinel_pair_survives_a_failover(pair: SentinelPair, tmp_path: Path) -> None:
    play_all(tmp_path, pair.url, ("mice_cake",), lambda _: [pair.fail_over], turns=5)


# -- acknowledged events ------------------------------------------------------------------------------------------


def test_a_cluster_loses_no_acknowledged_event(cluster: Cluster) -> None:
    through_failovers(cluster, times=1)


@pytest.mark.full
def test_a_cluster_loses_nothing_in_twenty_failovers(cluster: Cluster) -> None:
    through_failovers(cluster, times=20)


def through_failovers(cluster: Cluster, times: int) -> None:
    writers = Writers(cluster.url, 8)
    with writers.at_work():
        for _ in range(times):
            writers.until_busy()
            cluster.fail_over(shard_of(next(iter(writers.acknowledged))))
            cluster.wait_until_whole()
    writers.assert_all_there()
    assert writers.refused, "the faults had no effect"


def test_a_pair_loses_no_acknowledged_event(pair: SentinelPair) -> None:
    through_failovers_of_a_pair(pair, times=1)


@pytest.mark.full
def test_a_pair_loses_nothing_in_ten_failovers(pair: SentinelPair) -> None:
    through_failovers_of_a_pair(pair, times=10)


def through_failovers_of_a_pair(pair: SentinelPair, times: int) -> None:
    writers = Writers(pair.url, 6)
    with writers.at_work():
        for _ in range(times):
            writers.until_busy()
            pair.fail_over()
            pair.wait_until_whole()
    writers.assert_all_there()
    assert writers.refused, "the faults had no effect"


# -- a disconnected replica ---------------------------------------------------------------------------------------


@pytest.fixture
def two() -> Iterator[tuple[Server, Server]]:
    """A primary and its replica, without automatic failover."""
    with running(Server) as primary, running(Server) as replica:
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until_equal(primary.replicas, 1)
        yield primary, replica


def insist(log: MatchLog, match: str, ply: int, text: str) -> AppendResult:
    """Repeat a command until it is confirmed, as clients do: a new replica may be slow."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return append_texts(log, match, ply, text)
        except NotReplicated:
            assert time.monotonic() < deadline


def test_without_confirmation_a_failover_loses_acknowledged_events(two: tuple[Server, Server]) -> None:
    """Shows why replica confirmation is needed, and that the tests above can fail."""
    primary, replica = two
    with closing(connect(url_of(primary))) as client, closing(connect(url_of(replica))) as promoted:
        match = new_match_id()
        append_texts(MatchLog(client), match, 0, "created")
        wait_until_equal(lambda: len(MatchLog(promoted).lines(match)), 1)
        replica.redis.execute_command("REPLICAOF", "NO", "ONE")
        append_texts(MatchLog(client), match, 1, "moved")
        assert list(texts_of(MatchLog(promoted), match)) == ["created"]


def test_an_unconfirmed_command_is_refused_and_can_be_repeated(two: tuple[Server, Server]) -> None:
    primary, replica = two
    with closing(connect(url_of(primary))) as client:
        log, match = MatchLog(client, replicas=1), new_match_id()
        insist(log, match, 0, "created")
        # when: the replica is disconnected
        replica.redis.execute_command("REPLICAOF", "NO", "ONE")
        # then: every try is refused, even one that only finds what the first has written
        for _ in range(2):
            with pytest.raises(NotReplicated, match="confirmed by 0 of 1 required replicas"):
                append_texts(log, match, 1, "moved")
        found = check_durability(client, replicas=1)
        assert found.mode == "durable"
        assert "connected replicas: 0, but 1 must confirm each move" in found.faults[0]
        # when: it follows again, then: the same command is acknowledged, once
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until_equal(primary.replicas, 1)
        assert insist(log, match, 1, "moved").is_duplicate
        assert list(texts_of(log, match)) == ["created", "moved"]
        assert check_durability(client, replicas=1).mode == "replicated"
        assert check_durability(client, replicas=0).mode == "durable"
        assert_feeds_announce_all(log, [match])


@contextmanager
def serving(server: Server) -> Iterator[Services]:
    """Services that wait for confirmation by one replica."""
    services = build_services(Settings(log_url=url_of(server), replicas=1))
    with closing(services.runtime.redis):
        yield services


def in_time(call: Callable[[], T]) -> T:
    """Repeat a call until it is confirmed, and return its result."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return call()
        except NotReplicated:
            assert time.monotonic() < deadline


def test_a_repeated_command_is_acknowledged_only_when_a_replica_has_it(two: tuple[Server, Server]) -> None:
    """A command in the log that no replica has must not be acknowledged yet."""
    primary, replica = two
    with serving(primary) as services, serving(primary) as elsewhere:
        ours, others = services.matches, elsewhere.matches
        seats = [SeatSpec("human", player="ann"), SeatSpec("human", player="bob")]
        match = in_time(lambda: ours.creation.create("ann", "tic_tac_toe", seats, {}, key="a")).match
        command, by = Play(min(match.to_move), {"type": "mark", "cell": 4}), IdempotencyKey("ann", "k")
        # given: a move that only the primary has
        replica.redis.execute_command("REPLICAOF", "NO", "ONE")
        with pytest.raises(NotReplicated):
            ours.commands.submit(match.id, command, by)
        # when: it is repeated in two processes, before and after loading the match
        for matches in (ours, others, ours, others):
            with pytest.raises(NotReplicated):
                matches.commands.submit(match.id, command, by)
            assert matches.repository.load(match.id).ply == match.ply + 1
        # then: the same is true of a creation, and both are confirmed once the replica is back
        with pytest.raises(NotReplicated):
            others.creation.create("ann", "tic_tac_toe", seats, {}, key="a")
        replica.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until_equal(primary.replicas, 1)
        done = in_time(lambda: others.commands.submit(match.id, command, by))
        assert (done.is_repeat, done.events[0].ply) == (True, match.ply + 1)
        assert in_time(lambda: others.creation.create("ann", "tic_tac_toe", seats, {}, key="a")).is_repeat
        assert_feeds_announce_all(services.log, [match.id])


def test_a_repeated_rematch_also_waits_for_a_replica(two: tuple[Server, Server]) -> None:
    primary, replica = two
    with serving(primary) as services:
        match, ann, bob = pair_of_visitors(create_app(services), game="tic_tac_toe")
        ann.send(ann.open(f"/matches/{match}").form("/moves"), do="resign")
        again, button = ann.open(f"/matches/{match}").form("/rematch"), bob.open(f"/matches/{match}").form("/rematch")
        assert ann.send(again).status == 200
        # when: taking Bob's seat is not confirmed
        replica.redis.execute_command("REPLICAOF", "NO", "ONE")
        assert [bob.post(button).status_code for _ in range(2)] == [503, 503]
        assert ann.post(again).status_code == 503


def test_an_unconfirmed_erasure_can_be_repeated(two: tuple[Server, Server]) -> None:
    """While a replica hangs, erasing a player again is not confirmed, even though the primary has already done it."""
    primary, replica = two
    with serving(primary) as services:
        ann = in_time(lambda: services.accounts.players.create("Ann"))
        assert replica.process is not None
        replica.process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(3):  # in a new process each time, since a connection knows its own writes
                with serving(primary) as elsewhere, pytest.raises(NotReplicated):
                    elsewhere.accounts.players.erase(ann.id)
        finally:
            replica.process.send_signal(signal.SIGCONT)
        in_time(lambda: services.accounts.players.erase(ann.id))
        with closing(connect(url_of(replica))) as promoted:
            assert not promoted.exists(f"ct:player:{ann.id}")


def test_more_replicas_than_confirm_are_reported(two: tuple[Server, Server]) -> None:
    primary, _ = two
    with running(Server) as third, closing(connect(url_of(primary))) as client:
        third.redis.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        wait_until_equal(primary.replicas, 2)
        (fault,) = check_durability(client, replicas=1).faults
        assert "a failover may promote a replica without the move" in fault
        assert check_durability(client, replicas=2).mode == "replicated"


def test_an_append_after_a_lost_event_is_refused(two: tuple[Server, Server]) -> None:
    """Appending after an event that a failover has lost is refused as a version conflict."""
    primary, _ = two
    with closing(connect(url_of(primary))) as client:
        log, match = MatchLog(client), new_match_id()
        found = b'{"hash":"%s"}' % digest("this one").encode()
        log.append(match, 0, [found], command="a", payload="a")
        with pytest.raises(VersionConflict):
            log.append(match, 1, [event_line("late")], command="b", payload="b", head=digest("the lost one"))
        log.append(match, 1, [event_line("behind")], command="c", payload="c", head=digest("this one"))
        assert len(log.lines(match)) == 2
