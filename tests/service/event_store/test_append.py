"""Appending to the log and reading it with one client."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from redis import Redis
from redis.exceptions import NoPermissionError

from service.event_store import keys
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import CommandReused, LogDamaged, LogUnavailable, MatchNotFound, VersionConflict
from service.event_store.keys import WAKEUP_CHANNEL, new_match_id, shard_of
from service.event_store.log import (
    APPEND_SCRIPT_SHA1,
    AppendResult,
    FeedItem,
    LogTail,
    MatchLog,
    RememberedCommand,
    StoredSnapshot,
)
from tests.service.event_store.builders import (
    SEED,
    append_texts,
    assert_feeds_announce_all,
    digest,
    event_line,
    texts_of,
)
from tests.service.event_store.proxy import Proxy

MATCH = "07mzxw6ytboi3dgnbv"
FIXTURES = [HealthCheck.function_scoped_fixture]


def test_the_append_script_is_the_tested_version() -> None:
    """All guarantees of the log depend on it. After a change, run the full and soak tests, then update the hash."""
    assert APPEND_SCRIPT_SHA1 == "b2c5dcbc38ea6c6a766a5bcd3fd105c5dbfca42d"


# -- appending ------------------------------------------------------------------------------------------------------


def test_first_append(log: MatchLog, redis: Redis) -> None:
    """Given no match, when its first events are appended, then log, seed, command and feed contain them."""
    done = append_texts(log, MATCH, 0, "created", "taken", command="create")
    assert done == AppendResult(1, 2, is_duplicate=False)
    assert log.lines(MATCH) == [event_line("created"), event_line("taken")]
    assert [entry for entry, _ in redis.xrange(keys.log_key(MATCH)) or ()] == [b"1-0", b"2-0"]
    assert log.seed(MATCH) == SEED
    assert log.feed(7, 0) == [FeedItem(1, MATCH, 1, 2)]
    assert log.tail(MATCH, 2, digest("create")).remembered == RememberedCommand(1, 2, digest("created+taken"))


def test_the_seed_is_stored_only_once(log: MatchLog) -> None:
    """A seed sent with a later command changes nothing."""
    append_texts(log, MATCH, 0, "created")
    log.append(MATCH, 1, [event_line("moved")], command="c", payload="p", seed=b"\xff" * 32)
    assert log.seed(MATCH) == SEED


def test_a_match_without_a_seed_is_not_found(log: MatchLog) -> None:
    with pytest.raises(MatchNotFound):
        log.seed(MATCH)


@pytest.mark.parametrize("expected", [0, 1, 3, 4, 1000])
def test_an_append_at_another_ply_is_refused(log: MatchLog, redis: Redis, expected: int) -> None:
    """Given a match at event 2, when a writer expects another, then the error names event 2 and nothing is written."""
    append_texts(log, MATCH, 0, "created", "taken")
    before = redis.dbsize(), log.feed_head(7)
    with pytest.raises(VersionConflict) as conflict:
        append_texts(log, MATCH, expected, "late")
    assert (conflict.value.expected, conflict.value.actual) == (expected, 2)
    assert texts_of(log, MATCH) == ["created", "taken"]
    assert (redis.dbsize(), log.feed_head(7)) == before
    assert log.tail(MATCH, 0, digest("late")).remembered is None


def test_a_command_can_be_retried_after_a_conflict(log: MatchLog) -> None:
    """A conflict stores nothing, so the same command id succeeds at the right ply."""
    append_texts(log, MATCH, 0, "created")
    with pytest.raises(VersionConflict):
        append_texts(log, MATCH, 0, "late")
    assert append_texts(log, MATCH, 1, "late") == AppendResult(2, 2, is_duplicate=False)


def test_a_repeated_command_returns_its_first_result(log: MatchLog) -> None:
    """The result is the same however often it is repeated and however far the match has moved on."""
    first = append_texts(log, MATCH, 0, "created", "taken", command="create")
    append_texts(log, MATCH, 2, "moved")
    for expected in (0, 2, 3, 9):
        again = append_texts(log, MATCH, expected, "created", "taken", command="create")
        assert again == AppendResult(first.first, first.last, is_duplicate=True)
    assert texts_of(log, MATCH) == ["created", "taken", "moved"]
    assert_feeds_announce_all(log, [MATCH])


def test_a_command_id_cannot_be_reused_with_another_payload(log: MatchLog) -> None:
    append_texts(log, MATCH, 0, "created", command="key")
    with pytest.raises(CommandReused, match="new key"):
        append_texts(log, MATCH, 1, "moved", command="key")
    assert texts_of(log, MATCH) == ["created"]


def test_command_ids_belong_to_their_match(log: MatchLog) -> None:
    other = "07" + MATCH[:1:-1]
    append_texts(log, MATCH, 0, "created", command="key")
    assert append_texts(log, other, 0, "something else", command="key") == AppendResult(1, 1, is_duplicate=False)


def test_an_append_needs_events(log: MatchLog) -> None:
    with pytest.raises(ValueError, match="at least one event"):
        log.append(MATCH, 0, [], command="c", payload="p")


@settings(suppress_health_check=FIXTURES, deadline=None, max_examples=40)
@example(lines=[b"\0", b""], command="\0:\0", payload=":\0:\n")  # Lua 5.1 formats a text up to its first NUL
@given(
    lines=st.lists(st.binary(max_size=300), min_size=1, max_size=5),
    command=st.text(st.characters(codec="utf-8"), max_size=80),
    payload=st.text(st.characters(codec="utf-8"), max_size=80),
)
def test_events_are_read_back_byte_for_byte(log: MatchLog, lines: list[bytes], command: str, payload: str) -> None:
    match = new_match_id()
    log.append(match, 0, lines, command=command, payload=payload)
    assert log.tail(match, 0, command) == LogTail(lines, RememberedCommand(1, len(lines), payload))


def test_client_data_cannot_inject_code_into_the_script(log: MatchLog, redis: Redis) -> None:
    evil = "']] redis.call('SET','pwned','1') --[["
    log.append(MATCH, 0, [evil.encode()], command=evil, payload=evil + ":1:2")
    assert redis.exists("pwned") == 0
    assert log.tail(MATCH, 0, evil) == LogTail([evil.encode()], RememberedCommand(1, 1, evil + ":1:2"))


def test_a_long_command_of_many_events(log: MatchLog) -> None:
    texts = [f"move {n}" for n in range(2000)]
    assert append_texts(log, MATCH, 0, *texts) == AppendResult(1, 2000, is_duplicate=False)
    assert texts_of(log, MATCH) == texts
    assert log.feed(7, 0) == [FeedItem(1, MATCH, 1, 2000)]


class Model:
    """A model of the log in plain Python."""

    def __init__(self) -> None:
        self.lines: dict[str, list[bytes]] = {}
        self.commands: dict[tuple[str, str], tuple[int, int, str]] = {}

    def append(self, match: str, expected: int, lines: list[bytes], command: str, payload: str) -> Any:
        if (match, command) in self.commands:
            first, last, known = self.commands[match, command]
            return AppendResult(first, last, is_duplicate=True) if known == payload else CommandReused
        log = self.lines.setdefault(match, [])
        if expected != len(log):
            return VersionConflict
        log += lines
        first, last = expected + 1, len(log)
        self.commands[match, command] = (first, last, payload)
        return AppendResult(first, last, is_duplicate=False)


step = st.tuples(
    st.integers(0, 2), st.integers(-1, 1), st.integers(1, 3), st.sampled_from("abcdefgh"), st.sampled_from("xy")
)


def run_against_model(log: MatchLog, steps: list[tuple[int, int, int, str, str]]) -> None:
    model, matches = Model(), [new_match_id() for _ in range(3)]
    for which, off, count, command, payload in steps:
        match = matches[which]
        expected = max(0, len(model.lines.get(match, [])) + off)
        lines = [event_line(f"{command}{n}") for n in range(count)]
        try:
            found: Any = log.append(match, expected, lines, command=command, payload=payload)
        except (VersionConflict, CommandReused) as refusal:
            found = type(refusal)
        assert found == model.append(match, expected, lines, command, payload)
    for match in matches:
        assert log.lines(match) == model.lines.get(match, [])


@settings(suppress_health_check=FIXTURES, deadline=None, max_examples=60)
@given(st.lists(step, max_size=30))
def test_any_sequence_of_appends_matches_the_model(log: MatchLog, steps: list[tuple[int, int, int, str, str]]) -> None:
    run_against_model(log, steps)


@pytest.mark.full
@settings(suppress_health_check=FIXTURES, deadline=None, max_examples=1000)
@given(st.lists(step, max_size=60))
def test_any_sequence_of_appends_matches_the_model_in_full(
    log: MatchLog, steps: list[tuple[int, int, int, str, str]]
) -> None:
    run_against_model(log, steps)


# -- all or nothing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [keys.log_key(MATCH), keys.command_key(MATCH), keys.feed_key(7)])
def test_a_key_of_another_type_fails_the_append_before_it_writes(log: MatchLog, redis: Redis, key: str) -> None:
    """A script that fails halfway keeps what it has written, so it must fail earlier."""
    redis.set(key, "foreign")
    with pytest.raises(LogUnavailable):
        append_texts(log, MATCH, 0, "created")
    assert redis.keys() == [key.encode()]


def test_a_full_memory_refuses_the_whole_append(log: MatchLog, redis: Redis) -> None:
    """Reads still work, and the same command succeeds once there is free memory."""
    append_texts(log, MATCH, 0, "created")
    redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(LogUnavailable, match="out of memory"):
            append_texts(log, MATCH, 1, "moved", "moved again")
        assert texts_of(log, MATCH) == ["created"]
        assert log.feed_head(7) == 1
    finally:
        redis.config_set("maxmemory", 0)
    assert append_texts(log, MATCH, 1, "moved", "moved again") == AppendResult(2, 3, is_duplicate=False)


def test_an_append_succeeds_without_permission_to_publish(server: EmbeddedServer, log: MatchLog, redis: Redis) -> None:
    """The hint is sent last, after the append is complete."""
    redis.acl_setuser("quiet", enabled=True, nopass=True, commands=["+@all"], keys=["*"], reset_channels=True)
    client = connect(server.url().replace("unix://", "unix://quiet:any@"))
    try:
        with pytest.raises(NoPermissionError):
            client.publish(WAKEUP_CHANNEL, "x")
        assert append_texts(MatchLog(client), MATCH, 0, "created") == AppendResult(1, 1, is_duplicate=False)
    finally:
        client.close()
        redis.acl_deluser("quiet")
    assert_feeds_announce_all(log, [MATCH])


# -- reading ----------------------------------------------------------------------------------------------------------


def test_lines_in_a_range_of_plies(log: MatchLog) -> None:
    append_texts(log, MATCH, 0, "a", "b", "c", "d")
    assert log.lines(MATCH, 2, 3) == [event_line("b"), event_line("c")]
    assert log.lines(MATCH, 4) == [event_line("d")]
    assert log.lines(MATCH, 5) == []
    assert log.lines(MATCH, last=1) == [event_line("a")]
    assert log.lines(new_match_id()) == []


def test_the_tail_after_a_ply(log: MatchLog) -> None:
    append_texts(log, MATCH, 0, "a", "b")
    append_texts(log, MATCH, 2, "c", command="third")
    assert log.tail(MATCH, 1) == LogTail([event_line("b"), event_line("c")], None)
    assert log.tail(MATCH, 3) == LogTail([], None)
    assert log.tail(MATCH, 2, digest("third")) == LogTail([event_line("c")], RememberedCommand(3, 3, digest("c")))
    assert log.tail(new_match_id(), 0, "unknown") == LogTail([], None)


def test_tail_and_feeds_take_one_round_trip(server: EmbeddedServer, log: MatchLog) -> None:
    append_texts(log, MATCH, 0, "a")
    with Proxy(str(server.socket_path)) as proxy:
        client = connect(proxy.url)
        slow = MatchLog(client)
        slow.ping()
        before = len(proxy.requests)
        slow.tail(MATCH, 0, "command")
        slow.feeds(dict.fromkeys(range(64), 0))
        assert len(proxy.requests) == before + 2
        client.close()


def test_a_missing_event_is_never_skipped(log: MatchLog, redis: Redis) -> None:
    """Given a gap in the stream, when a read spans it, then the read fails."""
    append_texts(log, MATCH, 0, "a", "b", "c")
    redis.xdel(keys.log_key(MATCH), "2-0")
    for read in (lambda: log.lines(MATCH), lambda: log.tail(MATCH, 0), lambda: log.tail(MATCH, 1)):
        with pytest.raises(LogDamaged, match="entry 3-0 is in the place of event 2"):
            read()
    assert log.tail(MATCH, 2).lines == [event_line("c")]


def test_an_entry_not_written_by_the_script_is_detected(log: MatchLog, redis: Redis) -> None:
    append_texts(log, MATCH, 0, "a")
    redis.xadd(keys.log_key(MATCH), {"e": "forged"}, id="1-7")
    with pytest.raises(LogDamaged, match="entry 1-7 is in the place"):
        log.lines(MATCH)


def test_a_feed_continues_after_its_last_position_even_if_entries_were_deleted(log: MatchLog, redis: Redis) -> None:
    shard = shard_of(MATCH)
    for ply, text in enumerate("abc"):
        append_texts(log, MATCH, ply, text)
    redis.xdel(keys.feed_key(shard), "3-0")
    assert append_texts(log, MATCH, 3, "d") == AppendResult(4, 4, is_duplicate=False)
    assert [(item.position, item.first) for item in log.feed(shard, 0)] == [(1, 1), (2, 2), (4, 4)]
    assert texts_of(log, MATCH) == list("abcd")


def test_a_deleted_newest_event_is_never_replaced(log: MatchLog, redis: Redis) -> None:
    shard = shard_of(MATCH)
    append_texts(log, MATCH, 0, "a", "b")
    redis.xdel(keys.log_key(MATCH), "2-0")
    with pytest.raises((LogUnavailable, VersionConflict)):
        append_texts(log, MATCH, 1, "c")
    assert (texts_of(log, MATCH), log.feed_head(shard)) == (["a"], 1)
    assert log.tail(MATCH, 1, digest("c")).remembered is None


def test_the_feed_in_pages(log: MatchLog) -> None:
    for n in range(5):
        append_texts(log, MATCH, n, f"move {n}")
    assert [item.position for item in log.feed(7, 0, count=2)] == [1, 2]
    assert [item.position for item in log.feed(7, 2, count=2)] == [3, 4]
    assert log.feed(7, 4) == [FeedItem(5, MATCH, 5, 5)]
    assert log.feed(7, 5) == []
    assert (log.feed_head(7), log.feed_head(8)) == (5, 0)


def test_feeds_of_several_shards_each_from_its_own_position(log: MatchLog) -> None:
    other = "63" + MATCH[2:]
    append_texts(log, MATCH, 0, "a")
    append_texts(log, other, 0, "b")
    append_texts(log, other, 1, "c")
    found = log.feeds({7: 0, 8: 0, 63: 1})
    assert found == {7: [FeedItem(1, MATCH, 1, 1)], 8: [], 63: [FeedItem(2, other, 2, 2)]}
    assert log.feeds({}) == {}


def test_a_new_snapshot_replaces_the_old_one(log: MatchLog) -> None:
    assert log.read_snapshot(MATCH) is None
    log.write_snapshot(MATCH, 64, "mice_cake/1", b"\x00\xffone")
    log.write_snapshot(MATCH, 128, "mice_cake/1", b"two")
    assert log.read_snapshot(MATCH) == StoredSnapshot(128, "mice_cake/1", b"two")


@pytest.mark.parametrize("match", ["", "99" + MATCH[2:], MATCH.upper(), "07}:x", "../" + MATCH])
@pytest.mark.parametrize(
    "call",
    [
        lambda log, match: log.append(match, 0, [b"{}"], command="c", payload="p"),
        lambda log, match: log.tail(match, 0),
        lambda log, match: log.lines(match),
        lambda log, match: log.seed(match),
        lambda log, match: log.read_snapshot(match),
        lambda log, match: log.write_snapshot(match, 1, "v", b""),
    ],
)
def test_a_malformed_match_id_is_not_found(log: MatchLog, match: str, call: Callable[[MatchLog, str], Any]) -> None:
    with pytest.raises(MatchNotFound):
        call(log, match)


def test_the_log_works_through_a_tcp_port(server: EmbeddedServer, log: MatchLog) -> None:
    """Events written through TCP can be read through the socket."""
    with Proxy(str(server.socket_path)) as proxy:
        client = connect(proxy.url)
        append_texts(MatchLog(client), MATCH, 0, "over TCP")
        client.close()
    assert texts_of(log, MATCH) == ["over TCP"]
    assert shard_of(MATCH) == 7
