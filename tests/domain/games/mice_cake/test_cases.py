"""The acceptance cases of the rules (section 15), from cases.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.facts import Fact
from domain.games.mice_cake.rules.model import State
from domain.kernel.chance import Scripted
from domain.kernel.refusals import IllegalMove
from tests.domain.games.mice_cake.builders import cake_lines, deal, move_of, name_of, plain, seat_of

CASES: list[dict[str, Any]] = list(yaml.safe_load_all(Path(__file__).with_name("cases.yaml").read_text()))


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['id']} ({case['rules']})") for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    """Plays the moves of a case with its dice from its deal or position, and compares facts, state and refusals."""
    expect = case["expect"]
    facts = start(case["given"])
    state = GAME.fold(facts)
    for name, count in expect.get("legal_count", {}).items():
        assert len(list(GAME.legal_moves(state, seat_of(name)))) == count
    dice = Scripted.dice(*case.get("dice", []))
    for turn in case.get("moves", []):
        ((name, move),) = turn.items()
        facts = GAME.decide(state, seat_of(name), GAME.read_move(move_of(move)), dice)
        state = GAME.fold(facts, state)
    dice.finish()
    check_facts(facts, expect)
    check_after(state, expect.get("after", {}))
    for attempt in expect.get("tries", []):
        assert code_of(state, attempt["seat"], attempt["move"]) == attempt["error"], attempt


def start(document: dict[str, Any]) -> list[Fact]:
    """Return the facts of the set-up."""
    if "shuffle" in document:
        return deal(document["shuffle"], **document.get("options", {}))
    return GAME.start(2, {}, Scripted([]), document)


def check_facts(facts: list[Fact], expect: dict[str, Any]) -> None:
    written = [{name_of(fact): without_type(fact)} for fact in facts]
    if "facts" in expect:
        assert written == expect["facts"]
        assert [list(fields) for fact in written for fields in fact.values()] == [
            list(fields) for fact in expect["facts"] for fields in fact.values()
        ], "fields must be in the order of the rules"
    rest = iter(written)
    for expected in expect.get("includes", []):
        assert any(holds(fact, expected) for fact in rest), f"{expected} is missing or out of order"
    for name in expect.get("excludes", []):
        assert not any(name in fact for fact in written)


def without_type(fact: Fact) -> dict[str, Any]:
    return {key: value for key, value in plain(fact).items() if key != "type"}


def holds(fact: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Return whether this is the expected fact, comparing only the expected fields."""
    ((name, fields),) = expected.items()
    return name in fact and all(fact[name][key] == value for key, value in fields.items())


def check_after(state: State, after: dict[str, Any]) -> None:
    view = plain(GAME.view(state, None))
    for key, value in after.items():
        match key:
            case "cake":
                assert cake_lines(state) == value
            case "yellow" | "blue":
                assert view["stash"][key] == value
            case "yellow_last" | "blue_last":
                assert view["stash"][key.removesuffix("_last")][-len(value) :] == value
            case _:
                assert view[key] == value


def code_of(state: State, name: str, document: Any) -> str:
    """Return the code of the refusal, or `legal`. The state must not change."""
    before = plain(state)
    try:
        # enough dice to resolve a round
        GAME.decide(state, seat_of(name), GAME.read_move(move_of(document)), Scripted.dice(*[1] * 8))
    except IllegalMove as refusal:
        return refusal.code
    finally:
        assert plain(state) == before
    return "legal"
