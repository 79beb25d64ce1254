"""Watchers of a match share one reader, which survives lost wakeups and costs nothing while nothing happens."""

import json
import time
from contextlib import ExitStack

import pytest
from flask import Flask
from redis import Redis

from domain.match.commands import Play
from service.bootstrap import Services, build_services
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from service.streaming import match_subscriptions
from service.streaming.match_subscriptions import Watcher, WatcherUpdate
from tests.service.api.builders import Person, mark_cell, started_match
from tests.waiting import wait_until

WAIT_SECONDS = 30.0
GAME = (0, 4, 1, 3)
"""Cells that two players mark in turn."""


@pytest.fixture
def short_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_subscriptions, "SWEEP_SECONDS", 0.1)


def next_update(watcher: Watcher) -> WatcherUpdate:
    """Wait for the next update and return it."""
    update = watcher.wait(WAIT_SECONDS)
    assert update is not None
    return update


def command_calls(redis: Redis, command: str) -> int:
    """Return how often a command has been called on the server."""
    stats = redis.info("commandstats")
    assert isinstance(stats, dict)
    return int(stats.get(f"cmdstat_{command}", {"calls": 0})["calls"])


def test_one_read_serves_all_watchers_of_a_match(app: Flask, services: Services, redis: Redis) -> None:
    """For a move with twenty watchers, the log is read once instead of twenty times."""
    match, (ann, _) = started_match(app)
    with (
        services.streaming.matches.subscribe(match) as first,
        services.streaming.matches.subscribe(match) as second,
    ):
        mark_cell(ann, match, 0)  # the first update shows that the subscription is active
        wait_until(lambda: next_update(first).match.ply == 5, WAIT_SECONDS)
        next_update(second)
        others = [services.streaming.matches.subscribe(match) for _ in range(18)]
        watchers = [first, second, *(each.__enter__() for each in others)]
        before = command_calls(redis, "xrange")
        mover = build_services(
            Settings(log_url=services.runtime.settings.log_url), services.runtime.clock
        )  # another process
        bob = mover.matches.repository.load(match).seats[1].player
        mover.matches.commands.submit(match, Play(1, {"type": "mark", "cell": 4}), IdempotencyKey(str(bob), "key"))
        updates = [next_update(watcher) for watcher in watchers]
        assert {update.match.ply for update in updates} == {6}
        assert len(set(map(id, updates))) == 1
        assert command_calls(redis, "xrange") - before <= 4, "one read here, plus the reads of the other process"
        for each in others:
            each.__exit__(None, None, None)
        mover.runtime.redis.close()


def test_each_seat_gets_what_it_may_know(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        mark_cell(ann, match, 0)
        wait_until(lambda: next_update(watcher).match.ply == 5, WAIT_SECONDS)
        update = services.streaming.matches.read_update(watcher, 4)
        moves = [json.loads(update.items(seat, 4)[0].data)["move"] for seat in (0, 1, None)]
    assert moves == [{"type": "mark", "cell": 0}, None, None]


def test_a_watcher_that_missed_an_update_detects_the_gap(app: Flask, services: Services) -> None:
    """After missed moves, the last update is incomplete for the watcher, which then reads the rest."""
    match, people = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        for number, cell in enumerate(GAME):
            mark_cell(people[number % 2], match, cell)
            wait_until(lambda: (watcher._update is not None) and watcher._update.match.ply == 5 + number, WAIT_SECONDS)  # noqa: B023
        update = next_update(watcher)
        assert update.is_complete_after(7)
        assert not update.is_complete_after(4)
        caught_up = services.streaming.matches.read_update(watcher, 4)
    assert caught_up.is_complete_after(4)
    assert [item.id for item in caught_up.items(None, 4)] == ["5", "6", "7", "8"]


@pytest.mark.usefixtures("short_sweeps")
def test_the_next_sweep_finds_events_without_a_wakeup(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watchers get updates even if wakeups are lost."""
    match, (ann, bob) = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        mark_cell(ann, match, 0)
        wait_until(lambda: next_update(watcher).match.ply == 5, WAIT_SECONDS)
        monkeypatch.setattr(
            "service.event_store.wakeups.WakeupSubscription.gather",
            lambda self, timeout: time.sleep(max(0, timeout)) or [],
        )
        mark_cell(bob, match, 4)
        wait_until(lambda: next_update(watcher).match.ply == 6, WAIT_SECONDS)


@pytest.mark.usefixtures("short_sweeps")
def test_no_match_is_read_while_nothing_happens(app: Flask, services: Services, redis: Redis) -> None:
    """Sweeps over idle matches read only the heads of the feeds."""
    matches = [started_match(app)[0] for _ in range(3)]

    def reads_in_three_sweeps() -> int:
        before, sweeps = command_calls(redis, "xrange"), command_calls(redis, "xrevrange")
        wait_until(lambda: command_calls(redis, "xrevrange") >= sweeps + 3 * 64, WAIT_SECONDS)
        return command_calls(redis, "xrange") - before

    with ExitStack() as watching:
        for match in matches * 5:
            watching.enter_context(services.streaming.matches.subscribe(match))
        wait_until(lambda: services.streaming.matches._heads.keys() == set(matches), WAIT_SECONDS)
        wait_until(lambda: reads_in_three_sweeps() == 0, WAIT_SECONDS)


@pytest.mark.usefixtures("short_sweeps")
def test_a_silent_watcher_ends_with_its_token(app: Flask, services: Services) -> None:
    """Revoking a token ends its watcher of an idle match, and no other watcher."""
    match, (ann, bob) = started_match(app)
    with (
        services.streaming.matches.subscribe(match, token_of(ann)) as anns,
        services.streaming.matches.subscribe(match, token_of(bob)) as bobs,
    ):
        (token,) = services.accounts.players.tokens(str(ann.id))
        services.accounts.players.revoke(str(ann.id), token.id)
        wait_until(lambda: anns.ended, WAIT_SECONDS)
        assert not bobs.ended


def test_a_match_without_watchers_uses_no_memory(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        mark_cell(ann, match, 0)
        next_update(watcher)
        wait_until(lambda: match in services.streaming.matches._heads, WAIT_SECONDS)
    assert not services.streaming.matches._heads
    assert not services.streaming.matches._watchers


def test_watchers_end_when_the_process_stops(services: Services) -> None:
    with services.streaming.matches.subscribe("07mzxw6ytboi3dgnbv") as early:
        services.streaming.matches.close()
        assert early.ended
    with services.streaming.matches.subscribe("07mzxw6ytboi3dgnbv") as late:
        assert late.ended


def token_of(person: Person) -> str:
    """Return the token of a person."""
    return str(person.token)
