"""Audits that also repeat the house bots' moves, reported as one layer of the verdict."""

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace
from redis import Redis

from domain.bots.levels import LEVELS, BotChoice, BotInput
from domain.bots.search import Budget
from domain.kernel.registry import find_game
from domain.match.commands import Create, SeatSpec
from domain.match.lobby import create_under_rules
from domain.match.state import AnyMatch
from replays.bot_check import input_at
from replays.replay import Replay
from service.bootstrap import Services
from service.bots.decision_log import BotDecision, load_decisions, record_decision
from service.cli import audit as command
from service.event_store.keys import decisions_key
from tests.builders import EPOCH, Table, secrets_of
from workers.bots.audit import audit_bots, bots_layer, recorded_bots_layer
from workers.bots.commands import bot
from workers.handlers import matches as handlers
from workers.projection.projector import Projector


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "strong", replace(LEVELS["strong"], budget=Budget(12)))
    command.process_services.cache_clear()


def played_out(services: Services, game: str = "mice_cake", levels: tuple[str, str] = ("strong", "easy")) -> AnyMatch:
    """Return a match between bots, played to its end."""
    seats = [SeatSpec("bot", level=level) for level in levels]
    match = services.matches.creation.create("p_ann", game, seats, {}).match
    while match.status == "playing":
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    return match


def audited(*words: str) -> Result:
    return CliRunner().invoke(bot, ["audit", *words])


def test_repeating_the_bots_moves_gives_the_same_moves(services: Services) -> None:
    match = played_out(services)
    found = audited(match.id)
    assert found.exit_code == 0, found.output
    made = len(
        load_decisions(services.runtime.redis, match.id, services.matches.repository.visible_events(match, None))
    )
    assert f"House bots made {made} moves. Repeating them gave the same moves." in found.output
    verdict = msgspec.json.decode(services.read_models.verdicts.find(match.id) or b"")
    assert verdict["report"]["verdict"] == "verified"
    assert verdict["report"]["layers"][-1]["name"] == "bots"


def test_the_audit_of_a_match_needs_no_recorded_decisions(services: Services, redis: Redis) -> None:
    """Under luck protocol 2 the log alone says what each decision depends on."""
    match = played_out(services, "tic_tac_toe", ("greedy", "random"))
    redis.delete(decisions_key(match.id))
    layer = bots_layer(services, match.id)
    assert (layer.status, layer.sentence.split(".")[1]) == ("ok", " Repeating them gave the same moves")


def test_a_different_move_is_reported(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a service whose strategy has changed while its version has not, then the audit names the ply."""
    with monkeypatch.context() as changed:
        changed.setitem(LEVELS, "greedy", replace(LEVELS["greedy"], choose=first_legal_move))
        match = played_out(services, "tic_tac_toe", ("greedy", "greedy"))
    layer = bots_layer(services, match.id)
    assert layer.divergence
    assert layer.divergence.rule == "bots.move"
    found = audited("--all")
    assert found.exit_code == 1
    assert f"(ply {layer.divergence.ply}): A house bot made a different move" in found.output
    assert services.read_models.verdicts.failed_matches() == [match.id]
    assert services.matches.repository.load(match.id).ply == match.ply, "the log has no verdict against the match"
    assert services.verification.auditor.audit(match.id).ok, "the match itself is valid"


def first_legal_move(bot_input: BotInput, budget: Budget | None, stop_after: int | None) -> BotChoice:
    return BotChoice(next(iter(bot_input.legal)))


def test_a_fallback_move_is_listed(services: Services) -> None:
    """Given a failed turn in which a random move was made, then the log names it as a fallback."""
    seats = [SeatSpec("bot", level="greedy"), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match
    services.runtime.job_failures.record_turn_failure("play_bot", match.id, match.ply)
    while match.status == "playing":
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    layer = bots_layer(services, match.id)
    assert layer.status == "partly"
    assert "The server chose 1 move instead of a strategy: ply 5." in layer.sentence


# -- matches with luck protocol 1 -----------------------------------------------------------------------------------


OLD = "00" + "a" * 16


def old_match(services: Services) -> tuple[Replay, list[BotDecision]]:
    """Return a match with luck protocol 1 between two random bots, with the recorded decisions of its moves."""
    game = find_game("tic_tac_toe", 1)
    seats = (SeatSpec("bot", level="random"), SeatSpec("bot", level="random"))
    command = Create(match=OLD, game=game.slug, creator="p_ann", options={}, seats=seats)
    luck, noted = secrets_of(game, "old"), []
    events, match = create_under_rules(game, command, EPOCH, luck)
    table = Table(luck, match, list(events))
    while table.match.status == "playing":
        seat = min(table.match.to_move)
        decision = BotDecision(table.match.ply + 1, seat, "random", "random", 1, None, None, f"{table.match.ply}")
        bot_input = input_at(Replay(tuple(table.events)), table.match.ply, seat, decision.seed)
        move = msgspec.to_builtins(LEVELS["random"].choose(bot_input, None, None).move)
        record_decision(services.runtime.redis, OLD, move, decision)
        noted.append(decision)
        table.play(seat, move)
    return Replay(tuple(table.events)), noted


def test_recorded_decisions_are_repeated(services: Services) -> None:
    replay, noted = old_match(services)
    layer = recorded_bots_layer(services, OLD, replay)
    assert layer.status == "ok"
    assert layer.sentence == f"House bots made {len(noted)} moves. Repeating them gave the same moves."


def test_a_different_recorded_decision_is_reported(services: Services) -> None:
    """Given a move whose recorded decision was replaced by one with a different seed, then the audit names its ply."""
    replay, noted = old_match(services)
    move = msgspec.to_builtins(replay.event(noted[0].ply).move)
    for n in range(20):
        record_decision(services.runtime.redis, OLD, move, replace(noted[0], seed=f"another {n}"))
        layer = recorded_bots_layer(services, OLD, replay)
        if layer.status == "failed":
            break
    assert layer.divergence
    assert (layer.divergence.ply, layer.divergence.rule) == (noted[0].ply, "bots.move")


def test_moves_that_cannot_be_repeated_are_counted_but_no_fault(services: Services, redis: Redis) -> None:
    replay, kept = old_match(services)
    redis.delete(decisions_key(OLD))
    for decision in kept[1:]:
        move = msgspec.to_builtins(replay.event(decision.ply).move)
        stored = replace(decision, version=99) if decision is kept[1] else decision
        record_decision(services.runtime.redis, OLD, move, stored)
    layer = recorded_bots_layer(services, OLD, replay)
    summary = f"Repeating {len(kept) - 2} of {len(kept)} moves of house bots gave the same moves"
    assert layer.status == "partly"
    assert f"{summary}; 2 have no recorded decision" in layer.sentence


# -- running matches ----------------------------------------------------------------------------------------------


def test_a_running_match_reveals_nothing_about_its_bots(services: Services) -> None:
    seats = [SeatSpec("bot", level="greedy"), SeatSpec("human", player="p_ann")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match
    handlers.play_bot(match.id, match.ply)
    layer = audit_bots(services, match.id).layers[-1]
    assert (layer.name, layer.status) == ("bots", "not_checked")
