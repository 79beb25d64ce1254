"""Position documents (section 15): defaults and validation."""

from typing import Any

import msgspec
import pytest

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.facts import PositionSet
from domain.games.battle_of_the_bakeries.rules.parts import CARDS
from domain.kernel.chance import Fast
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import BadOptions

from .builders import at_random, play_out, start

CHANCE = {"phase": "last_chance", "finder": 0, "multipliers": [6, 1]}
FULL = {str(slot): "lemon_cake" for slot in range(2, 12)} | {"12": "sheet_cake"}

LEMONS = {"phase": "stock", "cases": [FULL, {**FULL, "2": "bundt_cake"}]}
SHEETS = {"phase": "stock", "drawn": "sheet_cake", "cases": [dict.fromkeys(FULL, "sheet_cake"), {"2": "sheet_cake"}]}
WEDDINGS = {"phase": "stock", "drawn": "wedding_cake", "cases": [{"2": "wedding_cake", "3": "wedding_cake"}, {}]}


def position_of(document: dict[str, Any], options: dict[str, Any] | None = None) -> PositionSet:
    (fact,) = start(options, document).facts
    assert isinstance(fact, PositionSet)
    return fact


def test_an_empty_document_is_the_first_turn_of_round_one() -> None:
    position = position_of({})
    assert (position.phase, position.step, position.actor, position.turn) == ("hire", "start", 0, 1)
    assert (position.starter, position.finder, position.multipliers) == (0, None, (1, 1))
    assert position.layout == CARDS
    assert position.options.hire_turn_limit == 30
    assert position.cases is None


def test_defaults_of_the_steps() -> None:
    five = position_of({"step": "five"})
    assert (five.fives, five.bonus_offer, five.flips_min, five.flips_max) == (1, 500, 2, 2)
    flip = position_of({"step": "flip", "turns_done": 4, "face_up": [9, 3], "empty": [4]})
    assert (flip.turn, flip.flips_min, flip.flips_max, flip.bonus_offer) == (5, 1, 4, None)
    assert (flip.face_up, flip.shown, flip.open_faces) == ((9, 3), (3, 9), ((3, 9), (3, 9)))
    assert position_of({"step": "five", "fives": 3}).bonus_offer == 1000


def test_defaults_of_the_phases() -> None:
    order = position_of({"phase": "order"})
    assert (order.starter, order.turn, order.step) == (None, 0, None)
    assert position_of(CHANCE).allowed == (5, 4, 3, 2)
    assert position_of({**CHANCE, "multipliers": [5, 1]}, {"last_chance_sets": "any_lesser"}).allowed == (4, 3, 2)
    stock = start(position={"phase": "stock", "drawn": "wedding_cake"}).state
    assert (stock.cases[0][0], sum(stock.store)) == (None, 77)
    sale = position_of({"phase": "sale", "stale": [{"2": 4}, {"3": 1}], "sold": [[7], []], "multipliers": [2, 1]})
    assert (sale.step, sale.stale_left, sale.tabs, sale.rolls) == ("roll", 25, (1000, 0), 0)
    assert sum(start(position={"phase": "sale"}).state.store) == 56
    again = position_of({"phase": "catch_up", "tries": 1})
    assert (again.tries, again.percent) == (1, 60)
    assert position_of({"phase": "catch_up"}).percent == 40


@pytest.mark.parametrize(
    ("document", "about"),
    [
        ({"colour": "red"}, "colour"),
        ({"phase": "lunch"}, "lunch"),
        ({"phase": "over"}, "over"),
        ({"step": "nap"}, "nap"),
        ({"phase": "sale", "step": "five"}, "no step five"),
        ({"round": 4}, "round"),
        ({"actor": 2}, "actor"),
        ({"layout": list(CARDS[:29])}, "30"),
        ({"layout": [*CARDS[:29], "chef_2"]}, "30"),
        ({"layout": [*CARDS[:29], "chef_7"]}, "chef_7"),
        ({"face_up": [3], "empty": [3]}, "empty: 3"),
        ({"face_up": [3, 3]}, "twice"),
        ({"face_up": [30]}, "face_up"),
        ({"phase": "last_chance"}, "finder"),
        ({"phase": "last_chance", "finder": 0, "multipliers": [2, 1]}, "finder"),
        ({"phase": "stock"}, "drawn"),
        (SHEETS, "13 of sheet_cake"),
        (WEDDINGS, "3 of wedding_cake"),
        ({**LEMONS, "drawn": "birthday_cake"}, "phase stock is over"),
        ({"phase": "sale", "cases": [FULL, {"2": "bundt_cake"}]}, "Case 1 has no cake in slot 3"),
        ({"phase": "sale", "cases": [FULL, {"13": "bundt_cake"}]}, "13"),
        ({"phase": "sale", "stale": [{"2": 5}, {}]}, "stale"),
        ({"phase": "sale", "stale_left": -1}, "stale_left"),
        ({"phase": "sale", "stale": [dict.fromkeys("2345", 4), dict.fromkeys("2345", 4)]}, "More stale cards"),
        ({"phase": "sale", "sold": [[2, 2], []]}, "twice"),
        ({"phase": "sale", "sold": [[2, 3, 4, 5, 6, 7, 8], []]}, "maximum is 6"),
        ({"phase": "catch_up", "actor": 0, "sold": [[2, 3, 4, 5, 6, 7, 8], []]}, "maximum is 6"),
        ({"phase": "sale", "step": "stale", "stale_left": 0}, "stale_left is 0"),
        ({"phase": "catch_up", "tries": 2}, "tries"),
        ({"step": "five", "skips": [1_000_000_000, 1_000_000_000]}, "skips is 1000000000 for seat 0"),
        ({"skips": [0, 2]}, "skips is 2 for seat 1. It must be 0 or 1"),
        ({"step": "flip", "flips_min": 5}, "flips_min"),
        ({"step": "flip", "flips_max": 1_000_000_000}, "flips_max"),
        ({**CHANCE, "allowed": [5, 5]}, "allowed lists a multiplier twice"),
        ({"options": {"rounds": 9}}, "rounds"),
        ({"options": {"tea": 9}}, "tea"),
    ],
)
def test_an_invalid_position_is_refused(document: dict[str, Any], about: str) -> None:
    with pytest.raises(BadOptions, match=about) as refused:
        start(position=document)
    assert refused.value.code == "bad_options"


def test_step_stale_without_a_cake_to_mark_is_refused() -> None:
    stale = {"2": 4, "3": 4, "10": 4, "11": 4, "12": 4}
    document = {"phase": "sale", "step": "stale", "actor": 1, "sold": [[4, 5, 6, 7, 8, 9], []], "stale": [stale, {}]}
    with pytest.raises(BadOptions, match="fewer than four"):
        start(position=document)


def test_a_round_after_the_last_one_is_refused() -> None:
    with pytest.raises(BadOptions, match="in round 2, but rounds is 1"):
        start({"rounds": 1}, {"round": 2})


def test_the_winner_of_a_catch_up_round_has_sold_seven() -> None:
    assert start(position={"phase": "catch_up", "actor": 1, "sold": [[2, 3, 4, 5, 6, 7, 8], []]}).state.actor == 1


def test_options_can_be_inside_the_document_or_next_to_it() -> None:
    assert position_of({"options": {"rounds": 1}}).options.rounds == 1
    assert position_of({"options": {"rounds": 1}}, {"fresh_first": True}).options.fresh_first
    with pytest.raises(BadOptions, match="rounds is 2, but the position says 1"):
        position_of({"options": {"rounds": 1}}, {"rounds": 2})


DOCUMENTS = (
    {"phase": "order", "round": 2, "scores": [100, 50]},
    {"step": "five", "face_up": [], "shown": [1, 2], "skips": [0, 1]},
    {"step": "attempt", "face_up": [0, 5], "multipliers": [1, 4]},
    {**CHANCE, "actor": 1, "empty": [4, 9, 14, 19, 24]},
    {"phase": "stock", "drawn": "wedding_cake", "cases": [{"7": "lemon_cake"}, {}], "multipliers": [3, 2]},
    {"phase": "sale", "sold": [[7, 8], [2]], "stale": [{"3": 2}, {}], "rolls": 200},
    {"phase": "sale", "step": "stale", "sold": [[], [7]]},
    {"phase": "catch_up", "actor": 1, "sold": [[2, 3, 4, 5, 6, 7, 10], [3]], "multipliers": [6, 2], "tries": 1},
)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_position_set_fact_is_a_valid_document(document: dict[str, Any]) -> None:
    position = position_of(document)
    written = {key: value for key, value in msgspec.to_builtins(position).items() if key != "type"}
    assert position_of(written) == position
    assert GAME.read_facts(canonical_json([position])) == [position]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_matches_from_a_position_end_and_both_scores_agree(document: dict[str, Any]) -> None:
    for seed in range(5):
        played = play_out(start(position=document, chance=Fast(seed)), seed, (at_random, at_random))
        assert GAME.score(played.state).differences(GAME.audit(played.facts)) == []
