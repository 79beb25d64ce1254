"""The component data (rules, sections 2 and 12) and its validation."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.components import (
    CARDS,
    COMPONENTS_FILE,
    FEATURED,
    INGREDIENT_NAMES,
    RECIPES,
    SECTIONS,
    ComponentsError,
    load,
)
from domain.games.take_the_cake.rules.parts import INGREDIENTS


def test_the_52_player_cards_in_canonical_order() -> None:
    kinds = [card.rpartition("_")[0] for card in CARDS]
    assert Counter(kinds) == {
        "fwd": 8, "back": 4, "left": 4, "right": 4, "around": 4, "jump": 4, "rep2": 4, "rep3": 4, "if": 16
    }  # fmt: skip
    assert len(CARDS) == 52
    assert list(CARDS)[:9] == [*(f"fwd_{n}" for n in range(1, 9)), "back_1"]
    assert list(CARDS)[-17:-15] == ["rep3_4", "if_01"]
    assert [CARDS[card].factor for card in ("rep2_3", "rep3_1", "fwd_1")] == [2, 3, 0]


def test_12_4_the_16_if_cards() -> None:
    letters = {"forward": "F", "backward": "B", "left": "L", "right": "R", "around": "U", "jump": "J"}
    faces = [CARDS[f"if_{n:02}"] for n in range(1, 17)]
    assert [f"{face.tag} {''.join(letters[command] for command in face.commands)}" for face in faces] == [
        "warm FF", "warm LF", "cold FF", "cold RF", "cake FFF", "cake JF", "pie FFF", "pie JJ", "bread FFF",
        "bread BBB", "fruit LFF", "fruit FJ", "chocolate RFF", "chocolate FLF", "nut UFF", "nut FRF",
    ]  # fmt: skip


def test_12_4_six_if_cards_are_live_on_average() -> None:
    live = [sum(face.tag in item.tags for face in CARDS.values()) for item in FEATURED.values()]
    assert sum(live) / len(live) == 6


def test_12_3_every_combination_of_tags_appears_once() -> None:
    every = set(product(("cake", "pie", "bread"), ("fruit", "chocolate", "nut"), ("warm", "cold")))
    assert {item.tags for item in FEATURED.values()} == every
    assert len(FEATURED) == 18


def test_12_2_recipes() -> None:
    uses = Counter(name for recipe in RECIPES.values() for name in recipe.ingredients)
    assert [uses[name] for name in INGREDIENTS] == [9, 8, 10, 6, 4, 6, 5, 4, 5, 3]
    assert [len(recipe.ingredients) for recipe in RECIPES.values()] == [4] * 4 + [5] * 4 + [6] * 4
    assert list(INGREDIENT_NAMES) == list(INGREDIENTS)


def test_the_digest_matches_the_file() -> None:
    assert load(COMPONENTS_FILE.read_bytes()).digest == GAME.components_digest
    assert len(GAME.components_digest) == 64
    assert list(SECTIONS) == [f"Q{n}" for n in range(1, 9)]


Edit = Callable[[dict[str, Any]], object]


def tiles(n: int, row: int, marks: str) -> Edit:
    """Return an edit that replaces a row of section n."""
    return lambda d: d["sections"][n]["tiles"].__setitem__(row, marks)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (tiles(0, 0, "...."), "section 1 (Q1): tiles: must be five rows of five characters"),
        (tiles(0, 0, "..x.."), "section 1 (Q1): tiles: must be five rows of five characters"),
        (tiles(1, 0, "i..i."), "section 2 (Q2): tiles: the four corners must be blank"),
        (tiles(1, 0, ".#.i."), "section 2 (Q2): tiles: the tiles next to the corners must be open"),
        (tiles(2, 2, "...#i"), "section 3 (Q3): tiles: a baker on [1, 4] would cut the section in two"),
        (tiles(2, 4, "..i.."), "section 3 (Q3): tiles: has 4 ingredient tiles, but needs 3"),
        (lambda d: d["sections"][3].pop("name"), "section 4 (Q4): Object missing required field `name`"),
        (lambda d: d["sections"][3].update(id="Q3"), "sections: Q3 is listed twice"),
        (lambda d: d.update(sections=d["sections"][:3]), "sections: 3 listed, but a board needs 4"),
        (lambda d: d["ingredients"][2].update(name=" "), "ingredient 3 (eggs): name: is empty"),
        (lambda d: d["ingredients"][2].update(id="egg"), "ingredient 3 (egg): Invalid enum value 'egg' - at `$.id`"),
        (lambda d: d["ingredients"].pop(), "ingredients: must be"),
        (
            lambda d: d["recipes"][4]["ingredients"].append("eggs"),
            "recipe 5 (rec_05): ingredients: one is listed twice",
        ),
        (lambda d: d["recipes"][4].update(ingredients=[]), "recipe 5 (rec_05): ingredients: has 0 of them"),
        (lambda d: d["recipes"][4].update(ingredients=["salt"]), "recipe 5 (rec_05): Invalid enum value 'salt'"),
        (lambda d: d["recipes"].reverse(), "recipes: must be"),
        (lambda d: d["featured"][7].update(family="soup"), "featured 8 (feat_08): Invalid enum value 'soup'"),
        (lambda d: d["featured"][7].update(serving="warm"), "featured: two items have the same tags"),
        (lambda d: d["featured"][7].update(id="feat_07"), "featured: feat_07 is listed twice"),
        (lambda d: d.update(featured=d["featured"][:1]), "featured: 1 listed, but at least 2 are needed"),
        (lambda d: d["kinds"][0].update(copies=0), "kind 1 (fwd): copies: is 0"),
        (lambda d: d["kinds"][0].update(copies="8"), "kind 1 (fwd): Expected `int`, got `str` - at `$.copies`"),
        (lambda d: d["kinds"][0].update(factor=2), "kind 1 (fwd): needs either a command or a factor"),
        (lambda d: d["kinds"][6].update(factor=1), "kind 7 (rep2): factor: is 1"),
        (lambda d: d["kinds"][6].update(kind="rep3"), "kinds: rep3 is listed twice"),
        (lambda d: d.update(kinds=d["kinds"][:2], ifs=d["ifs"][:4]), "16 player cards, but four hands and a refill"),
        (lambda d: d["ifs"][4]["commands"].append("jump"), "if 5 (if_05): commands: has 4 of them"),
        (lambda d: d["ifs"][4].update(tag="hot"), "if 5 (if_05): Invalid enum value 'hot' - at `$.tag`"),
        (lambda d: d["ifs"][4].update(colour="red"), "if 5 (if_05): Object contains unknown field `colour`"),
        (lambda d: d.pop("ifs"), "needs exactly sections, ingredients, recipes, featured, kinds, ifs, but has"),
    ],
)  # fmt: skip
def test_the_error_names_the_invalid_entry(edit: Edit, message: str) -> None:
    document = json.loads(COMPONENTS_FILE.read_text())
    edit(document)
    with pytest.raises(ComponentsError) as error:
        load(json.dumps(document).encode())
    assert str(error.value).startswith(f"components.json: {message}")


def test_malformed_json_is_reported() -> None:
    with pytest.raises(ComponentsError, match=r"components\.json: JSON is malformed"):
        load(b"{,}")
