"""Position documents (rules, section 15): what they may say, what is filled in, what is refused."""

from typing import Any

import pytest

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.facts import PositionSet
from domain.kernel.chance import Scripted
from domain.kernel.refusals import BadOptions
from tests.domain.games.pie_contest.builders import plain, play, position, seen, set_position


def test_what_is_left_out_is_filled_in() -> None:
    facts = set_position(hands={"0": [25, 24]}, kitchens={"1": [1]}, row=[205], trash=[129], pantry_top=[30, 19])
    (fact,) = facts
    assert isinstance(fact, PositionSet)
    told = plain(fact)
    assert list(told) == [
        "type", "seats", "options", "active", "turn", "stage", "plays_left", "acts_made", "granted", "hands",
        "kitchens", "pies", "trash", "row", "pantry", "pile", "turned", "out",
    ]  # fmt: skip
    assert (told["seats"], told["active"], told["turn"], told["stage"], told["plays_left"]) == (4, 0, 10, "open", 1)
    assert told["hands"] == {"0": [24, 25], "1": [], "2": [], "3": []}, "hands are in ascending order"
    assert told["row"] == [205, None, None]
    assert told["pantry"][:4] == [30, 19, 2, 3]
    assert len(told["pantry"]) == 181 - 4, "every card of 1-181 that lies nowhere else"
    assert told["pile"] == [card for card in range(182, 222) if card != 205]
    assert (told["options"]["pies_for_all"], told["options"]["closing_round"]) == (1, 80)


def test_exactly_means_only_these() -> None:
    state = position(pantry=[40, 41], pile=[], trash=[19])
    assert (state.pantry, state.pile, state.trash) == ((40, 41), (), (19,))


def test_others_see_numbers_for_hands_and_piles() -> None:
    facts = set_position(hands={"0": [24, 25], "1": [201]}, turned={"201": 1}, pantry=[1, 2, 3], pile=[182])
    state = GAME.fold(facts)
    (told,) = (plain(fact) for fact in seen(state, facts, 0))
    assert told["hands"] == {"0": [24, 25], "1": 1, "2": 0, "3": 0}
    assert (told["pantry"], told["pile"]) == (3, 1)
    (told,) = (plain(fact) for fact in seen(state, facts, None))
    assert told["hands"]["0"] == 2


def test_loading_resolves_nothing_until_the_first_move() -> None:
    """Given an Achievement that is fulfilled already, then it is completed behind the first move (4.3)."""
    state = position(kitchens={"0": [24, 25, 26]}, row=[182], pile=[203], pantry_top=[129, 130])
    assert state.row[0].card == 182
    _, facts = play(state, 1, type="resign")
    assert [plain(fact)["type"] for fact in facts][:3] == [
        "seat_resigned",
        "achievement_completed",
        "achievement_revealed",
    ]


def test_a_position_with_resigned_seats() -> None:
    state = position(seats=3, out=[1], active=2, pies={"1": [30], "2": [4]})
    assert state.live == (0, 2)
    assert GAME.view(state, None).scores == (None, None, 4)


@pytest.mark.parametrize("variant", ["standard", "grand"])
def test_v3_the_pies_of_a_resigned_seat_count_for_nothing_in_a_set_position(variant: str) -> None:
    # given: seat 1 has resigned with the best Pie
    document = {"out": [1], "active": 2, "pies": {"1": [30], "2": [4]}}
    facts = GAME.start(3, {"variant": variant}, Scripted([]), document)
    # when: the match ends
    facts += GAME.decide(GAME.fold(facts), 2, GAME.read_move({"type": "resign"}), Scripted([]))
    sheet = GAME.score(GAME.fold(facts))
    # then: engine and scorer count the same
    assert (sheet.lines, sheet.totals, sheet.winners) == ((), (None, None, None), (0,))
    assert sheet.differences(GAME.audit(facts)) == []


def test_options_may_stand_in_the_document_or_beside_it() -> None:
    inside = GAME.start(2, {"pie_floor": "zero"}, Scripted([]), {"options": {"dive_own": False}})[0]
    assert (inside.options.pie_floor, inside.options.dive_own, inside.options.pies_for_all) == ("zero", False, 2)
    with pytest.raises(BadOptions, match="give one"):
        GAME.start(4, {"closing_round": 20}, Scripted([]), {"options": {"closing_round": 30}})


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"colour": "red"}, "colour"),
    ({"hands": {"0": [24]}, "trash": [24]}, r"two places: 24 \(Pear\)"),
    ({"kitchens": {"0": [24, 24]}}, "two places"),
    ({"pantry": [24], "trash": [24]}, "two places"),
    ({"trash": [201]}, r"201 \(Hoarder\)"),
    ({"pantry_top": [182]}, "cannot lie"),
    ({"pile_top": [24]}, r"24 \(Pear\)"),
    ({"row": [24]}, "cannot lie"),
    ({"row": [182, 183, 184, 185]}, "row"),
    ({"kitchens": {"0": [129]}}, r"129 \(Bake\)"),
    ({"kitchens": {"0": [201]}, "turned": {"201": 0}}, "cannot lie"),
    ({"kitchens": {"0": [184]}}, "turned does not say who completed 184"),
    ({"kitchens": {"0": [19, 20, 21, 22, 23, 24]}}, "more than 5"),
    ({"hands": {"0": [201]}}, "turned does not say"),
    ({"hands": {"0": [201]}, "turned": {"201": 1}}, "can only lie in the hand of the seat that completed it"),
    ({"hands": {"0": [182]}, "turned": {"182": 0}}, "do not turn"),
    ({"turned": {"201": 1}}, "in no hand or Kitchen"),
    ({"turned": {"24": 1}}, "do not turn"),
    ({"out": [1], "hands": {"1": [24]}}, "Seat 1 has resigned"),
    ({"out": [1], "kitchens": {"1": [24]}}, "Seat 1 has resigned"),
    ({"out": [1, 2, 3]}, "Fewer than two"),
    ({"out": [1, 1]}, "twice"),
    ({"out": [0]}, "cannot be active"),
    ({"active": 4}, "Seats go from 0 to 3"),
    ({"hands": {"4": [24]}}, "no seat 4"),
    ({"pies": {"9": [24]}}, "pies"),
    ({"pies": {"1": [1, 2, 3]}}, r"Seat 1 has 3 Pies; it can have 2 at most: Pie 3 ends the contest \(V1\)"),
    ({"pies": {"1": [1] * 201}, "options": {"variant": "grand"}}, r"200 at most: one for each round"),
    ({"seats": 3}, "for 3 seats"),
    ({"turn": 0}, "turn"),
    ({"plays_left": 0}, "plays_left"),
    ({"stage": "asleep"}, "stage"),
    ({"pantry": [1], "pantry_top": [2]}, "pantry or pantry_top"),
    ({"pile": [], "pile_top": [182]}, "pile or pile_top"),
    ({"hands": {"0": [222]}}, "hands"),
    ({"options": {"first_seat": 5}}, "first_seat is 5"),
]


@pytest.mark.parametrize(("document", "named"), REFUSED, ids=[named for _, named in REFUSED])
def test_what_is_refused_on_load(document: dict[str, Any], named: str) -> None:
    with pytest.raises(BadOptions, match=named) as refused:
        GAME.start(4, {}, Scripted([]), document)
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize(
    "options",
    [
        {"variant": "huge"}, {"pies_for_all": 0}, {"pies_for_all": 4}, {"first_seat": "me"}, {"dive_own": "no"},
        {"pie_floor": 0}, {"tie_break": "coin"}, {"closing_round": 9}, {"closing_round": 501}, {"speed": "fast"},
        {"first_seat": 4},
    ],
)  # fmt: skip
def test_section_11_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions):
        GAME.start(4, options, Scripted([]))
