"""Concurrent writers: exactly one wins each ply, no event is lost or duplicated, and the feeds are complete."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import VersionConflict
from service.event_store.keys import new_match_id
from service.event_store.log import AppendResult, MatchLog
from tests.service.event_store.builders import append_texts, assert_feeds_announce_all, texts_of

WRITERS = 8


def run_concurrently(count: int, do: Callable[[int], object]) -> list[object]:
    """Call `do` in `count` threads that start together, and return the results."""
    barrier = Barrier(count)

    def run(number: int) -> object:
        barrier.wait()
        return do(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.full)])
def test_exactly_one_of_racing_writers_wins(log: MatchLog, rounds: int) -> None:
    """Given writers that all read the same ply, when they append, then one succeeds and the others get a conflict."""
    match = new_match_id()
    for ply in range(rounds):

        def attempt(writer: int, ply: int = ply) -> object:
            try:
                return append_texts(log, match, ply, f"{ply} by {writer}")
            except VersionConflict as conflict:
                return conflict.actual

        answers = Counter(map(repr, run_concurrently(WRITERS, attempt)))
        assert answers == {repr(AppendResult(ply + 1, ply + 1, is_duplicate=False)): 1, repr(ply + 1): WRITERS - 1}
    assert len(log.lines(match)) == rounds
    assert_feeds_announce_all(log, [match])


@pytest.mark.parametrize("wins", [15, pytest.param(200, marks=pytest.mark.full)])
def test_writers_that_retry_after_a_conflict_all_succeed(log: MatchLog, wins: int) -> None:
    """The log contains each acknowledged event at its acknowledged ply, and no other event."""
    matches = [new_match_id() for _ in range(2)]
    acknowledged: dict[tuple[str, int], str] = {}

    def write(writer: int) -> None:
        match = matches[writer % 2]
        for turn in range(wins):
            text = f"{writer}/{turn}"
            while True:
                ply = len(log.lines(match))
                try:
                    acknowledged[match, append_texts(log, match, ply, text).first] = text
                except VersionConflict:
                    continue
                break

    run_concurrently(WRITERS, write)
    for match in matches:
        texts = texts_of(log, match)
        assert len(texts) == wins * WRITERS // 2
        assert texts == [acknowledged[match, ply] for ply in range(1, len(texts) + 1)]
    assert_feeds_announce_all(log, matches)


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.full)])
def test_a_command_sent_concurrently_is_carried_out_once(log: MatchLog, rounds: int) -> None:
    match = new_match_id()
    for ply in range(0, 2 * rounds, 2):

        def attempt(_: int, ply: int = ply) -> object:
            return append_texts(log, match, ply, f"roll {ply}", f"take {ply}", command=f"turn {ply}")

        answers = run_concurrently(WRITERS, attempt)
        assert answers.count(AppendResult(ply + 1, ply + 2, is_duplicate=False)) == 1
        assert answers.count(AppendResult(ply + 1, ply + 2, is_duplicate=True)) == WRITERS - 1
    assert_feeds_announce_all(log, [match])


GREENLETS = """
from gevent import monkey
monkey.patch_all()
import sys, gevent
from service.event_store.log import MatchLog, VersionConflict, connect

log, match, wins = MatchLog(connect(sys.argv[1])), sys.argv[2], int(sys.argv[3])

def write(writer):
    for turn in range(wins):
        while True:
            ply = len(log.lines(match))
            try:
                log.append(match, ply, [b"%d/%d" % (writer, turn)], command=f"{writer}/{turn}", payload="p")
            except VersionConflict:
                gevent.sleep(0.001)
                continue
            break

def listen():
    with log.wakeups() as wakeups:
        ready.set()
        while (wakeup := wakeups.poll(30)) and wakeup.last < 100 * wins:
            pass
        return wakeup.last

ready = gevent.event.Event()
listener = gevent.spawn(listen)
ready.wait(60)
writers = [gevent.spawn(write, n) for n in range(100)]
gevent.joinall([*writers, listener], raise_error=True)
print(listener.value)
"""


def test_a_hundred_greenlets_share_one_log(server: EmbeddedServer, log: MatchLog) -> None:
    """Greenlets wait when there are more of them than connections, and a listener gets the hint of the last append."""
    match = new_match_id()
    done = subprocess.run(
        [sys.executable, "-c", GREENLETS, server.url(), match, "3"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("300\n", "")
    assert sorted(log.lines(match)) == sorted(b"%d/%d" % (w, t) for w in range(100) for t in range(3))
    assert_feeds_announce_all(log, [match])
