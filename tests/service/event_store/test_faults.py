"""Network and server faults: no acknowledged event is lost, and no command is carried out twice."""

import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from redis import Redis
from redis import exceptions as raised_by_redis

from service.event_store import keys
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogUnavailable, VersionConflict, redis_errors_as_unavailable
from service.event_store.keys import new_match_id
from service.event_store.log import AppendResult, MatchLog
from tests.service.event_store.builders import append_texts, assert_feeds_announce_all, texts_of
from tests.service.event_store.proxy import Proxy

APPEND = b"EVALSHA"
TRIES = 3
ANSWER_SECONDS = 1.0
"""How long the client waits for an answer. A busy machine must not need as long for one that is not lost."""


@pytest.fixture
def proxy(server: EmbeddedServer) -> Iterator[Proxy]:
    with Proxy(str(server.socket_path)) as proxy:
        yield proxy


@pytest.fixture
def far(log: MatchLog, proxy: Proxy) -> Iterator[MatchLog]:
    """The log through the proxy, with short timeouts and the script loaded."""
    append_texts(log, new_match_id(), 0, "to load the script")
    with closing(connect(f"{proxy.url}?socket_timeout={ANSWER_SECONDS}")) as client:
        yield MatchLog(client)


# -- network faults ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [1, TRIES - 1])
def test_a_lost_reply_is_retried(far: MatchLog, log: MatchLog, proxy: Proxy, lost: int) -> None:
    """Given an append whose reply is lost, when the client retries, then it gets the result of the first attempt."""
    match = new_match_id()
    proxy.lose_replies(APPEND, lost)
    done = append_texts(far, match, 0, "created", "taken")
    assert (done.first, done.last) == (1, 2)
    assert proxy.count(APPEND) == lost + 1
    assert texts_of(log, match) == ["created", "taken"]
    assert len(log.feed(keys.shard_of(match), 0)) <= 2


@pytest.mark.parametrize("lost", [1, TRIES - 1])
def test_a_lost_request_is_sent_again(far: MatchLog, log: MatchLog, proxy: Proxy, lost: int) -> None:
    match = new_match_id()
    proxy.lose_requests(APPEND, lost)
    assert append_texts(far, match, 0, "created") == AppendResult(1, 1, is_duplicate=False)
    assert texts_of(log, match) == ["created"]


def test_after_losing_every_reply_repeating_the_command_returns_its_outcome(
    far: MatchLog, log: MatchLog, proxy: Proxy
) -> None:
    """Only `MatchLog` retries: the server receives exactly one request per attempt."""
    match = new_match_id()
    proxy.lose_replies(APPEND, TRIES)
    with pytest.raises(LogUnavailable):
        append_texts(far, match, 0, "created")
    assert proxy.count(APPEND) == TRIES
    assert append_texts(far, match, 0, "created") == AppendResult(1, 1, is_duplicate=True)
    assert texts_of(log, match) == ["created"]


def test_a_conflict_after_a_lost_request_is_reported(far: MatchLog, log: MatchLog, proxy: Proxy) -> None:
    match = new_match_id()
    append_texts(log, match, 0, "created")
    proxy.lose_requests(APPEND, 1)
    with pytest.raises(VersionConflict):
        append_texts(far, match, 0, "created by another")


def test_a_silent_server_fails_within_a_time_limit(far: MatchLog, log: MatchLog, proxy: Proxy) -> None:
    far.ping()
    proxy.mute = True
    begun = time.monotonic()
    with pytest.raises(LogUnavailable, match="did not answer in time"):
        append_texts(far, new_match_id(), 0, "created")
    assert time.monotonic() - begun < TRIES * ANSWER_SECONDS + 20
    proxy.mute = False
    far.ping()


def test_reads_are_retried_too(far: MatchLog, log: MatchLog, proxy: Proxy) -> None:
    match = new_match_id()
    append_texts(log, match, 0, "created")
    proxy.lose_replies(b"XRANGE", TRIES - 1)
    assert texts_of(far, match) == ["created"]
    proxy.lose_replies(b"XRANGE", TRIES)
    with pytest.raises(LogUnavailable):
        far.tail(match, 0)


# -- server faults ---------------------------------------------------------------------------------------------------


def test_a_server_that_is_down_and_comes_back(own_server: EmbeddedServer) -> None:
    """The same client recovers automatically, even with its old connections."""
    with closing(connect(own_server.url())) as client:
        log, match = MatchLog(client), new_match_id()
        append_texts(log, match, 0, "created")
        own_server.stop()
        for call in (lambda: append_texts(log, match, 1, "moved"), lambda: log.lines(match), log.ping):
            with pytest.raises(LogUnavailable, match="cannot be reached"):
                call()
        own_server.start()
        assert append_texts(log, match, 1, "moved") == AppendResult(2, 2, is_duplicate=False)
        assert texts_of(log, match) == ["created", "moved"]


def test_a_restart_between_two_commands_goes_unnoticed(own_server: EmbeddedServer) -> None:
    """An idle connection broken by the restart causes no error, and an unknown script is sent again."""
    with closing(connect(own_server.url())) as client:
        log, match = MatchLog(client), new_match_id()
        for ply in range(3):
            assert append_texts(log, match, ply, f"move {ply}") == AppendResult(ply + 1, ply + 1, is_duplicate=False)
            own_server.kill()
            own_server.start()
        assert texts_of(log, match) == ["move 0", "move 1", "move 2"]


def test_a_flushed_script_is_sent_again(log: MatchLog, redis: Redis) -> None:
    match = new_match_id()
    append_texts(log, match, 0, "created")
    redis.script_flush()
    assert append_texts(log, match, 1, "moved") == AppendResult(2, 2, is_duplicate=False)


def check_crashes(server: EmbeddedServer, crashes: int, pause: float) -> None:
    """Append continuously while the server is killed repeatedly. Writers retry until the outcome is known."""
    matches = [new_match_id() for _ in range(4)]
    acknowledged: dict[tuple[str, int], str] = {}
    over = threading.Event()

    def write(match: str) -> int:
        """Append until `over` is set, and return how many attempts had an unknown outcome."""
        unknown = 0
        with closing(connect(server.url())) as client:
            log, ply = MatchLog(client), 0
            while not over.is_set():
                text = f"move {ply}"
                try:
                    done = append_texts(log, match, ply, text)
                except LogUnavailable:
                    unknown += 1
                    continue
                acknowledged[match, done.first] = text
                assert (done.first, done.last) == (ply + 1, ply + 1)
                ply += 1
        return unknown

    with ThreadPoolExecutor(len(matches)) as pool:
        writers = [pool.submit(write, match) for match in matches]
        try:
            for _ in range(crashes):
                time.sleep(pause)
                server.kill()
                time.sleep(pause / 2)  # long enough for all attempts of a writer
                server.start()
            time.sleep(pause)
        finally:
            over.set()
        unknown = sum(writer.result() for writer in writers)
    assert unknown >= crashes, "too few crashes hit an append, so this run proves nothing"
    assert len(acknowledged) > 50 * crashes
    with closing(connect(server.url())) as client:
        log = MatchLog(client)
        for match in matches:
            texts = texts_of(log, match)
            assert texts == [f"move {n}" for n in range(len(texts))]
            assert all(texts[ply - 1] == text for (m, ply), text in acknowledged.items() if m == match)
        assert_feeds_announce_all(log, matches)


def test_acknowledged_events_survive_crashes(own_server: EmbeddedServer) -> None:
    check_crashes(own_server, crashes=3, pause=0.5)


@pytest.mark.full
def test_acknowledged_events_survive_many_crashes(own_server: EmbeddedServer) -> None:
    check_crashes(own_server, crashes=40, pause=0.5)


def test_a_truncated_file_loses_only_the_whole_last_append(own_server: EmbeddedServer) -> None:
    """Given a file cut off in the middle of the last append, when the server starts, then that append is gone."""
    with closing(connect(own_server.url())) as client:
        log, match = MatchLog(client), new_match_id()
        append_texts(log, match, 0, "created")
        append_texts(log, match, 1, "moved", "moved again")
        own_server.kill()
        (file,) = (own_server.data_dir / "appendonlydir").glob("*.incr.aof")
        whole = file.read_bytes()
        begin = whole.rindex(b"MULTI")
        for cut in range(begin + 20, len(whole), 97):
            file.write_bytes(whole[:cut])
            own_server.start()
            assert texts_of(log, match) == ["created"]
            assert_feeds_announce_all(log, [match])
            own_server.kill()
        own_server.start()
        assert append_texts(log, match, 1, "moved", "moved again") == AppendResult(2, 3, is_duplicate=False)


# -- messages ------------------------------------------------------------------------------------------------------

SECRET = "the-seed-and-the-hidden-cards"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (raised_by_redis.ConnectionError("Connection closed by server."), "cannot be reached"),
        (raised_by_redis.TimeoutError("Timeout reading from socket"), "did not answer in time"),
        (raised_by_redis.BusyLoadingError("Redis is loading the dataset in memory"), "is starting"),
        (raised_by_redis.AuthenticationError("WRONGPASS"), "rejected the user name or password"),
        (raised_by_redis.NoPermissionError(f"no permissions {SECRET}"), "lacks a permission"),
        (raised_by_redis.OutOfMemoryError("command not allowed"), "out of memory"),
        (raised_by_redis.ReadOnlyError("You can't write against a read only replica."), "is a replica"),
        (raised_by_redis.MovedError("15495 127.0.0.1:7001"), "belongs to a cluster"),
        (raised_by_redis.ClusterDownError("CLUSTERDOWN The cluster is down"), "is a cluster with a node that is down"),
        (raised_by_redis.ClusterError("TTL exhausted."), "is a cluster with a node that is down"),
        (raised_by_redis.RedisClusterException(f"No targets were found for {SECRET}"), "is a cluster with a node"),
        (
            raised_by_redis.ResponseError(f"MISCONF Errors writing to the AOF file: {SECRET}"),
            "cannot write to its disk",
        ),
        (raised_by_redis.ResponseError("NOREPLICAS Not enough good replicas to write."), "too few replicas"),
        (raised_by_redis.ResponseError("script: 54: -OOM command not allowed"), "out of memory"),
        (raised_by_redis.ResponseError(f"WRONGTYPE Operation against {SECRET}"), r"\(WRONGTYPE\)"),
        (raised_by_redis.ResponseError(f"unknown command 'EVALSHA', with args: {SECRET}"), r"\(ResponseError\)"),
        (ConnectionResetError(104, "Connection reset by peer"), "cannot be reached"),
    ],
)
def test_every_redis_error_gets_a_message_without_secrets(error: Exception, words: str) -> None:
    with (
        pytest.raises(LogUnavailable, match=f"^The log server .*{words}.*\\.$") as unavailable,
        redis_errors_as_unavailable(),
    ):
        raise error
    assert SECRET not in "".join(traceback.format_exception(unavailable.value))


def test_an_unsendable_value_raises_the_original_error(log: MatchLog) -> None:
    with pytest.raises(raised_by_redis.DataError):
        log.append(new_match_id(), 0, [{}], command="c", payload="p")  # type: ignore[list-item]


def test_a_wrong_password(server: EmbeddedServer, redis: Redis) -> None:
    """The error comes immediately and does not quote the password."""
    with (
        closing(connect(server.url().replace("unix://", f"unix://nobody:{SECRET}@"))) as client,
        pytest.raises(LogUnavailable, match="password") as unavailable,
    ):
        MatchLog(client).ping()
    assert SECRET not in "".join(traceback.format_exception(unavailable.value))
