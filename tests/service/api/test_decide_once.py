"""A request for a move folds each fact only once."""

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from msgspec import to_builtins

import service.matches.repository
from domain.games.mice_cake import GAME as MICE_CAKE
from domain.games.mice_cake.rules import decider
from domain.kernel.chance import Fast
from domain.match import evolve, lobby, state
from service.bootstrap import Services
from tests.service.api.builders import started_match


def test_a_round_of_mice_cake_folds_each_fact_once(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def counting(state: Any, fact: Any) -> Any:
        calls.append(fact)
        return MICE_CAKE.evolve(state, fact)

    watched = replace(MICE_CAKE, evolve=counting)
    monkeypatch.setattr(decider, "evolve", counting)
    monkeypatch.setattr(lobby, "find_game", lambda slug, version=None: watched)
    for module in (evolve, state, service.matches.repository):
        monkeypatch.setattr(module, "find_pinned_game", lambda slug, version: watched)
    # given: a match of two people
    match, people = started_match(app, "mice_cake", options={"matches": "boost"})
    # when: rounds are played
    chance, longest = Fast("once"), 0
    for _ in range(12):
        now = services.matches.repository.load(match)
        seat = min(now.to_move)
        move = to_builtins(chance.pick(list(MICE_CAKE.legal_moves(now.state, seat))))
        calls.clear()
        answer = people[seat].post(f"/matches/{match}/moves", move)
        assert answer.status_code == 201, answer.json
        # then: no fact was folded twice, and the match agrees with its log
        counted = len(calls)
        then = services.matches.repository.load(match)
        assert counted == then.fact_count - now.fact_count
        assert then == services.matches.repository.at_ply(match, then.ply)
        longest = max(longest, counted)
    assert longest > 10, "a round was resolved"
