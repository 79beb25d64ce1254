"""Position documents (rules, section 3): defaults, refusals and puzzles."""

from typing import Any

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.components import CARDS, FEATURED
from domain.games.take_the_cake.rules.facts import PositionSet, TurnStarted
from domain.games.take_the_cake.rules.model import State
from domain.kernel.chance import Chance, Fast
from domain.kernel.refusals import BadOptions
from tests.domain.games.take_the_cake.builders import P0, NoChance, given, greedily, plain, play, play_on, state_of


def test_defaults_are_filled_in() -> None:
    fact, started = given()
    assert isinstance(fact, PositionSet)
    assert plain(fact) == {
        "type": "position_set",
        **P0,
        "first": 0,
        "acting": 0,
        "round": 1,
        "turn": 1,
        "bakers": {
            "0": {"at": [0, 0], "facing": "E", "collected": [], "last": 0},
            "1": {"at": [9, 9], "facing": "W", "collected": [], "last": 0},
        },
        "out": [],
        "hands": {"0": [f"fwd_{n}" for n in range(1, 6)], "1": ["fwd_6", "fwd_7", "fwd_8", "back_1", "back_2"]},
        "deck": list(CARDS)[10:],
        "discard": [],
        "featured_deck": list(FEATURED)[1:],
        "featured_discard": [],
    }
    assert plain(started) == {"type": "turn_started", "seat": 0, "turn": 1, "round": 1}


def test_the_fields_of_position_set_form_a_valid_document() -> None:
    """Starting from the fields of the fact leads to the same position."""
    document = {
        "seats": 4, "first": 3, "acting": 1, "round": 7, "turn": 26, "out": [2],
        "bakers": {"0": {"at": [4, 4], "collected": ["eggs"], "last": 9}},
        "hands": {"3": ["if_01", "if_02", "if_03", "if_04", "if_05"]},
        "discard": ["rep2_1", "jump_4"], "featured_deck": ["feat_09", "feat_02"],
    }  # fmt: skip
    fact, started = given(document)
    again = {key: value for key, value in plain(fact).items() if key != "type"}
    assert GAME.start(4, {}, NoChance(), again) == [fact, started]
    assert again["bakers"]["2"] == {"at": None, "facing": None, "collected": [], "last": 0}
    assert "2" not in again["hands"]
    assert again["hands"]["3"][0] == "if_01"
    assert again["hands"]["0"] == [f"fwd_{n}" for n in range(1, 6)], "lowest seat first"
    assert again["featured_discard"][0] == "feat_03"


def test_each_field_of_a_baker_has_its_own_default() -> None:
    state = state_of({"bakers": {"0": {"facing": "S"}, "1": {"at": [5, 3]}}})
    assert [(baker.at, baker.facing) for baker in state.bakers] == [((0, 0), "S"), ((5, 3), "W")]


def test_cards_outside_a_given_deck_go_to_the_discard_pile() -> None:
    state = state_of({"deck": ["jump_1"], "hands": {"0": ["if_01", "if_02", "if_03", "if_04", "if_05"]}})
    assert state.deck == ("jump_1",)
    assert len(state.discard) == 52 - 1 - 10
    assert list(state.discard) == [card for card in CARDS if card in state.discard], "canonical order"


def test_the_bakery_closes_after_a_round_beyond_the_limit() -> None:
    state = state_of({"round": 30, "acting": 1, "turn": 60}, round_limit=10)
    after, _ = play(state, 1, {"swap": []})
    assert after.result
    assert after.result.reason == "closed"


def test_a_baker_placed_on_a_token_does_not_collect_it() -> None:
    """Turning there doesn't collect it either, but leaving and coming back does (K5)."""
    hand = {"0": ["left_1", "back_1", "fwd_1", "right_1", "around_1"]}
    state = state_of({"bakers": {"0": {"at": [1, 2], "facing": "S"}}, "hands": hand})
    assert play(state, 0, {"run": "left_1 right_1 around_1"})[0].bakers[0].collected == ()
    assert play(state, 0, {"run": "fwd_1 back_1"})[0].bakers[0].collected == ("eggs",)


FULL = ["eggs", "sugar", "cream", "berries"]
HAND = ["fwd_1", "fwd_2", "fwd_3", "fwd_4", "left_1"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"no_such_field": 1}, "Object contains unknown field `no_such_field`"),
        ({"layout": [["Q1", 0], ["Q1", 1], ["Q7", 0], ["Q3", 0]]}, "layout: each section can be used only once"),
        ({"layout": [["Q1", 0], ["Q9", 1], ["Q7", 0], ["Q3", 0]]}, "layout: there is no section Q9"),
        ({"layout": [["Q1", 4], ["Q2", 1], ["Q7", 0], ["Q3", 0]]}, "`int` <= 3"),
        ({"layout": [["Q1", 0]]}, "length 4"),
        ({"recipe": "rec_99"}, "recipe: there is no rec_99"),
        ({"featured": "feat_19"}, "There is no card feat_19"),
        ({"round": 0}, "`int` >= 1"),
        ({"turn": 0}, "`int` >= 1"),
        ({"turn": 2**53 - 1}, "`int` <= 1000000"),
        ({"round": 2**53 - 1}, "`int` <= 1000000"),
        ({"bakers": {"0": {"last": 2**53 - 1}}}, "`int` <= 1000000"),
        ({"deck": ["fwd_1"] * 200_000}, "Named twice: fwd_1"),
        ({"turn": "1"}, "Expected `int`"),
        ({"seats": 5}, "The position is for 5 seats, but the match has 2"),
        ({"first": 2}, "first: names a seat that is not in the match"),
        ({"acting": -1}, "`int` >= 0"),
        ({"out": [1]}, "at least two seats must not have resigned"),
        ({"bakers": {"2": {}}}, "bakers: names a seat"),
        ({"bakers": {"7": {}}}, "unknown field `7`"),
        ({"bakers": {"0": {"last": -1}}}, "`int` >= 0"),
        ({"bakers": {"0": {"at": [9, 9]}}}, "two of them are on the same tile"),
        ({"bakers": {"0": {"at": [1, 1]}}}, "seat 0 is on a wall"),
        ({"bakers": {"0": {"at": [10, 0]}}}, "seat 0 is off the board"),
        ({"bakers": {"0": {"at": None}}}, "seat 0 needs a tile and a direction"),
        ({"bakers": {"0": {"facing": None}}}, "seat 0 needs a tile and a direction"),
        ({"bakers": {"0": {"facing": "north"}}}, "Invalid enum value 'north'"),
        ({"bakers": {"0": {"collected": ["eggs", "eggs"]}}}, "seat 0 has collected an ingredient twice"),
        ({"bakers": {"0": {"collected": ["flour"]}}}, "seat 0 has collected an ingredient that is not in the recipe"),
        ({"bakers": {"0": {"collected": FULL, "at": [4, 4]}}}, "would already have won"),
        ({"tokens": {"eggs": [1, 2], "sugar": [0, 8], "cream": [7, 7]}}, "tokens: must place exactly eggs, sugar"),
        ({"tokens": {**P0["tokens"], "flour": [2, 0]}}, "tokens: must place exactly"),
        ({"tokens": {**P0["tokens"], "salt": [2, 0]}}, "unknown field `salt`"),
        ({"tokens": {**P0["tokens"], "eggs": [0, 8]}}, "tokens: must place exactly"),
        ({"tokens": {**P0["tokens"], "eggs": [0, 1]}}, "tokens: must place exactly"),
        ({"hands": {"0": HAND[:4]}}, "hands: seat 0 needs 5 cards, but has 4"),
        ({"hands": {"0": ["fwd_9", *HAND[:4]]}}, "There is no card fwd_9"),
        ({"hands": {"0": HAND, "1": [*HAND[:1], "if_01", "if_02", "if_03", "if_04"]}}, "Named twice: fwd_1"),
        ({"hands": {"0": HAND}, "deck": ["fwd_1"]}, "Named twice: fwd_1"),
        ({"hands": {"0": HAND}, "discard": ["fwd_1"]}, "Named twice: fwd_1"),
        ({"deck": ["fwd_1"], "discard": ["fwd_2"]}, "Cards without a place: "),
        ({"deck": []}, "deck: must have at least one card"),
        ({"discard": list(CARDS)[:42]}, "deck: must have at least one card"),
        ({"discard": list(CARDS)[:43]}, "not enough cards are left"),
        ({"featured_deck": []}, "featured_deck: must have at least one card"),
        ({"featured_deck": ["feat_01"]}, "Named twice: feat_01"),
        ({"featured_deck": ["feat_02"], "featured_discard": ["feat_03"]}, "Cards without a place: feat_04"),
    ],
)
def test_invalid_positions_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOptions) as error:
        GAME.start(2, {}, NoChance(), {**P0, **change})
    assert message in error.value.message
    assert error.value.message.endswith(".")


@pytest.mark.parametrize("key", ["layout", "recipe", "tokens", "featured"])
def test_fields_without_a_default_are_required(key: str) -> None:
    with pytest.raises(BadOptions, match=f"missing required field `{key}`"):
        GAME.start(2, {}, NoChance(), {name: value for name, value in P0.items() if name != key})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"acting": 1}, "acting: seat 1 has resigned"),
        ({"out": [1, 1]}, "out: names a seat twice"),
        ({"hands": {"1": HAND}}, "hands: a resigned seat has no hand"),
        ({"bakers": {"1": {"at": [5, 3]}}}, "bakers: seat 1 has resigned, so `at` and `facing` must be null"),
        ({"bakers": {"1": {"facing": "N"}}}, "bakers: seat 1 has resigned, so `at` and `facing` must be null"),
    ],
)
def test_a_resigned_seat_has_no_hand_and_no_tile(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOptions) as error:
        GAME.start(3, {}, NoChance(), {**P0, "seats": 3, "out": [1], **change})
    assert message in error.value.message


def test_options_made_void_by_a_position_are_still_checked() -> None:
    void = {"first_player": 1, "recipe": "rec_01", "placement": "agreed"}
    assert GAME.start(2, void, NoChance(), P0)[1] == TurnStarted(0, 1, 1)
    with pytest.raises(BadOptions):
        GAME.start(2, {"first_player": 2}, NoChance(), P0)


# -- puzzles ------------------------------------------------------------------------------------------------------


BEFORE = {"at": [6, 3], "facing": "W", "collected": ["eggs", "sugar", "cream"], "last": 9}
TWO_TURNS = {
    "round": 6,
    "turn": 11,
    "bakers": {"0": BEFORE, "1": {"at": [9, 5]}},
    "hands": {"0": ["jump_1", "around_1", "left_1", "fwd_1", "right_1"]},
    "deck": ["jump_2", "fwd_2", "back_4", "back_3", "fwd_3"],
}
"""A puzzle to bake in two turns. The berries are at (6, 1) behind a wall, far from the Oven."""


def bakes_in(state: State, turns: int) -> bool:
    """Return whether seat 0 can bake within one or two turns if its opponent keeps its hand.

    This searches the full state, including the deck. The first of two turns must collect the last ingredient.
    """
    for move in GAME.legal_moves(state, 0):
        after = GAME.fold(GAME.decide(state, 0, move, Fast(0)), state)
        if after.result:
            return True
        complete = len(after.bakers[0].collected) == len(FULL)
        if turns > 1 and complete and bakes_in(play(after, 1, {"swap": []}, Fast(0))[0], turns - 1):
            return True
    return False


def test_the_puzzle_needs_exactly_two_turns() -> None:
    state = state_of(TWO_TURNS)
    assert not bakes_in(state, 1)
    assert bakes_in(state, 2)
    state, _ = play(state, 0, {"run": "jump_1 around_1"})
    assert set(state.bakers[0].collected) == set(FULL)
    state, _ = play(state, 1, {"swap": []})
    state, _ = play(state, 0, {"run": "jump_2 left_1 fwd_1 right_1 fwd_2"}, Fast(0))
    assert state.result
    assert state.result.winners == (0,)


def test_a_puzzle_can_be_played_to_its_end() -> None:
    facts = given(TWO_TURNS)
    chance: Chance = Fast(5)
    state, played = play_on(facts, (greedily, greedily), chance)
    assert state.result
    assert not GAME.score(state).differences(GAME.audit(played))
