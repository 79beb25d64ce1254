"""Position documents (rules, 15.1): defaults, refusals, and the first fact of the match."""

from typing import Any

import pytest

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.components import orders_in_play, special_cards
from domain.kernel.chance import Scripted
from domain.kernel.refusals import BadOptions
from tests.domain.games.bakers_brawl.builders import plain, position, seen


def test_only_players_is_required() -> None:
    state = position(3)
    assert (state.round, state.turn, state.phase, state.board_size) == (1, 0, "act", 6)
    assert state.order_line == ("O01", "O02", "O03")
    assert list(state.order_deck) == orders_in_play(3)[3:]
    assert list(state.special_deck) == special_cards()
    assert [baker.agenda for baker in state.seats] == ["A01", "A02", "A03"]
    assert all((b.hand, b.cubes, b.points, len(b.basics), b.active) == ((), 15, 0, 5, True) for b in state.seats)
    assert len(state.removed_agendas) == 11


def test_defaults_exclude_cards_and_cubes_used_elsewhere() -> None:
    board = {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "A2": {"ingredient": "nuts", "owner": 1, "labor": 2},
    }
    done = [{"order_id": "O05", "by": 0, "contributors": [1, 0, 1]}]
    state = position(2, board=board, completed=done, boss_pile=["O06"], pantry=["nuts"], special_top=["lemon"])
    assert (state.seats[1].cubes, state.seats[0].cubes) == (11, 14)
    assert state.seats[1].basics == ("butter", "milk", "eggs", "sugar")
    assert list(state.board) == ["A2", "B2"], "in cell order"
    assert state.completed[0].contributors == (0, 1)
    assert not {"O01", "O05", "O06", "O07"} & set(state.order_deck)
    assert state.special_deck[0] == "lemon"
    assert state.special_deck.count("nuts") == 4
    assert state.special_deck.count("lemon") == 5


def test_a_given_deck_is_used_exactly() -> None:
    state = position(2, special_deck=["nuts"], order_deck=["O30", "O29"], removed_agendas=["A12"])
    assert (state.special_deck, state.order_deck, state.removed_agendas) == (("nuts",), ("O30", "O29"), ("A12",))
    assert position(2, order_top=["O30"]).order_deck[:2] == ("O30", "O04")


def test_start_seat_follows_the_option_and_turn_follows_the_start_seat() -> None:
    assert (position(2, options={"start_seat": 1}).start_seat, position(2, options={"start_seat": 1}).turn) == (1, 1)
    assert position(3, start_seat=2).turn == 2
    assert position(3, options={"board_size": 4}).board_size == 4
    assert position(3, board_size=9).board_size == 9


def test_options_outside_and_inside_the_document_are_merged() -> None:
    facts = GAME.start(2, {"boss_limit": 3}, Scripted([]), {"players": 2, "options": {"may_decline": True}})
    options = GAME.fold(facts).options
    assert (options.boss_limit, options.may_decline) == (3, True)
    with pytest.raises(BadOptions):
        GAME.start(2, {"boss_limit": 3}, Scripted([]), {"players": 2, "options": {"boss_limit": 4}})


def test_the_match_starts_with_one_fact_redacted_like_the_state() -> None:
    document: dict[str, Any] = {"players": 2, "phase": "keep", "drawn": ["nuts", "lemon"], "turn": 1}
    facts = GAME.start(2, {}, Scripted([]), {**document, "seats": [{"hand": ["apple"]}, {"hand": ["vanilla"]}]})
    state = GAME.fold(facts)
    (full,) = plain(facts)
    assert full["type"] == "position_set"
    assert full["order_deck"][0] == "O04"
    for seat in (0, 1, None):
        (shown,) = plain(seen(state, facts, seat))
        assert list(shown) == list(full), "hidden fields keep their key"
        assert shown["order_deck"] is shown["special_deck"] is shown["removed_agendas"] is None
        assert shown["drawn"] == (["nuts", "lemon"] if seat == 1 else None)
        for n, baker in enumerate(shown["seats"]):
            assert baker["hand"] == (full["seats"][n]["hand"] if n == seat else None)
            assert baker["agenda"] == (full["seats"][n]["agenda"] if n == seat else None)


def tile(**fields: Any) -> dict[str, Any]:
    return {"ingredient": "flour", "owner": 0, "labor": 1, **fields}


REFUSED: list[dict[str, Any]] = [
    {"players": 3},
    {"colour": "red"},
    {"options": {"colour": "red"}},
    {"board": {"A1": tile(ingredient="salt")}},
    {"board": {"F1": tile()}},
    {"board": {"1A": tile()}},
    {"board": {"A1": tile(owner=2)}},
    {"board": {"A1": tile(owner=-1)}},
    {"board": {"A1": tile(copy=1)}},
    {"board_size": 3},
    {"turn": 2},
    {"start_seat": 2},
    {"round": 0},
    {"order_line": ["O99"]},
    {"order_line": ["O01", "O01"]},
    {"order_line": ["O01", "O02", "O03", "O04", "O05", "O06"]},
    {"order_line": ["O01"], "boss_pile": ["O01"]},
    {"order_line": ["O01"], "order_top": ["O01"]},
    {"order_line": ["O01"], "order_deck": ["O01"]},
    {"order_deck": ["O08"], "order_top": ["O08"]},
    {"special_deck": ["nuts"], "special_top": ["nuts"]},
    {"special_deck": ["flour"]},
    {"completed": [{"order_id": "O04", "by": 2, "contributors": [0]}]},
    {"completed": [{"order_id": "O04", "by": 0, "contributors": [2]}]},
    {"completed": [{"order_id": "O01", "by": 0, "contributors": [0]}]},
    {"pantry": ["nuts"] * 6},
    {"pantry": ["milk"]},
    {"seats": [{}]},
    {"seats": [{"hand": ["nuts"] * 4}, {}]},
    {"seats": [{"hand": ["flour"]}, {}]},
    {"seats": [{"basics": ["nuts"]}, {}]},
    {"seats": [{"cubes": -1}, {}]},
    {"seats": [{"cubes": 16}, {}]},
    {"special_deck": ["nuts"] * 97},
    {"special_top": ["nuts"] * 97},
    {"discard": ["nuts"] * 97},
    {"seats": [{"agenda": "A15"}, {}]},
    {"seats": [{"active": False}, {}]},
    {"seats": [{"nickname": "x"}, {}]},
    {"board": {cell: tile(ingredient="nuts", labor=2) for cell in ("A1", "B1", "C1", "D1", "E1", "A2", "B2", "C2")}},
    {"removed_agendas": ["B01"]},
    {"phase": "over"},
    {"phase": "keep"},
    {"phase": "keep", "drawn": ["nuts"]},
    {"drawn": ["nuts", "nuts"]},
    {"pending_cell": "A1"},
    {"phase": "complete"},
    {"phase": "complete", "pending_cell": "A1"},
    {"phase": "complete", "pending_cell": "A1", "board": {"A1": tile()}},
    {"boss_pile": ["O04", "O05", "O06", "O09", "O10"]},
    {"boss_pile": ["O04"], "options": {"boss_limit": 1}},
    {"result": {"totals": [0, 0]}},
]


@pytest.mark.parametrize("document", REFUSED, ids=str)
def test_impossible_positions_are_refused(document: dict[str, Any]) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.start(2, {}, Scripted([]), {"players": 2, **document})
    assert refused.value.code == "bad_options"
    assert refused.value.message.endswith(".")


def test_a_seat_to_act_must_be_active() -> None:
    with pytest.raises(BadOptions, match="not active"):
        position(3, seats=[{"active": False}, {}, {}])
    assert position(3, turn=1, seats=[{"active": False}, {}, {}]).turn == 1
