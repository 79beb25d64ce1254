"""Rules not covered by the cases: set-up options, turns, the Pantry, malformed moves, names of facts."""

from typing import Any

import msgspec
import pytest

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.components import special_cards
from domain.games.bakers_brawl.rules.facts import TurnStarted
from domain.kernel.chance import Fast, Scripted
from domain.kernel.refusals import BadOptions, IllegalMove
from tests.domain.games.bakers_brawl.builders import at_random, plain, play, play_on, position, read, short, start


def code_of(state: Any, seat: int, **move: Any) -> str:
    with pytest.raises(IllegalMove) as refused:
        GAME.decide(state, seat, read(**move), Scripted([]))
    return refused.value.code


# -- set-up -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "orders", "agendas"), [(2, 27, 13), (3, 40, 14), (4, 40, 14)])
def test_s2_to_s11_by_number_of_players(players: int, orders: int, agendas: int) -> None:
    state = GAME.fold(start(players, Fast(players)))
    assert state.board_size == players + 3
    assert (len(state.order_line), len(state.order_deck)) == (3, orders - 3)
    assert len(state.special_deck) == 48 - players
    assert sorted([*state.special_deck, *(card for baker in state.seats for card in baker.hand)]) == sorted(
        special_cards()
    )
    assert len(state.removed_agendas) == agendas - players
    assert len({*state.removed_agendas, *(baker.agenda for baker in state.seats)}) == agendas
    assert all((baker.cubes, baker.points, len(baker.basics)) == (15, 0, 5) for baker in state.seats)
    empty = [state.pantry, state.discard, state.boss_pile, state.completed, state.board]
    assert not any(empty)


def test_s3_a_given_start_seat_uses_no_draw() -> None:
    given = [0] * (26 + 47 + 12)
    chance = Scripted(given)
    facts = GAME.start(2, {"start_seat": 1}, chance)
    chance.finish()
    assert short(facts[-1]) == ["turn_started", 1, 1]
    random = Scripted([1, *given])
    drawn = GAME.start(2, {}, random)
    random.finish()
    assert plain(drawn[0])["options"]["start_seat"] == "random"
    assert plain(drawn[0])["special_deck"] == plain(facts[0])["special_deck"]


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (2, {"start_seat": 2}),
        (3, {"start_seat": 3}),
        (2, {"start_seat": -1}),
        (2, {"start_seat": True}),
        (2, {"start_seat": "first"}),
        (2, {"board_size": 3}),
        (2, {"board_size": 10}),
        (2, {"boss_limit": 0}),
        (2, {"boss_limit": 11}),
        (2, {"boss_limit": True}),
        (2, {"may_decline": 1}),
        (2, {"final_tie": "coin"}),
        (2, {"position": {}}),
        (1, {}),
        (5, {}),
    ],
)
def test_section_11_invalid_options_are_refused(players: int, options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.start(players, options, Fast(1))
    assert refused.value.code == "bad_options"


# -- turns and rounds ---------------------------------------------------------------------------------------------


def test_t1_t3_the_round_order_starts_at_the_start_seat_and_never_rotates() -> None:
    chance = Fast(5)
    _, facts = play_on(start(3, chance, {"start_seat": 2}), (at_random,) * 3, chance)
    turns = [(fact.seat, fact.round) for fact in facts if isinstance(fact, TurnStarted)]
    assert turns == [((2 + n) % 3, n // 3 + 1) for n in range(len(turns))]
    assert len(turns) >= 21


def test_r64_the_first_active_seat_starts_a_round() -> None:
    state = position(3, turn=2, seats=[{"active": False}, {}, {}])
    _, facts = play(state, 2, read(type="play_basic", ingredient="flour", cell="A1"))
    assert short(facts[-1]) == ["turn_started", 1, 2]


def test_r65_the_round_ends_after_the_current_turn_if_the_last_seat_resigned() -> None:
    state = position(3, turn=1)
    state, facts = play(state, 2, read(type="resign"))
    assert [short(fact) for fact in facts] == [["seat_resigned", 2, []]]
    _, facts = play(state, 1, read(type="play_basic", ingredient="flour", cell="A1"))
    assert [short(fact)[0] for fact in facts] == ["ingredient_placed", "round_ended", "order_arrived", "turn_started"]
    assert short(facts[-1]) == ["turn_started", 0, 2]


def test_r49_a_completion_in_the_last_turn_makes_room_for_the_new_order() -> None:
    board = {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "B3": {"ingredient": "berries", "owner": 1, "labor": 1},
    }
    state = position(2, turn=1, order_line=["O09", "O04", "O21", "O26", "O27"], board=board)
    _, facts = play(state, 1, read(type="play_basic", ingredient="sugar", cell="B4"))
    names = [short(fact)[0] for fact in facts]
    assert names[-3:] == ["round_ended", "order_arrived", "turn_started"]
    assert "order_taken_by_boss" not in names


def test_r53_the_line_can_be_empty() -> None:
    state = position(2, turn=1, order_line=[], order_top=["O09"])
    _, facts = play(state, 1, read(type="play_basic", ingredient="sugar", cell="B4"))
    assert short(facts[-2]) == ["order_arrived", "O09"]


def test_passing_with_and_without_voluntary_pass() -> None:
    assert code_of(position(2), 0, type="pass") == "pass_not_allowed"
    state = position(2, options={"voluntary_pass": True})
    assert plain(list(GAME.legal_moves(state, 0)))[-1] == {"type": "pass"}
    _, facts = play(state, 0, read(type="pass"))
    assert short(facts[0]) == ["turn_passed", 0]


def test_r59_on_a_full_board_you_can_only_draw_or_take() -> None:
    board = {f"{c}{r}": {"ingredient": "nuts", "owner": 1, "labor": 1} for c in "ABCD" for r in (1, 2, 3, 4)}
    seats = [{}, {"cubes": 3}]
    state = position(2, board_size=4, board=board, seats=seats, pantry=["lemon"])
    assert plain(list(GAME.legal_moves(state, 0))) == [
        {"type": "draw_special"},
        {"type": "take_from_pantry", "card": "lemon"},
    ]


# -- drawing ------------------------------------------------------------------------------------------------------


def test_m1_two_identical_cards_still_open_the_keep_phase() -> None:
    state = position(2, special_top=["nuts", "nuts"])
    state, facts = play(state, 0, read(type="draw_special"))
    assert state.phase == "keep"
    assert len(facts) == 2
    assert plain(list(GAME.legal_moves(state, 0))) == [{"type": "keep_special", "keep": "nuts", "pantry_discard": None}]
    assert plain(list(GAME.legal_moves(state, 1))) == []


def test_5_6_keep_moves_are_sorted_by_type_with_null_first() -> None:
    pantry = ["nuts", "chocolate", "nuts", "apple", "lemon"]
    state = position(2, phase="keep", drawn=["lemon", "vanilla"], pantry=pantry)
    offered = [(move["keep"], move["pantry_discard"]) for move in plain(list(GAME.legal_moves(state, 0)))]
    assert offered == [
        (keep, out) for keep in ("vanilla", "lemon") for out in (None, "chocolate", "nuts", "apple", "lemon")
    ]


def test_5_6_the_order_of_the_actions() -> None:
    state = position(2, pantry=["nuts", "chocolate"], seats=[{"hand": ["lemon", "apple"]}, {}])
    moves = plain(list(GAME.legal_moves(state, 0)))
    kinds = list(dict.fromkeys(move["type"] for move in moves))
    assert kinds == ["draw_special", "take_from_pantry", "play_basic", "play_special", "play_blind"]
    assert [move["card"] for move in moves if move["type"] == "take_from_pantry"] == ["chocolate", "nuts"]
    assert [move["cell"] for move in moves if move["type"] == "play_blind"][:7] == [
        "A1",
        "B1",
        "C1",
        "D1",
        "E1",
        "A2",
        "B2",
    ]
    assert [m["ingredient"] for m in moves if m["type"] == "play_special"] == ["apple"] * 25 + ["lemon"] * 25


def test_m3_the_pantry_keeps_its_order() -> None:
    state = position(2, pantry=["nuts", "lemon", "nuts", "apple"])
    state, _ = play(state, 0, read(type="take_from_pantry", card="nuts"))
    assert state.pantry == ("lemon", "nuts", "apple")


def test_section_6_the_first_card_is_drawn_before_the_reshuffle() -> None:
    """With one card in the deck and none discarded, the only card goes to the hand (R12)."""
    state = position(2, special_deck=["lemon"], seats=[{"hand": ["nuts"]}, {}])
    state, facts = play(state, 0, read(type="draw_special"))
    assert [short(fact)[0] for fact in facts] == ["special_drawn", "special_kept", "turn_started"]
    assert state.seats[0].hand == ("nuts", "lemon")


# -- well-formed moves --------------------------------------------------------------------------------------------

MALFORMED: list[Any] = [
    {},
    {"type": "bake"},
    {"type": "draw_special", "count": 2},
    {"type": "take_from_pantry"},
    {"type": "take_from_pantry", "card": "flour"},
    {"type": "take_from_pantry", "card": None},
    {"type": "play_basic", "ingredient": "chocolate", "cell": "A1"},
    {"type": "play_special", "ingredient": "flour", "cell": "A1"},
    {"type": "play_basic", "ingredient": "flour", "cell": "1A"},
    {"type": "play_basic", "ingredient": "flour", "cell": "a1"},
    {"type": "play_basic", "ingredient": "flour", "cell": "A0"},
    {"type": "play_basic", "ingredient": "flour", "cell": "A100"},
    {"type": "play_basic", "ingredient": "flour", "cell": "A1\n"},
    {"type": "play_basic", "ingredient": "flour", "cell": " A1"},
    {"type": "play_basic", "ingredient": "flour", "cell": 1},
    {"type": "play_blind", "cell": "A1", "ingredient": "lemon"},
    {"type": "complete_order", "order_id": "O41", "cells": ["A1"]},
    {"type": "complete_order", "order_id": "O01", "cells": ["A1", "A1"]},
    {"type": "complete_order", "order_id": "O01"},
    {"type": "keep_special", "keep": "flour"},
    {"type": "keep_special", "keep": "nuts", "pantry_discard": "milk"},
    "pass",
    None,
    ["pass"],
]


@pytest.mark.parametrize("move", MALFORMED)
def test_5_1_malformed_moves(move: Any) -> None:
    with pytest.raises(IllegalMove) as refused:
        GAME.read_move(move)
    assert refused.value.code == "bad_move"


def test_5_1_a_well_formed_cell_can_be_off_the_board() -> None:
    state = position(2)
    for cell in ("F1", "A6", "Z99"):
        assert code_of(state, 0, type="play_basic", ingredient="flour", cell=cell) == "cell_off_board"


def test_5_1_checks_are_made_in_order() -> None:
    state = position(2, seats=[{"hand": ["nuts"], "cubes": 0, "basics": ["flour"]}, {}], special_deck=[])
    assert code_of(state, 0, type="play_basic", ingredient="milk", cell="Z99") == "basic_not_available"
    assert code_of(state, 0, type="play_basic", ingredient="flour", cell="Z99") == "not_enough_cubes"
    assert code_of(state, 0, type="play_special", ingredient="apple", cell="Z99") == "not_in_hand"
    assert code_of(state, 0, type="play_blind", cell="Z99") == "nothing_to_draw"
    assert code_of(state, 1, type="keep_special", keep="nuts") == "not_your_turn"
    assert code_of(state, 0, type="keep_special", keep="nuts") == "wrong_phase"


@pytest.mark.parametrize("cells", [[], ["Z99"], ["E5", "D5", "C5"], ["B2", "C2"]])
def test_5_1_wrong_sets_are_not_candidates(cells: list[str]) -> None:
    board = {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "C3": {"ingredient": "sugar", "owner": 1, "labor": 1},
        "C2": {"ingredient": "berries", "owner": 0, "labor": 2},
    }
    state = position(2, phase="complete", pending_cell="C2", order_line=["O27"], board=board)
    assert code_of(state, 0, type="complete_order", order_id="O27", cells=cells) == "not_a_candidate"
    assert code_of(state, 0, type="complete_order", order_id="O40", cells=["B2", "C2", "C3"]) == "not_a_candidate"


def test_a_resigned_seat_never_has_a_turn() -> None:
    state = position(3, seats=[{}, {"active": False}, {}])
    assert code_of(state, 1, type="pass") == "not_your_turn"
    assert code_of(state, 1, type="resign") == "already_out"
    state, _ = play(state, 2, read(type="resign"))
    assert state.phase == "over"
    assert code_of(state, 1, type="resign") == "game_over"


# -- names --------------------------------------------------------------------------------------------------------


def test_every_fact_keeps_its_fields_in_the_order_of_the_rules() -> None:
    """The order is normative (section 5.4)."""
    expected = {
        "game_set_up": "players options board_size start_seat order_line order_deck special_deck hands agendas "
        "removed_agendas",
        "position_set": "players options board_size start_seat round turn phase pending_cell order_line order_deck "
        "boss_pile completed special_deck discard pantry drawn board seats removed_agendas result",
        "turn_started": "seat round",
        "special_drawn": "seat card",
        "special_deck_reshuffled": "count order",
        "special_kept": "seat card",
        "pantry_stocked": "seat card",
        "pantry_discarded": "seat card",
        "special_discarded": "seat card",
        "pantry_taken": "seat card",
        "ingredient_placed": "seat source ingredient cell labor",
        "completion_opened": "seat cell order_ids",
        "completion_declined": "seat cell",
        "order_completed": "seat order_id cells",
        "points_scored": "seat points reason order_id",
        "labor_compared": "order_id tally winners",
        "ingredients_cleared": "order_id cells returned discarded",
        "order_claimed": "order_id contributors",
        "turn_passed": "seat",
        "seat_resigned": "seat discarded",
        "round_ended": "round",
        "order_arrived": "order_id",
        "order_taken_by_boss": "order_id boss_total",
        "game_ended": "reason",
        "agenda_scored": "seat agenda_id orders points",
        "help_bonus_scored": "seat helped points",
        "result_declared": "totals ranks winners",
    }
    found = {kind.__struct_config__.tag: " ".join(kind.__struct_encode_fields__) for kind in GAME.fact_type.__args__}
    assert found == expected


def test_the_schema_of_a_move_names_every_order() -> None:
    schema = msgspec.json.schema(GAME.move_type)
    order_id = schema["$defs"]["CompleteOrder"]["properties"]["order_id"]
    assert order_id["enum"] == [f"O{n:02d}" for n in range(1, 41)]
