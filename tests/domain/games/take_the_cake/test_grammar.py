"""The grammar of moves: it describes exactly the legal programs and arrangements."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.model import State
from domain.kernel.chance import Chance, Fast
from domain.kernel.game import MoveGrammar
from domain.kernel.refusals import IllegalMove
from tests.domain.games.take_the_cake.builders import state_of

HANDS = (
    ["rep2_1", "rep3_1", "fwd_1", "if_05", "left_1"],
    ["fwd_1", "fwd_2", "left_1", "right_1", "jump_1"],
    ["rep2_1", "rep2_2", "rep3_1", "rep3_2", "if_11"],
    ["if_01", "if_02", "if_05", "if_07", "if_11"],
)


def forms(state: State, seat: int = 0) -> dict[str, MoveGrammar]:
    assert GAME.grammar is not None
    return {form.type: form for form in GAME.grammar(GAME.view(state, seat), seat)}


def verdict(state: State, document: Any) -> str:
    """Return "legal", or the code of the refusal."""
    try:
        GAME.decide(state, 0, GAME.read_move(document), Fast("decide"))
    except IllegalMove as refusal:
        return refusal.code
    return "legal"


def some_program(hand: list[str], chance: Chance) -> dict[str, Any]:
    """Return a random program: cards of the hand, sometimes one twice, with mostly valid spans and declines."""
    steps = []
    for _ in range(1 + chance.below(5)):
        step: dict[str, Any] = {"card": hand[chance.below(len(hand))]}
        if step["card"].startswith("rep") != (chance.below(12) == 0):
            step["span"] = 1 + chance.below(5)
        if step["card"].startswith("if") and chance.below(2):
            step["decline"] = True
        steps.append(step)
    return {"type": "run_program", "steps": steps}


@pytest.mark.parametrize("options", [{}, {"nested_repeats": False}, {"may_decline_if": False}], ids=str)
@pytest.mark.parametrize("hand", HANDS, ids=" ".join)
def test_the_schema_and_the_rules_beyond_it_describe_the_legal_programs(
    hand: list[str], options: dict[str, Any]
) -> None:
    state, chance, met = state_of({"hands": {"0": hand}}, **options), Fast("programs"), Counter[str]()
    form = forms(state)["run_program"]
    schema, beyond = Draft202012Validator(form.schema), {rule.code for rule in form.beyond}
    for _ in range(700):
        document = some_program(hand, chance)
        found, matches = verdict(state, document), schema.is_valid(document)
        assert matches or found != "legal", f"legal, but the schema rejects it: {document}"
        assert not matches or found in {"legal", *beyond}, (document, found)
        met[found if matches else "no match"] += 1
    assert met["legal"] > 0
    assert beyond <= set(met)


def test_every_program_of_a_hand_matches_the_schema() -> None:
    state = state_of({"hands": {"0": HANDS[0]}})
    schemas = {kind: Draft202012Validator(form.schema) for kind, form in forms(state).items()}
    count = 0
    for move in GAME.legal_moves(state, 0):
        document = msgspec.json.decode(msgspec.json.encode(move))
        assert schemas[document["type"]].is_valid(document), document
        count += 1
    assert count > 400


def test_a_seat_without_a_move_gets_no_grammar() -> None:
    state = state_of()
    assert set(forms(state)) == {"run_program", "swap_cards"}
    assert forms(state, 1) == {}


def test_five_repeats_allow_no_program() -> None:
    state = state_of({"hands": {"0": ["rep2_1", "rep2_2", "rep3_1", "rep3_2", "rep3_3"]}})
    assert set(forms(state)) == {"swap_cards"}


def test_the_schema_of_an_arrangement_uses_the_recipe_and_the_tiles() -> None:
    facts = GAME.start(2, {"placement": "agreed"}, Fast("agreed"))
    state = GAME.fold(facts)
    (seat,) = GAME.to_move(state)
    form = forms(state, seat)["propose_placement"]
    schema = Draft202012Validator(form.schema)
    listed = [
        msgspec.json.decode(msgspec.json.encode(move))
        for _, move in zip(range(500), GAME.legal_moves(state, seat), strict=False)
    ]
    proposals = [document for document in listed if document["type"] == "propose_placement"]
    assert proposals
    assert all(map(schema.is_valid, proposals))
    first = proposals[0]
    crowded = {**first, "tokens": dict.fromkeys(first["tokens"], next(iter(first["tokens"].values())))}
    assert schema.is_valid(crowded)
    with pytest.raises(IllegalMove) as refusal:
        GAME.decide(state, seat, GAME.read_move(crowded), Fast("x"))
    assert refusal.value.code in {rule.code for rule in form.beyond}
