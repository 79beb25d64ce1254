"""The acceptance cases of the rules (section 15.2): AC1 in this file, the others in cases.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.components import agendas_in_play, orders_in_play, special_cards
from domain.games.bakers_brawl.rules.model import State
from domain.kernel.chance import Scripted
from domain.kernel.refusals import IllegalMove
from tests.domain.games.bakers_brawl.builders import beginning_with, flat, plain, position, seen, short, shuffled_to

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_case(case: dict[str, Any]) -> None:
    """Given a position, when these moves are made in order, then these facts or refusals follow."""
    state = position(**with_board(case["given"]))
    for step in case["steps"]:
        if "refused" in step:
            assert refusal(state, step) == step["refused"], step
        elif "facts" in step:
            state = check_move(state, step)
        check_after(state, step)


def with_board(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with the tiles of its board as objects."""
    names = ("ingredient", "owner", "labor")
    board = {cell: dict(zip(names, tile, strict=True)) for cell, tile in document.get("board", {}).items()}
    return {**document, "board": board}


def refusal(state: State, step: dict[str, Any]) -> str:
    with pytest.raises(IllegalMove) as refused:
        GAME.decide(state, step["seat"], GAME.read_move(step["move"]), Scripted([]))
    assert refused.value.rule
    assert refused.value.message.endswith(".")
    return refused.value.code


def check_move(state: State, step: dict[str, Any]) -> State:
    chance = Scripted(shuffled_to(*step["shuffle"]) if "shuffle" in step else [])
    facts = GAME.decide(state, step["seat"], GAME.read_move(step["move"]), chance)
    chance.finish()
    assert [short(fact) for fact in facts] == step["facts"]
    after = GAME.fold(facts, state)
    for seat, shown in step.get("seen", {}).items():
        assert [short(fact) for fact in seen(after, facts, seat)] == shown
    return after


def check_after(state: State, step: dict[str, Any]) -> None:
    if "legal" in step:
        (seat,) = GAME.to_move(state)
        assert plain(list(GAME.legal_moves(state, seat))) == step["legal"]
    for key, value in step.get("then", {}).items():
        match key:
            case "hands" | "cubes" | "points":
                found = [getattr(baker, key.removesuffix("s") if key == "hands" else key) for baker in state.seats]
                assert plain(found) == value
            case "board":
                assert {cell: flat(plain(tile)) for cell, tile in state.board.items()} == value
            case _:
                assert plain(getattr(state, key)) == value


def test_ac1_set_up() -> None:
    """AC1: three players, default options."""
    orders = beginning_with(["O05", "O12", "O30"], orders_in_play(3))
    specials = beginning_with(["nuts", "lemon", "apple", "vanilla"], special_cards())
    agendas = beginning_with(["A03", "A09", "A14"], agendas_in_play(3))
    chance = Scripted(
        [
            1,
            *shuffled_to(orders_in_play(3), orders),
            *shuffled_to(special_cards(), specials),
            *shuffled_to(agendas_in_play(3), agendas),
        ]
    )
    facts = GAME.start(3, {}, chance)
    chance.finish()
    state = GAME.fold(facts)
    assert state.board_size == 6
    assert state.order_line == ("O05", "O12", "O30")
    assert (len(state.order_deck), state.order_deck[0]) == (37, "O01")
    assert [baker.hand for baker in state.seats] == [("apple",), ("nuts",), ("lemon",)]
    assert [baker.agenda for baker in state.seats] == ["A14", "A03", "A09"]
    assert (len(state.special_deck), state.special_deck[0]) == (45, "vanilla")
    assert len(state.removed_agendas) == 11
    assert short(facts[1]) == ["turn_started", 1, 1]

    view = plain(GAME.view(state, 0))
    assert (view["seats"][0]["agenda"], view["seats"][0]["hand"]) == ("A14", ["apple"])
    assert [seat["hand_count"] for seat in view["seats"]] == [1, 1, 1]
    assert all("hand" not in seat and seat["agenda"] is None for seat in view["seats"][1:])
    assert (view["order_deck_count"], view["special_deck_count"]) == (37, 45)
    assert not {"order_deck", "special_deck", "removed_agendas"} & set(view)

    shown = plain(seen(state, facts, 0)[0])
    assert list(shown) == list(plain(facts[0])), "hidden fields keep their key"
    assert shown["order_deck"] is shown["special_deck"] is shown["removed_agendas"] is None
    assert shown["hands"] == [["apple"], None, None]
    assert shown["agendas"] == ["A14", None, None]
    assert shown["options"] == {
        "start_seat": "random",
        "board_size": None,
        "boss_limit": 5,
        "strict_clusters": False,
        "may_decline": False,
        "voluntary_pass": False,
        "final_tie": "shared",
    }
