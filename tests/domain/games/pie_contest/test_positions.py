"""Tests of position documents (rules, section 15): fields, defaults and errors."""

from typing import Any

import pytest

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.facts import PositionSet
from domain.kernel.chance import Scripted
from domain.kernel.refusals import BadOptions
from tests.domain.games.pie_contest.builders import plain, play, position, seen, set_position


def test_missing_fields_get_their_defaults() -> None:
    facts = set_position(hands={"0": [25, 24]}, kitchens={"1": [1]}, row=[205], trash=[129], pantry_top=[30, 19])
    (fact,) = facts
    assert isinstance(fact, PositionSet)
    fields = plain(fact)
    assert list(fields) == [
        "type", "seats", "options", "active", "turn", "stage", "plays_left", "acts_made", "granted", "hands",
        "kitchens", "pies", "trash", "row", "pantry", "pile", "turned", "out",
    ]  # fmt: skip
    assert (fields["seats"], fields["active"], fields["turn"], fields["stage"], fields["plays_left"]) == (
        4,
        0,
        10,
        "open",
        1,
    )
    assert fields["hands"] == {"0": [24, 25], "1": [], "2": [], "3": []}, "hands are in ascending order"
    assert fields["row"] == [205, None, None]
    assert fields["pantry"][:4] == [30, 19, 2, 3]
    assert len(fields["pantry"]) == 181 - 4, "every card of 1-181 that is not placed elsewhere"
    assert fields["pile"] == [card for card in range(182, 222) if card != 205]
    assert (fields["options"]["pies_for_all"], fields["options"]["closing_round"]) == (1, 80)


def test_exact_piles_hold_only_the_listed_cards() -> None:
    state = position(pantry=[40, 41], pile=[], trash=[19])
    assert (state.pantry, state.pile, state.trash) == ((40, 41), (), (19,))


def test_others_see_only_the_size_of_hands_and_piles() -> None:
    facts = set_position(hands={"0": [24, 25], "1": [201]}, turned={"201": 1}, pantry=[1, 2, 3], pile=[182])
    state = GAME.fold(facts)
    (shown,) = (plain(fact) for fact in seen(state, facts, 0))
    assert shown["hands"] == {"0": [24, 25], "1": 1, "2": 0, "3": 0}
    assert (shown["pantry"], shown["pile"]) == (3, 1)
    (shown,) = (plain(fact) for fact in seen(state, facts, None))
    assert shown["hands"]["0"] == 2


def test_loading_resolves_nothing_until_the_first_move() -> None:
    """An Achievement that is already fulfilled is completed after the first move (4.3)."""
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
def test_v3_the_pies_of_a_resigned_seat_do_not_count_in_a_position(variant: str) -> None:
    # given: seat 1 has resigned with the best Pie
    document = {"out": [1], "active": 2, "pies": {"1": [30], "2": [4]}}
    facts = GAME.start(3, {"variant": variant}, Scripted([]), document)
    # when: the match ends
    facts += GAME.decide(GAME.fold(facts), 2, GAME.read_move({"type": "resign"}), Scripted([]))
    sheet = GAME.score(GAME.fold(facts))
    # then: engine and scorer count the same
    assert (sheet.lines, sheet.totals, sheet.winners) == ((), (None, None, None), (0,))
    assert sheet.differences(GAME.audit(facts)) == []


def test_options_can_be_inside_or_outside_the_document() -> None:
    inside = GAME.start(2, {"pie_floor": "zero"}, Scripted([]), {"options": {"dive_own": False}})[0]
    assert (inside.options.pie_floor, inside.options.dive_own, inside.options.pies_for_all) == ("zero", False, 2)
    with pytest.raises(BadOptions, match="Give it only once"):
        GAME.start(4, {"closing_round": 20}, Scripted([]), {"options": {"closing_round": 30}})


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"colour": "red"}, "colour"),
    ({"hands": {"0": [24]}, "trash": [24]}, r"two places: 24 \(Pear\)"),
    ({"kitchens": {"0": [24, 24]}}, "two places"),
    ({"pantry": [24], "trash": [24]}, "two places"),
    ({"trash": [201]}, r"201 \(Hoarder\)"),
    ({"pantry_top": [182]}, "can't be in"),
    ({"pile_top": [24]}, r"24 \(Pear\)"),
    ({"row": [24]}, "can't be in"),
    ({"row": [182, 183, 184, 185]}, "row"),
    ({"kitchens": {"0": [129]}}, r"129 \(Bake\)"),
    ({"kitchens": {"0": [201]}, "turned": {"201": 0}}, "can't be in"),
    ({"kitchens": {"0": [184]}}, "turned does not name who completed 184"),
    ({"kitchens": {"0": [19, 20, 21, 22, 23, 24]}}, "more than 5"),
    ({"hands": {"0": [201]}}, "turned does not name"),
    ({"hands": {"0": [201]}, "turned": {"201": 1}}, "can only be in the hand of the seat that completed it"),
    ({"hands": {"0": [182]}, "turned": {"182": 0}}, "don't turn"),
    ({"turned": {"201": 1}}, "in no hand or Kitchen"),
    ({"turned": {"24": 1}}, "don't turn"),
    ({"out": [1], "hands": {"1": [24]}}, "Seat 1 has resigned"),
    ({"out": [1], "kitchens": {"1": [24]}}, "Seat 1 has resigned"),
    ({"out": [1, 2, 3]}, "At least two"),
    ({"out": [1, 1]}, "twice"),
    ({"out": [0]}, "can't be active"),
    ({"active": 4}, "Seats must be 0 to 3"),
    ({"hands": {"4": [24]}}, "Unknown seats: 4"),
    ({"pies": {"9": [24]}}, "pies"),
    ({"pies": {"1": [1, 2, 3]}}, r"Seat 1 has 3 Pies, but the maximum is 2: Pie 3 ends the contest \(V1\)"),
    ({"pies": {"1": [1] * 201}, "options": {"variant": "grand"}}, r"the maximum is 200: one for each round"),
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
def test_an_invalid_document_is_refused(document: dict[str, Any], named: str) -> None:
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
def test_section_11_invalid_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions):
        GAME.start(4, options, Scripted([]))
