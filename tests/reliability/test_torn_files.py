"""No acknowledged move is replaced when a crash has torn the log server's file inside an append.

Most servers leave the beginning of the torn transaction in the file, and it takes effect at the second start. Each test
runs on the embedded server, and with the marker `full` on every other server that this machine has (see
`log_servers.py`).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from redis import Redis

from domain.kernel.hash_chain import GENESIS, canonical_json
from service.cli.backup import BackupFailed, copy_log
from service.event_store import torn_files
from service.event_store.damaged_matches import damaged_matches
from service.event_store.durability import check_durability
from service.event_store.errors import REDIS_ERRORS, LogDamaged, RestartUnchecked
from service.event_store.keys import command_key, feed_key, log_key, restart_check_key, restart_lock_key
from service.event_store.log import APPEND_SCRIPT, MatchLog
from service.event_store.restart_check import RestartCheck, read_records, shorten_next_check
from service.event_store.torn_files import file_state, reverts_torn_transactions
from tests.reliability.faults.servers import TORN_WRITE
from tests.reliability.log_servers import Binary, LogServer, TornAppend, embedded_binary, other_binaries
from tests.service.event_store.builders import assert_feeds_announce_all, digest
from tests.waiting import holds_within

MATCH, NEIGHBOUR, FAR = "07mzxw6ytboi3dgnbv", "07aaaaaaaaaaaaaaaa", "31bbbbbbbbbbbbbbbb"
STEP = 3
"""Bytes between two offsets in the soak."""
EMBEDDED = embedded_binary()
OTHERS = [pytest.param(each, id=each.version, marks=pytest.mark.full) for each in other_binaries()]
every_server = pytest.mark.parametrize("binary", [pytest.param(EMBEDDED, id=EMBEDDED.version), *OTHERS])
other_servers = pytest.mark.parametrize("binary", OTHERS)


@pytest.fixture
def counts_as_affected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the embedded server like one that leaves torn transactions in its file."""
    monkeypatch.setattr(torn_files, "FIRST_SAFE_VALKEY", (99,))


@pytest.fixture
def started(short_dir: Path) -> "Iterator[Callable[[LogServer], LogServer]]":
    """Start servers, and end them after the test."""
    servers: list[LogServer] = []

    def start(server: LogServer) -> LogServer:
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.kill()


def chained(log: MatchLog, match: str, *texts: str) -> list[bytes]:
    """Return lines for the next events of a match, in its hash chain."""
    lines = log.lines(match)
    prev = msgspec.json.decode(lines[-1])["hash"] if lines else GENESIS
    made = []
    for ply, text in enumerate(texts, len(lines) + 1):
        event = {"kind": "moved", "ply": ply, "said": text}
        own = digest(prev + canonical_json(event).decode())
        made.append(msgspec.json.encode({**event, "prev": prev, "hash": own}))
        prev = own
    return made


def play(log: MatchLog, match: str, *texts: str) -> None:
    """Append events as one command, and repeat it while the log server's start is being checked."""
    until = time.monotonic() + 30
    while True:
        try:
            return play_once(log, match, *texts)
        except RestartUnchecked:
            if time.monotonic() > until:
                raise


def play_once(log: MatchLog, match: str, *texts: str) -> None:
    """Append events as one command."""
    ply, name = len(log.lines(match)), digest(f"{match} {texts}")
    log.append(match, ply, chained(log, match, *texts), command=name, payload=name)


def said(log: MatchLog, match: str) -> list[str]:
    """Return the texts of a match's events."""
    return [msgspec.json.decode(line)["said"] for line in log.lines(match)]


def torn_append(binary: Binary, folder: Path) -> TornAppend:
    """Return a server that was killed right after an append of two events to a match that had two."""
    server = LogServer(binary, folder)
    server.start()
    try:
        with server.client() as client:
            log = MatchLog(client)
            play(log, MATCH, "created"), play(log, MATCH, "first")
            begin = server.file.stat().st_size
            play(log, MATCH, "torn", "torn too")
            end = server.file.stat().st_size
    finally:
        server.kill()
    return TornAppend(server, begin, end)


def offsets_around(ends: list[int]) -> list[int]:
    """Return the offsets at and right before the end of each command, and in the middle of each."""
    middles = {(begin + end) // 2 for begin, end in zip([0, *ends], ends, strict=False)}
    return sorted({0, *ends, *(end - 1 for end in ends), *middles})


def play_on_after(torn: TornAppend, offset: int, folder: Path) -> None:
    """Tear the file at this offset, start, move, restart twice with moves in between, and compare each time."""
    server = torn.torn_at(offset, folder)
    try:
        server.start()
        with server.client() as client:
            log = MatchLog(client)
            before = said(log, MATCH)
            assert before in (["created", "first"], ["created", "first", "torn", "torn too"])
            play(log, NEIGHBOUR, "created"), play(log, MATCH, "kept"), play(log, FAR, "created")
        for restart in ("second", "third"):
            server.kill()
            server.start()
            with server.client() as client:
                log = MatchLog(client)
                assert said(log, MATCH) == [*before, "kept", *(["second"] if restart == "third" else [])]
                assert (said(log, NEIGHBOUR), said(log, FAR)) == (["created"], ["created"])
                play(log, MATCH, restart)
                assert damaged_matches(client) == {}
                assert_feeds_announce_all(log, [MATCH, NEIGHBOUR, FAR])
    finally:
        server.kill()


# -- the promise ----------------------------------------------------------------------------------------------------


def test_nothing_acknowledged_is_replaced_when_a_command_is_torn_in_its_middle(short_dir: Path) -> None:
    torn = torn_append(EMBEDDED, short_dir / "torn")
    ends = torn.command_ends()
    for begin, end in zip([0, *ends], ends, strict=False):
        play_on_after(torn, (begin + end) // 2, short_dir / f"at-{end}")


@pytest.mark.full
@pytest.mark.parametrize("binary", [pytest.param(EMBEDDED, id=EMBEDDED.version), *OTHERS])
def test_nothing_acknowledged_is_replaced_wherever_an_append_is_torn(binary: Binary, short_dir: Path) -> None:
    """Given a file that ends around the end of each command of an append, when moves are made and the server restarts
    twice, then the log has exactly what was acknowledged."""
    torn = torn_append(binary, short_dir / "torn")
    ends = torn.command_ends()
    assert len(ends) == 6, "MULTI, two XADD, HSET, the announcement, EXEC"
    for offset in offsets_around(ends):
        play_on_after(torn, offset, short_dir / f"at-{offset}")


@pytest.mark.soak
@pytest.mark.parametrize("binary", [pytest.param(each, id=each.version) for each in (EMBEDDED, *other_binaries())])
def test_nothing_acknowledged_is_replaced_at_every_third_byte(binary: Binary, short_dir: Path) -> None:
    torn = torn_append(binary, short_dir / "torn")
    for offset in range(0, torn.end - torn.begin + 1, STEP):
        play_on_after(torn, offset, short_dir / f"at-{offset}")


@other_servers
def test_without_the_check_an_affected_server_replaces_the_acknowledged_append(
    binary: Binary, short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    """Shows that the tests above can fail: a client that appends without the check loses an acknowledged event."""
    torn = torn_append(binary, short_dir / "torn")
    ends = torn.command_ends()
    server = started(torn.torn_at(ends[2] + 5, short_dir / "copy"))
    with server.raw() as client:
        assert not reverts_torn_transactions(client.info()), f"{binary.version} isn't known to be safe"
        load_unchecked(client)
        play(MatchLog(client), MATCH, "kept")
    server.kill()
    server.start()
    with server.raw() as client:
        assert said(MatchLog(client), MATCH) == ["created", "first", "torn", "torn too"]
    # when: the service looks at it, then: the match accepts no move, whether or not its chain holds
    with server.client() as client:
        log = MatchLog(client)
        with pytest.raises(LogDamaged):
            play(log, MATCH, "more")
        assert damaged_matches(client) == {MATCH: "The match has 4 events, but the feed announced 3."}


def load_unchecked(client: Redis) -> None:
    """Load the append script as if the server had been checked."""
    keys = (log_key(MATCH), command_key(MATCH), feed_key(7))
    client.execute_command("EVAL", APPEND_SCRIPT, len(keys), *keys, MATCH, "none", "", "", "", "")


@other_servers
def test_redis_before_7_is_refused_with_a_binary_part_in_its_file(
    binary: Binary, short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    """Given a file that is torn in the first command after its binary part, it loses everything at the second start."""
    server = started(LogServer(binary, short_dir / "server"))
    with server.client() as client:
        if file_state(client.info()).is_multi_part:
            assert check_durability(client).mode == "durable"
            return
        assert check_durability(client).mode == "durable"
        client.config_set("aof-use-rdb-preamble", "yes")
        refused = check_durability(client)
        assert (refused.mode, len(refused.faults)) == ("volatile", 1)
        assert "aof-use-rdb-preamble is yes but must be no" in refused.faults[0]
        # shows why: an acknowledged event, a rewrite, and a torn append
        play(MatchLog(client), MATCH, "created")
        client.bgrewriteaof()
        assert holds_within(lambda: client.info("persistence")["aof_rewrite_in_progress"] == 0, 10)
    server.kill()
    with server.file.open("ab") as file:
        file.write(TORN_WRITE[:9])
    server.start()
    server.kill()
    server.start()
    with server.raw() as client:
        assert said(MatchLog(client), MATCH) == []


@every_server
def test_a_backup_that_ends_inside_an_append_is_restored_safely(
    binary: Binary, short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    server = started(LogServer(binary, short_dir / "server"))
    with server.client() as client:
        log = MatchLog(client)
        play(log, MATCH, "created"), play(log, MATCH, "first")
        begin = server.file.stat().st_size
        play(log, MATCH, "torn", "torn too")
        torn = TornAppend(server, begin, server.file.stat().st_size)
        ends = torn.command_ends()
        if not file_state(client.info()).is_multi_part:
            with pytest.raises(BackupFailed, match="Use Redis or Valkey 7 or later"):
                copy_log(client, short_dir / "backup")
            return
        copy_log(client, short_dir / "backup")
    copied = LogServer(binary, short_dir / "backup")
    for offset in (ends[1] + 3, ends[2], ends[4] + 7):
        play_on_after(TornAppend(copied, begin, 0), offset, short_dir / f"restored-{offset}")


@every_server
def test_nothing_of_a_torn_append_appears_when_the_server_dies_during_the_rewrite(
    binary: Binary, short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    """Not even an unacknowledged half of an append may appear: its command and announcement would be missing."""
    torn = torn_append(binary, short_dir / "torn")
    server = torn.torn_at(torn.command_ends()[1] + 9, short_dir / "copy")
    server.start("--rdb-key-save-delay", "200000")  # microseconds for each key, so that the rewrite takes a second
    with server.client() as client, suppress(*REDIS_ERRORS):
        # A transaction like those of the read models. A server with a single file refuses it during the rewrite.
        client.pipeline(transaction=True).set("{ct:07}:p:checkpoint", 1).set("{ct:07}:p:turns", 1).execute()
    server.kill()
    started(server)
    with server.client() as client:
        assert said(MatchLog(client), MATCH) == ["created", "first"]
        play(MatchLog(client), MATCH, "kept")
        assert damaged_matches(client) == {}


# -- before the first move after a restart --------------------------------------------------------------------------


def test_every_restart_is_checked_once_and_recorded(short_dir: Path, started: Callable[[LogServer], LogServer]) -> None:
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    runs = []
    for text in ("created", "first", "second"):
        with server.client() as client:
            play(MatchLog(client), MATCH, text)
            runs.append(read_records(client, [7])[7].run_id)
            assert runs[-1] == client.info()["run_id"]
        server.kill()
        server.start()
    assert len(set(runs)) == 3


@pytest.mark.usefixtures("counts_as_affected")
def test_the_file_is_rewritten_before_the_first_append_after_a_restart(
    short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    with server.raw() as client:
        assert file_state(client.info()).may_be_torn
        # when: a client without the service's connections appends, then: the check rewrites the file
        play(MatchLog(client), MATCH, "created")
        assert not file_state(client.info()).may_be_torn
        assert client.info()["aof_rewrites"] == 1
    server.kill()
    server.start()
    # when: a client of the service only connects, then: a new file has begun before its first command
    with server.client() as client:
        client.ping()
        assert client.info()["aof_rewrites"] == 1
        play(MatchLog(client), MATCH, "first")
        assert client.info()["aof_rewrites"] == 1, "one rewrite is enough"


def test_while_another_process_checks_no_move_is_taken_and_everything_can_be_read(
    short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    with server.client() as client:
        play(MatchLog(client), MATCH, "created")
    server.kill()
    server.start()
    with server.client() as client, server.client() as other:
        client.set(restart_lock_key(0), f"{client.info()['run_id']} another process", ex=60)
        log = MatchLog(client)
        began = time.monotonic()
        with pytest.raises(RestartUnchecked, match="are being checked"):
            play_once(log, MATCH, "first")
        assert time.monotonic() - began < 20, "a request must not wait for the whole check"
        assert said(log, MATCH) == ["created"]
        # when: that process has gone, then: this one checks
        client.delete(restart_lock_key(0))
        play(log, MATCH, "first")
        play(MatchLog(other), MATCH, "second")
        assert said(log, MATCH) == ["created", "first", "second"]


@pytest.mark.usefixtures("counts_as_affected")
def test_an_account_that_may_not_rewrite_gets_the_reason(
    short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    with server.raw() as operator:
        operator.execute_command("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-bgrewriteaof")
        limited = Redis(unix_socket_path=str(server.folder / "socket"), username="limited", password="secret")
        with pytest.raises(RestartUnchecked, match="this account may not do that") as refused:
            play_once(MatchLog(limited), MATCH, "created")
        assert refused.value.reason == "permission"
        # when: the operator rewrites the file, then: the same account can append
        operator.bgrewriteaof()
        assert holds_within(lambda: not file_state(operator.info()).may_be_torn, 10)
        time.sleep(1.1)  # after a failure the next check waits for a second
        play(MatchLog(limited), MATCH, "created")
        limited.close()


def test_a_completed_rewrite_shortens_the_next_check(
    short_dir: Path, started: Callable[[LogServer], LogServer], caplog: pytest.LogCaptureFixture
) -> None:
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    with server.client() as client:
        log = MatchLog(client)
        play(log, MATCH, "created"), play(log, FAR, "created"), play(log, FAR, "first")
        assert not shorten_next_check(client, range(64), after=3)
        assert shorten_next_check(client, range(64), after=2)
        assert (read_records(client, [7])[7].position, read_records(client, [31])[31].position) == (1, 2)
        # when: the dispatcher looks while the server runs, then: the same happens in the background
        play(log, FAR, "second")
        RestartCheck(client, APPEND_SCRIPT).shorten_next(after=0)
        assert holds_within(lambda: read_records(client, [31])[31].position == 3, 10)
        play(log, FAR, "third")
    server.kill()
    server.start()
    with server.client() as client, caplog.at_level("INFO", "crumbtrail.log"):
        play(MatchLog(client), MATCH, "first")
    assert "1 matches, 0 damaged" in caplog.text


# -- damaged matches ------------------------------------------------------------------------------------------------


def test_damaged_matches_accept_no_moves_and_are_named_until_they_are_repaired(
    short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    """Given a match in which an event was replaced, when the server restarts, then only this match accepts no moves."""
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    with server.client() as client:
        log = MatchLog(client)
        play(log, MATCH, "created"), play(log, MATCH, "first"), play(log, MATCH, "second"), play(log, FAR, "created")
        copy = client.xrange(log_key(MATCH))
        client.delete(log_key(MATCH))
        for entry_id, fields in copy:
            other = {b"e": fields[b"e"].replace(b"first", b"other")}
            client.xadd(log_key(MATCH), other, id=entry_id)
    server.kill()
    server.start()
    with server.client() as client:
        log = MatchLog(client)
        play(log, FAR, "first")
        with pytest.raises(LogDamaged):
            play(log, MATCH, "third")
        assert damaged_matches(client) == {MATCH: "The content of event 2 has changed."}
        # when: it is restored from a copy and the server restarts, then: it accepts moves again
        client.delete(log_key(MATCH))
        for entry_id, fields in copy:
            client.xadd(log_key(MATCH), fields, id=entry_id)
    server.kill()
    server.start()
    with server.client() as client:
        log = MatchLog(client)
        play(log, MATCH, "third")
        assert said(log, MATCH) == ["created", "first", "second", "third"]
        assert damaged_matches(client) == {}


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (lambda client: client.delete(log_key(MATCH)), "The match has 0 events, but the feed announced 3."),
        (lambda client: client.set(log_key(MATCH), "no stream"), "Its log can't be read as a stream."),
        (lambda client: client.xdel(log_key(MATCH), "2-0"), "Entry 3-0 is in the place of event 2."),
        (lambda client: client.xdel(log_key(MATCH), "3-0"), "The match has 2 events, but the feed announced 3."),
        (lambda client: client.xadd(log_key(MATCH), {"e": "{}"}, id="4-0"), "Event 4 doesn't continue event 3"),
        (lambda client: client.xadd(log_key(MATCH), {"e": "no JSON"}, id="4-0"), "Event 4 can't be read."),
        (lambda client: client.xadd(feed_key(7), {"m": MATCH, "f": 3, "l": 3}), "The feed announced event 3 after"),
    ],
)
def test_each_kind_of_damage_is_found(
    harm: Callable[[Redis], object], found: str, short_dir: Path, started: Callable[[LogServer], LogServer]
) -> None:
    server = started(LogServer(EMBEDDED, short_dir / "server"))
    with server.client() as client:
        for text in ("created", "first", "second"):
            play(MatchLog(client), MATCH, text)
        harm(client)
        client.delete(restart_check_key(7))
        client.script_flush()
        play(MatchLog(client), NEIGHBOUR, "created")
        with pytest.raises(LogDamaged):
            MatchLog(client).append(MATCH, 3, [b"{}"], command=digest("third"), payload=digest("third"))
        assert [*damaged_matches(client)] == [MATCH]
        assert damaged_matches(client)[MATCH].startswith(found)
