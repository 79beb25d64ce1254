"""Audits that also repeat the house bots' moves, reported as one layer of the verdict."""

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace
from redis import Redis

from domain.match.commands import SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.bots.decision_log import Budget, load_decisions, record_decision
from service.cli import audit as command
from service.event_store.keys import decisions_key
from workers.bots.audit import audit_bots, bots_layer
from workers.bots.commands import bot
from workers.bots.levels import LEVELS
from workers.handlers import matches as handlers
from workers.projection.projector import Projector


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "strong", replace(LEVELS["strong"], budget=Budget(12, 600)))
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


def test_a_different_move_is_reported(services: Services, redis: Redis) -> None:
    """Given a move whose recorded decision was replaced by one with another seed, then the audit names its ply."""
    match = played_out(services, "tic_tac_toe", ("random", "random"))
    events = services.matches.repository.visible_events(match, None)
    first = load_decisions(services.runtime.redis, match.id, events)[0]
    move = next(event.move for event in events if event.ply == first.ply)
    for n in range(20):
        record_decision(services.runtime.redis, match.id, move, replace(first, seed=f"{n}"))
        layer = bots_layer(services, match.id)
        if layer.status == "failed":
            break
    assert layer.divergence
    assert (layer.divergence.ply, layer.divergence.rule) == (first.ply, "bots.move")
    found = audited("--all")
    assert found.exit_code == 1
    assert f"(ply {first.ply}): A house bot made a different move" in found.output
    assert services.read_models.verdicts.failed_matches() == [match.id]
    assert services.matches.repository.load(match.id).ply == match.ply, "the log has no verdict against the match"
    assert services.verification.auditor.audit(match.id).ok, "the match itself is valid"


def test_moves_that_cannot_be_repeated_are_counted_but_no_fault(services: Services, redis: Redis) -> None:
    match = played_out(services, "tic_tac_toe", ("greedy", "random"))
    events = services.matches.repository.visible_events(match, None)
    kept = load_decisions(services.runtime.redis, match.id, events)
    redis.delete(decisions_key(match.id))
    for decision in kept[1:]:
        move = next(event.move for event in events if event.ply == decision.ply)
        record_decision(
            services.runtime.redis, match.id, move, replace(decision, version=99) if decision is kept[1] else decision
        )
    found = audited(match.id)
    assert found.exit_code == 0, found.output
    assert (
        f"Repeating {len(kept) - 2} of {len(kept)} moves of house bots gave the same moves; 2 have no recorded decision"
        in found.output
    )


def test_a_fallback_move_is_no_fault(services: Services) -> None:
    """Given a turn that failed before, so that a random move was made, then its recorded decision says so."""
    seats = [SeatSpec("bot", level="greedy"), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match
    services.runtime.job_failures.record_turn_failure("play_bot", match.id, match.ply)
    while match.status == "playing":
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    layer = bots_layer(services, match.id)
    assert layer.status == "partly"
    assert "1 have no recorded decision, or one of an engine that is not installed" in layer.sentence


def test_a_running_match_reveals_nothing_about_its_bots(services: Services) -> None:
    seats = [SeatSpec("bot", level="greedy"), SeatSpec("human", player="p_ann")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match
    handlers.play_bot(match.id, match.ply)
    layer = audit_bots(services, match.id).layers[-1]
    assert (layer.name, layer.status) == ("bots", "not_checked")
