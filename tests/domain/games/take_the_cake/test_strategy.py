"""The greedy bot (rules, section 14) and the policy of the search bot."""

from itertools import islice
from math import sqrt
from typing import Any

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.bot.distances import BakerProgress, DistanceTable, Task
from domain.games.take_the_cake.bot.search import hand_cost, policy
from domain.games.take_the_cake.bot.strategy import candidates
from domain.games.take_the_cake.rules.board import OVEN
from domain.games.take_the_cake.rules.components import CARDS
from domain.games.take_the_cake.rules.model import State
from domain.games.take_the_cake.rules.moves import AcceptPlacement, Move, RunProgram, SwapCards
from domain.games.take_the_cake.rules.parts import Tokens
from domain.kernel.chance import Chance, Fast
from tests.domain.games.take_the_cake.builders import Player, given, greedily, loosely, play_on, state_of, whole_match


def choice(luck: int = 0, **document: Any) -> Move:
    """Return the greedy move in a position."""
    return greedily(state_of(document), 0, Fast(luck))


def ways(state: State) -> DistanceTable:
    assert state.recipe
    return DistanceTable(Task(state.layout, state.recipe, state.tokens, True))


def test_14_1_distances_are_exact() -> None:
    """The distance of every state is one more than that of its best successor, so it is exact."""
    found = ways(state_of())
    assert len(found.left) == 16
    for ticked in range(16):
        for at, facing in found.poses:
            place = BakerProgress(ticked, at, facing)
            best = min(found.distance_from(after(found, place, command)) for command in COMMANDS)
            if ticked == 15 and at in OVEN:
                continue
            assert found.distance_from(place) == best + 1


COMMANDS = ("forward", "backward", "left", "right", "around", "jump")


def after(found: DistanceTable, place: BakerProgress, command: Any) -> BakerProgress:
    (at, facing), marks = found.step((place.at, place.facing), command, frozenset())
    ticked, baked = found.ticked_after(place.ticked, marks)
    return BakerProgress(ticked, at, facing, baked)


def test_14_1_candidates_differ_in_effect() -> None:
    hand = ["rep2_1", "fwd_1", "fwd_2", "left_1", "if_07"]
    found = list(candidates(hand, "feat_01", state_of().options))
    assert all(step.card != "if_07" for steps in found for step in steps), "dead Ifs are left out"
    effects = {tuple((CARDS[s.card].commands, CARDS[s.card].factor, s.span) for s in steps) for steps in found}
    assert len(effects) == len(found)


def test_it_bakes_with_the_fewest_cards() -> None:
    baker = {"at": [4, 2], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    move = choice(bakers={"0": baker}, hands={"0": ["fwd_1", "fwd_2", "jump_1", "left_1", "right_1"]}, turn=9, round=5)
    assert isinstance(move, RunProgram)
    assert [step.card for step in move.steps] == ["jump_1"]


def test_it_adds_dead_ifs_at_the_end_of_a_program() -> None:
    baker = {"at": [4, 1], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    move = choice(bakers={"0": baker}, hands={"0": ["fwd_1", "if_07", "if_08", "left_1", "if_10"]})
    assert isinstance(move, RunProgram)
    assert [step.card for step in move.steps] == ["fwd_1", "if_07", "if_08", "if_10"]


def test_it_swaps_dead_ifs_first_then_repeats() -> None:
    move = choice(
        bakers={"0": {"at": [0, 0], "facing": "N"}},
        hands={"0": ["if_07", "rep2_1", "rep3_1", "rep3_2", "if_08"]},
    )
    assert isinstance(move, SwapCards)
    assert set(move.cards[:2]) == {"if_07", "if_08"}
    assert move.cards[2].startswith("rep")


def test_it_can_play_without_keeping_its_hand() -> None:
    state, _ = whole_match(3, (greedily, greedily), {"allow_keep": False})
    assert state.result


def test_it_accepts_any_arrangement() -> None:
    state = GAME.fold(GAME.start(2, {"placement": "agreed"}, Fast(1)))
    (seat,) = GAME.to_move(state)
    assert greedily(state, seat, Fast(0)) == AcceptPlacement()


@pytest.mark.slow
def test_14_1_bakers_that_block_each_other_find_a_way_around() -> None:
    """Two bakers block each other's shortest path in an edge lane, but one of them still bakes."""
    facts = given({"bakers": {"0": {"at": [0, 5], "facing": "W"}, "1": {"at": [0, 4], "facing": "E"}}})
    for seed in range(5):
        state, _ = play_on(facts, (greedily, greedily), Fast(seed))
        assert state.result
        assert state.result.reason == "baked"


@pytest.mark.slow
def test_its_move_is_legal_and_does_not_depend_on_the_list() -> None:
    for seed in range(12):
        state, _ = whole_match(seed, (greedily,) * 2, {"nested_repeats": bool(seed % 2)}, seed)
        for seat in GAME.to_move(state):
            view = GAME.view(state, seat)
            move = GAME.greedy(view, seat, GAME.legal_moves(state, seat), Fast(seed))
            assert move in list(GAME.legal_moves(state, seat))
            assert GAME.greedy(view, seat, islice(GAME.legal_moves(state, seat), 1), Fast(seed)) == move


def test_ties_are_broken_at_random() -> None:
    hands = {"0": ["if_07", "rep2_1", "rep3_1", "rep3_2", "rep2_2"]}
    swaps = {choice(luck=n, hands=hands) for n in range(20)}
    assert len(swaps) > 2


def test_it_can_bake_a_recipe_with_six_ingredients() -> None:
    state, _ = whole_match(8, (greedily, greedily), {"recipe": "rec_12"})
    assert state.result
    assert state.result.reason == "baked"
    assert isinstance(state.tokens, Tokens)


def wins(count: int, seats: int = 2) -> int:
    """Return how many matches one greedy player wins against random ones, with rotating seats."""
    won = 0
    for seed in range(count):
        mine = seed % seats
        players: list[Player] = [loosely] * seats
        players[mine] = greedily
        state, _ = whole_match(seed, players)
        assert state.result
        won += state.result.winners == (mine,)
    return won


@pytest.mark.slow
def test_greedy_beats_random() -> None:
    """Section 10 measured 150 wins in 150 games."""
    assert wins(30) == 30


def interval(won: int, count: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share."""
    z, share = 1.96, won / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    spread = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(middle - spread, 0), min(middle + spread, 1)


@pytest.mark.full
@pytest.mark.parametrize("seats", [2, 4])
def test_greedy_beats_random_in_500_matches(seats: int) -> None:
    won = wins(500, seats)
    low, high = interval(won, 500)
    print(f"greedy wins {won} of 500 against random with {seats} seats: {low:.1%} to {high:.1%}")
    assert high == pytest.approx(1.0, abs=0.001), "section 10: 150 of 150"
    assert low > 0.95


# -- the policy of the search bot -------------------------------------------------------------------------------------


def thoughtfully(state: State, seat: int, chance: Chance) -> Move:
    """Return the policy's move."""
    return policy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)


def idly(state: State, seat: int, chance: Chance) -> Move:
    return SwapCards(())


def turns_alone(player: Player, seed: int) -> int:
    """Return how many turns a baker needs if its opponent does nothing."""
    state, _ = whole_match(seed, (player, idly), {"first_player": 0})
    assert state.result
    assert state.result.winners == (0,)
    return state.round


@pytest.mark.slow
def test_keeping_good_cards_saves_turns() -> None:
    seeds = range(24)
    assert sum(turns_alone(thoughtfully, n) for n in seeds) < 0.95 * sum(turns_alone(greedily, n) for n in seeds)


def test_the_policy_bakes_when_it_can() -> None:
    baker = {"at": [4, 2], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    hands = {"0": ["fwd_1", "fwd_2", "jump_1", "left_1", "right_1"]}
    state = state_of({"bakers": {"0": baker}, "hands": hands, "turn": 9, "round": 5})
    assert GAME.outcome(GAME.fold(GAME.decide(state, 0, thoughtfully(state, 0, Fast(1)), Fast(1)), state))


@pytest.mark.slow
def test_bakers_with_the_policy_find_a_way_around_each_other() -> None:
    facts = given({"bakers": {"0": {"at": [0, 5], "facing": "W"}, "1": {"at": [0, 4], "facing": "E"}}})
    for seed in range(5):
        state, _ = play_on(facts, (thoughtfully, thoughtfully), Fast(seed))
        assert state.result
        assert state.result.reason == "baked"


def test_the_policy_keeps_valuable_cards() -> None:
    """Jumps and a Repeat x3 are worth keeping, a second Forward is not."""
    assert hand_cost(("jump_1",)) < hand_cost(()) < hand_cost(("fwd_1",)) < hand_cost(("fwd_1", "fwd_2"))
    assert hand_cost(("rep3_1", "rep2_1")) < hand_cost(("rep2_1",))
