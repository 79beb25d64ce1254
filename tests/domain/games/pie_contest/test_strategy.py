"""What the greedy player weighs (rules, section 14), and how it fares against random ones."""

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
    """What the greedy player may do, by chance."""
    return {greedily(state, 0, Fast(n)) for n in range(12)}


def choice(state: State) -> Any:
    """What the greedy player does, whatever the chance."""
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


def test_it_keeps_the_fifth_slot_for_salt_however_much_a_card_adds() -> None:
    """A fifth Apple would add ten."""
    state = position(hands={"0": [23]}, kitchens={"0": [19, 20, 21, 22]})
    assert choice(state) == Pass()


def test_it_dives_for_nothing_but_what_is_missing() -> None:
    state = position(hands={"0": [63, 64]}, kitchens={"0": READY}, trash=[2, 104, 144], pies={"1": [9]})
    assert choice(state) == Pass(), "neither Beef nor a Swap nor a second Salt"


def test_it_does_not_dive_for_a_bake_when_it_has_one() -> None:
    state = position(hands={"0": [63, 64, 129]}, kitchens={"0": [1, 2, 24, 25, 26]}, trash=[130])
    assert choice(state) == Pass()


def test_it_does_not_waste_a_bake_on_the_cards_that_come_with_it() -> None:
    """Hot Oven draws two even where nothing can be Baked."""
    state = position(hands={"0": [141]}, kitchens={"0": [24]})
    assert choice(state) == Pass()


def test_it_grows_a_kitchen_that_may_become_much_better_before_it_bakes() -> None:
    """A Pie of 9 now, of 12 with Cream Cheese."""
    state = position(hands={"0": [60, 129]}, kitchens={"0": [1, 24, 25, 49]}, options={"pies_for_all": 2})
    assert choice(state) == PlayCard(60)


def test_it_exchanges_for_value_and_not_for_a_rivals_salt() -> None:
    """For its Spoiled Milk a Pear is worth more than Salt, by what the rival's Kitchen loses as a Pie."""
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


def test_it_trims_what_it_can_do_without() -> None:
    state = position(hands={"0": [2, 3, 4, 63, 64, 129, 130, 104, 105]}, kitchens={"0": [1]}, turn=11)
    state, _ = play(state, 0, type="pass")
    for move in choices(state):
        assert isinstance(move, TrimHand)
        assert not set(move.cards) & {129, 130, 104, 105}


def test_it_steals_what_fits_and_hurts() -> None:
    state = position(hands={"0": [149]}, kitchens={"0": [1, 104], "1": [112, 65], "2": [63]})
    state, _ = play(state, 0, type="play_card", card=149)
    assert choice(state) == Choose(("card:112",)), "Sugar would cost its Beef two"


def test_it_gives_a_second_salt_away() -> None:
    state = position(hands={"0": [178]}, kitchens={"0": [1, 2, 24], "1": [3, 25]}, out=[2, 3])
    state, _ = play(state, 0, type="play_card", card=178)
    assert choices(state) == {Choose(("gift:1/1",)), Choose(("gift:2/1",))}, "either, by chance"


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
    """The share of matches that one greedy seat wins, a shared win in part, and its 95 % interval (Wilson)."""
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
    """Section 10: one heuristic bot against three random ones won 91 % of 200 matches of four."""
    four = share_of_wins((greedily, at_random, at_random, at_random), 0, 500)
    print("greedy against three random players: share {:.3f}, 95 % interval {:.3f} to {:.3f}".format(*four))
    assert four[2] >= 0.91
    two = share_of_wins((greedily, at_random), 0, 500)
    print("greedy against one random player: share {:.3f}, 95 % interval {:.3f} to {:.3f}".format(*two))
    assert two[1] > 0.6


# -- the policy of the bot that thinks ----------------------------------------------------------------------------


def patient_choice(state: State) -> set[Any]:
    """What the policy may do, by chance."""
    view = GAME.view(state, 0)
    return {policy(view, 0, GAME.legal_moves(state, 0), Fast(n)) for n in range(12)}


def test_a_patient_baker_waits_for_a_better_pie() -> None:
    """Four cards make a Pie of 9: good for the greedy player, while a patient one hopes for the fifth."""
    state = position(seats=2, hands={"0": [129]}, kitchens={"0": [1, 24, 25, 112]})
    value = pie_value((1, 24, 25, 112))
    assert GREEDY.good[0] <= value < PATIENT.good[0]
    assert choice(state) == PlayCard(129)
    assert PlayCard(129) not in patient_choice(state)


def test_a_patient_baker_ends_a_contest_that_it_wins() -> None:
    state = position(seats=2, hands={"0": [129, 154]}, kitchens={"0": [1, 24, 25]}, pies={"0": [2], "1": [3, 1]})
    assert patient_choice(state) == {PlayCard(129)}
