"""Tests of the table as text and as SVG (rules, section 13)."""

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.pie_contest import GAME
from domain.games.pie_contest.presentation.hints import bake_hint, closing_note, play_hint, progress, still_to_bake
from domain.games.pie_contest.presentation.pictures import (
    BANDS,
    BAR,
    BAR_INK,
    GOLD,
    SEAT_COLOURS,
    SEAT_TINTS,
    TINTS,
)
from domain.games.pie_contest.rules.components import COMPONENTS, FACES, NAMES
from domain.games.pie_contest.rules.model import State
from domain.kernel.svg import CREAM, GLOW, INK, PAPER, SOFT_INK, WOOD
from tests.domain.games.colour_contrast import contrast
from tests.domain.games.pie_contest.builders import at_random, greedily, midgame, play, position, resigning

SVG = "{http://www.w3.org/2000/svg}"

TABLE = """\
Turn 10, round 3. Ana to play.
Cleo and Dora still need a Pie.

Pantry 170, Achievement pile 38, Trash 2, newest: Bake, Pear
  1. Fruit Basket: 3 fruit in your Kitchen > Draw 2  [Ana 1/3, Ben 2/3, Cleo 0/3, Dora 0/3]
  2. empty
  3. Tartlet: Bake a Pie of exactly 3 Ingredients > A Pie of yours: +3

*Ana: 2 cards in hand, Kitchen worth 5, 5 as a Pie
   Kitchen: Table Salt 0, Cherry 2, Cream Cheese 3
   Pie 1: 11
   Hand: Lemon, Hot Oven
 Ben: 0 cards in hand, Kitchen worth 6
   Kitchen: Apple 3, Pear 3
   Pie 1: −3
 Cleo: 2 cards in hand, Kitchen worth 0
 Dora: 0 cards in hand, Kitchen worth 0
"""


def a_table() -> State:
    return position(
        hands={"0": [41, 141], "2": [2, 3]},
        kitchens={"0": [1, 30, 60], "1": [19, 24]},
        pies={"0": [11], "1": [-3]},
        trash=[25, 129],
        row=[182, None, 206],
    )


def test_the_table_as_text() -> None:
    assert GAME.text(GAME.view(a_table(), 0), 0) == TABLE


def test_other_phases_as_text() -> None:
    state = position(hands={"0": [144]}, kitchens={"0": [1, 64], "1": [27]})
    state, _ = play(state, 0, type="play_card", card=144)
    assert GAME.text(GAME.view(state, 1), 1).startswith(
        "Turn 10, round 3. Ana to choose which Ingredients to swap.\nEffect of Swap.\nEveryone still needs a Pie.\n"
    )
    state, _ = play(position(hands={"0": list(range(2, 11))}), 0, type="pass")
    assert "Ana to trash 2 cards." in GAME.text(GAME.view(state, None), None)
    state, _ = play(position(hands={"0": [171, 5, 6], "1": [19, 20]}), 0, type="play_card", card=171)
    assert "Ana and Ben to choose a card to pass to the left." in GAME.text(GAME.view(state, None), None)
    state, _ = play(position(hands={"0": [169, 24]}), 0, type="play_card", card=169)
    assert "Ana can play 2 more cards." in GAME.text(GAME.view(state, None), None)
    state, _ = play(position(turn=320, pies={"1": [4]}), 0, type="pass")
    assert "Ben wins with 4." in GAME.text(GAME.view(state, None), None)
    assert "not started" in GAME.text(GAME.view(GAME.initial, None), None)


def picture(state: State, seat: int | None) -> ElementTree.Element:
    return ElementTree.fromstring(GAME.svg(GAME.view(state, seat), seat))


def zone(root: ElementTree.Element, name: str) -> list[int]:
    found = (part for part in root.iter() if part.get("data-zone") == name)
    return [int(card) for part in found if (card := part.get("data-card"))]


def test_clickable_elements() -> None:
    root = picture(a_table(), 0)
    assert zone(root, "hand") == [41, 141]
    assert zone(root, "kitchen") == [1, 30, 60, 19, 24]
    assert zone(root, "row") == [182, 206]
    assert [part.get("data-seat") for part in root.iter() if part.get("data-seat")] == ["0", "1", "2", "3"]
    assert [part.get("data-pie") for part in root.iter() if part.get("data-pie")] == ["0.1", "1.1"]


def test_seats_are_in_turn_order_from_the_viewer() -> None:
    root = picture(a_table(), 2)
    assert [part.get("data-seat") for part in root.iter() if part.get("data-seat")] == ["2", "3", "0", "1"]


def test_only_the_viewers_own_options_are_framed() -> None:
    state = position(hands={"0": [172]}, pies={"1": [4], "2": [8, 9]})
    state, _ = play(state, 0, type="play_card", card=172)
    assert GAME.svg(GAME.view(state, 0), 0).count(f'stroke="{GLOW}"') == 3
    for viewer in (1, None):
        assert GLOW not in GAME.svg(GAME.view(state, viewer), viewer)


def test_only_the_viewers_hand_is_drawn() -> None:
    state = a_table()
    assert zone(picture(state, 2), "hand") == [2, 3]
    assert zone(picture(state, None), "hand") == []
    assert zone(picture(state, 1), "hand") == []


@settings(max_examples=12, deadline=None)
@for_all(st.integers(0, 1 << 32), st.integers(2, 8), st.integers(0, 120))
def test_every_picture_is_well_formed_and_has_a_title(seed: int, seats: int, moves: int) -> None:
    state, _ = midgame(seed, (resigning(60, at_random),) * seats, {"closing_round": 20}, moves)
    for seat in (0, None):
        root = picture(state, seat)
        title = root.find(f"{SVG}title")
        assert title is not None
        assert title.text
        assert root.get("aria-labelledby", "").split()[0] == title.get("id")
        _, _, width, height = map(float, root.get("viewBox", "").split())
        assert width == 720
        assert 400 < height < 4000


@pytest.mark.parametrize("card", sorted(FACES)[::3])
def test_names_and_texts_fit_their_cards(card: int) -> None:
    """No line is wider than its card, assuming 0.62 of the font size per character."""
    state = position(hands={"0": [card]}, turned={str(card): 0} if card > 181 else {})
    root = picture(state, 0)
    (drawn,) = [part for part in root.iter() if part.get("data-zone") == "hand"]
    for line in drawn.iter(f"{SVG}text"):
        width = len(line.text or "") * float(line.get("font-size", "0")) * 0.62
        assert width <= 168, f"{NAMES[card]}: {line.text}"


# -- hints --------------------------------------------------------------------------------------------------------


def test_hints_show_the_result_of_a_play() -> None:
    view = GAME.view(a_table(), 0)
    assert play_hint(view, 0, 41) == "Kitchen worth 5 → 7, 7 as a Pie. Each other cream here +1."
    assert play_hint(view, 0, 141) == "A Pie worth 5. Stale: Ben's Pie 1 −3→−7."
    full = GAME.view(position(hands={"0": [24]}, kitchens={"0": [1, 19, 20, 21, 22]}), 0)
    assert play_hint(full, 0, 24) == "Your Kitchen is full, so you can't play this."
    empty = GAME.view(position(hands={"0": [24, 129]}), 0)
    assert play_hint(empty, 0, 24) == "Kitchen worth 0 → 3, 3 as a Pie (needs three Ingredients). No ability."
    assert bake_hint(empty, 0) == "You can't Bake now: a Pie needs at least three Ingredients."


def test_a_hint_warns_that_a_bake_ends_the_contest() -> None:
    ready = {"hands": {"0": [129]}, "kitchens": {"0": [1, 24, 25], "1": [69]}}
    view = GAME.view(position(seats=2, pies={"0": [5, 5], "1": [3]}, **ready), 0)
    assert play_hint(view, 0, 129) == "A Pie worth 6. Stale: Ben's Pie 1 3→1. This ends the contest."
    floor = GAME.view(position(seats=2, pies={"1": [1]}, options={"pie_floor": "zero"}, **ready), 0)
    assert play_hint(floor, 0, 129) == "A Pie worth 6. Stale: Ben's Pie 1 1→0."


def test_pies_still_needed_for_the_end() -> None:
    def missing(**given: object) -> str:
        return still_to_bake(GAME.view(position(**given), None))

    assert missing() == "Everyone still needs a Pie"
    assert missing(pies={"0": [1], "2": [1], "3": [1]}) == "Ben still needs a Pie"
    assert missing(seats=2, pies={"0": [1]}) == "Everyone still needs up to 2 Pies"
    assert missing(options={"variant": "grand"}, pies={str(n): [1, 1, 1, 1] for n in range(3)}) == (
        "Dora still needs 4 Pies"
    )
    assert closing_note(GAME.view(position(turn=9), None)) == ""
    assert closing_note(GAME.view(position(turn=4 * 72), None)) == "closing after round 80"


def test_progress_towards_achievements() -> None:
    view = GAME.view(
        position(row=[188, 201, 209], kitchens={"0": [65], "1": [69, 70]}, hands={"0": [24, 25], "1": [26]}), None
    )
    assert [progress(view, seat, 0) for seat in range(3)] == [(1, 2), (2, 2), (0, 2)]
    assert progress(view, 0, 1) == (2, 8)
    assert progress(view, 0, 2) is None, "baking a Pie of 16 is all or nothing"


# -- colours ------------------------------------------------------------------------------------------------------


PAPERS = [WOOD, CREAM, PAPER, "#e9e2d6", *SEAT_TINTS, *TINTS.values()]
TEXTS = [
    *((ink, paper) for ink in (INK, SOFT_INK) for paper in PAPERS),
    *(
        ("#fff", colour)
        for colour in (*SEAT_COLOURS, *BANDS.values(), GOLD, "#9a4a2b", "#5a6b2c", "#6b7280", "#2f6b2a")
    ),
    *((BANDS[flavour], TINTS[flavour]) for flavour in BANDS),
    (BAR_INK, BAR),
]


@pytest.mark.parametrize(("ink", "paper"), TEXTS)
def test_text_has_aa_contrast(ink: str, paper: str) -> None:
    """All text needs a contrast of 4.5, except large numbers on a card of their own colour, which need 3."""
    needed = 3 if ink in BANDS.values() and paper in TINTS.values() else 4.5
    assert contrast(ink, paper) >= needed


def test_frames_stand_out_from_their_background() -> None:
    assert all(contrast(GLOW, paper) >= 3 for paper in (*TINTS.values(), *SEAT_TINTS, CREAM, PAPER))
    assert all(one != other for one, other in combinations(SEAT_COLOURS, 2))


def test_every_flavour_has_a_colour() -> None:
    expected = {*COMPONENTS.flavours, "action"}
    assert set(BANDS) == set(TINTS) == expected


def test_a_picture_has_no_script_and_no_link() -> None:
    state, _ = midgame(2, (greedily,) * 3, {}, 30)
    drawn = GAME.svg(GAME.view(state, 0), 0)
    assert not re.search(r"<script|<a |href|\son\w+=", drawn)
