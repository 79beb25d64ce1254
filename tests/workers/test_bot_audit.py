"""Audits that run the house bots' moves again: one line in the verdict, whatever it says."""

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
    """A match of bots, to its end."""
    seats = [SeatSpec("bot", level=level) for level in levels]
    match = services.matches.creation.create("p_ann", game, seats, {}).match
    while match.status == "playing":
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    return match


def audited(*words: str) -> Result:
    return CliRunner().invoke(bot, ["audit", *words])


def test_every_move_of_the_bots_comes_out_again(services: Services) -> None:
    match = played_out(services)
    found = audited(match.id)
    assert found.exit_code == 0, found.output
    made = len(
        load_decisions(services.runtime.redis, match.id, services.matches.repository.visible_events(match, None))
    )
    assert f"House bots made {made} moves; run again, they are the same." in found.output
    verdict = msgspec.json.decode(services.read_models.verdicts.find(match.id) or b"")
    assert verdict["report"]["verdict"] == "verified"
    assert verdict["report"]["layers"][-1]["name"] == "bots"


def test_a_move_that_the_bot_would_not_make_is_named(services: Services, redis: Redis) -> None:
    """Given a move whose note has been exchanged for one of another luck, then the audit names its ply."""
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
    assert f"(ply {first.ply}): A house bot made another move" in found.output
    assert services.read_models.verdicts.failed_matches() == [match.id]
    assert services.matches.repository.load(match.id).ply == match.ply, "no verdict against the match in its log"
    assert services.verification.auditor.audit(match.id).ok, "the match itself holds"


def test_what_cannot_be_run_again_is_counted_and_no_fault(services: Services, redis: Redis) -> None:
    match = played_out(services, "tic_tac_toe", ("greedy", "random"))
    events = services.matches.repository.visible_events(match, None)
    kept = load_decisions(services.runtime.redis, match.id, events)
    redis.delete(decisions_key(match.id))
    for noted in kept[1:]:
        move = next(event.move for event in events if event.ply == noted.ply)
        record_decision(
            services.runtime.redis, match.id, move, replace(noted, version=99) if noted is kept[1] else noted
        )
    found = audited(match.id)
    assert found.exit_code == 0, found.output
    assert (
        f"Of {len(kept)} moves of house bots {len(kept) - 2}, run again, are the same; 2 have no note" in found.output
    )


def test_a_move_made_instead_of_the_levels_own_is_no_fault(services: Services) -> None:
    """Given a turn that had failed before, so that any legal move was made, then its note says so."""
    seats = [SeatSpec("bot", level="greedy"), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match
    services.runtime.job_failures.record_turn_failure("play_bot", match.id, match.ply)
    while match.status == "playing":
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    layer = bots_layer(services, match.id)
    assert layer.status == "partly"
    assert "1 have no note, or one of an engine that is not at hand" in layer.sentence


def test_a_running_match_tells_nothing_of_its_bots(services: Services) -> None:
    seats = [SeatSpec("bot", level="greedy"), SeatSpec("human", player="p_ann")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match
    handlers.play_bot(match.id, match.ply)
    layer = audit_bots(services, match.id).layers[-1]
    assert (layer.name, layer.status) == ("bots", "not_checked")
