"""Applying feeds: every position counts exactly once, and all keys of a shard share a hash slot."""

import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis, RedisCluster
from redis.exceptions import RedisError

from service.cli.listen import free_port
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer, server_binary
from service.event_store.errors import LogUnavailable, MatchNotFound
from service.event_store.keys import SHARDS, hash_tag, shard_of
from service.read_models.writer import FeedGap, ProjectionChange
from tests.projections import Projections
from tests.service.read_models.rows import (
    DRAW,
    NOON,
    SECOND,
    FeedWriter,
    bot_seat,
    dump_keys,
    human_seat,
    make_summary,
    match_id,
    match_ids,
)


def test_a_position_counts_once(projections: Projections, redis: Redis) -> None:
    match = match_id(5)
    assert projections.progress.checkpoint(5) == 0
    assert projections.apply(5, 1, match, make_summary(match, status="open"))
    assert projections.apply(5, 2, match, make_summary(match, status="playing"))
    before = dump_keys(redis)
    assert not projections.apply(5, 1, match, make_summary(match, status="open"))
    assert not projections.apply(5, 2, match, make_summary(match, status="over"))
    assert dump_keys(redis) == before
    assert projections.progress.checkpoint(5) == 2


def test_a_position_after_a_gap_is_refused_and_changes_nothing(projections: Projections, redis: Redis) -> None:
    match = match_id(5)
    projections.apply(5, 1, match, make_summary(match))
    before = dump_keys(redis)
    with pytest.raises(FeedGap) as gap:
        projections.apply(5, 3, match, make_summary(match, status="over"))
    assert gap.value.checkpoint == 1
    assert dump_keys(redis) == before


def test_a_batch_equals_its_positions_applied_one_by_one(projections: Projections, redis: Redis) -> None:
    matches = [match_id(5, name) for name in "abcabca"]
    changes = [
        ProjectionChange(n, match, make_summary(match, ply=n, at=NOON + n * SECOND))
        for n, match in enumerate(matches, 1)
    ]
    for change in changes:
        projections.apply(5, change.position, change.match, change.row)
    one_by_one = dump_keys(redis)
    projections.writer.reset(5)
    assert projections.apply_all(5, changes[:4]) == [True] * 4
    assert projections.apply_all(5, changes) == [False] * 4 + [True] * 3
    assert dump_keys(redis) == one_by_one
    with pytest.raises(FeedGap):
        projections.apply_all(5, [ProjectionChange(9, matches[0], None)])


def test_a_position_without_a_row_moves_only_the_checkpoint(projections: Projections) -> None:
    match = match_id(5)
    projections.apply(5, 1, match, make_summary(match, status="open"))
    assert projections.apply(5, 2, match, None)
    assert projections.progress.checkpoint(5) == 2
    assert match_ids(projections.lists.list_matches(status="open").rows) == [match]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=6),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_each_position_counts_once_in_any_sequence_of_batches(
    projections: Projections, redis: Redis, feed: list[tuple[str, bool]], cuts: list[tuple[int, int]]
) -> None:
    """Given a feed in which some positions have no row, when overlapping or early batches are applied, then each is
    applied from the checkpoint on or refused, and the result equals applying one position at a time."""
    changes = [
        ProjectionChange(
            n, match_id(5, name), make_summary(match_id(5, name), ply=n, at=NOON + n * SECOND) if has_row else None
        )
        for n, (name, has_row) in enumerate(feed, 1)
    ]
    projections.writer.reset(5)
    for change in changes:
        assert projections.apply(5, change.position, change.match, change.row)
    one_by_one = dump_keys(redis)
    projections.writer.reset(5)
    for begin, length in [*cuts, (0, len(changes))]:
        batch, reached = changes[begin : begin + length], projections.progress.checkpoint(5)
        if batch and batch[0].position > reached + 1:
            with pytest.raises(FeedGap):
                projections.apply_all(5, batch)
        else:
            assert projections.apply_all(5, batch) == [change.position > reached for change in batch]
    assert projections.progress.checkpoint(5) == len(changes)
    assert dump_keys(redis) == one_by_one


def test_a_gap_in_one_shard_does_not_stop_the_others(projections: Projections) -> None:
    changes = {
        5: [ProjectionChange(1, match_id(5), make_summary(match_id(5)))],
        6: [ProjectionChange(2, match_id(6), make_summary(match_id(6)))],
        7: [ProjectionChange(1, match_id(7), None), ProjectionChange(2, match_id(7), make_summary(match_id(7)))],
    }
    applied = projections.writer.apply_shards(changes)
    assert applied[5] == [True]
    assert isinstance(gap := applied[6], FeedGap)
    assert gap.checkpoint == 0
    assert applied[7] == [True, True]
    assert [projections.progress.checkpoint(shard) for shard in changes] == [1, 0, 2]


def test_racing_writers_apply_each_position_once(projections: Projections, redis: Redis) -> None:
    """Given four threads that apply the same 100 positions, then every position is applied by exactly one of them."""
    matches = [match_id(5, name) for name in "abcde"]
    changes = [ProjectionChange(n, matches[n % 5], make_summary(matches[n % 5], ply=n)) for n in range(1, 101)]
    done: list[int] = []

    def apply_all() -> None:
        done.extend(c.position for c in changes if projections.apply(5, c.position, c.match, c.row))

    threads = [threading.Thread(target=apply_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(1, 101))
    assert {one.ply for one in projections.lists.list_matches().rows} == set(range(96, 101))


def test_all_keys_of_a_shard_share_its_tag_and_a_reset_keeps_the_verdict(
    projections: Projections, redis: Redis
) -> None:
    over = make_summary(match_id(5), status="over", outcome=DRAW)
    feeds = FeedWriter(projections)
    feeds.announce(over, make_summary(match_id(6), seats=(human_seat("p_ann"), bot_seat()), to_move=(1,)))
    projections.verdicts.record(over.id, b"{}")
    keys = {key.decode() for key in redis.keys("*")}
    assert len(keys) > 8
    assert all(key.startswith((hash_tag(5), hash_tag(6))) for key in keys)
    projections.writer.reset(5)
    assert {key.decode() for key in redis.keys(f"{hash_tag(5)}*")} == {f"{hash_tag(5)}:audit:{over.id}"}
    assert projections.progress.checkpoint(5) == 0
    assert projections.progress.checkpoint(6) == 1


def test_rebuilt_projections_are_identical(projections: Projections, redis: Redis) -> None:
    feeds = FeedWriter(projections)
    audited = match_id(2)
    feeds.announce(
        make_summary(match_id(1), status="open"), make_summary(audited, to_move=(0,)), make_summary(match_id(2, "b"))
    )
    feeds.announce(make_summary(audited, status="over", outcome=DRAW, at=NOON + SECOND))
    projections.verdicts.record(audited, b"{}")
    feeds.announce(make_summary(match_id(1), status="playing", seats=(bot_seat(), human_seat("p_bob")), to_move=(0,)))
    before = dump_keys(redis)
    for shard in range(SHARDS):
        projections.writer.reset(shard)
    for change in feeds.changes:
        projections.apply(shard_of(change.match), change.position, change.match, change.row)
    assert dump_keys(redis) == before


def test_a_malformed_match_id_is_not_found(projections: Projections) -> None:
    for call in (
        projections.lists.find_match,
        projections.verdicts.find,
        lambda match: projections.verdicts.record(match, b""),
    ):
        with pytest.raises(MatchNotFound):
            call("{ct:05}:nonsense")


def test_a_flushed_script_is_sent_again(projections: Projections, redis: Redis) -> None:
    match = match_id(5)
    projections.apply(5, 1, match, make_summary(match))
    redis.script_flush()
    changes = [ProjectionChange(n, match, make_summary(match, ply=n)) for n in (2, 3, 4)]
    assert projections.apply_all(5, changes) == [True, True, True]


def test_every_call_fails_while_the_server_is_down_and_works_again_after(own_server: EmbeddedServer) -> None:
    projections = Projections(connect(own_server.url()))
    match = match_id(5)
    projections.apply(5, 1, match, make_summary(match))
    own_server.kill()
    calls = [
        lambda: projections.apply(5, 2, match, make_summary(match, ply=5)),
        projections.lists.list_matches,
        lambda: projections.lists.turns_of("p_ann"),
        lambda: projections.lists.matches_of("p_ann"),
        projections.work.due_bot_turns,
        lambda: projections.verdicts.find(match),
        lambda: projections.verdicts.record(match, b"{}"),
        projections.progress.checkpoints,
        lambda: projections.writer.reset(5),
    ]
    for call in calls:
        with pytest.raises(LogUnavailable):
            call()
    own_server.start()
    assert projections.apply(5, 2, match, make_summary(match, ply=5))
    assert match_ids(projections.lists.list_matches().rows) == [match]


# -- cluster ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[int]:
    """A port of a cluster in which each of two primaries has half of the slots."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    ports, buses = [free_port("127.0.0.1"), free_port("127.0.0.1")], [free_port("127.0.0.1"), free_port("127.0.0.1")]
    processes = []
    for port, bus in zip(ports, buses, strict=True):
        words = ["--port", port, "--cluster-enabled", "yes", "--cluster-port", bus, "--bind", "127.0.0.1"]
        own = folder / str(port)
        own.mkdir()
        command = [str(server_binary()), "--dir", str(own), "--save", "", *map(str, words)]
        processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
    nodes = [Redis(port=port) for port in ports]
    try:
        for node in nodes:
            wait_until_ready(node, "cluster_enabled")
        nodes[0].execute_command("CLUSTER MEET", "127.0.0.1", ports[1], buses[1])
        nodes[0].execute_command("CLUSTER ADDSLOTSRANGE", 0, 8191)
        nodes[1].execute_command("CLUSTER ADDSLOTSRANGE", 8192, 16383)
        for node in nodes:
            wait_until_ready(node, "cluster_state")
        yield ports[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()
        for node in nodes:
            node.close()
        shutil.rmtree(folder)


def wait_until_ready(node: Redis, what: str) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            info = node.cluster("INFO")
            if what == "cluster_enabled" or (info["cluster_state"] == "ok" and info["cluster_known_nodes"] == "2"):
                return
        except RedisError:
            pass
        time.sleep(0.05)
    raise AssertionError("the cluster did not start")


def test_every_list_works_on_a_cluster(cluster: int) -> None:
    """Given matches in every shard, on both nodes, then writing and all ways of reading work."""
    with closing(connect(f"cluster+redis://127.0.0.1:{cluster}")) as client:
        assert isinstance(client, RedisCluster)
        projections = Projections(client)
        against_bot = (human_seat("p_ann"), bot_seat())
        rows = [
            make_summary(match_id(shard), seats=against_bot, to_move=(shard % 2,), created_at=NOON + shard * SECOND)
            for shard in range(SHARDS)
        ]
        FeedWriter(projections).announce(*rows)
        again = ProjectionChange(2, rows[3].id, rows[3])
        assert projections.apply_all(3, [again, ProjectionChange(3, rows[3].id, rows[3])]) == [True, True]
        first = projections.lists.list_matches(status="playing", limit=40)
        rest = projections.lists.list_matches(status="playing", limit=40, cursor=first.cursor)
        assert match_ids([*first.rows, *rest.rows]) == match_ids(reversed(rows))
        assert len(projections.lists.turns_of("p_ann")) == len(projections.work.due_bot_turns()) == SHARDS // 2
        assert len(projections.lists.matches_of("p_ann")) == SHARDS
        assert projections.progress.checkpoints()[3] == 3
        over = make_summary(match_id(9, "over"), status="over", outcome=DRAW)
        projections.apply(9, 2, over.id, over)
        assert [waiting.match for waiting in projections.work.unaudited_matches()] == [over.id]
        projections.verdicts.record(over.id, b"{}")
        assert projections.work.unaudited_matches() == []
        projections.writer.reset(9)
        assert projections.progress.checkpoint(9) == 0
