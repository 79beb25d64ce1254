"""The acceptance cases of the rules (section 15), from cases.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.facts import Fact
from domain.games.take_the_cake.rules.model import State
from domain.kernel.chance import Chance
from domain.kernel.refusals import IllegalMove
from tests.domain.games.take_the_cake.builders import Zeros, given, move_of, name_of, plain

CASES: list[dict[str, Any]] = list(yaml.safe_load_all(Path(__file__).with_name("cases.yaml").read_text()))


class Counted(Zeros):
    """Draws zeros and counts them."""

    drawn = 0

    def below(self, n: int) -> int:
        self.drawn += 1
        return super().below(n)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    """Start a match, play the moves of the case and compare all facts and the state."""
    facts = start(case)
    if "setup" in case:
        check_facts(facts, case["setup"])
    state = GAME.fold(facts)
    for turn in case.get("plays", []):
        if "error" in turn:
            assert refusal(state, turn["seat"], turn["move"]) == turn["error"], turn
            continue
        made = GAME.decide(state, turn["seat"], GAME.read_move(move_of(turn["move"])), Zeros())
        state = GAME.fold(made, state)
        check_facts(made, turn["facts"])
        check_after(state, turn.get("after", {}))
    check_after(state, case.get("after", {}))


def start(case: dict[str, Any]) -> list[Fact]:
    """Return the set-up facts."""
    if "new" in case:
        return GAME.start(case["new"]["seats"], case.get("options", {}), Zeros())
    return given(case["given"], **case.get("options", {}))


def check_facts(facts: list[Fact], expected: list[dict[str, Any]]) -> None:
    """Check all facts in order, comparing only the fields that the case names."""
    assert [name_of(fact) for fact in facts] == [name for one in expected for name in one]
    for fact, one in zip(facts, expected, strict=True):
        ((_, fields),) = one.items()
        written = plain(fact)
        assert {key: written.get(key) for key in fields} == fields


def check_after(state: State, after: dict[str, Any]) -> None:
    """Check the state after the moves."""
    view = plain(GAME.view(state, None))
    found = {
        "deck_count": len(state.deck),
        "deck_top": state.deck[:1][0] if state.deck else None,
        "deck_bottom": state.deck[-1:][0] if state.deck else None,
        "featured_deck": list(state.featured_deck),
        **{f"hand_{seat}": list(hand) for seat, hand in enumerate(state.hands)},
    }
    for key, value in after.items():
        if key == "not_in_featured_deck":
            assert value not in state.featured_deck
        elif key.startswith("baker_"):
            assert view["bakers"][int(key[-1])].items() >= value.items()
        else:
            assert found.get(key, view.get(key)) == value, key


def refusal(state: State, seat: Any, document: Any) -> str:
    """Return the code of the refusal, or `legal`. Check that a refusal draws and changes nothing."""
    before, chance = plain(state), Counted()
    try:
        decide(state, seat, document, chance)
    except IllegalMove as error:
        refused = error
    else:
        return "legal"
    assert chance.drawn == 0
    assert refused.message.endswith(".")
    assert refused.rule
    assert plain(state) == before
    return refused.code


def decide(state: State, seat: Any, document: Any, chance: Chance) -> list[Fact]:
    return GAME.decide(state, seat, GAME.read_move(move_of(document)), chance)
