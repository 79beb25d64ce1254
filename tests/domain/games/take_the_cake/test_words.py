"""The narration (rules, section 13), and the words of score sheet and options."""

from typing import Any

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.facts import Fact
from domain.kernel.chance import Fast
from domain.kernel.game import ScoreLine
from tests.domain.games.take_the_cake.builders import Zeros, given, greedily, play, state_of, whole_match

HAND = {"0": ["rep2_1", "fwd_1", "right_1", "fwd_2", "if_07"]}


def narrate(move: Any, document: dict[str, Any] | None = None, seat: int = 0, **options: Any) -> list[str]:
    return GAME.tell(play(state_of(document, **options), seat, move, Fast(0))[1])


@pytest.mark.parametrize(
    ("document", "move", "lines"),
    [
        (
            {"hands": HAND},
            {"run": "rep2_1(2) fwd_1 right_1 fwd_2"},
            [
                "Red runs Repeat x2 [Forward, Turn right], Forward: moves to (0,1), turns south, bumps into a wall, "
                "turns west, moves to (0,0). Draws 4 cards."
            ],
        ),
        (
            {"hands": HAND, "bakers": {"0": {"at": [2, 2], "facing": "N"}}},
            {"run": "fwd_1 if_07"},
            [
                "Red runs Forward, If pie (forward 3): moves to (1,2), collects eggs, If pie does nothing today. "
                "Draws 2 cards."
            ],
        ),
        (
            {
                "hands": {"0": ["jump_1", "if_05", "left_1", "left_2", "left_3"]},
                "bakers": {"0": {"at": [0, 2], "facing": "S"}},
            },
            {"run": "jump_1 if_05! left_1 left_2"},
            [
                "Red runs Jump, If cake (forward 3) left unused, Turn left, Turn left: jumps over (1,2) to (2,2), "
                "collects eggs while passing over (1,2), If cake is left unused, turns north. Draws 4 cards."
            ],
        ),
        (
            {"hands": {"0": ["rep3_1", "left_1", "left_2", "left_3", "fwd_1"]}, "bakers": {"0": {"facing": "N"}}},
            {"run": "rep3_1(1) fwd_1"},
            ["Red runs Repeat x3 [Forward]: bumps into the edge 3 times. Draws 2 cards."],
        ),
        ({}, {"swap": ["fwd_1", "fwd_2"]}, ["Red swaps 2 cards."]),
        ({}, {"swap": ["fwd_1"]}, ["Red swaps 1 card."]),
        ({}, {"swap": []}, ["Red keeps its hand."]),
        (
            {"deck": ["if_01"]},
            {"swap": ["fwd_1"]},
            ["Red swaps 1 card.", "The deck runs out, so 42 cards are reshuffled."],
        ),
        ({}, "resign", ["Red resigns.", "Blue wins as the last remaining baker."]),
        ({"seats": 3}, "resign", ["Red resigns."]),
    ],
)
def test_narration_of_a_move(document: dict[str, Any], move: Any, lines: list[str]) -> None:
    assert narrate(move, document) == lines


def test_narration_of_the_end_of_a_round() -> None:
    assert narrate({"swap": []}, {"acting": 1, "turn": 2, "round": 4, "featured_deck": ["feat_11", "feat_02"]}, 1) == [
        "Blue keeps its hand.",
        "Round 4 is over.",
        "Today's special: Pecan Pie (pie, nut, warm).",
    ]
    lines = narrate({"swap": []}, {"acting": 1, "turn": 2, "featured_deck": ["feat_11"]}, 1)
    assert lines[-1] == "The deck of specials runs out, so 17 specials are reshuffled."


def test_narration_of_the_pastry() -> None:
    baker = {"at": [4, 3], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    assert narrate({"run": "fwd_1"}, {"bakers": {"0": baker}, "turn": 5}) == [
        "Red runs Forward: moves to (4,4), reaches the Oven at (4,4).",
        "Red bakes the pastry and takes the cake!",
        "Red wins. Score: red 5, blue 0.",
    ]


@pytest.mark.parametrize(
    ("closing", "first", "line"),
    [
        ("ranked", 2, "Red wins with the best result at closing time. Score: red 2, blue 1."),
        ("ranked", 0, "Blue wins with the best result at closing time. Score: red 0, blue 1."),
        ("no_winner", 2, "Nobody wins. Score: red 2, blue 1."),
    ],
)
def test_narration_of_closing_time(closing: str, first: int, line: str) -> None:
    document = {
        "round": 20, "acting": 1, "turn": 40,
        "bakers": {
            "0": {"collected": ["eggs", "sugar"][:first], "last": first}, "1": {"collected": ["cream"], "last": 3}
        },
    }  # fmt: skip
    lines = narrate({"swap": []}, document, 1, round_limit=20, closing=closing)
    assert lines[1:] == ["Round 20 is over.", "The bakery closes before anyone bakes the pastry.", line]


def test_narration_of_a_shared_win() -> None:
    lines = narrate({"swap": []}, {"round": 20, "acting": 1, "turn": 40}, 1, round_limit=20)
    assert lines[-1] == "Red and blue share the win with the best result at closing time. Score: red 0, blue 0."


def test_narration_of_the_set_up() -> None:
    assert GAME.tell(GAME.start(2, {}, Zeros())) == [
        "Red goes first.",
        "Board sections: Serving Hatch (NW), Pantry (NE), Island Counter (SE), Dish Pit (SW).",
        "Red and blue start in their corners.",
        "Recipe: Shortbread Fans (flour, sugar, butter, spice).",
        "The ingredients are placed at random: flour (1,6), sugar (5,7), butter (5,2), spice (0,3).",
        "Today's special: Strawberry Shortcake (cake, fruit, cold).",
        "Red is dealt 5 cards.",
        "Blue is dealt 5 cards.",
        "Round 1: red to move.",
    ]
    assert GAME.tell(given())[0].startswith("The match starts from a custom position. Recipe: Berry Pavlova. ")


def test_narration_of_an_agreement() -> None:
    state = GAME.fold(GAME.start(2, {"placement": "agreed", "first_player": 0}, Zeros()))
    tokens = {"flour": [2, 2], "sugar": [3, 7], "butter": [8, 5], "spice": [7, 4]}
    state, facts = play(state, 0, {"propose": tokens})
    assert GAME.tell(facts) == ["Red proposes flour (2,2), sugar (3,7), butter (8,5), spice (7,4)."]
    _, facts = play(state, 1, "accept", Zeros())
    assert GAME.tell(facts)[:2] == [
        "Blue accepts the arrangement.",
        "Everyone agrees on the arrangement: flour (2,2), sugar (3,7), butter (8,5), spice (7,4).",
    ]


def test_facts_can_be_narrated_alone_and_redacted() -> None:
    """The replay shows single facts, and spectators get facts with missing fields."""
    state, facts = whole_match(4, (greedily,) * 3, {}, 30)
    for fact in facts:
        GAME.tell([fact])
    seen: list[Fact] = [shown for n, fact in enumerate(facts) if (shown := GAME.redact(state, fact, n, None))]
    assert GAME.tell(seen)


def test_the_score_sheet_is_in_plain_words() -> None:
    items = (("E2", "eggs"), ("E2", "pastry"), ("E3", "wins: ahead when the bakery closed"), ("E5", "place 2"))
    lines = [GAME.describe_item(ScoreLine(0, rule, item, 0)) for rule, item in items]
    assert lines == ["Eggs", "Pastry", "Wins with the best result at closing time", "Place 2"]


def test_options_have_labels() -> None:
    labels = {option.name: [option.label(value) for value in option.values] for option in GAME.option_help}
    assert labels["first_player"] == ["Random", "Red", "Blue"]
    assert labels["recipe"][:3] == ["Random", "Shortbread Fans", "Berry Pavlova"]
    assert labels["open_hands"] == ["Hidden", "Open"]
    assert labels["round_limit"] == ["Round 100", "Round 20", "Round 10"]
