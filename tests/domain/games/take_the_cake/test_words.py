"""The log in words (rules, section 13)."""

from typing import Any

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.facts import Fact
from domain.kernel.chance import Fast
from tests.domain.games.take_the_cake.builders import Zeros, given, greedily, play, state_of, whole_match

HAND = {"0": ["rep2_1", "fwd_1", "right_1", "fwd_2", "if_07"]}


def told(move: Any, document: dict[str, Any] | None = None, seat: int = 0, **options: Any) -> list[str]:
    return GAME.tell(play(state_of(document, **options), seat, move, Fast(0))[1])


@pytest.mark.parametrize(
    ("document", "move", "lines"),
    [
        (
            {"hands": HAND},
            {"run": "rep2_1(2) fwd_1 right_1 fwd_2"},
            [
                "Red runs Repeat x2 [Forward, Turn right], Forward: moves to (0,1), turns south, bumps into a wall, "
                "turns west, moves to (0,0). Draws 4."
            ],
        ),
        (
            {"hands": HAND, "bakers": {"0": {"at": [2, 2], "facing": "N"}}},
            {"run": "fwd_1 if_07"},
            [
                "Red runs Forward, If pie (forward 3): moves to (1,2), collects eggs, If pie does nothing today. "
                "Draws 2."
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
                "collects eggs in passing over (1,2), If cake is left unused, turns north. Draws 4."
            ],
        ),
        (
            {"hands": {"0": ["rep3_1", "left_1", "left_2", "left_3", "fwd_1"]}, "bakers": {"0": {"facing": "N"}}},
            {"run": "rep3_1(1) fwd_1"},
            ["Red runs Repeat x3 [Forward]: bumps into the edge 3 times. Draws 2."],
        ),
        ({}, {"swap": ["fwd_1", "fwd_2"]}, ["Red swaps 2 cards."]),
        ({}, {"swap": ["fwd_1"]}, ["Red swaps 1 card."]),
        ({}, {"swap": []}, ["Red keeps its hand."]),
        (
            {"deck": ["if_01"]},
            {"swap": ["fwd_1"]},
            ["Red swaps 1 card.", "The deck ran out; 42 cards were reshuffled."],
        ),
        ({}, "resign", ["Red resigns.", "Blue wins as the last baker."]),
        ({"seats": 3}, "resign", ["Red resigns."]),
    ],
)
def test_a_move_in_words(document: dict[str, Any], move: Any, lines: list[str]) -> None:
    assert told(move, document) == lines


def test_a_round_and_the_next_special() -> None:
    assert told({"swap": []}, {"acting": 1, "turn": 2, "round": 4, "featured_deck": ["feat_11", "feat_02"]}, 1) == [
        "Blue keeps its hand.",
        "Round 4 is over.",
        "Today's special: Pecan Pie (pie, nut, warm).",
    ]
    lines = told({"swap": []}, {"acting": 1, "turn": 2, "featured_deck": ["feat_11"]}, 1)
    assert lines[-1] == "All specials have been on; 17 were reshuffled."


def test_the_pastry() -> None:
    baker = {"at": [4, 3], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    assert told({"run": "fwd_1"}, {"bakers": {"0": baker}, "turn": 5}) == [
        "Red runs Forward: moves to (4,4), reaches the Oven on (4,4).",
        "Red bakes the pastry and takes the cake!",
        "Red wins: red 5, blue 0.",
    ]


@pytest.mark.parametrize(
    ("closing", "first", "line"),
    [
        ("ranked", 2, "Red wins, ahead when the bakery closed: red 2, blue 1."),
        ("ranked", 0, "Blue wins, ahead when the bakery closed: red 0, blue 1."),
        ("no_winner", 2, "Nobody wins: red 2, blue 1."),
    ],
)
def test_the_bakery_closes(closing: str, first: int, line: str) -> None:
    document = {
        "round": 20, "acting": 1, "turn": 40,
        "bakers": {
            "0": {"collected": ["eggs", "sugar"][:first], "last": first}, "1": {"collected": ["cream"], "last": 3}
        },
    }  # fmt: skip
    lines = told({"swap": []}, document, 1, round_limit=20, closing=closing)
    assert lines[1:] == ["Round 20 is over.", "The bakery closes and nobody has baked.", line]


def test_two_share_the_win() -> None:
    lines = told({"swap": []}, {"round": 20, "acting": 1, "turn": 40}, 1, round_limit=20)
    assert lines[-1] == "Red and blue win, ahead when the bakery closed: red 0, blue 0."


def test_set_up_in_words() -> None:
    assert GAME.tell(GAME.start(2, {}, Zeros())) == [
        "Red begins.",
        "The kitchen: Q2 NW, Q3 NE, Q4 SE, Q5 SW.",
        "Red and blue take their corners.",
        "The recipe: Shortbread Fans (flour, sugar, butter, spice).",
        "The ingredients lie as dealt: flour (1,6), sugar (5,7), butter (5,2), spice (0,3).",
        "Today's special: Strawberry Shortcake (cake, fruit, cold).",
        "Red gets 5 cards.",
        "Blue gets 5 cards.",
        "Round 1: red acts.",
    ]
    assert GAME.tell(given())[0].startswith("The match starts from a set position: Berry Pavlova, ")


def test_an_agreement_in_words() -> None:
    state = GAME.fold(GAME.start(2, {"placement": "agreed", "first_player": 0}, Zeros()))
    tokens = {"flour": [2, 2], "sugar": [3, 7], "butter": [8, 5], "spice": [7, 4]}
    state, facts = play(state, 0, {"propose": tokens})
    assert GAME.tell(facts) == ["Red proposes flour (2,2), sugar (3,7), butter (8,5), spice (7,4)."]
    _, facts = play(state, 1, "accept", Zeros())
    assert GAME.tell(facts)[:2] == [
        "Blue accepts the arrangement.",
        "All agree; the ingredients lie as proposed: flour (2,2), sugar (3,7), butter (8,5), spice (7,4).",
    ]


def test_every_fact_alone_and_redacted_can_be_told() -> None:
    """The replay page steps fact by fact, and a spectator's facts have fields left out."""
    state, facts = whole_match(4, (greedily,) * 3, {}, 30)
    for fact in facts:
        GAME.tell([fact])
    seen: list[Fact] = [told for n, fact in enumerate(facts) if (told := GAME.redact(state, fact, n, None))]
    assert GAME.tell(seen)
