"""The narration of a match (rules, section 13)."""

import re
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
from domain.kernel.game import ScoreLine
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
    whole_match,
)


def narration(state: State, facts: list[Fact], seat: int | None = None) -> list[str]:
    """Return the narration of the last event for a reader."""
    return GAME.tell(seen(GAME.fold(facts, state), facts, seat))


def after(state: State, seat: int, **move: Any) -> tuple[State, list[Fact]]:
    return play(state, seat, read(**move))


def test_drawing_and_keeping() -> None:
    state = position(2, special_top=["lemon", "nuts"])
    drawn, facts = after(state, 0, type="draw_special")
    assert narration(state, facts, 0) == ["Raspberry draws Lemon and Nuts."]
    assert narration(state, facts, 1) == ["Raspberry draws two Specials."]
    _, facts = after(drawn, 0, type="keep_special", keep="nuts")
    assert narration(drawn, facts, 0) == ["Raspberry keeps Nuts and puts Lemon in the Pantry."]
    assert narration(drawn, facts, 1) == ["Raspberry keeps one and puts Lemon in the Pantry."]


def test_a_full_pantry() -> None:
    pantry = ["apple", "berries", "apple", "vanilla", "nuts"]
    state = position(2, phase="keep", drawn=["lemon", "nuts"], pantry=pantry)
    _, facts = after(state, 0, type="keep_special", keep="lemon", pantry_discard="apple")
    assert narration(state, facts) == ["Raspberry keeps one, discards Apple to make room and puts Nuts in the Pantry."]
    _, facts = after(state, 0, type="keep_special", keep="lemon")
    assert narration(state, facts) == ["Raspberry keeps one and discards Nuts."]


def test_the_last_card() -> None:
    state = position(2, special_deck=["lemon"])
    _, facts = after(state, 0, type="draw_special")
    assert narration(state, facts, 0) == ["Raspberry draws the last Special in the deck: Lemon."]
    assert narration(state, facts, 1) == ["Raspberry draws the last Special in the deck."]


def test_a_reshuffle_and_a_blind_play() -> None:
    state = position(4, turn=3, special_deck=[], discard=["apple", "nuts", "cream_cheese"])
    draws = Scripted(shuffled_to(["nuts", "apple", "cream_cheese"], ["cream_cheese", "nuts", "apple"]))
    facts = GAME.decide(state, 3, read(type="play_blind", cell="D4"), draws)
    assert narration(state, facts)[:2] == [
        "The discard pile is shuffled into a new deck (3 cards).",
        "Honey plays blind on D4: Cream Cheese.",
    ]


def test_taking_placing_and_a_new_order() -> None:
    state = position(2, turn=1, pantry=["berries"], order_top=["O36"])
    _, facts = after(state, 1, type="take_from_pantry", card="berries")
    assert narration(state, facts) == ["Blueberry takes Berries from the Pantry.", "A new Order arrives: Baklava."]
    _, facts = after(state, 1, type="play_basic", ingredient="flour", cell="C3")
    assert narration(state, facts)[0] == "Blueberry places Flour on C3 (1 labor)."


def test_a_completed_order() -> None:
    board = {
        "C3": {"ingredient": "chocolate", "owner": 1, "labor": 2},
        "C4": {"ingredient": "nuts", "owner": 1, "labor": 1},
        "D4": {"ingredient": "eggs", "owner": 2, "labor": 1},
    }
    state = position(3, order_line=["O05", "O17"], board=board)
    _, facts = after(state, 0, type="play_basic", ingredient="sugar", cell="D3")
    assert narration(state, facts) == [
        "Raspberry places Sugar on D3 (1 labor).",
        "Raspberry completes Walnut Brownies (C3, D3, C4, D4) for 3 points.",
        "Blueberry wins the majority for 4 points (3 labor to 1).",
        "Contributors: Raspberry, Blueberry, Pistachio.",
    ]


def test_the_reason_for_a_majority() -> None:
    def majority_of(*tally: tuple[int, int, int]) -> str:
        entries = [{"seat": n, "labor": a, "ingredients": b, "specials": c} for n, (a, b, c) in enumerate(tally)]
        winners = [n for n, entry in enumerate(tally) if entry == max(tally)]
        fact = {"type": "labor_compared", "order_id": "O05", "tally": entries, "winners": winners}
        (line,) = GAME.tell(GAME.read_facts(msgspec.json.encode([fact])))
        return line

    assert majority_of((4, 3, 1)) == "Raspberry wins the majority for 4 points (unopposed)."
    assert (
        majority_of((2, 1, 1), (2, 2, 0))
        == "Blueberry wins the majority for 4 points (2 ingredients to 1 with equal labor)."
    )
    assert (
        majority_of((2, 2, 1), (2, 2, 0))
        == "Raspberry wins the majority for 4 points (1 Special to 0 with equal labor and ingredients)."
    )
    assert majority_of((2, 2, 1), (2, 2, 1)) == "Raspberry and Blueberry tie for the majority: 4 points each."


def test_the_boss_and_the_end() -> None:
    line = ["O09", "O14", "O24", "O40", "O33"]
    state = position(3, turn=2, order_line=line, boss_pile=["O01", "O02", "O05", "O06"], seats=[{"points": 3}, {}, {}])
    _, facts = after(state, 2, type="play_basic", ingredient="flour", cell="A1")
    assert narration(state, facts)[1:] == [
        "A new Order arrives: Lemon Melts.",
        "The head of the bakery makes Plain Cheesecake himself (5 Orders so far).",
        "Fired! The head of the bakery has made five Orders.",
        "Raspberry's agenda is Chocolatier: 0 points.",
        "Raspberry gets 0 points for helping with 0 Orders.",
        "Blueberry's agenda is Vanilla Purist: 0 points.",
        "Blueberry gets 0 points for helping with 0 Orders.",
        "Pistachio's agenda is Nutcracker: 0 points.",
        "Pistachio gets 0 points for helping with 0 Orders.",
        "Raspberry wins. Final scores: Raspberry 3, Blueberry 0, Pistachio 0.",
    ]


def test_passing_and_resigning() -> None:
    state = position(2, options={"voluntary_pass": True}, seats=[{}, {"hand": ["apple", "lemon"]}])
    _, facts = after(state, 0, type="pass")
    assert narration(state, facts) == ["Raspberry passes."]
    _, facts = after(state, 1, type="resign")
    assert narration(state, facts)[:2] == [
        "Blueberry resigns. Apple and Lemon go to the discard pile.",
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
    assert GAME.tell(seen(state, facts[:1], None))[0].startswith(f"{players} bakers start work. ")


# -- the score sheet ------------------------------------------------------------------------------------------------


def test_the_score_sheet_of_a_finished_match_shows_no_code_word() -> None:
    for seed in range(4):
        state, facts = whole_match(seed, (greedily,) * 3)
        for line in (*GAME.score(state).lines, *GAME.audit(facts).lines):
            shown = GAME.describe_item(line)
            assert "_" not in shown
            assert not re.search(r"\b[AO]\d\d\b", shown), "the ids of agendas and Orders are code words"


def test_score_lines_name_the_agenda_its_orders_and_the_bonus() -> None:
    described = [
        GAME.describe_item(ScoreLine(0, rule, item, 6))
        for rule, item in (
            ("8.1", "points for Orders"),
            ("12.3", "A03: O18, O28"),
            ("12.3", "A01: no Order"),
            ("8.2", "Orders helped: 4"),
        )
    ]
    assert described == [
        "Points scored for Orders",
        "Secret Agenda Nutcracker: Nut Loaf, Pecan Pie",
        "Secret Agenda Chocolatier: no Order",
        "Bonus for helping with 4 Orders",
    ]
