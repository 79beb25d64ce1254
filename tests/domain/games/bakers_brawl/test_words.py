"""The narration of a match (rules, section 13)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.facts import Fact
from domain.games.bakers_brawl.rules.model import State
from domain.kernel.chance import Scripted
from tests.domain.games.bakers_brawl.builders import (
    greedily,
    midgame,
    plain,
    play,
    position,
    read,
    resigning,
    seen,
    shuffled_to,
)


def narration(state: State, facts: list[Fact], seat: int | None = None) -> list[str]:
    """Return the narration of the last event for a reader."""
    return GAME.tell(seen(GAME.fold(facts, state), facts, seat))


def after(state: State, seat: int, **move: Any) -> tuple[State, list[Fact]]:
    return play(state, seat, read(**move))


def test_drawing_and_keeping() -> None:
    state = position(2, special_top=["lemon", "nuts"])
    drawn, facts = after(state, 0, type="draw_special")
    assert narration(state, facts, 0) == ["Raspberry drew Lemon and Nuts."]
    assert narration(state, facts, 1) == ["Raspberry drew two Specials."]
    _, facts = after(drawn, 0, type="keep_special", keep="nuts")
    assert narration(drawn, facts, 0) == ["Raspberry kept Nuts and put Lemon in the Pantry."]
    assert narration(drawn, facts, 1) == ["Raspberry kept one and put Lemon in the Pantry."]


def test_a_full_pantry() -> None:
    pantry = ["apple", "berries", "apple", "vanilla", "nuts"]
    state = position(2, phase="keep", drawn=["lemon", "nuts"], pantry=pantry)
    _, facts = after(state, 0, type="keep_special", keep="lemon", pantry_discard="apple")
    assert narration(state, facts) == ["Raspberry kept one, discarded Apple to make room and put Nuts in the Pantry."]
    _, facts = after(state, 0, type="keep_special", keep="lemon")
    assert narration(state, facts) == ["Raspberry kept one and discarded Nuts."]


def test_the_last_card() -> None:
    state = position(2, special_deck=["lemon"])
    _, facts = after(state, 0, type="draw_special")
    assert narration(state, facts, 0) == ["Raspberry drew the last Special in the deck: Lemon."]
    assert narration(state, facts, 1) == ["Raspberry drew the last Special in the deck."]


def test_a_reshuffle_and_a_blind_play() -> None:
    state = position(4, turn=3, special_deck=[], discard=["apple", "nuts", "cream_cheese"])
    draws = Scripted(shuffled_to(["nuts", "apple", "cream_cheese"], ["cream_cheese", "nuts", "apple"]))
    facts = GAME.decide(state, 3, read(type="play_blind", cell="D4"), draws)
    assert narration(state, facts)[:2] == [
        "The discard pile was shuffled into a new deck (3 cards).",
        "Honey played blind on D4: Cream Cheese.",
    ]


def test_taking_placing_and_a_new_order() -> None:
    state = position(2, turn=1, pantry=["berries"], order_top=["O36"])
    _, facts = after(state, 1, type="take_from_pantry", card="berries")
    assert narration(state, facts) == ["Blueberry took Berries from the Pantry.", "A new Order: Baklava."]
    _, facts = after(state, 1, type="play_basic", ingredient="flour", cell="C3")
    assert narration(state, facts)[0] == "Blueberry placed Flour on C3 (1 labor)."


def test_a_completed_order() -> None:
    board = {
        "C3": {"ingredient": "chocolate", "owner": 1, "labor": 2},
        "C4": {"ingredient": "nuts", "owner": 1, "labor": 1},
        "D4": {"ingredient": "eggs", "owner": 2, "labor": 1},
    }
    state = position(3, order_line=["O05", "O17"], board=board)
    _, facts = after(state, 0, type="play_basic", ingredient="sugar", cell="D3")
    assert narration(state, facts) == [
        "Raspberry placed Sugar on D3 (1 labor).",
        "Raspberry completed Walnut Brownies (C3, D3, C4, D4) for 3 points.",
        "Blueberry won the majority for 4 points (3 labor to 1).",
        "Contributors: Raspberry, Blueberry, Pistachio.",
    ]


def test_the_reason_for_a_majority() -> None:
    def majority_of(*tally: tuple[int, int, int]) -> str:
        entries = [{"seat": n, "labor": a, "ingredients": b, "specials": c} for n, (a, b, c) in enumerate(tally)]
        winners = [n for n, entry in enumerate(tally) if entry == max(tally)]
        fact = {"type": "labor_compared", "order_id": "O05", "tally": entries, "winners": winners}
        (line,) = GAME.tell(GAME.read_facts(msgspec.json.encode([fact])))
        return line

    assert majority_of((4, 3, 1)) == "Raspberry won the majority for 4 points (unopposed)."
    assert (
        majority_of((2, 1, 1), (2, 2, 0))
        == "Blueberry won the majority for 4 points (2 ingredients to 1 with equal labor)."
    )
    assert (
        majority_of((2, 2, 1), (2, 2, 0))
        == "Raspberry won the majority for 4 points (1 Special to 0 with equal labor and ingredients)."
    )
    assert majority_of((2, 2, 1), (2, 2, 1)) == "Raspberry and Blueberry tied for the majority: 4 points each."


def test_the_boss_and_the_end() -> None:
    line = ["O09", "O14", "O24", "O40", "O33"]
    state = position(3, turn=2, order_line=line, boss_pile=["O01", "O02", "O05", "O06"], seats=[{"points": 3}, {}, {}])
    _, facts = after(state, 2, type="play_basic", ingredient="flour", cell="A1")
    assert narration(state, facts)[1:] == [
        "A new Order: Lemon Melts.",
        "The head of the bakery made Plain Cheesecake himself (5 Orders so far).",
        "Fired! The head of the bakery has made five Orders.",
        "Raspberry's agenda was Chocolatier: 0 points.",
        "Raspberry helped with 0 Orders: 0 points.",
        "Blueberry's agenda was Vanilla Purist: 0 points.",
        "Blueberry helped with 0 Orders: 0 points.",
        "Pistachio's agenda was Nutcracker: 0 points.",
        "Pistachio helped with 0 Orders: 0 points.",
        "Raspberry wins. Final scores: Raspberry 3, Blueberry 0, Pistachio 0.",
    ]


def test_passing_and_resigning() -> None:
    state = position(2, options={"voluntary_pass": True}, seats=[{}, {"hand": ["apple", "lemon"]}])
    _, facts = after(state, 0, type="pass")
    assert narration(state, facts) == ["Raspberry passed."]
    _, facts = after(state, 1, type="resign")
    assert narration(state, facts)[:2] == [
        "Blueberry resigned. Apple and Lemon went to the discard pile.",
        "Only one baker is left.",
    ]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@for_all(st.integers(0, 1 << 32), st.integers(2, 4))
def test_every_reader_gets_a_narration(seed: int, players: int) -> None:
    """Hidden cards never appear as "None" or as an identifier."""
    state, facts = midgame(seed, (resigning(50, greedily),) * players, {"may_decline": True}, 40)
    for seat in (*range(players), None):
        lines = GAME.tell(seen(state, facts, seat))
        assert lines
        assert all(line.endswith(".") and "None" not in line and "_" not in line for line in lines)
    assert plain(facts[0])["type"] == "game_set_up"
    assert GAME.tell(seen(state, facts[:1], None))[0].startswith(f"{players} bakers. ")
