"""Who listens for turns asks for them when they may have changed, and only then."""

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
QUESTION = "cmdstat_zrangebylex"


@pytest.fixture(autouse=True)
def _look_when_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 3600.0)


def new_match(services: Services, *people: str) -> str:
    seats = [SeatSpec("human", player=player) for player in people]
    return services.matches.creation.create(people[0], "tic_tac_toe", seats, {}).match.id


def play_next_move(services: Services, match: str) -> None:
    """The next free cell is marked by whoever is to move."""
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
    return int(redis.info("commandstats").get(QUESTION, {"calls": 0})["calls"])


def test_one_asks_at_first_and_then_when_an_own_match_has_gone_on(services: Services) -> None:
    """Given two matches, when one goes on, then its two players ask again and the third does not."""
    mine, _ = new_match(services, "p_ann", "p_bob"), new_match(services, "p_bob", "p_cid")
    project(services)
    news = services.streaming.turns
    with news.subscribe("p_ann") as ann, news.subscribe("p_bob") as bob, news.subscribe("p_cid") as cid:
        assert [is_due(services, each) for each in (ann, bob, cid)] == [True] * 3
        assert [is_due(services, each) for each in (ann, bob, cid)] == [False] * 3
        play_next_move(services, mine)
        assert not is_due(services, ann), "the lists do not tell it yet"
        project(services)
        assert [is_due(services, each) for each in (ann, bob, cid)] == [True, True, False]


def test_whoever_could_not_ask_asks_again(services: Services) -> None:
    with services.streaming.turns.subscribe("p_ann") as ann:
        services.streaming.turns.poll()
        with pytest.raises(LogUnavailable), ann.refresh_if_due():
            raise LogUnavailable("the log is away")
        assert is_due(services, ann)


def test_lists_that_were_derived_again_are_asked_for_by_all(services: Services) -> None:
    new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_cid") as cid:
        assert is_due(services, cid)
        for shard in range(SHARDS):
            services.read_models.writer.reset(shard)
        assert is_due(services, cid)


def test_now_and_then_one_asks_anyway(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    with services.streaming.turns.subscribe("p_ann") as ann:
        assert is_due(services, ann)
        assert not is_due(services, ann)
        monkeypatch.setattr(turn_subscriptions, "MAX_REFRESH_SECONDS", 0.0)
        assert is_due(services, ann)


def test_where_much_has_happened_all_ask(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given more events than it would cost to ask for the one who listens, then nobody looks whom they concern."""
    monkeypatch.setattr(turn_subscriptions, "SHARDS", 1)
    new_match(services, "p_bob", "p_cid")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann:
        assert is_due(services, ann)
        for _ in range(2):
            new_match(services, "p_bob", "p_cid")
        project(services)
        assert is_due(services, ann)


def test_no_turn_is_ever_missed(services: Services) -> None:
    """Given matches that go on at random, seen by the lists at random, then whoever is not told to ask would have heard
    nothing new."""
    dice = random.Random(5)
    matches = [new_match(services, *dice.sample(PEOPLE, 2)) for _ in range(8)]
    project(services)
    asked: dict[str, list[MatchSummary]] = {}
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
                    assert due or turns == asked[player]
                    asked[player] = turns
                    saved += not due
    assert saved > 60


def test_in_silence_a_look_is_all_that_is_asked(services: Services, redis: Redis) -> None:
    """Given listeners who have asked, when nothing happens, then no list is asked for again."""
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
    """How many threads look for turns."""
    return sum(thread.name == "turn-news" for thread in threading.enumerate())


def is_up_to_date(services: Services, listener: TurnListener) -> None:
    """Nothing is left that the listener was told of before."""
    wait_until(lambda: not is_due(services, listener), 10)
    listener.wait(0)


def test_who_waits_is_woken_by_a_turn(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given one who would wait for a minute, when an own match goes on, then the wait is over at once."""
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 0.05)
    match = new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann:
        is_up_to_date(services, ann)
        play_next_move(services, match)
        project(services)
        began = time.monotonic()
        ann.wait(60)
        assert time.monotonic() - began < 30
        with ann.refresh_if_due() as due:
            assert due


def test_one_looks_for_all_while_there_are_listeners(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 0.05)
    before = poller_count()
    for _ in range(2):
        with services.streaming.turns.subscribe("p_ann"), services.streaming.turns.subscribe("p_bob"):
            assert poller_count() == before + 1
        wait_until(lambda: poller_count() == before, 10)


def test_the_lookout_outlives_what_nobody_foresaw(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given looks that fail for a while, when they do so no more, then what has happened meanwhile is told."""
    monkeypatch.setattr(turn_subscriptions, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(turn_subscriptions, "PAUSE_SECONDS", 0.02)
    match = new_match(services, "p_ann", "p_bob")
    project(services)
    with services.streaming.turns.subscribe("p_ann") as ann:
        is_up_to_date(services, ann)
        with monkeypatch.context() as away:
            away.setattr(services.streaming.turns, "_log", None)
            play_next_move(services, match)
            project(services)
            time.sleep(0.2)
        ann.wait(60)
        with ann.refresh_if_due() as due:
            assert due
