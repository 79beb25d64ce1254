"""Listeners for turns query the lists only when their turns may have changed."""

import random
import threading
import time
from contextlib import ExitStack

import pytest
from redis import Redis

from domain.match.commands import Play, SeatSpec
from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.event_store.keys import SHARDS
from service.matches.results import IdempotencyKey
from service.read_models.summary import MatchSummary
from service.streaming import turn_subscriptions
from service.streaming.turn_subscriptions import TurnListener
from tests.waiting import wait_until
from workers.projection.projector import Projector

PEOPLE = ("p_ann", "p_bob", "p_cid")
QUERY_COMMAND = "cmdstat_zrangebylex"


@pytest.fixture(autouse=True)
def _poll_only_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 3600.0)


def new_match(services: Services, *people: str) -> str:
    seats = [SeatSpec("human", player=player) for player in people]
    return services.matches.creation.create(people[0], "tic_tac_toe", seats, {}).match.id


def play_next_move(services: Services, match: str) -> None:
    """Mark the next free cell for the seat whose turn it is."""
    head = services.matches.repository.load(match)
    (seat,) = head.to_move
    move = next(iter(head.rules.legal_moves(head.state, seat)))
    player = head.seats[seat].player
    assert player is not None
    services.matches.commands.submit(
        match, Play(seat, {"type": "mark", "cell": move.cell}), IdempotencyKey(player, f"{head.ply}")
    )


def project(services: Services) -> None:
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()


def is_due(services: Services, listener: TurnListener) -> bool:
    services.streaming.turns.poll()
    with listener.refresh_if_due() as due:
        return due


def query_count(redis: Redis) -> int:
    return int(redis.info("commandstats").get(QUERY_COMMAND, {"calls": 0})["calls"])


def test_a_listener_refreshes_at_first_and_after_changes_of_its_matches(services: Services) -> None:
    """After an event in one of two matches, its two players refresh and the third does not."""
    mine, _ = new_match(services, "p_ann", "p_bob"), new_match(services, "p_bob", "p_cid")
    project(services)
    subscriptions = services.streaming.turns
    with (
        subscriptions.subscribe("p_ann") as ann,
        subscriptions.subscribe("p_bob") as bob,
        subscriptions.subscribe("p_cid") as cid,
    ):
        assert [is_due(services, each) for each in (ann, bob, cid)] == [True] * 3
        assert [is_due(services, each) for each in (ann, bob, cid)] == [False] * 3
        play_next_move(services, mine)
        assert not is_due(services, ann), "the lists do not include it yet"
        project(services)
        assert [is_due(services, each) for each in (ann, bob, cid)] == [True, True, False]


def test_a_failed_refresh_is_repeated(services: Services) -> None:
    with services.streaming.turns.subscribe("p_ann") as ann:
        services.streaming.turns.poll()
        with pytest.raises(LogUnavailable), ann.refresh_if_due():
            raise LogUnavailable("the log is unavailable")
        assert is_due(services, ann)


def test_all_listeners_refresh_after_the_lists_were_rebuilt(services: Services) -> None:
    new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_cid") as cid:
        assert is_due(services, cid)
        for shard in range(SHARDS):
            services.read_models.writer.reset(shard)
        assert is_due(services, cid)


def test_listeners_also_refresh_periodically(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    with services.streaming.turns.subscribe("p_ann") as ann:
        assert is_due(services, ann)
        assert not is_due(services, ann)
        monkeypatch.setattr(turn_subscriptions, "MAX_REFRESH_SECONDS", 0.0)
        assert is_due(services, ann)


def test_all_listeners_refresh_after_many_events(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """When checking the events would cost more than a refresh, all listeners refresh."""
    monkeypatch.setattr(turn_subscriptions, "SHARDS", 1)
    new_match(services, "p_bob", "p_cid")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann:
        assert is_due(services, ann)
        for _ in range(2):
            new_match(services, "p_bob", "p_cid")
        project(services)
        assert is_due(services, ann)


def test_no_turn_is_missed(services: Services) -> None:
    """With random moves and random updates of the lists, turns are unchanged whenever no refresh is due."""
    dice = random.Random(5)
    matches = [new_match(services, *dice.sample(PEOPLE, 2)) for _ in range(8)]
    project(services)
    last_turns: dict[str, list[MatchSummary]] = {}
    saved = 0
    with ExitStack() as stack:
        listeners = {player: stack.enter_context(services.streaming.turns.subscribe(player)) for player in PEOPLE}
        for _ in range(60):
            if (
                services.matches.repository.load(match := dice.choice(matches)).status == "playing"
                and dice.random() < 0.5
            ):
                play_next_move(services, match)
            if dice.random() < 0.7:
                project(services)
            for player, listener in listeners.items():
                services.streaming.turns.poll()
                with listener.refresh_if_due() as due:
                    turns = services.read_models.lists.turns_of(player)
                    assert due or turns == last_turns[player]
                    last_turns[player] = turns
                    saved += not due
    assert saved > 60


def test_without_events_no_list_is_queried(services: Services, redis: Redis) -> None:
    """After the first refresh, no list is queried until something happens."""
    new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann, services.streaming.turns.subscribe("p_bob") as bob:
        for listener in (ann, bob):
            assert is_due(services, listener)
        before = query_count(redis)
        for listener in [ann, bob] * 5:
            assert not is_due(services, listener)
        assert query_count(redis) == before


def poller_count() -> int:
    """Return the number of threads that poll for turns."""
    return sum(thread.name == "turn-news" for thread in threading.enumerate())


def wait_until_up_to_date(services: Services, listener: TurnListener) -> None:
    """Wait until the listener has handled all earlier changes."""
    wait_until(lambda: not is_due(services, listener), 60)
    listener.wait(0)


def test_a_turn_wakes_a_waiting_listener(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move in one of its matches ends a listener's wait early."""
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 0.05)
    match = new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann:
        wait_until_up_to_date(services, ann)
        play_next_move(services, match)
        project(services)
        began = time.monotonic()
        ann.wait(60)
        assert time.monotonic() - began < 30
        with ann.refresh_if_due() as due:
            assert due


def test_one_thread_polls_for_all_listeners(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 0.05)
    before = poller_count()
    for _ in range(2):
        with services.streaming.turns.subscribe("p_ann"), services.streaming.turns.subscribe("p_bob"):
            assert poller_count() == before + 1
        wait_until(lambda: poller_count() == before, 60)


def test_polling_survives_unexpected_errors(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """After polls have failed for a while, listeners learn what happened in the meantime."""
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(turn_subscriptions, "PAUSE_SECONDS", 0.02)
    match = new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann:
        wait_until_up_to_date(services, ann)
        with monkeypatch.context() as away:
            away.setattr(services.streaming.turns, "_log", None)
            play_next_move(services, match)
            project(services)
            time.sleep(0.2)
        ann.wait(60)
        with ann.refresh_if_due() as due:
            assert due
