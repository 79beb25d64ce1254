"""Tests of the narration (rules, section 13)."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.card_language import TERMS
from domain.games.pie_contest.rules.facts import Fact
from domain.games.pie_contest.rules.model import State
from domain.kernel.game import ScoreLine
from tests.domain.games.pie_contest.builders import (
    at_random,
    greedily,
    midgame,
    play,
    position,
    resigning,
    seen,
    whole_match,
)


def after(state: State, seat: int, draws: Sequence[int] = (), viewer: int | None = None, **move: Any) -> list[str]:
    """Return the narration of a move for a viewer."""
    moved, facts = play(state, seat, draws, **move)
    return GAME.tell(seen(moved, facts, viewer))


def card(number: int) -> dict[str, Any]:
    return {"type": "play_card", "card": number}


def test_playing_and_drawing() -> None:
    state = position(hands={"0": [30]}, pantry_top=[24])
    assert after(state, 0, **card(30)) == ["Ana plays Cherry (2).", "Ben draws a card."]
    assert after(state, 0, viewer=1, **card(30)) == ["Ana plays Cherry (2).", "Ben draws Pear."]


def test_cards_drawn_in_a_row_share_a_sentence() -> None:
    state = position(hands={"0": [154]}, pantry_top=[24, 30, 41])
    assert after(state, 0, **card(154))[:2] == ["Ana plays Grocery Run.", "Ana draws 3 cards."]
    assert after(state, 0, viewer=0, **card(154))[1] == "Ana draws Pear, Cherry and Lemon."


def test_a_restock_between_two_draws() -> None:
    state = position(hands={"0": [154]}, pantry=[40, 41], trash=[19, 20])
    lines = after(state, 0, [2, 1], viewer=0, **card(154))
    assert lines[1:3] == [
        "Ana draws Strawberry, Lemon and Apple.",
        "The Trash is shuffled into the Pantry (3 cards).",
    ]


def test_baking_and_going_stale() -> None:
    state = position(
        hands={"0": [129]},
        kitchens={"0": [1, 19, 20, 93, 125]},
        pies={"1": [11], "2": [3]},
        options={"pies_for_all": 2},
    )
    assert after(state, 0, **card(129))[1:3] == [
        "Ana bakes Pie 1: 14 (Table Salt 0, Apple 4, Apple 4, Cinnamon 1, Lattice Top 5).",
        "Stale: Ben's Pie 1 11→7, Cleo's Pie 1 3→−1.",
    ]


def test_baking_that_fails_or_is_declined() -> None:
    assert after(position(hands={"0": [129]}), 0, **card(129))[1] == (
        "Ana can't Bake: a Pie needs at least three Ingredients."
    )
    state = position(hands={"0": [129]}, kitchens={"0": [1, 2, 24]})
    assert after(state, 0, **card(129))[1] == "Ana can't Bake: there is more than one Salt in the Kitchen."
    state, _ = play(position(hands={"0": [127]}, kitchens={"0": [1, 24]}), 0, **card(127))
    assert after(state, 0, type="choose", picks=["no"])[0] == "Ana chooses not to Bake."


def test_a_dive() -> None:
    state = position(hands={"1": [129, 24]}, active=1, trash=[10])
    assert (
        after(state, 1, type="dive", trash=[129, 24], take=10)[0]
        == "Ben dives, trashing Pear and Bake, and takes Sea Salt."
    )


def test_achievements() -> None:
    state = position(hands={"2": [24]}, active=2, kitchens={"2": [19, 20]}, row=[182], pile_top=[203])
    assert after(state, 2, **card(24))[1:4] == [
        "Cleo completes Fruit Basket (Draw 2).",
        "New Achievement: Clean Plate.",
        "Cleo draws 2 cards.",
    ]
    state = position(hands={"0": [76]}, kitchens={"0": [1]}, row=[189], pile=[])
    assert after(state, 0, **card(76))[1:4] == [
        "Ana completes Chocolate Box (Becomes an Ingredient: sweet / chocolate, worth 3).",
        "Chocolate Box becomes an Ingredient in Ana's Kitchen.",
        "Ben draws a card.",
    ]
    state = position(hands={"0": [76]}, kitchens={"0": [1, 24, 30, 25]}, row=[189], pile_top=[203])
    assert after(state, 0, **card(76))[3] == (
        "Ana's Kitchen has no room for Chocolate Box, which goes back to the Achievement pile."
    )
    assert after(position(hands={"0": [176]}, pile=[203, 204]), 0, **card(176))[1:3] == [
        "The row of Achievements is cleared.",
        "New Achievements: Clean Plate and Baker by Trade.",
    ]


def test_a_choice_is_described_without_its_options() -> None:
    state = position(hands={"0": [144]}, kitchens={"0": [1, 64], "1": [27]})
    assert after(state, 0, **card(144)) == ["Ana plays Swap.", "Ana has to choose which Ingredients to swap."]
    asked, _ = play(state, 0, **card(144))
    assert after(asked, 0, type="choose", picks=["pair:64/27"])[0] == "Ana swaps Spoiled Milk for Ben's Peach."


def test_a_search_and_potluck_hide_cards_from_others() -> None:
    state = position(hands={"0": [180]}, pantry_top=[129, 19])
    assert after(state, 0, **card(180))[1] == "Ana looks at the top 4 cards of the Pantry."
    assert after(state, 0, viewer=0, **card(180))[1] == "Ana looks at Bake, Apple, Table Salt and Table Salt."
    asked, _ = play(state, 0, **card(180))
    kept = {"type": "choose", "picks": ["card:129"]}
    assert after(asked, 0, **kept)[0] == "Ana keeps one card and trashes Apple, Table Salt and Table Salt."
    assert after(asked, 0, viewer=0, **kept)[0] == "Ana keeps Bake and trashes Apple, Table Salt and Table Salt."
    state = position(hands={"0": [171, 5], "1": [19, 20], "2": [208]}, turned={"208": 2})
    lines = after(state, 0, **card(171))
    assert lines[1:] == [
        "Ana chooses a card to pass on.",
        "Cleo chooses a card to pass on.",
        "Ben has to choose a card to pass to the left.",
    ]
    asked, _ = play(state, 0, **card(171))
    passed = after(asked, 1, viewer=3, type="choose", picks=["card:19"])[1]
    assert passed == (
        "Cards move to the left: Ana passes Table Salt to Dora, "
        "Cleo passes Blue Ribbon to Ben (but it goes back to the Achievement pile), Ben passes a card to Ana."
    )


def test_thefts() -> None:
    state = position(hands={"0": [158], "1": [24]})
    assert after(state, 0, [0], **card(158))[1] == "Ana steals a card from Ben's hand."
    assert after(state, 0, [0], viewer=1, **card(158))[1] == "Ana steals Pear from Ben's hand."
    state = position(hands={"0": [149]}, kitchens={"1": [24]})
    assert after(state, 0, **card(149))[1] == "Ana steals Ben's Pear."


def test_an_effect_without_a_target() -> None:
    lines = after(position(hands={"0": [152]}), 0, **card(152))
    assert lines[1] == "Ana: Pinch of Salt has no effect because there is nothing to use it on."


def test_trimming_passing_and_resigning() -> None:
    state = position(hands={"0": list(range(2, 10))})
    assert after(state, 0, type="pass") == ["Ana passes.", "Ana must trash 1 card to get down to seven."]
    trim, _ = play(state, 0, type="pass")
    assert after(trim, 0, type="trim_hand", cards=[9])[0] == "Ana trashes Table Salt to get down to seven cards."
    state = position(hands={"1": [24]}, kitchens={"1": [1]})
    assert after(state, 1, type="resign") == ["Ben resigns and trashes Pear and Table Salt."]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"pies": {"0": [7], "1": [9]}}, "Closing time: the contest is over. Ben wins with 9."),
        (
            {"pies": {"0": [-4], "3": [-4]}},
            "Closing time: the contest is over. Ana and Dora share the victory with −4 each.",
        ),
        ({}, "Closing time: the contest is over. Nobody has a Pie, so nobody wins."),
    ],
)
def test_the_end(given: dict[str, Any], sentence: str) -> None:
    assert after(position(turn=320, **given), 0, type="pass")[-1] == sentence


def test_other_ends() -> None:
    state = position(hands={"0": [129]}, kitchens={"0": [1, 24, 25]}, pies={"1": [3], "2": [3], "3": [20]})
    assert after(state, 0, **card(129))[-1] == "Everyone has baked: the contest is over. Dora wins with 16."
    state = position(seats=2)
    assert after(state, 0, type="resign")[-1] == "Only one baker is left: the contest is over. Ben wins without a Pie."


def test_set_up_and_custom_positions() -> None:
    _, facts = midgame(1, (at_random,) * 3, {"first_seat": 1}, 0)
    assert GAME.tell(facts)[:2] == ["3 bakers enter the contest. Each is dealt five cards.", "Ben goes first."]
    assert GAME.tell(facts)[2].startswith("New Achievements: ")
    facts = GAME.start(4, {}, None, {"active": 2})  # type: ignore[arg-type]
    assert GAME.tell(facts) == ["The contest starts from a custom position. It is Cleo's turn."]


@settings(max_examples=12, deadline=None)
@for_all(st.integers(0, 1 << 32), st.integers(2, 8))
def test_every_event_can_be_narrated_to_every_viewer(seed: int, seats: int) -> None:
    """Every line is a complete sentence, whatever is hidden from the viewer."""
    state, facts = whole_match(seed, (resigning(50, greedily),) * seats, {"closing_round": 10})
    for viewer in (*range(seats), None):
        lines = GAME.tell(seen(state, facts, viewer))
        assert all(
            line.endswith(".") and "UNSET" not in line and "None" not in line and "_" not in line for line in lines
        )


def test_all_facts_of_whole_matches_can_be_narrated() -> None:
    facts: list[Fact] = []
    for seed in range(6):
        facts += whole_match(seed, (at_random,) * 4, {"closing_round": 40})[1]
    assert GAME.tell(GAME.read_facts(msgspec.json.encode(facts)))


# -- the score sheet ----------------------------------------------------------------------------------------------

CODE_WORDS = {*TERMS, "printed", "given"}
"""How the scorers name the parts of a baked Pie."""


@pytest.mark.parametrize("variant", ["standard", "grand"])
def test_the_score_sheet_of_a_finished_match_shows_no_code_word(variant: str) -> None:
    written = set[str]()
    for seed in range(8):
        state, facts = whole_match(seed, (greedily, at_random, greedily), {"variant": variant, "closing_round": 60})
        for line in (*GAME.score(state).lines, *GAME.audit(facts).lines):
            shown = GAME.describe_item(line)
            assert shown.startswith("Pie ")
            assert shown.partition(": ")[2] not in CODE_WORDS
            assert "_" not in shown
            assert "seat" not in shown
            written.add(line.item.partition(": ")[2])
    assert written & CODE_WORDS > {"printed", "per", "if_any"}, "the matches have parts to name"


@pytest.mark.parametrize("word", sorted(CODE_WORDS))
def test_every_part_of_a_pie_has_a_name(word: str) -> None:
    shown = GAME.describe_item(ScoreLine(0, "8.1", f"Pie 2: {word}", 3))
    assert shown.startswith("Pie 2: ")
    assert "effect of" not in shown
    assert "_" not in shown


def test_the_changes_of_a_pie_name_the_baker_or_the_card() -> None:
    stale = ScoreLine(0, "B4", "Pie 1: stale, seat 1 Baked", -4)
    bonus = ScoreLine(0, "12.1", "Pie 1: Secret Recipe", 3)
    assert GAME.describe_item(stale) == "Pie 1: went stale when Ben Baked"
    assert GAME.describe_item(bonus) == "Pie 1: effect of Secret Recipe"
