"""Acknowledged events survive power cuts, torn files and full disks.

A power cut is simulated: the server is killed, and its files are truncated to what was synced to disk (see `disk.c`).
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from service.cli.listen import free_port
from service.event_store.connect import connect
from service.event_store.durability import REQUIRED_SETTINGS, NotDurable
from service.event_store.errors import LogUnavailable
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from service.wsgi import app
from tests.reliability.faults.servers import COMPILER, Server, end_of_last_command
from tests.reliability.players import running_in_background
from tests.service.event_store.builders import append_texts, assert_feeds_announce_all, texts_of
from tests.waiting import holds_within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit and LD_PRELOAD")
with_power = pytest.mark.skipif(COMPILER is None, reason="power cuts need a C compiler")
WRITERS = 4
WRITING_SECONDS = 0.4
TIMES = 40
Harm = Callable[[Server], object]


@pytest.fixture
def disk(short_dir: Path) -> Iterator[Server]:
    """A server whose disk and power can fail."""
    server = Server(short_dir)
    server.start()
    yield server
    server.stop()


class Writers:
    """Threads that append continuously, each to its own match, and record what was acknowledged."""

    def __init__(self, server: Server) -> None:
        self.matches = [new_match_id() for _ in range(WRITERS)]
        self.acknowledged: dict[str, list[str]] = {match: [] for match in self.matches}
        self._server = server

    def _write(self, match: str, over: threading.Event) -> None:
        texts = self.acknowledged[match]
        with closing(connect(self._server.embedded.url())) as client:
            while not over.is_set():
                try:
                    append_texts(MatchLog(client), match, len(texts), f"move {len(texts)}")
                except LogUnavailable:
                    return
                texts.append(f"move {len(texts)}")

    def count(self) -> int:
        """Return the number of acknowledged events."""
        return sum(map(len, self.acknowledged.values()))

    def under(self, harm: Harm) -> int:
        """Write until the fault is done, restart the server, and return the number of lost acknowledged events."""
        with running_in_background(partial(self._write, match) for match in self.matches):
            assert holds_within(lambda: self.count() > WRITERS, 30), (
                "there were no writes, so the test would prove nothing"
            )
            time.sleep(WRITING_SECONDS)
            harm(self._server)
        self._server.start()
        with closing(self._server.client()) as client:
            log = MatchLog(client)
            assert_feeds_announce_all(log, self.matches)
            found = {match: texts_of(log, match) for match in self.matches}
        for texts in found.values():
            assert texts == [f"move {ply}" for ply in range(len(texts))], "only the end may be lost, with no gaps"
        return sum(max(0, len(acknowledged) - len(found[match])) for match, acknowledged in self.acknowledged.items())


def rewriting(then: Harm) -> Harm:
    """Return the fault during a slow rewrite of the server's file."""

    def harm(server: Server) -> None:
        with closing(server.client()) as client:
            client.config_set("rdb-key-save-delay", 50_000)  # microseconds for each key
            client.bgrewriteaof()
            rewrites = holds_within(lambda: client.info("persistence")["aof_rewrite_in_progress"] == 1, 5)
        assert rewrites
        time.sleep(0.2)
        then(server)

    return harm


def slow(then: Harm) -> Harm:
    """Return the fault on a disk that needs 0.1 s for every sync."""

    def harm(server: Server) -> None:
        server.slow_disk(100)
        time.sleep(0.5)
        then(server)
        server.slow_disk(0)

    return harm


HARMS = {
    "kill -9": pytest.param(Server.kill, id="kill -9"),
    "power cut": pytest.param(Server.cut_power, id="power cut", marks=with_power),
    "torn tail": pytest.param(Server.tear_write, id="torn tail"),
    "kill -9 in a rewrite": pytest.param(rewriting(Server.kill), id="kill -9 in a rewrite"),
    "power cut in a rewrite": pytest.param(rewriting(Server.cut_power), id="power cut in a rewrite", marks=with_power),
    "power cut on a slow disk": pytest.param(slow(Server.cut_power), id="power cut on a slow disk", marks=with_power),
}


@pytest.mark.parametrize("harm", HARMS.values())
def test_nothing_acknowledged_is_lost(disk: Server, harm: Harm) -> None:
    assert Writers(disk).under(harm) == 0


@pytest.mark.full
@pytest.mark.parametrize("harm", HARMS.values())
def test_nothing_acknowledged_is_lost_in_many_runs(disk: Server, harm: Harm, request: pytest.FixtureRequest) -> None:
    acknowledged = 0
    for _ in range(TIMES):
        with closing(disk.client()) as client:
            client.flushall()
        writers = Writers(disk)
        assert writers.under(harm) == 0
        acknowledged += writers.count()
    print(f"\n{request.node.callspec.id}: {TIMES} times, {acknowledged} acknowledged, 0 lost")  # with `pytest -s`


@with_power
def test_a_power_cut_loses_moves_with_everysec(disk: Server) -> None:
    """With a server that syncs its file only once a second, the same power cut loses acknowledged moves."""
    with closing(disk.client()) as client:
        client.config_set("appendfsync", "everysec")
    lost = Writers(disk).under(Server.cut_power)
    print(f"\neverysec and a power cut: {lost} acknowledged and lost")
    assert lost > 0


@with_power
def test_a_power_cut_loses_moves_without_syncs_during_a_rewrite(disk: Server) -> None:
    with closing(disk.client()) as client:
        client.config_set("no-appendfsync-on-rewrite", "yes")
    lost = Writers(disk).under(rewriting(Server.cut_power))
    print(f"\nno sync during a rewrite, and a power cut: {lost} acknowledged and lost")
    assert lost > 0


def test_a_full_disk_ends_the_server_and_nothing_acknowledged_is_lost(disk: Server) -> None:
    """The server exits rather than acknowledge what it cannot store. With space again it continues."""

    def fill(server: Server) -> None:
        server.fill_disk(5000)
        assert holds_within(lambda: server.pid is None, 10), "a server that cannot store anything must exit"

    writers = Writers(disk)
    assert writers.under(fill) == 0
    match, acknowledged = next(iter(writers.acknowledged.items()))
    with closing(disk.client()) as client:
        log = MatchLog(client)
        again = append_texts(log, match, len(acknowledged), f"move {len(acknowledged)}")
        assert again.first == len(acknowledged) + 1, "the refused command must be carried out once"
        assert texts_of(log, match)[len(acknowledged) :] == [f"move {len(acknowledged)}"]


def test_full_memory_refuses_writes_with_a_message_but_allows_reads(disk: Server) -> None:
    with closing(disk.client()) as client:
        log, match = MatchLog(client), new_match_id()
        append_texts(log, match, 0, "created")
        client.config_set("maxmemory", 1)
        with pytest.raises(LogUnavailable, match="out of memory and accepts no writes"):
            append_texts(log, match, 1, "moved", "ended")
        assert texts_of(log, match) == ["created"]
        assert_feeds_announce_all(log, [match])
        client.config_set("maxmemory", 0)
        assert append_texts(log, match, 1, "moved", "ended").last == 3


# -- at the start ---------------------------------------------------------------------------------------------------

WRONG = {
    "appendonly": "no",
    "appendfsync": "everysec",
    "no-appendfsync-on-rewrite": "yes",
    "maxmemory-policy": "allkeys-lru",
    "aof-load-truncated": "no",
}


@pytest.mark.parametrize("setting", [setting.name for setting in REQUIRED_SETTINGS])
def test_the_web_does_not_start_on_a_server_that_may_lose_moves(
    disk: Server, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", disk.embedded.url())
    with closing(disk.client()) as client:
        client.config_set(setting, WRONG[setting])
    with pytest.raises(NotDurable, match=f"- {setting} is {WRONG[setting]} but must be"):
        app()


def test_crumbtrail_up_does_not_start_on_a_server_that_may_lose_moves(
    disk: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(disk.client()) as client:
        client.config_set("appendfsync", "everysec")
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", disk.embedded.url())
    command = [sys.executable, "-m", "service.cli", "up", "--port", str(free_port("127.0.0.1"))]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "The log server may lose acknowledged moves (fast)" in done.stderr
    assert "appendfsync is everysec but must be always" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_is_torn_after_complete_commands_and_transactions() -> None:
    command = b"*2\r\n$3\r\nGET\r\n$1\r\na\r\n"
    transaction = b"*1\r\n$5\r\nMULTI\r\n" + command + b"*1\r\n$4\r\nEXEC\r\n"
    file = command + transaction + command
    ends = [0, len(command), len(command + transaction), len(file)]
    for size in range(len(file) + 1):
        assert end_of_last_command(file[:size]) == max(end for end in ends if end <= size)
