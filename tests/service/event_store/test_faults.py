"""What breaks between us and the server, and the server itself: nothing acknowledged is lost, nothing happens twice."""

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
ANSWER_SECONDS = 0.5


@pytest.fixture
def proxy(server: EmbeddedServer) -> Iterator[Proxy]:
    with Proxy(str(server.socket_path)) as proxy:
        yield proxy


@pytest.fixture
def far(log: MatchLog, proxy: Proxy) -> Iterator[MatchLog]:
    """The log seen through the proxy, with a script that the server knows and short time-outs."""
    append_texts(log, new_match_id(), 0, "so that the script is known")
    with closing(connect(f"{proxy.url}?socket_timeout={ANSWER_SECONDS}")) as client:
        yield MatchLog(client)


# -- the way to the server ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [1, TRIES - 1])
def test_a_lost_reply_is_asked_for_again(far: MatchLog, log: MatchLog, proxy: Proxy, lost: int) -> None:
    """Given an append whose reply is lost, when the client tries again, then it learns what the first try did."""
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


def test_when_every_reply_is_lost_the_outcome_is_unknown_and_the_same_command_finds_out(
    far: MatchLog, log: MatchLog, proxy: Proxy
) -> None:
    """Nobody but us repeats a command: the server has seen exactly as many requests as we have tries."""
    match = new_match_id()
    proxy.lose_replies(APPEND, TRIES)
    with pytest.raises(LogUnavailable):
        append_texts(far, match, 0, "created")
    assert proxy.count(APPEND) == TRIES
    assert append_texts(far, match, 0, "created") == AppendResult(1, 1, is_duplicate=True)
    assert texts_of(log, match) == ["created"]


def test_a_conflict_behind_a_lost_request_is_a_conflict(far: MatchLog, log: MatchLog, proxy: Proxy) -> None:
    match = new_match_id()
    append_texts(log, match, 0, "created")
    proxy.lose_requests(APPEND, 1)
    with pytest.raises(VersionConflict):
        append_texts(far, match, 0, "created by another")


def test_a_silent_server_costs_a_bounded_time(far: MatchLog, log: MatchLog, proxy: Proxy) -> None:
    far.ping()
    proxy.mute = True
    begun = time.monotonic()
    with pytest.raises(LogUnavailable, match="did not answer in time"):
        append_texts(far, new_match_id(), 0, "created")
    assert time.monotonic() - begun < TRIES * ANSWER_SECONDS + 1
    proxy.mute = False
    far.ping()


def test_reads_try_again_too(far: MatchLog, log: MatchLog, proxy: Proxy) -> None:
    match = new_match_id()
    append_texts(log, match, 0, "created")
    proxy.lose_replies(b"XRANGE", TRIES - 1)
    assert texts_of(far, match) == ["created"]
    proxy.lose_replies(b"XRANGE", TRIES)
    with pytest.raises(LogUnavailable):
        far.tail(match, 0)


# -- the server -----------------------------------------------------------------------------------------------------


def test_a_server_that_is_down_and_comes_back(own_server: EmbeddedServer) -> None:
    """The same client goes on by itself, also with the connections of before."""
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


def test_a_restart_between_two_tries_goes_unnoticed(own_server: EmbeddedServer) -> None:
    """An idle connection that the restart broke is no error for its next user; nor is the script's being unknown."""
    with closing(connect(own_server.url())) as client:
        log, match = MatchLog(client), new_match_id()
        for ply in range(3):
            assert append_texts(log, match, ply, f"move {ply}") == AppendResult(ply + 1, ply + 1, is_duplicate=False)
            own_server.kill()
            own_server.start()
        assert texts_of(log, match) == ["move 0", "move 1", "move 2"]


def test_a_script_that_the_server_forgot_is_sent_again(log: MatchLog, redis: Redis) -> None:
    match = new_match_id()
    append_texts(log, match, 0, "created")
    redis.script_flush()
    assert append_texts(log, match, 1, "moved") == AppendResult(2, 2, is_duplicate=False)


def check_crashes(server: EmbeddedServer, crashes: int, pause: float) -> None:
    """Writers append without a break while the server is killed again and again; each repeats until it knows."""
    matches = [new_match_id() for _ in range(4)]
    acknowledged: dict[tuple[str, int], str] = {}
    over = threading.Event()

    def write(match: str) -> int:
        """Append until it is over; returns how many attempts had an unknown outcome."""
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
                time.sleep(pause / 2)  # long enough for all tries of a writer
                server.start()
            time.sleep(pause)
        finally:
            over.set()
        unknown = sum(writer.result() for writer in writers)
    assert unknown >= crashes, "the crashes hit nobody: this run proves nothing"
    assert len(acknowledged) > 50 * crashes
    with closing(connect(server.url())) as client:
        log = MatchLog(client)
        for match in matches:
            texts = texts_of(log, match)
            assert texts == [f"move {n}" for n in range(len(texts))]
            assert all(texts[ply - 1] == text for (m, ply), text in acknowledged.items() if m == match)
        assert_feeds_announce_all(log, matches)


def test_what_was_acknowledged_survives_crashes(own_server: EmbeddedServer) -> None:
    check_crashes(own_server, crashes=3, pause=0.5)


@pytest.mark.full
def test_what_was_acknowledged_survives_many_crashes(own_server: EmbeddedServer) -> None:
    check_crashes(own_server, crashes=40, pause=0.5)


def test_a_torn_end_of_the_file_costs_no_acknowledged_event_and_no_half_one(own_server: EmbeddedServer) -> None:
    """Given a file cut in the middle of the last append, when the server starts, then all of that append is gone."""
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


# -- in words -------------------------------------------------------------------------------------------------------

SECRET = "the-seed-and-the-hidden-cards"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (raised_by_redis.ConnectionError("Connection closed by server."), "cannot be reached"),
        (raised_by_redis.TimeoutError("Timeout reading from socket"), "did not answer in time"),
        (raised_by_redis.BusyLoadingError("Redis is loading the dataset in memory"), "is starting"),
        (raised_by_redis.AuthenticationError("WRONGPASS"), "refused the user name or the password"),
        (raised_by_redis.NoPermissionError(f"no permissions {SECRET}"), "lacks a permission"),
        (raised_by_redis.OutOfMemoryError("command not allowed"), "out of memory"),
        (raised_by_redis.ReadOnlyError("You can't write against a read only replica."), "is a replica"),
        (raised_by_redis.MovedError("15495 127.0.0.1:7001"), "belongs to a cluster"),
        (raised_by_redis.ClusterDownError("CLUSTERDOWN The cluster is down"), "is a cluster of which a part is down"),
        (raised_by_redis.ClusterError("TTL exhausted."), "is a cluster of which a part is down"),
        (raised_by_redis.RedisClusterException(f"No targets were found for {SECRET}"), "is a cluster of which"),
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
def test_every_error_of_the_client_library_becomes_a_sentence_without_secrets(error: Exception, words: str) -> None:
    with (
        pytest.raises(LogUnavailable, match=f"^The log's server .*{words}.*\\.$") as unavailable,
        redis_errors_as_unavailable(),
    ):
        raise error
    assert SECRET not in "".join(traceback.format_exception(unavailable.value))


def test_a_value_that_cannot_be_sent_is_our_own_mistake(log: MatchLog) -> None:
    with pytest.raises(raised_by_redis.DataError):
        log.append(new_match_id(), 0, [{}], command="c", payload="p")  # type: ignore[list-item]


def test_a_wrong_password(server: EmbeddedServer, redis: Redis) -> None:
    """It is refused at once and not quoted."""
    with (
        closing(connect(server.url().replace("unix://", f"unix://nobody:{SECRET}@"))) as client,
        pytest.raises(LogUnavailable, match="password") as unavailable,
    ):
        MatchLog(client).ping()
    assert SECRET not in "".join(traceback.format_exception(unavailable.value))
