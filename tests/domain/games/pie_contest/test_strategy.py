"""Tests of the greedy player (rules, section 14), including its results against random players."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.pie_contest import GAME
from domain.games.pie_contest.bot.search import PATIENT, policy
from domain.games.pie_contest.bot.strategy import GREEDY
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.moves import Choose, Dive, Pass, PlayCard, TrimHand
from domain.games.pie_contest.rules.pie_values import pie_value
from domain.kernel.chance import Fast
from tests.domain.games.pie_contest.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    greedily,
    midgame,
    plain,
    play,
    position,
    whole_match,
)


def choices(state: State) -> set[Any]:
    """Return all moves that the greedy player makes with different random draws."""
    return {greedily(state, 0, Fast(n)) for n in range(12)}


def choice(state: State) -> Any:
    """Return the only move that the greedy player makes, regardless of the draws."""
    (move,) = choices(state)
    return move


READY = [1, 24, 25, 60, 112]
"""Table Salt, Pear, Pear, Cream Cheese, Potato: a Pie of 12."""


def test_it_bakes_a_good_pie() -> None:
    state = position(hands={"0": [129, 26]}, kitchens={"0": READY}, pies={"1": [9]}, options={"pies_for_all": 2})
    assert choice(state) == PlayCard(129)


def test_it_does_not_end_a_contest_that_it_would_lose() -> None:
    state = position(seats=2, hands={"0": [129, 154]}, kitchens={"0": READY}, pies={"0": [2], "1": [30, 1]})
    assert choice(state) != PlayCard(129)


def test_it_ends_a_contest_that_it_wins() -> None:
    state = position(seats=2, hands={"0": [129, 154]}, kitchens={"0": [1, 24, 25]}, pies={"0": [2], "1": [3, 1]})
    assert choice(state) == PlayCard(129)


def test_it_never_plays_a_second_salt() -> None:
    state = position(hands={"0": [2, 47]}, kitchens={"0": [1, 24]})
    assert choice(state) == PlayCard(47)


def test_it_plays_the_salt_that_makes_its_kitchen_ready() -> None:
    state = position(hands={"0": [2, 47]}, kitchens={"0": [60, 24]})
    assert choice(state) == PlayCard(2)


def test_it_keeps_the_fifth_slot_for_salt() -> None:
    state = position(hands={"0": [47, 154]}, kitchens={"0": [24, 25, 60, 112]})
    assert choice(state) != PlayCard(47)


def test_it_dives_for_the_missing_bake() -> None:
    state = position(
        hands={"0": [63, 64]}, kitchens={"0": READY}, trash=[129, 26], pies={"1": [9]}, options={"pies_for_all": 2}
    )
    assert choice(state) == Dive((63, 64), 129)


def test_it_keeps_the_fifth_slot_for_salt_even_for_a_valuable_card() -> None:
    """A fifth Apple would add ten points."""
    state = position(hands={"0": [23]}, kitchens={"0": [19, 20, 21, 22]})
    assert choice(state) == Pass()


def test_it_only_dives_for_a_missing_card() -> None:
    state = position(hands={"0": [63, 64]}, kitchens={"0": READY}, trash=[2, 104, 144], pies={"1": [9]})
    assert choice(state) == Pass(), "it needs neither Beef nor Swap nor a second Salt"


def test_it_does_not_dive_for_a_bake_when_it_has_one() -> None:
    state = position(hands={"0": [63, 64, 129]}, kitchens={"0": [1, 2, 24, 25, 26]}, trash=[130])
    assert choice(state) == Pass()


def test_it_does_not_waste_a_bake_to_draw_cards() -> None:
    """Hot Oven draws two cards even if the Bake fails."""
    state = position(hands={"0": [141]}, kitchens={"0": [24]})
    assert choice(state) == Pass()


def test_it_improves_a_kitchen_before_it_bakes() -> None:
    """The Pie would be worth 9 now and 12 with Cream Cheese."""
    state = position(hands={"0": [60, 129]}, kitchens={"0": [1, 24, 25, 49]}, options={"pies_for_all": 2})
    assert choice(state) == PlayCard(60)


def test_it_swaps_for_value_rather_than_for_a_rivals_salt() -> None:
    """For Spoiled Milk it takes a Pear instead of Salt, because the rival's Pie then loses more."""
    state = position(hands={"0": [144]}, kitchens={"0": [24, 63], "1": [2, 25, 26]})
    state, _ = play(state, 0, type="play_card", card=144)
    assert choices(state) == {Choose(("pair:63/25",)), Choose(("pair:63/26",))}


def test_it_trashes_the_only_salt_of_a_kitchen_that_is_ready() -> None:
    state = position(hands={"0": [160]}, kitchens={"0": [1], "1": [2, 25, 26], "2": [3, 27], "3": [17, 18, 28]})
    state, _ = play(state, 0, type="play_card", card=160)
    assert choice(state) == Choose(("card:2",))


def test_it_passes_rather_than_spoil_its_kitchen() -> None:
    state = position(hands={"0": [2]}, kitchens={"0": [1, 24, 25]})
    assert choice(state) == Pass()


def test_it_trims_the_least_useful_cards() -> None:
    state = position(hands={"0": [2, 3, 4, 63, 64, 129, 130, 104, 105]}, kitchens={"0": [1]}, turn=11)
    state, _ = play(state, 0, type="pass")
    for move in choices(state):
        assert isinstance(move, TrimHand)
        assert not set(move.cards) & {129, 130, 104, 105}


def test_it_steals_what_helps_its_own_kitchen() -> None:
    state = position(hands={"0": [149]}, kitchens={"0": [1, 104], "1": [112, 65], "2": [63]})
    state, _ = play(state, 0, type="play_card", card=149)
    assert choice(state) == Choose(("card:112",)), "Sugar would reduce its Beef by two"


def test_it_gives_a_second_salt_away() -> None:
    state = position(hands={"0": [178]}, kitchens={"0": [1, 2, 24], "1": [3, 25]}, out=[2, 3])
    state, _ = play(state, 0, type="play_card", card=178)
    assert choices(state) == {Choose(("gift:1/1",)), Choose(("gift:2/1",))}, "it picks one at random"


def test_pie_changes_go_to_the_best_pies() -> None:
    state = position(hands={"0": [172]}, pies={"0": [9], "1": [4, 12], "2": [8]})
    state, _ = play(state, 0, type="play_card", card=172)
    assert choice(state) == Choose(("pie:1.2",))


@settings(max_examples=15, deadline=None)
@for_all(st.integers(0, 1 << 32), st.sampled_from(ALL_OPTIONS), st.integers(2, 8), st.integers(0, 100))
def test_its_moves_are_legal_and_come_from_the_view_alone(
    seed: int, chosen: dict[str, Any], seats: int, moves: int
) -> None:
    state, _ = midgame(seed, (at_random,) * seats, chosen, moves)
    for seat in GAME.to_move(state):
        view = GAME.view(state, seat)
        again = GAME.read_view(msgspec.json.encode(view))
        move = GAME.greedy(again, seat, GAME.legal_moves(state, seat), Fast(seed))
        assert GAME.decide(state, seat, move, Fast(0))
        assert GAME.read_move(plain(move)) == move


# -- against random players ---------------------------------------------------------------------------------------


def share_of_wins(players: Sequence[Player], greedy: int, count: int) -> tuple[float, float, float]:
    """Return the share of wins of the greedy seat, split for shared wins, with its 95 % Wilson interval."""
    won = 0.0
    for n in range(count):
        seated = [*players[n % len(players) :], *players[: n % len(players)]]
        state, _ = whole_match(f"share {n}", seated)
        assert state.result
        mine = (greedy - n) % len(players)
        if mine in state.result.winners:
            won += 1 / len(state.result.winners)
    share, z = won / count, 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return share, max(0.0, middle - half), min(1.0, middle + half)


def test_greedy_beats_random() -> None:
    share, low, _ = share_of_wins((greedily, at_random), 0, 24)
    assert share > 0.8
    assert low > 0.6


@pytest.mark.full
def test_greedy_beats_random_at_full_count() -> None:
    """In section 10, a heuristic bot won 91 % of 200 matches against three random ones."""
    four = share_of_wins((greedily, at_random, at_random, at_random), 0, 500)
    print("greedy against three random players: share {:.3f}, 95 % interval {:.3f} to {:.3f}".format(*four))
    assert four[2] >= 0.91
    two = share_of_wins((greedily, at_random), 0, 500)
    print("greedy against one random player: share {:.3f}, 95 % interval {:.3f} to {:.3f}".format(*two))
    assert two[1] > 0.6


# -- the policy of the search bot ---------------------------------------------------------------------------------


def patient_choice(state: State) -> set[Any]:
    """Return all moves that the patient policy makes with different random draws."""
    view = GAME.view(state, 0)
    return {policy(view, 0, GAME.legal_moves(state, 0), Fast(n)) for n in range(12)}


def test_a_patient_baker_waits_for_a_better_pie() -> None:
    """A Pie of 9 from four cards is good enough for the greedy player, but the patient one waits for a fifth."""
    state = position(seats=2, hands={"0": [129]}, kitchens={"0": [1, 24, 25, 112]})
    value = pie_value((1, 24, 25, 112))
    assert GREEDY.good[0] <= value < PATIENT.good[0]
    assert choice(state) == PlayCard(129)
    assert PlayCard(129) not in patient_choice(state)


def test_a_patient_baker_ends_a_contest_that_it_wins() -> None:
    state = position(seats=2, hands={"0": [129, 154]}, kitchens={"0": [1, 24, 25]}, pies={"0": [2], "1": [3, 1]})
    assert patient_choice(state) == {PlayCard(129)}
