"""The table as text and as SVG (rules, section 13)."""

from itertools import product
from typing import Any
from xml.etree import ElementTree

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.presentation.pictures import BADGE, PAINT, PAPER, card, ingredient
from domain.games.take_the_cake.rules.components import CARDS, RECIPES
from domain.games.take_the_cake.rules.model import State
from domain.games.take_the_cake.rules.parts import COLOURS, INGREDIENTS
from domain.kernel.chance import Fast
from domain.kernel.svg import CREAM, INK, WOOD
from tests.domain.games.colour_contrast import contrast
from tests.domain.games.take_the_cake.builders import greedily, play, program, state_of, whole_match

SVG = "{http://www.w3.org/2000/svg}"


def scene(**options: Any) -> State:
    """Return a position with a baker on a token, one next to the Oven, a resigned one, and live and dead Ifs."""
    return state_of(
        {
            "seats": 3,
            "out": [2],
            "round": 6,
            "turn": 14,
            "bakers": {
                "0": {"at": [1, 2], "facing": "N", "collected": ["eggs"], "last": 9},
                "1": {"at": [5, 3], "facing": "E", "collected": ["sugar", "eggs"], "last": 11},
            },
            "hands": {"0": ["if_05", "if_07", "rep2_1", "jump_1", "left_1"]},
        },
        **options,
    )


def drawn(state: State, seat: int | None) -> ElementTree.Element:
    return ElementTree.fromstring(GAME.svg(GAME.view(state, seat), seat))


def having(root: ElementTree.Element, **attributes: str) -> list[ElementTree.Element]:
    """Return the elements with these attributes. Write `data_cell` for `data-cell`."""
    expected = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    return [item for item in root.iter() if all(item.get(name) == value for name, value in expected.items())]


def visible_text(root: ElementTree.Element) -> list[str]:
    return [item.text or "" for item in root.iter(f"{SVG}text")]


AS_TEXT = """\
Round 6 of 100. Waiting for red.
Today's special: Pineapple Upside-Down Cake (cake, fruit, warm). Recipe: Berry Pavlova (eggs, sugar, cream, berries).

      0  1  2  3  4  5  6  7  8  9
  0   .  .  .  .  .  .  .  . su  .
  1   . ## R^ ##  .  . ## ##  .  .
  2  i.  .  .  .  .  .  . i.  .  .
  3   . ##  . ##  .  .  . ## ##  .
  4   .  .  . i. oo oo i.  .  .  .
  5   .  . ## B> oo oo i.  .  .  .
  6   . be ##  .  .  . ## ## ##  .
  7   .  .  .  . i.  .  . cr  .  .
  8   . ## i. ##  .  . ## ## ##  .
  9   .  .  .  .  .  .  .  . i.  .

red (you): 1 of 4 (eggs), at (1,2) facing north; if_05 if_07 rep2_1 jump_1 left_1
blue: 2 of 4 (sugar, eggs), at (5,3) facing east; 5 cards
green: 0 of 4, off the board, resigned; no cards
deck 42, discard pile 0, specials left 17
"""


def test_the_table_as_text() -> None:
    state = scene()
    assert GAME.text(GAME.view(state, 0), 0) == AS_TEXT.replace("no cards", "0 cards")


def test_a_spectator_sees_no_hand() -> None:
    text = GAME.text(GAME.view(scene(), None), None)
    assert "rep2_1" not in text
    assert "(you)" not in text
    assert "rep2_1" in GAME.text(GAME.view(scene(open_hands=True), None), None)


def test_the_placement_as_text() -> None:
    state = GAME.fold(GAME.start(2, {"placement": "agreed", "first_player": 0}, Fast(1)))
    state, _ = play(state, 0, "accept")
    text = GAME.text(GAME.view(state, 1), 1)
    assert text.startswith("Placing the ingredients. Waiting for blue.")
    assert "arrangement dealt at random, accepted by red" in text


def test_the_winner_is_shown() -> None:
    state, _ = play(state_of(), 0, "resign")
    assert "Blue wins" in GAME.text(GAME.view(state, None), None)
    assert "Blue wins." in visible_text(drawn(state, None))


# -- SVG ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("moves", [0, 7, 20, 999])
def test_the_picture_is_well_formed_and_has_a_title(seat: int | None, moves: int) -> None:
    for options in ({}, {"placement": "agreed", "recipe": "rec_12"}, {"open_hands": True}):
        root = drawn(whole_match(moves, (greedily,) * 2, options, moves)[0], seat)
        names = root.get("aria-labelledby", "").split()
        assert root.get("role") == "img"
        assert [item.tag for item in root.iter() if item.get("id") in names] == [f"{SVG}title", f"{SVG}desc"]
        assert all((root.find(f"{SVG}{tag}").text or "") for tag in ("title", "desc"))  # type: ignore[union-attr]


def test_every_tile_can_be_clicked_and_has_a_tooltip() -> None:
    root = drawn(scene(), 0)
    hits = having(root, class_="cell-hit")
    assert [hit.get("data-cell") for hit in hits] == [f"{r},{c}" for r, c in product(range(10), repeat=2)]
    tooltips = {hit.get("data-cell"): hit[0].text for hit in hits}
    assert tooltips["1,2"] == "(1,2): eggs, red facing north, has 1 of 4"
    assert tooltips["1,1"] == "(1,1): a wall"
    assert tooltips["5,4"] == "(5,4): the Oven"
    assert tooltips["0,8"] == "(0,8): sugar"


def test_tokens_bakers_and_ticks() -> None:
    root = drawn(scene(), 0)
    assert {item.get("data-ingredient") for item in having(root, class_="token")} == {
        "eggs",
        "sugar",
        "cream",
        "berries",
    }
    assert [item.get("data-seat") for item in having(root, class_="baker")] == ["0", "1"], "green is off the board"
    assert len(having(root, class_="reminder")) == 1, "the eggs are under red"


def test_only_the_viewers_hand_is_drawn_and_dead_ifs_are_marked() -> None:
    root = drawn(scene(), 0)
    cards = [item for item in root.iter() if item.get("data-card")]
    assert [item.get("data-card") for item in cards] == ["if_05", "if_07", "rep2_1", "jump_1", "left_1"]
    assert [item.get("class") for item in cards] == ["card live", "card dead", "card live", "card live", "card live"]
    assert cards[1][0].text == "If pie (forward 3): does nothing today"
    assert not [item for item in drawn(scene(), None).iter() if item.get("data-card")]
    assert not [item for item in drawn(scene(), 2).iter() if item.get("data-card")]


def test_a_running_program_is_drawn() -> None:
    """Tests the state inside a move, as shown in the replay."""
    state = scene()
    facts = GAME.decide(state, 0, GAME.read_move(program("left_1 if_07")), Fast(0))
    running = GAME.fold(facts[:2], state)
    root = drawn(running, None)
    assert "Red's program" in visible_text(root)
    assert [item.get("data-card") for item in root.iter() if item.get("data-card")] == ["left_1", "if_07"]
    assert [item.get("data-card") for item in drawn(running, 0).iter() if item.get("data-card")] == [
        "left_1", "if_07", "if_05", "rep2_1", "jump_1"
    ]  # fmt: skip
    done = GAME.fold(facts, state)
    assert "Red's program" not in visible_text(drawn(done, None))


def test_the_description_includes_facings() -> None:
    """Section 13 requires this for screen readers."""
    description = drawn(scene(), 0).find(f"{SVG}desc")
    assert description is not None
    assert "Red at (1,2) facing north, has 1 of 4. Blue at (5,3) facing east, has 2 of 4." in (description.text or "")


def test_the_longest_recipe_fits() -> None:
    for recipe, seats in product(RECIPES, (2, 4)):
        state = GAME.fold(GAME.start(seats, {"recipe": recipe}, Fast(1)))
        height = float(drawn(state, 0).get("viewBox", "").split()[3])
        last = max(float(item.get("y", 0)) for item in drawn(state, 0).iter(f"{SVG}text"))
        assert last < height


def test_contrast_of_text() -> None:
    """WCAG AA requires at least 4.5 to 1 for text on its background."""
    pairs = [(INK, WOOD), (INK, CREAM), (INK, PAPER), (INK, "#ece6dd"), (INK, "#f5ecdb")]
    pairs += [(INK, PAINT[colour][1]) for colour in COLOURS]
    pairs += [("#ffffff", badge) for badge in BADGE.values()] + [("#ffffff", "#6a625b"), ("#1f5226", PAPER)]
    assert all(contrast(*pair) >= 4.5 for pair in pairs)


def test_all_cards_and_ingredients_can_be_drawn() -> None:
    faces = {ElementTree.tostring(ElementTree.fromstring(f"<g>{card(name, live=True)}</g>")) for name in CARDS}
    assert len(faces) == 8 + 16, "copies look the same, different cards do not"
    assert len({ingredient(name) for name in INGREDIENTS}) == len(INGREDIENTS)
