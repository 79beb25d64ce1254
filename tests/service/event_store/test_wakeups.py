"""Wake-up hints: they wake a reader early, and nothing depends on them."""

import time
from contextlib import closing
from itertools import islice

import pytest

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from service.event_store.wakeups import Wakeup, WakeupSubscription
from tests.service.event_store.builders import append_texts
from tests.service.event_store.proxy import Proxy

MATCH = "07mzxw6ytboi3dgnbv"


def test_all_subscribers_receive_a_hint_for_an_append(log: MatchLog) -> None:
    with log.wakeups() as one, log.wakeups() as other:
        append_texts(log, MATCH, 0, "created", "taken")
        assert one.poll(5) == other.poll(5) == Wakeup(7, MATCH, 2)


def test_a_hint_is_sent_after_its_append(log: MatchLog) -> None:
    with log.wakeups() as hints:
        for ply in range(50):
            append_texts(log, MATCH, ply, f"move {ply}")
            hint = hints.poll(5)
            assert hint == Wakeup(7, MATCH, ply + 1)
            assert len(log.lines(hint.match)) >= hint.last


def test_hints_in_a_loop(log: MatchLog) -> None:
    with log.wakeups() as hints:
        matches = [new_match_id() for _ in range(3)]
        for match in matches:
            append_texts(log, match, 0, "created")
        assert [hint.match for hint in islice(hints, 3)] == matches


def test_a_repeated_command_is_not_announced_again(log: MatchLog) -> None:
    append_texts(log, MATCH, 0, "created")
    with log.wakeups() as hints:
        append_texts(log, MATCH, 0, "created")
        assert hints.poll(0.1) is None


@pytest.mark.parametrize("timeout", [0.0, 0.15])
def test_a_poll_without_hints_ends_in_time(log: MatchLog, timeout: float) -> None:
    with log.wakeups() as hints:
        begun = time.monotonic()
        assert hints.poll(timeout) is None
        assert timeout <= time.monotonic() - begun < timeout + 20


def test_a_poll_without_waiting_finds_a_received_hint(log: MatchLog) -> None:
    with log.wakeups() as hints:
        append_texts(log, MATCH, 0, "created")
        time.sleep(0.1)
        assert hints.poll(0) == Wakeup(7, MATCH, 1)


def test_a_restart_of_the_server_renews_the_subscription(own_server: EmbeddedServer) -> None:
    """Given a listener, when the server restarts, then a poll returns None early, so that the feed is checked."""
    with closing(connect(own_server.url())) as client:
        log = MatchLog(client)
        with log.wakeups() as hints:
            own_server.kill()
            assert hints.poll(0.3) is None
            own_server.start()
            begun = time.monotonic()
            assert hints.poll(30) is None
            assert time.monotonic() - begun < 20
            append_texts(log, MATCH, 0, "created")
            assert hints.poll(5) == Wakeup(7, MATCH, 1)


def test_a_subscription_may_start_while_the_server_is_down(own_server: EmbeddedServer) -> None:
    own_server.stop()
    with closing(connect(own_server.url())) as client:
        log = MatchLog(client)
        with log.wakeups() as hints:
            assert hints.poll(0.1) is None
            own_server.start()
            assert hints.poll(30) is None
            append_texts(log, MATCH, 0, "created")
            assert hints.poll(5) == Wakeup(7, MATCH, 1)


def test_a_silently_broken_connection_is_replaced(server: EmbeddedServer, log: MatchLog) -> None:
    """Given a network that drops everything, when it works again, then the subscription has a new connection."""
    with (
        Proxy(str(server.socket_path)) as proxy,
        closing(connect(f"{proxy.url}?socket_timeout=0.2")) as client,
        WakeupSubscription(client, silence=0.2) as hints,
    ):
        assert hints.poll(0.5) is None
        assert proxy.count(b"\nSUBSCRIBE") == 1, "an answered ping keeps the connection"
        proxy.mute = True
        assert hints.poll(1.0) is None
        proxy.mute = False
        assert hints.poll(10) is None
        assert proxy.count(b"\nSUBSCRIBE") > 1
        append_texts(log, MATCH, 0, "created")
        assert hints.poll(5) == Wakeup(7, MATCH, 1)
