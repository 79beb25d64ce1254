"""Whole matches: they end, no domino is lost, and facts, states, moves and views survive a JSON round trip."""

from itertools import pairwise
from time import process_time
from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.decider import legal_moves, pips
from domain.games.mice_cake.rules.facts import MiceAssigned, RoundEnded, RoundStarted
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice
from domain.games.mice_cake.rules.parts import PIECES
from domain.kernel.chance import Fast
from tests.domain.games.mice_cake.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    greedily,
    midgame,
    plain,
    position,
    resigning,
    whole_match,
)

seeds = st.integers(0, 1 << 32)
options = st.sampled_from(ALL_OPTIONS)


@settings(max_examples=40, deadline=None)
@for_all(seeds, options)
def test_every_match_ends_with_every_domino_accounted_for(seed: int, chosen: dict[str, str]) -> None:
    state, facts = whole_match(seed, options=chosen)
    assert state.result
    rounds = [fact for fact in facts if isinstance(fact, RoundStarted)]
    assert [fact.round for fact in rounds] == list(range(1, len(rounds) + 1))
    assert len(rounds) <= 560, "section 10"
    assert sum(isinstance(fact, MiceAssigned) for fact in facts) <= 1120
    assert max(fact.quiet for fact in facts if isinstance(fact, RoundEnded)) <= 20
    left = [cell.visible_piece for cells in state.cake.values() for cell in cells]
    assert sorted([*left, *state.stash.yellow, *state.stash.blue, *state.removed]) == sorted(PIECES)
    if state.result.reason == "cake_gone":
        assert pips(state, "yellow") + pips(state, "blue") == 168, "E2"


@settings(max_examples=25, deadline=None)
@for_all(seeds, options, st.integers(1, 16))
def test_every_listed_move_is_accepted(seed: int, chosen: dict[str, str], rounds: int) -> None:
    state, _ = midgame(seed, chosen, rounds)
    for seat in (0, 1):
        for move in GAME.legal_moves(state, seat):
            assert GAME.decide(state, seat, move, Fast(seed))


def test_rest_rounds_never_follow_one_another() -> None:
    """After a rest round, some seat can act (section 10, item 2)."""
    for seed in range(30):
        _, facts = whole_match(seed, options=ALL_OPTIONS[seed % len(ALL_OPTIONS)])
        resting = [not fact.to_assign for fact in facts if isinstance(fact, RoundStarted)]
        assert not any(a and b for a, b in pairwise(resting))


# -- folding ----------------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@for_all(seeds, seeds)
def test_folding_never_fails(seed: int, luck: int) -> None:
    """Folds facts in random order, redacted or not, onto an initial and a final state."""
    state, facts = whole_match(seed, (resigning(40, at_random), at_random))
    redacted = [GAME.redact(State(), fact, index, 1) for index, fact in enumerate(facts)]
    jumbled = Fast(luck).shuffle([*facts, *(fact for fact in redacted if fact is not None)])
    for start in (GAME.initial, state):
        assert isinstance(GAME.fold(jumbled, start), State)


def test_folding_does_not_modify_its_input() -> None:
    state, facts = midgame(4)
    before = msgspec.json.encode(state)
    for fact in facts:
        GAME.evolve(state, fact)
    assert msgspec.json.encode(state) == before


# -- JSON -------------------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@for_all(seeds, options, st.integers(1, 20))
def test_round_trip_through_json(seed: int, chosen: dict[str, str], rounds: int) -> None:
    state, facts = midgame(seed, chosen, rounds)
    assert GAME.read_facts(msgspec.json.encode(facts)) == facts
    assert msgspec.json.decode(msgspec.json.encode(state), type=GAME.state_type) == state
    for seat in (0, 1, None):
        view = GAME.view(state, seat)
        assert GAME.read_view(msgspec.json.encode(view)) == view
        redacted = [GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts)]
        assert GAME.read_facts(msgspec.json.encode(redacted)) == redacted
    for move in GAME.legal_moves(state, 0):
        assert GAME.read_move(plain(move)) == move


def test_the_field_of_a_steal_is_called_from() -> None:
    raw = b'[{"type":"piece_stolen","seat":"yellow","from":"blue","piece":"5-5","pips":10}]'
    assert msgspec.json.encode(GAME.read_facts(raw)) == raw


def test_every_fact_keeps_its_fields_in_the_order_of_the_rules() -> None:
    """The order is normative (section 5.4)."""
    expected = {
        "game_started": "game seats options",
        "cake_laid": "cells",
        "position_set": "cells stash removed resting quiet",
        "round_started": "round ready open to_assign",
        "mice_assigned": "seat round columns steal_target",
        "assignments_revealed": "round assignments",
        "piece_turned_up": "at piece cause",
        "dice_rolled": "seat column wave at piece target needed dice total matched",
        "attempt_decided": "seat column wave result",
        "mice_exhausted": "seat column count piece",
        "piece_stolen": "seat from piece pips",
        "piece_taken": "seat at piece pips",
        "blank_removed": "at",
        "mice_boosted": "seat column dice",
        "round_ended": "round recovered resting left quiet",
        "seat_resigned": "seat",
        "game_ended": "reason winner by pips count double_six left",
    }
    found = {kind.__struct_config__.tag: " ".join(kind.__struct_encode_fields__) for kind in GAME.fact_type.__args__}
    assert found == expected


# -- speed ------------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_matches_and_long_move_lists_are_fast() -> None:
    """A random match takes under 50 ms; the longest list of legal moves and its view take under 20 ms."""
    started = process_time()
    for seed in range(50):
        whole_match(seed)
    assert (process_time() - started) / 50 < 0.05
    state = GAME.fold(position(cake=["A3: 0-0 (2-4) 1-3", "B7: 4-6", "C7: 5-6", "D7: 6-6"]))
    started = process_time()
    moves = list(legal_moves(state, 0))
    GAME.view(state, 0)
    assert len(moves) == 20 * 22 + 15
    assert process_time() - started < 0.02


# -- section 10 -------------------------------------------------------------------------------------------------------


def measure(players: tuple[Player, Player], count: int, chosen: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the mean number of rounds, yellow's share of wins, the mean margin and the number of stalled matches."""
    ends = [whole_match(seed, players, chosen)[0] for seed in range(count)]
    results = [end.result for end in ends if end.result]
    return {
        "rounds": sum(end.round for end in ends) / count,
        "yellow": sum(result.winner == "yellow" for result in results) / count,
        "margin": sum(abs(result.pips.yellow - result.pips.blue) for result in results) / count,
        "stalled": sum(result.reason == "stalled" for result in results),
    }


@pytest.mark.parametrize(
    ("player", "chosen", "rounds"),
    [
        (at_random, {}, 21.9),
        (greedily, {}, 15.2),
        (greedily, {"start_face": "down"}, 15.8),
        (greedily, {"matches": "boost"}, 11.1),
        (at_random, {"contest_floor": "none"}, 20.5),
    ],
)
def test_matches_have_the_expected_length(player: Player, chosen: dict[str, str], rounds: float) -> None:
    found = measure((player, player), 40, chosen)
    assert abs(found["rounds"] - rounds) < 2.5
    assert found["stalled"] == 0


@pytest.mark.full
def test_measured_figures_of_section_10() -> None:
    random = measure((at_random, at_random), 2000)
    assert abs(random["rounds"] - 21.9) < 0.4
    assert abs(random["margin"] - 25.4) < 2
    assert abs(random["yellow"] - 0.5) < 0.05
    greedy = measure((greedily, greedily), 2000)
    assert abs(greedy["rounds"] - 15.2) < 0.4
    first = measure((greedily, at_random), 400)["yellow"]
    second = 1 - measure((at_random, greedily), 400)["yellow"]
    assert (first + second) / 2 > 0.88


def test_legal_assignments_are_all_assign_mice() -> None:
    state, _ = midgame(1)
    assert all(isinstance(move, AssignMice) for move in GAME.legal_moves(state, 0))
