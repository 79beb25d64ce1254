"""The acceptance cases of the rules (section 15): A1 in this file, the others from cases.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.components import NAMES, PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.model import State
from domain.kernel.chance import Scripted
from domain.kernel.refusals import IllegalMove
from tests.domain.games.pie_contest.builders import keeping_order, listed_facts, plain, position, seen

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_case(case: dict[str, Any]) -> None:
    """Each move from a position leads to the expected facts or refusal."""
    check_names(case.get("cards", ""))
    state, chance = position(**case["given"]), Scripted(case.get("draws", []))
    for step in case["steps"]:
        if "refused" in step:
            assert refusal(state, step) == step["refused"], step
        else:
            facts = GAME.decide(state, step["seat"], GAME.read_move(step["move"]), chance)
            assert listed_facts(facts) == step["facts"], step
            state = GAME.fold(facts, state)
    chance.finish()
    check_after(state, case.get("after", {}))


def check_names(cards: str) -> None:
    """Check that the card names in a case match their ids."""
    for entry in cards.split(", ") if cards else ():
        card, name = entry.split(" ", 1)
        assert NAMES[int(card)] == name


def refusal(state: State, step: dict[str, Any]) -> str:
    with pytest.raises(IllegalMove) as refused:
        GAME.decide(state, step["seat"], GAME.read_move(step["move"]), Scripted([]))
    assert refused.value.rule
    assert refused.value.message.endswith(".")
    return refused.value.code


def check_after(state: State, after: dict[str, Any]) -> None:
    for key, value in after.items():
        match key:
            case "hands" | "kitchens":
                found = {seat: getattr(state.seats[int(seat)], key.removesuffix("s")) for seat in value}
                assert plain(found) == value
            case "pies":
                assert {seat: [pie.value for pie in state.seats[int(seat)].pies] for seat in value} == value
            case "row":
                assert [slot.card for slot in state.row] == value
            case "pile_bottom":
                assert state.pile[-1] == value
            case _:
                assert plain(getattr(state, key)) == value


def test_a1_set_up_and_first_turn() -> None:
    chance = Scripted([*keeping_order(len(PANTRY_CARDS)), *keeping_order(len(PILE_CARDS)), 2])
    facts = GAME.start(4, {}, chance)
    chance.finish()
    assert listed_facts(facts) == [
        {
            "game_started": {
                "seats": 4,
                "options": {
                    "variant": "standard",
                    "pies_for_all": 1,
                    "first_seat": "random",
                    "dive_own": True,
                    "pie_floor": "none",
                    "tie_break": "shared",
                    "closing_round": 80,
                },
            }
        },
        {"pantry_shuffled": {"order": list(range(1, 182))}},
        {"achievements_shuffled": {"order": list(range(182, 222))}},
        {"first_seat_chosen": {"seat": 2}},
        {
            "hands_dealt": {
                "hands": {
                    "0": [3, 7, 11, 15, 19],
                    "1": [4, 8, 12, 16, 20],
                    "2": [1, 5, 9, 13, 17],
                    "3": [2, 6, 10, 14, 18],
                }
            }
        },
        {"achievement_revealed": {"slot": 0, "card": 182}},
        {"achievement_revealed": {"slot": 1, "card": 183}},
        {"achievement_revealed": {"slot": 2, "card": 184}},
        {"turn_began": {"turn": 1, "seat": 2}},
        {"card_drawn": {"seat": 2, "card": 21, "why": "turn"}},
    ]


def case(number: str) -> dict[str, Any]:
    return next(case for case in CASES if case["case"].startswith(f"{number} "))


def played(number: str) -> tuple[State, list[Any]]:
    """Return the final state of a case and the facts of all its moves."""
    found = case(number)
    state, chance, facts = position(**found["given"]), Scripted(found.get("draws", [])), []
    for step in found["steps"]:
        if "facts" in step:
            made = GAME.decide(state, step["seat"], GAME.read_move(step["move"]), chance)
            state, facts = GAME.fold(made, state), facts + made
    return state, facts


def test_a17_potluck_picks_are_hidden_from_others() -> None:
    """Others see that a pick was made, but not the card. Blue Ribbon goes to the pile and is public."""
    state, facts = played("A17")
    spectator = listed_facts(seen(state, facts, None))
    passed = next(fact["hands_passed"] for fact in spectator if "hands_passed" in fact)
    assert passed["moves"] == [
        {"from": 0, "to": 3, "zone": "hand"},
        {"from": 2, "to": 1, "card": 208, "zone": "pile"},
        {"from": 1, "to": 0, "zone": "hand"},
    ]
    assert [fact["choice_made"] for fact in spectator if "choice_made" in fact] == [
        {"seat": seat, "commit": True} for seat in (1, 2, 0)
    ]
    receiver = listed_facts(seen(state, facts, 3))
    assert next(fact["hands_passed"]["moves"][0] for fact in receiver if "hands_passed" in fact)["card"] == 6


def test_a24_a_search_is_hidden_from_others() -> None:
    state, facts = played("A24")
    other = listed_facts(seen(state, facts, 1))
    assert [fact for fact in other if "card_looked_at" in fact] == [{"card_looked_at": {"seat": 0}}] * 4
    assert {"choice_asked": {"seat": 0, "kind": "search_keep", "count": 1}} in other
    assert {"search_finished": {"seat": 0, "trashed": [19, 1, 30]}} in other
