"""Each fact is folded once, when the rules emit it, and never again while the command is decided."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from domain.games.mice_cake import GAME as MICE_CAKE
from domain.games.mice_cake.rules import decider as mice_rules
from domain.kernel.chance import Fast, Scripted
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.game import AnyGame
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.registry import games
from domain.match import evolve, lobby, state
from domain.match.history import fold
from tests.builders import sit_down, step

every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def count_up(state: int, fact: int) -> int:
    """Fold a game whose state is the sum of its facts."""
    return state + fact


def test_a_recorder_folds_each_fact_when_it_is_emitted() -> None:
    recorder = FactRecorder(0, count_up, Scripted(()))
    recorder.emit(1, 2)
    assert recorder.state == 3
    recorder.emit(4)
    decision = recorder.decision()
    assert (decision, decision.state) == ([1, 2, 4], 7)


@every_game
def test_rules_return_the_state_that_their_facts_fold_to(game: AnyGame) -> None:
    table, chance = sit_down(game, seed="once"), Fast("once")
    started = game.start(len(table.match.seats), table.match.options, Fast(1))
    assert game.decision(started).state == game.fold(started)
    for _ in range(40):
        if table.match.status == "over":
            break
        before = table.match.state
        seat = min(table.match.to_move)
        move = next(iter(game.legal_moves(before, seat)))
        made = game.decide(before, seat, move, Fast(2))
        assert isinstance(made, Decision)
        assert made.state == game.fold(made, before)
        step(table, chance)


@every_game
def test_decide_returns_the_match_that_the_log_folds_to(game: AnyGame) -> None:
    table, chance = sit_down(game, seed="log"), Fast("log")
    for _ in range(60):
        if table.match.status == "over":
            break
        step(table, chance, resign_in=50)
        read = [read_event(write_event(event), game) for event in table.events]
        assert table.match == fold(read)


def test_rules_that_return_a_plain_list_are_folded_once() -> None:
    """Given a game whose rules do not use the recorder, then it plays as before."""
    before, move = play_a_round(MICE_CAKE)
    listed = replace(MICE_CAKE, decide=lambda *arguments: list(MICE_CAKE.decide(*arguments)))
    made = listed.decided(before.state, 0, move, Fast(3))
    assert made.state == MICE_CAKE.decided(before.state, 0, move, Fast(3)).state


def test_facts_that_were_changed_after_the_decision_are_folded_again() -> None:
    before, move = play_a_round(MICE_CAKE)
    made = MICE_CAKE.decide(before.state, 0, move, Fast(3))
    made.clear()
    assert MICE_CAKE.decision(made, before.state).state == before.state


@pytest.mark.parametrize("options", [{}, {"matches": "boost"}])
def test_a_round_of_mice_cake_folds_each_of_its_facts_once(folded: Counter[str], options: dict[str, Any]) -> None:
    """Given a match of Mice Cake, when a move resolves a round, then `evolve` is called once for each fact."""
    rounds = []
    table, chance = sit_down(MICE_CAKE, seed=22, options=options), Fast(22)
    while table.match.status == "playing":
        folded.clear()
        facts = sum(len(event.facts) for event in step(table, chance))
        assert folded["evolve"] == facts
        rounds.append(facts)
    assert max(rounds) >= (28 if options else 20), "at least one round is long"


@pytest.fixture
def folded(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the calls of Mice Cake's `evolve`, from its rules and from the kernel."""
    calls: Counter[str] = Counter()
    true = MICE_CAKE.evolve

    def counting(state: Any, fact: Any) -> Any:
        calls["evolve"] += 1
        return true(state, fact)

    monkeypatch.setattr(mice_rules, "evolve", counting)
    watched = replace(MICE_CAKE, evolve=counting)
    monkeypatch.setattr(lobby, "find_game", lambda slug, version=None: watched)
    for module in (evolve, state):
        monkeypatch.setattr(module, "find_pinned_game", lambda slug, version: watched)
    return calls


def play_a_round(game: AnyGame) -> tuple[Any, Any]:
    """Return a match that has just started, and a legal move of its first seat."""
    match = sit_down(game).match
    return match, next(iter(game.legal_moves(match.state, 0)))
