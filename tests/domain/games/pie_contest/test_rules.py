"""Tests of single rules beyond the acceptance cases: effects, choices, Achievements, resigning, the end."""

from collections.abc import Sequence
from typing import Any

import pytest

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.facts import Fact
from domain.games.pie_contest.rules.model import State
from domain.kernel.chance import Scripted
from domain.kernel.refusals import IllegalMove
from tests.domain.games.pie_contest.builders import listed_facts, names_of, plain, play, position


def after(state: State, seat: int, draws: Sequence[int] = (), **move: Any) -> list[dict[str, Any]]:
    """Return the facts of a move, up to the end of the turn."""
    _, facts = play(state, seat, draws, **move)
    listed = listed_facts(facts)
    ends = [n for n, fact in enumerate(listed) if "turn_ended" in fact]
    return listed[: ends[0]] if ends else listed


def refused(state: State, seat: int, **move: Any) -> str:
    with pytest.raises(IllegalMove) as error:
        GAME.decide(state, seat, GAME.read_move(move), Scripted([]))
    return error.value.code


def play_card(card: int) -> dict[str, Any]:
    return {"type": "play_card", "card": card}


def picks(*keys: str) -> dict[str, Any]:
    return {"type": "choose", "picks": list(keys)}


def only(facts: list[dict[str, Any]], name: str) -> Any:
    """Return the fields of the only fact of a kind."""
    (found,) = [fact[name] for fact in facts if name in fact]
    return found


def options_of(facts: Sequence[Fact] | list[dict[str, Any]]) -> list[str]:
    listed = facts if facts and isinstance(facts[0], dict) else listed_facts(facts)  # type: ignore[arg-type]
    return list(only(listed, "choice_asked")["options"])  # type: ignore[arg-type]


# -- errors -------------------------------------------------------------------------------------------------------


def test_section_5_the_order_of_the_errors() -> None:
    state = position(hands={"0": [24]}, kitchens={"0": [1, 25, 26, 27, 28]}, out=[3])
    assert refused(state, 3, **play_card(24)) == "already_out"
    assert refused(state, 3, type="resign") == "already_out"
    assert refused(state, 1, **play_card(24)) == "not_your_turn"
    assert refused(state, 0, type="trim_hand", cards=[1]) == "wrong_phase"
    assert refused(state, 0, **play_card(25)) == "not_in_hand"
    assert refused(state, 0, **play_card(24)) == "kitchen_full"
    assert refused(state, 0, **picks("yes")) == "no_choice"


def test_section_5_order_of_the_errors_of_a_dive() -> None:
    state = position(hands={"0": [24, 129, 25]}, stage="acted", acts_made=1)
    assert refused(state, 0, type="dive", trash=[24, 24], take=1) == "already_played"
    state = position(hands={"0": [24, 129, 25]})
    for trash in ([], [24], [24, 24], [24, 25, 129]):
        assert refused(state, 0, type="dive", trash=trash, take=1) == "wrong_count"
    assert refused(state, 0, type="dive", trash=[24, 26], take=1) == "not_in_hand"
    assert refused(state, 0, type="dive", trash=[24, 25], take=1) == "not_in_trash"


@pytest.mark.parametrize(
    "move",
    [
        {"type": "bake"}, {"type": "play_card"}, {"type": "play_card", "card": 0}, {"type": "play_card", "card": 222},
        {"type": "play_card", "card": True}, {"type": "play_card", "card": "24"}, {"type": "pass", "turn": 1},
        {"type": "dive", "trash": 24, "take": 1}, {"type": "dive", "trash": [24, 25]}, {"type": "choose"},
        {"type": "choose", "picks": [1]}, {"type": "trim_hand", "cards": [0]}, {"type": "trim_hand", "cards": {"a": 1}},
        {}, [], "pass", None,
    ],
)  # fmt: skip
def test_section_5_malformed_moves(move: Any) -> None:
    with pytest.raises(IllegalMove) as error:
        GAME.read_move(move)
    assert error.value.code == "bad_move"


def test_section_5_order_of_the_errors_of_a_choice() -> None:
    state, _ = play(position(hands={"0": [149]}, kitchens={"1": [24, 25]}), 0, **play_card(149))
    assert refused(state, 0, type="choose", picks=[]) == "wrong_count"
    assert refused(state, 0, **picks("card:24", "card:25")) == "wrong_count"
    assert refused(state, 0, **picks("card:24", "card:24")) == "wrong_count"
    assert refused(state, 0, **picks("card:26")) == "bad_pick"
    assert refused(state, 1, **picks("card:24")) == "no_choice"
    assert refused(state, 1, type="pass") == "not_your_turn"
    assert refused(state, 0, type="pass") == "choice_pending"


def test_lists_in_a_move_can_be_in_any_order() -> None:
    assert GAME.read_move({"type": "dive", "trash": [7, 3], "take": 3}) == GAME.read_move(
        {"type": "dive", "trash": [3, 7], "take": 3}
    )
    move = GAME.read_move({"type": "choose", "picks": ["card:20", "card:3"]})
    assert plain(move)["picks"] == ["card:3", "card:20"]


# -- plays, draws, dives ------------------------------------------------------------------------------------------


def test_r12_at_most_five_extra_plays_a_turn() -> None:
    state = position(hands={"0": [169, 80]}, granted=4)
    state, facts = play(state, 0, **play_card(169))
    assert only(listed_facts(facts), "extra_play_granted") == {"seat": 0, "count": 1}
    listed = after(state, 0, **play_card(80))
    assert only(listed, "step_fizzled") == {"seat": 0, "op": "extra_play", "why": "limit"}


def test_r13_an_extra_play_out_of_turn_is_lost() -> None:
    """Ana gives Ben a second sweet, so that Ben completes Sweet Tooth in her turn."""
    state = position(hands={"0": [178]}, kitchens={"0": [65], "1": [69]}, out=[2, 3], row=[188], pile=[])
    listed = after(state, 0, **play_card(178))
    assert only(listed, "achievement_completed")["seat"] == 1
    assert only(listed, "step_fizzled") == {"seat": 1, "op": "extra_play", "why": "not_your_turn"}


def test_r14_passing_forfeits_extra_plays() -> None:
    state, _ = play(position(hands={"0": [169, 24]}), 0, **play_card(169))
    assert state.plays_left == 2
    assert refused(state, 0, type="dive", trash=[24, 25], take=24) == "already_played"
    _, facts = play(state, 0, type="pass")
    assert names_of(facts) == ["turn_passed", "turn_ended", "turn_began", "card_drawn"]


def test_r11_a_play_after_a_dive_for_salt() -> None:
    state = position(hands={"0": [24, 25, 26]}, trash=[1], row=[217], pile=[])
    state, facts = play(state, 0, type="dive", trash=[24, 25], take=1)
    assert names_of(facts) == ["dumpster_dived", "achievement_completed", "achievement_revealed", "extra_play_granted"]
    assert state.phase == "main"
    assert "ingredient_played" in names_of(play(state, 0, **play_card(26))[1])


def test_r44_a_turned_achievement_that_pays_for_a_dive() -> None:
    state = position(hands={"0": [24, 201]}, turned={"201": 0}, trash=[30], pile=[182])
    assert refused(state, 0, type="dive", trash=[24, 201], take=201) == "not_in_trash"
    moved, _ = play(state, 0, type="dive", trash=[201, 24], take=24)
    assert (moved.trash, moved.pile, moved.turned) == ((30,), (182, 201), {})


def test_r24_a_draw_is_missed_without_any_cards() -> None:
    _, facts = play(position(pantry=[]), 0, type="pass")
    assert names_of(facts) == ["turn_passed", "turn_ended", "turn_began", "draw_missed"]


def test_t8_an_empty_pantry_is_restocked_before_a_draw() -> None:
    state = position(pantry=[], trash=[19, 20])
    state, facts = play(state, 0, [0], type="pass")
    assert names_of(facts) == ["turn_passed", "turn_ended", "turn_began", "pantry_restocked", "card_drawn"]
    assert (state.seats[1].hand, state.pantry, state.trash) == ((20,), (19,), ())


def test_r22_other_seats_can_hold_more_than_seven() -> None:
    state = position(hands={"1": list(range(2, 12))})
    state, facts = play(state, 0, type="pass")
    assert len(state.seats[1].hand) == 11
    assert "trim_due" not in names_of(facts)
    _, facts = play(state, 1, type="pass")
    assert only(listed_facts(facts), "trim_due") == {"seat": 1, "count": 4}


# -- effects ------------------------------------------------------------------------------------------------------


def test_r15_an_action_without_effect_is_trashed() -> None:
    for card, op, why in [
        (144, "swap", "no_target"), (149, "steal_ing", "no_target"), (152, "salvage", "no_target"),
        (158, "steal_card", "no_target"), (160, "trash_ing", "no_target"), (163, "trash_ing", "no_target"),
        (167, "stock", "no_target"), (171, "pass_hand", "no_target"), (172, "pie", "no_target"),
        (174, "pie", "no_target"), (178, "give_ing", "no_target"),
    ]:  # fmt: skip
        listed = after(position(hands={"0": [card]}), 0, **play_card(card))
        assert listed[0] == {"action_played": {"seat": 0, "card": card, "to": "trash"}}
        assert listed[1] == {"step_fizzled": {"seat": 0, "op": op, "why": why}}


def test_r19_a_swap_needs_an_ingredient_of_your_own() -> None:
    listed = after(position(hands={"0": [144]}, kitchens={"1": [24]}), 0, **play_card(144))
    assert only(listed, "step_fizzled")["why"] == "no_target"


def test_r18_a_swap_with_full_kitchens() -> None:
    state = position(hands={"0": [144]}, kitchens={"0": [1, 19, 20, 21, 22], "1": [2, 24, 25, 26, 27]})
    _, facts = play(state, 0, **play_card(144))
    assert len(options_of(facts)) == 25


def test_r25_a_card_cannot_salvage_itself() -> None:
    state = position(hands={"0": [165]}, trash=[166, 24])
    _, facts = play(state, 0, **play_card(165))
    assert options_of(facts) == ["card:24", "card:166"]


def test_q3_a_single_option_is_taken_without_asking() -> None:
    listed = after(position(hands={"0": [152]}, trash=[24, 1]), 0, **play_card(152))
    assert listed[1] == {"card_salvaged": {"seat": 0, "card": 1}}


def test_r17_gifts_and_stocking_need_room() -> None:
    full = [1, 19, 20, 21, 22]
    state = position(hands={"0": [178]}, kitchens={"0": [24], "1": full, "2": [25]})
    _, facts = play(state, 0, **play_card(178))
    assert options_of(facts) == ["gift:24/2", "gift:24/3"]
    listed = after(position(hands={"0": [167]}, kitchens={"0": full}, trash=[24]), 0, **play_card(167))
    assert only(listed, "step_fizzled") == {"seat": 0, "op": "stock", "why": "kitchen_full"}


def test_forage_takes_ingredients_only() -> None:
    """Clean Plate forages twice: an Action goes to the Trash, an Ingredient into the Kitchen (12.1)."""
    state = position(hands={"0": [5]}, pies={"0": [3]}, row=[203], pile=[], pantry_top=[129, 24, 30])
    listed = after(state, 0, type="pass")
    foraged = [fact["card_foraged"] for fact in listed if "card_foraged" in fact]
    assert foraged == [{"seat": 0, "card": 129, "to": "trash"}, {"seat": 0, "card": 24, "to": "kitchen"}]


def test_pantry_raid_stops_when_the_hand_is_empty() -> None:
    listed = after(position(hands={"0": [158], "1": [24]}), 0, [0], **play_card(158))
    assert [name for fact in listed for name in fact] == ["action_played", "card_stolen"]


def test_food_fight_goes_to_the_left() -> None:
    """Dora picks first, Cleo loses her only card without being asked, and Ben has none."""
    state = position(hands={"0": [177], "2": [24], "3": [25, 26]})
    state, facts = play(state, 0, **play_card(177))
    assert only(listed_facts(facts), "choice_asked") == {
        "seat": 3, "kind": "trash_hand", "options": ["card:25", "card:26"], "count": 1,
    }  # fmt: skip
    listed = after(state, 3, **picks("card:26"))
    assert listed == [
        {"choice_made": {"seat": 3, "picks": ["card:26"]}},
        {"cards_trashed": {"seat": 3, "cards": [26]}},
        {"cards_trashed": {"seat": 2, "cards": [24]}},
        {"step_fizzled": {"seat": 1, "op": "trash_hand", "why": "no_target"}},
    ]


def test_r45_taking_back_a_turned_ingredient() -> None:
    """It returns to the hand of the seat that completed it. For any other seat it goes under the pile (T9)."""
    sabotage: dict[str, Any] = {"row": [220], "pile": [182], "hands": {"0": [160]}}
    mine = position(kitchens={"0": [184], "1": [24]}, turned={"184": 0}, **sabotage)
    assert only(after(mine, 0, **play_card(160)), "ingredient_taken_back") == {"seat": 0, "card": 184, "to": "hand"}
    theirs = position(kitchens={"0": [184], "1": [24]}, turned={"184": 2}, **sabotage)
    moved, facts = play(theirs, 0, **play_card(160))
    assert only(listed_facts(facts), "ingredient_taken_back") == {"seat": 0, "card": 184, "to": "pile"}
    assert moved.pile[-1] == 184
    assert moved.turned == {}


def test_new_recipes_clears_an_empty_row_too() -> None:
    state = position(hands={"0": [176]}, pile=[203, 204], pantry_top=[24])
    listed = after(state, 0, **play_card(176))
    assert listed[1:4] == [
        {"row_cleared": {"cards": []}},
        {"achievement_revealed": {"slot": 0, "card": 203}},
        {"achievement_revealed": {"slot": 1, "card": 204}},
    ]


def test_a_search_across_a_restock() -> None:
    state = position(hands={"0": [180]}, pantry=[24, 25], trash=[26, 27])
    state, facts = play(state, 0, [0, 0], **play_card(180))
    assert names_of(facts) == [
        "action_played", "card_looked_at", "card_looked_at", "pantry_restocked", "card_looked_at", "card_looked_at",
        "choice_asked",
    ]  # fmt: skip
    assert len(state.aside) == 4
    assert state.searcher == 0


# -- baking -------------------------------------------------------------------------------------------------------


def test_b1_oven_ready_crust_asks_only_if_a_bake_is_possible() -> None:
    state = position(hands={"0": [127]}, kitchens={"0": [1, 24]}, pies={"1": [9]}, options={"pies_for_all": 2})
    asked, facts = play(state, 0, **play_card(127))
    assert only(listed_facts(facts), "choice_asked")["options"] == ["no", "yes"]
    assert [name for fact in after(asked, 0, **picks("no")) for name in fact] == ["choice_made", "bake_declined"]
    assert only(after(asked, 0, **picks("yes")), "pie_baked")["total"] == 3
    listed = after(position(hands={"0": [127]}, kitchens={"0": [24]}), 0, **play_card(127))
    assert only(listed, "bake_failed") == {"seat": 0, "why": "too_few"}


def test_b1_no_salt() -> None:
    listed = after(position(hands={"0": [129]}, kitchens={"0": [24, 25, 26]}), 0, **play_card(129))
    assert only(listed, "bake_failed") == {"seat": 0, "why": "no_salt"}


def test_b4_honey_keeps_pies_fresh() -> None:
    """With one Honey a Bake costs 2 points, with two Honeys none (8.3, example 6)."""
    bake: dict[str, Any] = {"hands": {"0": [129]}, "options": {"pies_for_all": 2}, "pies": {"1": [15, 8], "2": [15]}}
    one = position(kitchens={"0": [1, 24, 25], "1": [69]}, **bake)
    assert [change["to"] for change in only(after(one, 0, **play_card(129)), "pies_staled")["changes"]] == [13, 6, 11]
    two = position(kitchens={"0": [1, 24, 25], "1": [69, 70]}, **bake)
    assert [change["to"] for change in only(after(two, 0, **play_card(129)), "pies_staled")["changes"]] == [11]


def test_b4_without_stale_pies_there_is_no_fact() -> None:
    state = position(hands={"0": [129]}, kitchens={"0": [1, 24, 25]})
    assert "pies_staled" not in [name for fact in after(state, 0, **play_card(129)) for name in fact]


def test_r3_effects_of_cards_with_the_same_name_need_no_choice() -> None:
    state = position(hands={"0": [129]}, kitchens={"0": [1, 102, 103]}, pantry_top=[24, 25, 26, 27])
    listed = after(state, 0, **play_card(129))
    assert [name for fact in listed for name in fact] == ["action_played", "pie_baked", *["card_drawn"] * 4]


def test_t9_a_turned_ingredient_in_a_pie() -> None:
    state = position(hands={"0": [129]}, kitchens={"0": [1, 184, 24]}, turned={"184": 2}, pile=[182])
    moved, facts = play(state, 0, **play_card(129))
    assert only(listed_facts(facts), "pie_baked")["worths"] == [0, 4, 3]
    assert moved.trash == (129, 1, 24)
    assert moved.pile == (182, 184)


# -- Achievements -------------------------------------------------------------------------------------------------


def test_h2_r38_the_first_seat_to_the_left_completes_it() -> None:
    """Dora and Ben both fulfil Sweet Tooth, and Dora sits to the left of Ana."""
    state = position(kitchens={"1": [65, 69], "3": [66, 70]}, row=[188], pile=[])
    assert only(after(state, 0, type="pass"), "achievement_completed")["seat"] == 3


def test_h6_not_twice_in_a_turn() -> None:
    """Sweet Tooth is revealed again immediately, but can't be completed until the next turn."""
    state = position(kitchens={"3": [66, 70]}, row=[188], pile=[])
    state, facts = play(state, 0, type="pass")
    completed = [n for n, name in enumerate(names_of(facts)) if name == "achievement_completed"]
    began = names_of(facts).index("turn_began")
    assert len(completed) == 2
    assert completed[0] < began < completed[1]


def test_h4_deeds_before_the_reveal_do_not_count() -> None:
    """A dive for salt completes Bare Cupboard. Salt Hound is revealed after the dive, so the dive doesn't count."""
    state = position(hands={"0": [24, 25]}, trash=[1], row=[200], pile_top=[217], pantry_top=[30, 31, 32])
    listed = after(state, 0, type="dive", trash=[24, 25], take=1)
    assert only(listed, "achievement_completed")["card"] == 200
    state = position(hands={"0": [24, 25]}, trash=[1], row=[217], pile=[])
    assert only(after(state, 0, type="dive", trash=[24, 25], take=1), "achievement_completed")["card"] == 217


def test_r41_completing_in_the_turn_of_another_seat() -> None:
    state = position(hands={"0": [178]}, kitchens={"0": [24], "1": [19, 20]}, out=[2, 3], row=[182], pile=[])
    listed = after(state, 0, **play_card(178))
    assert only(listed, "achievement_completed") == {"seat": 1, "card": 182, "slot": 0}


@pytest.mark.parametrize(
    ("achievement", "given", "fulfils"),
    [
        (198, {"kitchens": {"0": [63, 64]}}, True),
        (198, {"kitchens": {"0": [63]}}, False),
        (202, {"pies": {"0": [5, 0]}}, True),
        (202, {"pies": {"0": [5]}}, False),
        (203, {"pies": {"0": [5]}}, True),
        (203, {"pies": {"0": [5]}, "kitchens": {"0": [24]}}, False),
        (203, {}, False),
        (204, {"pies": {"0": [5, 6]}}, True),
        (204, {"pies": {"0": [5]}}, False),
        (197, {"kitchens": {"0": [60, 61, 62, 30]}}, False),
        (197, {"kitchens": {"0": [60, 61, 24, 25]}}, True),
        (196, {"kitchens": {"0": [1, 24, 49, 65, 82]}}, True),
        (196, {"kitchens": {"0": [1, 24, 25, 65, 82]}}, False),
        (201, {"hands": {"0": list(range(2, 10))}}, True),
        (201, {"hands": {"0": list(range(2, 9))}}, False),
        (200, {"hands": {"0": [2, 3, 4, 5]}}, True),
        (200, {"hands": {"0": [2, 3, 4, 5, 6]}}, False),
        (195, {"kitchens": {"0": [1, 14]}}, True),
        (199, {"kitchens": {"0": [1, 14, 24, 25, 26]}}, True),
    ],
)
def test_h3_state_conditions(achievement: int, given: dict[str, Any], fulfils: bool) -> None:
    hands = {str(seat): [100 + 5 * seat + n for n in range(5)] for seat in range(1, 4)}
    start = {"hands": {"0": [31, 32, 33, 34, 35], **given.pop("hands", {})} | hands, **given}
    listed = after(position(row=[achievement], pile=[], **start), 0, type="pass")
    completed = [fact["achievement_completed"]["card"] for fact in listed if "achievement_completed" in fact]
    assert completed == ([achievement] if fulfils else [])


# -- resigning ----------------------------------------------------------------------------------------------------


def test_r54_a_seat_resigns_while_others_choose() -> None:
    """When Cleo resigns during Potluck, all other seats are asked again."""
    state = position(hands={"0": [171, 5, 6], "1": [19], "2": [7, 8]})
    state, _ = play(state, 0, **play_card(171))
    state, _ = play(state, 0, **picks("card:6"))
    assert [commit.seat for commit in state.commits] == [0, 1]
    state, facts = play(state, 2, type="resign")
    assert listed_facts(facts) == [
        {"seat_resigned": {"seat": 2, "hand": [7, 8], "kitchen": [], "aside": []}},
        {"choice_asked": {"seat": 0, "kind": "pass_hand", "options": ["card:5", "card:6"], "count": 1}},
        {"choice_made": {"seat": 1, "picks": ["card:19"], "commit": True}},
    ]
    _, facts = play(state, 0, **picks("card:5"))
    moves = only(listed_facts(facts), "hands_passed")["moves"]
    assert [(move["from"], move["to"]) for move in moves] == [(0, 3), (1, 0)]


def test_v3_the_active_seat_resigns_in_the_middle_of_an_effect() -> None:
    """The cards it looks at are trashed, the rest of the effect is dropped, and the next turn begins."""
    state = position(hands={"0": [180, 24]}, pantry_top=[129, 19, 1, 30])
    state, _ = play(state, 0, **play_card(180))
    state, facts = play(state, 0, type="resign")
    assert listed_facts(facts)[:3] == [
        {"seat_resigned": {"seat": 0, "hand": [24], "kitchen": [], "aside": [129, 19, 1, 30]}},
        {"turn_ended": {"seat": 0, "turn": 10}},
        {"turn_began": {"turn": 11, "seat": 1}},
    ]
    assert state.trash == (180, 24, 129, 19, 1, 30)
    assert (state.agenda, state.aside, state.searcher) == ((), (), None)


def test_v3_a_seat_with_a_choice_resigns_out_of_turn() -> None:
    state = position(hands={"0": [177], "1": [19], "2": [24, 27], "3": [25, 26]})
    state, _ = play(state, 0, **play_card(177))
    state, facts = play(state, 3, type="resign")
    assert only(listed_facts(facts), "choice_asked")["seat"] == 2
    assert state.phase == "choice"


def test_v3_turned_cards_of_a_resigned_seat() -> None:
    """Turned cards in its own hand and Kitchen go under the pile. Those in other Kitchens stay."""
    state = position(hands={"1": [201]}, kitchens={"1": [24], "2": [184]}, turned={"201": 1, "184": 1}, pile=[182])
    state, _ = play(state, 1, type="resign")
    assert (state.trash, state.pile, state.turned) == ((24,), (182, 201), {"184": 1})
    assert state.seats[2].kitchen == (184,)


def test_v3_the_last_seat_wins_without_a_pie() -> None:
    state = position(seats=2, hands={"0": [24]})
    state, facts = play(state, 0, type="resign")
    assert only(listed_facts(facts), "game_ended") == {
        "why": "last_seat",
        "scores": [{"seat": 1, "score": None, "counted": []}],
        "winners": [1],
        "ranking": [[1], [0]],
    }
    assert refused(state, 1, type="pass") == "game_over"
    assert refused(state, 0, type="resign") == "game_over"


def test_v3_resigned_seats_are_skipped() -> None:
    state, facts = play(position(out=[1, 2]), 0, type="pass")
    assert state.active == 3
    state, _ = play(state, 3, type="pass")
    assert state.active == 0
    assert "turn_began" in names_of(facts)


# -- the end ------------------------------------------------------------------------------------------------------


def test_v1_two_seats_need_two_pies_each() -> None:
    state = position(seats=2, hands={"0": [129]}, kitchens={"0": [1, 24, 25]}, pies={"1": [30, 20]})
    _, facts = play(state, 0, **play_card(129))
    assert "game_ended" not in names_of(facts)
    state = position(seats=2, hands={"0": [129]}, kitchens={"0": [1, 24, 25]}, pies={"0": [50], "1": [30, 20]})
    _, facts = play(state, 0, **play_card(129))
    assert only(listed_facts(facts), "game_ended")["why"] == "all_baked"


def test_v2_the_grand_contest_ends_when_everyone_has_four() -> None:
    three = {str(seat): [seat, seat, seat, seat] for seat in range(1, 4)}
    state = position(
        hands={"0": [129]}, kitchens={"0": [1, 24, 25]}, pies={"0": [9, 4, -1], **three}, options={"variant": "grand"}
    )
    _, facts = play(state, 0, **play_card(129))
    ended = only(listed_facts(facts), "game_ended")
    assert ended["why"] == "all_have_four"
    assert ended["scores"][0] == {"seat": 0, "score": 19, "counted": [1, 4, 2]}


def test_v4_an_early_closing_round() -> None:
    state = position(turn=40, options={"closing_round": 10})
    _, facts = play(state, 0, type="pass")
    ended = only(listed_facts(facts), "game_ended")
    assert (ended["why"], ended["winners"], ended["ranking"]) == ("closing_time", [], [[0, 1, 2, 3]])


def test_b6_nothing_happens_after_an_ending_bake() -> None:
    """The two cards of Hot Oven are not drawn, and the agenda is empty (R33)."""
    state = position(hands={"0": [141]}, kitchens={"0": [1, 24, 25]}, pies={"0": [3, 3]})
    state, facts = play(state, 0, **play_card(141))
    assert names_of(facts)[-1] == "game_ended"
    assert (state.agenda, state.choices, GAME.to_move(state)) == ((), (), frozenset())
    assert list(GAME.legal_moves(state, 0)) == []


def test_outcome_has_no_score_for_a_seat_without_a_pie() -> None:
    state = position(turn=320, pies={"1": [-3]}, out=[2])
    state, _ = play(state, 0, type="pass")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.reason, outcome.winners, outcome.scores) == ("closing_time", (1,), (None, -3, None, None))
    assert outcome.places == (2, 1, 4, 2)
