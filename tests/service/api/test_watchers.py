"""Who watches a match is told by one reader for all, whatever is lost on the way, at no cost while nothing happens."""

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
"""Cells that two players take in turn."""


@pytest.fixture
def short_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_subscriptions, "SWEEP_SECONDS", 0.1)


def news_of(watcher: Watcher) -> WatcherUpdate:
    """The next news, which must come."""
    news = watcher.wait(WAIT_SECONDS)
    assert news is not None
    return news


def command_calls(redis: Redis, command: str) -> int:
    """How often a command has been called on the server."""
    stats = redis.info("commandstats")
    assert isinstance(stats, dict)
    return int(stats.get(f"cmdstat_{command}", {"calls": 0})["calls"])


def test_all_who_watch_a_match_are_told_by_one_look(app: Flask, services: Services, redis: Redis) -> None:
    """Given twenty watchers, when a move is made, then the log is read once more, not twenty times."""
    match, (ann, _) = started_match(app)
    with (
        services.streaming.matches.subscribe(match) as first,
        services.streaming.matches.subscribe(match) as second,
    ):
        mark_cell(ann, match, 0)  # from here on the subscription stands
        wait_until(lambda: news_of(first).match.ply == 5, WAIT_SECONDS)
        news_of(second)
        others = [services.streaming.matches.subscribe(match) for _ in range(18)]
        watchers = [first, second, *(each.__enter__() for each in others)]
        before = command_calls(redis, "xrange")
        mover = build_services(
            Settings(log_url=services.runtime.settings.log_url), services.runtime.clock
        )  # another process
        bob = mover.matches.repository.load(match).seats[1].player
        mover.matches.commands.submit(match, Play(1, {"type": "mark", "cell": 4}), IdempotencyKey(str(bob), "key"))
        told = [news_of(watcher) for watcher in watchers]
        assert {news.match.ply for news in told} == {6}
        assert len(set(map(id, told))) == 1
        assert command_calls(redis, "xrange") - before <= 4, "once here, and what the other process asked for"
        for each in others:
            each.__exit__(None, None, None)
        mover.runtime.redis.close()


def test_each_seat_is_told_what_it_may_know(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        mark_cell(ann, match, 0)
        wait_until(lambda: news_of(watcher).match.ply == 5, WAIT_SECONDS)
        news = services.streaming.matches.read_update(watcher, 4)
        moves = [json.loads(news.items(seat, 4)[0].data)["move"] for seat in (0, 1, None)]
    assert moves == [{"type": "mark", "cell": 0}, None, None]


def test_a_watcher_who_is_told_twice_finds_the_gap(app: Flask, services: Services) -> None:
    """Given a watcher who sleeps through two moves, then the last news do not reach to where it was, and it reads."""
    match, people = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        for number, cell in enumerate(GAME):
            mark_cell(people[number % 2], match, cell)
            wait_until(lambda: (watcher._update is not None) and watcher._update.match.ply == 5 + number, WAIT_SECONDS)  # noqa: B023
        news = news_of(watcher)
        assert news.is_complete_after(7)
        assert not news.is_complete_after(4)
        caught_up = services.streaming.matches.read_update(watcher, 4)
    assert caught_up.is_complete_after(4)
    assert [item.id for item in caught_up.items(None, 4)] == ["5", "6", "7", "8"]


@pytest.mark.usefixtures("short_sweeps")
def test_what_no_hint_told_is_found_by_the_next_sweep(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given hints that get lost, when a move is made, then its watchers are told all the same."""
    match, (ann, bob) = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        mark_cell(ann, match, 0)
        wait_until(lambda: news_of(watcher).match.ply == 5, WAIT_SECONDS)
        monkeypatch.setattr(
            "service.event_store.wakeups.WakeupSubscription.gather",
            lambda self, timeout: time.sleep(max(0, timeout)) or [],
        )
        mark_cell(bob, match, 4)
        wait_until(lambda: news_of(watcher).match.ply == 6, WAIT_SECONDS)


@pytest.mark.usefixtures("short_sweeps")
def test_while_nothing_happens_no_match_is_read(app: Flask, services: Services, redis: Redis) -> None:
    """Given watched matches in which nothing happens, then the sweeps soon read nothing but the heads of the feeds."""
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
    """Given a match in which nothing happens, when a token is revoked, then its watcher ends, and no other."""
    match, (ann, bob) = started_match(app)
    with (
        services.streaming.matches.subscribe(match, token_of(ann)) as anns,
        services.streaming.matches.subscribe(match, token_of(bob)) as bobs,
    ):
        (token,) = services.accounts.players.tokens(str(ann.id))
        services.accounts.players.revoke(str(ann.id), token.id)
        wait_until(lambda: anns.ended, WAIT_SECONDS)
        assert not bobs.ended


def test_nothing_is_kept_of_a_match_that_nobody_watches(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    with services.streaming.matches.subscribe(match) as watcher:
        mark_cell(ann, match, 0)
        news_of(watcher)
        wait_until(lambda: match in services.streaming.matches._heads, WAIT_SECONDS)
    assert not services.streaming.matches._heads
    assert not services.streaming.matches._watchers


def test_who_comes_when_the_process_stops_ends_at_once(services: Services) -> None:
    with services.streaming.matches.subscribe("07mzxw6ytboi3dgnbv") as early:
        services.streaming.matches.close()
        assert early.ended
    with services.streaming.matches.subscribe("07mzxw6ytboi3dgnbv") as late:
        assert late.ended


def token_of(person: Person) -> str:
    """The token of a person."""
    return str(person.token)
