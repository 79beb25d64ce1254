"""Luck of house bots under protocol 2: it comes from the match, is recorded, and is the same for every worker."""

import dataclasses
from typing import Any

import msgspec
import pytest
from flask import Flask
from msgspec import UNSET
from msgspec.structs import replace

from domain.bots.levels import LEVELS, BotChoice
from domain.kernel.events import Moved
from domain.kernel.luck import MatchSecrets
from domain.match.commands import HandOver, Play, SeatSpec
from domain.match.state import AnyMatch
from replays.bot_check import check_bots
from replays.replay import Replay
from service.accounts.players import HOUSE
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.wsgi import create_app
from tests.service.api.builders import Person
from workers.bootstrap import get_turn_source
from workers.handlers import matches as handlers


@pytest.fixture
def app(services: Services) -> Flask:
    return create_app(services)


@pytest.fixture
def worker(app: Flask, services: Services) -> Person:
    """Return a remote worker."""
    return Person(app, services.accounts.players.new_token(HOUSE, HOUSE, "The shed"))


@pytest.fixture
def match(services: Services) -> AnyMatch:
    """Return a match of a random bot against a person."""
    return bot_against_person(services, "tic_tac_toe")


def bot_against_person(services: Services, game: str) -> AnyMatch:
    """Return a new match of a random bot against a person."""
    seats = [SeatSpec("bot", level="random"), SeatSpec("human", player="p_ann")]
    return services.matches.creation.create("p_ann", game, seats, {}).match


def derived(services: Services, match: AnyMatch, seat: int) -> str:
    """Return the bot's 32 bytes as the specification says, from the secrets of the match."""
    secrets = services.matches.repository.secrets(match)
    assert isinstance(secrets, MatchSecrets)
    return secrets.bot_decision(match.id, match.shares, seat, match.move_counts[seat]).hex()


def last_move(services: Services, match: AnyMatch) -> Moved[Any, Any]:
    """Return the last move of a match."""
    events = services.matches.repository.read_events(match.id)
    return [event for event in events if isinstance(event, Moved)][-1]


def command(services: Services, match: AnyMatch, what: Any, player: str = "p_ann") -> AnyMatch:
    """Return the match after a player's command."""
    return services.matches.commands.submit(match.id, what, IdempotencyKey(player, f"{what}")).match


def test_a_local_and_a_remote_worker_get_the_same_32_bytes_and_no_secret(
    services: Services, worker: Person, match: AnyMatch
) -> None:
    document = worker.get(f"/house/turns/{match.id}/{match.ply}").json
    task = get_turn_source().owed_turn(match.id, match.ply)
    assert task
    assert document["seed"] == task.build_input().seed == derived(services, match, 0)
    assert (document["bot"], task.bot) == ("random/1", "random/1")
    secrets = services.matches.repository.secrets(match)
    assert isinstance(secrets, MatchSecrets)
    for secret in (secrets.reveal().seed, secrets.reveal().salts, secrets.key(match.shares).hex()):
        assert secret
        assert secret not in str(document)


def test_a_retried_turn_has_the_same_luck_and_the_same_move(services: Services, match: AnyMatch) -> None:
    """Given a turn that is tried again, even after an event in between, then the bot has no second chance."""
    first = get_turn_source().owed_turn(match.id, match.ply)
    assert first
    chosen = handlers.choose_move(first)
    match = command(services, match, HandOver(1, "random"))
    second = get_turn_source().owed_turn(match.id, match.ply)
    assert second
    assert second.ply > first.ply
    assert second.build_input().seed == first.build_input().seed
    assert handlers.choose_move(second) == chosen


def test_each_move_of_the_seat_gives_its_bot_other_luck(services: Services) -> None:
    """Given a seat that a person and then a bot plays, then each move counts, the person's included.

    A match of Baker's Brawl can't end within these moves.
    """
    match, seeds = bot_against_person(services, "bakers_brawl"), []
    while match.move_counts[1] < 2 or match.to_move != {1}:
        if match.to_move == {0}:
            seeds.append(derived(services, match, 0))
            handlers.play_bot(match.id, match.ply)
            match = services.matches.repository.load(match.id)
        else:
            move = next(iter(match.rules.legal_moves(match.state, 1)))
            match = command(services, match, Play(1, msgspec.to_builtins(move)))
    match = command(services, match, HandOver(1, "random"))
    turn = services.house_bots.owed_turn(match.id, match.ply)
    assert turn
    assert match.move_counts[1] == 2
    assert turn.seed == derived(services, match, 1)
    assert turn.seed not in seeds
    assert len(set(seeds)) == match.move_counts[0]


def test_a_bots_move_records_what_it_saw(services: Services, match: AnyMatch) -> None:
    handlers.play_bot(match.id, match.ply)
    moved = last_move(services, match)
    assert (moved.seen, moved.fallback) == (match.ply, UNSET)


def test_a_move_in_place_of_a_failed_strategys_is_recorded_as_such(
    services: Services, match: AnyMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> BotChoice:
        raise ValueError

    monkeypatch.setitem(LEVELS, "random", replace(LEVELS["random"], choose=fail))
    handlers.play_bot(match.id, match.ply)
    moved = last_move(services, match)
    assert (moved.seen, moved.fallback) == (match.ply, True)


def test_a_remote_worker_reports_a_fallback(services: Services, worker: Person, match: AnyMatch) -> None:
    body = {"seat": 0, "move": {"type": "mark", "cell": 4}, "engine": "e", "version": 1, "fallback": True}
    assert worker.post(f"/house/turns/{match.id}/{match.ply}", body).status_code == 201
    moved = last_move(services, match)
    assert (moved.seen, moved.fallback) == (match.ply, True)


def test_a_strategy_of_another_version_than_the_recorded_one_is_marked(
    services: Services, match: AnyMatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a match in which `random/9` sits, and a worker that has `random/1`.

    The bot plays on, but its moves don't count as those of `random/9`.
    """
    task = get_turn_source().owed_turn(match.id, match.ply)
    assert task
    task = dataclasses.replace(task, bot="random/9")
    get_turn_source().play(task, handlers.choose_move(task))
    assert last_move(services, match).fallback is True
    assert "The bot random/9 of match" in caplog.text
    match = command(services, services.matches.repository.load(match.id), Play(1, {"type": "resign"}))
    layer = check_bots(Replay(tuple(services.matches.repository.read_events(match.id))))
    assert (layer.status, "The server chose 1 move" in layer.sentence) == ("not_checked", True)
