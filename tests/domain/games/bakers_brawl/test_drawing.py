"""The table as text and as a picture (rules, section 13)."""

import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.presentation.drawing import description
from domain.games.bakers_brawl.presentation.pictures import ICONS, SEAT_COLOURS, SEAT_TINTS, TINTS
from domain.games.bakers_brawl.rules.components import INGREDIENTS
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.parts import cells_of
from domain.kernel.svg import CREAM, GLOW, INK, PAPER, SOFT_INK, WOOD
from tests.domain.games.bakers_brawl.builders import ALL_OPTIONS, greedily, midgame, position
from tests.domain.games.colour_contrast import contrast

SVG = "{http://www.w3.org/2000/svg}"


def table() -> State:
    return position(
        3,
        round=4,
        turn=1,
        order_line=["O05", "O20", "O33", "O16", "O09"],
        boss_pile=["O01"],
        completed=[{"order_id": "O26", "by": 0, "contributors": [0, 2]}],
        special_deck=["nuts", "apple", "lemon"],
        discard=["vanilla", "nuts", "nuts"],
        pantry=["lemon", "berries"],
        board={
            "C3": {"ingredient": "chocolate", "owner": 1, "labor": 2},
            "C4": {"ingredient": "nuts", "owner": 1, "labor": 1},
            "D4": {"ingredient": "eggs", "owner": 2, "labor": 1},
        },
        seats=[{"points": 4, "agenda": "A02"}, {"hand": ["cinnamon", "apple"], "agenda": "A05"}, {"points": 2}],
    )


SNAPSHOT = """\
Round 4. Blueberry to act.
The Line is full. Walnut Brownies goes to the head of the bakery after this round unless an Order is completed.

Order Line, oldest first:
  O05 Walnut Brownies (cookie, 3/4): Eggs, Sugar, Chocolate, Nuts
  O20 Cinnamon Rolls (bread, 2/3): Flour, Butter, Milk, Cinnamon
  O33 Apple Turnovers (pastry, 3/2): Flour, Milk, Apple
  O16 Wedding Cake (cake, 6/5): Flour, Butter, Eggs, Sugar, Vanilla, Cream Cheese
  O09 Plain Cheesecake (cake, 2/3): Eggs, Sugar, Cream Cheese

      A      B      C      D      E      F
 1    .      .      .      .      .      .
 2    .      .      .      .      .      .
 3    .      .    choB2    .      .      .
 4    .      .    nutB1? eggP1    .      .
 5    .      .      .      .      .      .
 6    .      .      .      .      .      .

Pantry: Lemon, Berries
Special deck: 3. Orders deck: 33.
Discard pile: 1 Vanilla, 2 Nuts
Boss: Snickerdoodles (1 of 5)
Completed: Custard Tart (RP)

Raspberry: 4 points, 14 cubes, 0 in hand, helped 1; Basics: Flour, Butter, Milk, Eggs, Sugar
Blueberry: 0 points, 12 cubes, 2 in hand, helped 0; Basics: Flour, Butter, Milk, Eggs, Sugar
  hand: Cinnamon, Apple
  agenda: Orchard Keeper: 3 points for each Order with apple or lemon you helped to complete (0 points so far)
Pistachio: 2 points, 13 cubes, 0 in hand, helped 1; Basics: Flour, Butter, Milk, Sugar
"""


def test_the_table_as_text() -> None:
    assert GAME.text(GAME.view(table(), 1), 1) == SNAPSHOT


def test_the_text_for_a_spectator_has_no_hand_and_no_agenda() -> None:
    text = GAME.text(GAME.view(table(), None), None)
    assert "hand:" not in text
    assert "agenda" not in text


def picture(state: State, seat: int | None) -> ElementTree.Element:
    return ElementTree.fromstring(GAME.svg(GAME.view(state, seat), seat))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@for_all(st.integers(0, 1 << 32), st.sampled_from(ALL_OPTIONS), st.integers(2, 4), st.integers(0, 90))
def test_every_picture_is_well_formed_and_labelled(seed: int, chosen: dict[str, Any], players: int, moves: int) -> None:
    state, _ = midgame(seed, (greedily,) * players, chosen, moves)
    for seat in (0, None):
        root = picture(state, seat)
        titles = root.findall(f"{SVG}title")
        assert titles[0].text
        assert titles[0].text.startswith(f"Baker's Brawl. Round {state.round}")
        assert root.get("viewBox")
        assert root.get("role") == "img"
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        used = set(re.findall(r"url\(#([^)]+)\)", ElementTree.tostring(root, encoding="unicode")))
        assert used <= set(ids)
        hit = [element.get("data-cell") for element in root.iter() if element.get("data-cell")]
        assert hit == list(cells_of(state.board_size))
        names = [title.text for title in root.iter(f"{SVG}title")]
        for cell in state.board:
            assert any(name and name.startswith(f"{cell}, ") and "labor" in name for name in names)


def zone(root: ElementTree.Element, name: str) -> list[str | None]:
    return [element.get("data-card") for element in root.iter() if element.get("data-zone") == name]


def test_clickable_elements_are_marked() -> None:
    root = picture(table(), 1)
    assert zone(root, "hand") == ["cinnamon", "apple"]
    assert zone(root, "pantry") == ["lemon", "berries"]
    assert zone(root, "basics") == ["flour", "butter", "milk", "eggs", "sugar"]
    assert len(zone(root, "deck")) == 1
    assert [e.get("data-order") for e in root.iter() if e.get("data-order")] == ["O05", "O20", "O33", "O16", "O09"]
    assert zone(picture(table(), None), "hand") == []
    drawn = position(2, phase="keep", drawn=["nuts", "lemon"])
    assert zone(picture(drawn, 0), "drawn") == ["nuts", "lemon"]
    assert zone(picture(drawn, 1), "drawn") == []


def test_the_description_includes_blind_tiles() -> None:
    assert "C4, Nuts, Blueberry, 1 labor, played blind" in description(GAME.view(table(), None))


def test_two_tables_in_one_page_do_not_share_ids() -> None:
    one, two = picture(table(), 0), picture(table(), 1)
    ids = [{element.get("id") for element in root.iter() if element.get("id")} for root in (one, two)]
    assert not ids[0] & ids[1]


def test_a_table_can_be_drawn_before_set_up() -> None:
    """A match exists before its last seat is taken, but the game is not set up."""
    view = GAME.view(GAME.initial, None)
    assert "not set up yet" in GAME.text(view, None)
    assert "not set up yet" in ElementTree.fromstring(GAME.svg(view, 0)).findtext(f"{SVG}title", "")


# -- contrast ---------------------------------------------------------------------------------------------------------


PAPERS = [WOOD, CREAM, PAPER, *SEAT_TINTS, *TINTS.values(), "#fde0cf"]
TEXTS = [
    *((ink, paper) for ink in (INK, SOFT_INK) for paper in PAPERS),
    *(("#fff", colour) for colour in (*SEAT_COLOURS, "#7a3b12", "#3f5d27", "#9a4a2b", "#5a6b2c")),
    ("#fff3dc", "#5a3320"),
    ("#55284d", "#f3e3ef"),
]


@pytest.mark.parametrize(("ink", "paper"), TEXTS)
def test_text_has_aa_contrast(ink: str, paper: str) -> None:
    assert contrast(ink, paper) >= 4.5


def test_rings_and_glow_have_contrast_with_the_board() -> None:
    assert all(contrast(colour, PAPER) >= 3 for colour in (*SEAT_COLOURS, GLOW))
    assert all(a != b for a, b in pairwise(SEAT_COLOURS))


def test_every_ingredient_has_an_icon() -> None:
    assert set(ICONS) == set(INGREDIENTS)
