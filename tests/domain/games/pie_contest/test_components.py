"""Tests of the card data: numbers of the house edition (rules, sections 2 and 12), and error messages."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from domain.games.pie_contest import GAME
from domain.games.pie_contest.presentation.card_text import (
    CONDITION_TEXTS,
    OP_TEXTS,
    TERM_TEXTS,
    condition_text,
    face_text,
    reward_text,
)
from domain.games.pie_contest.rules.achievements import BAKE_CONDITIONS, COUNTED_DEEDS, STATE_CONDITIONS
from domain.games.pie_contest.rules.card_language import CONDITIONS, OPS, TERMS
from domain.games.pie_contest.rules.components import (
    ACHIEVEMENTS,
    ACTIONS,
    COMPONENTS,
    COMPONENTS_FILE,
    FACES,
    INGREDIENTS,
    NAMES,
    PANTRY_CARDS,
    PILE_CARDS,
    Action,
    ComponentsError,
    Ingredient,
    load,
    matches_filter,
)
from domain.games.pie_contest.rules.interpreter import OPS as INTERPRETED


def test_section_2_number_of_cards() -> None:
    assert len(NAMES) == 221
    assert (range(1, 182), range(182, 222)) == (PANTRY_CARDS, PILE_CARDS)
    ingredients = [card for card in PANTRY_CARDS if card in INGREDIENTS]
    actions = [card for card in PANTRY_CARDS if card in ACTIONS]
    assert (ingredients, actions) == (list(range(1, 129)), list(range(129, 182)))
    assert len({NAMES[card] for card in ingredients}) == 42
    assert len({NAMES[card] for card in actions}) == 20
    turning = Counter(type(achievement.becomes) for achievement in ACHIEVEMENTS.values())
    assert turning == {type(None): 31, Ingredient: 5, Action: 4}


def test_section_2_ingredients_by_flavour() -> None:
    flavours = Counter(INGREDIENTS[card].flavour for card in PANTRY_CARDS if card in INGREDIENTS)
    assert flavours == {
        "fruit": 30, "salt": 18, "sweet": 17, "cream": 16, "savory": 14, "nut": 11, "spice": 11, "crust": 11,
    }  # fmt: skip


def test_section_12_6_number_of_cards_that_bake() -> None:
    def bakes(face: Ingredient | Action) -> bool:
        return any(call.name == "bake" for call in (face.do if isinstance(face, Action) else face.on_play))

    assert sum(bakes(FACES[card]) for card in PANTRY_CARDS) == 17
    assert sum(call.name == "bake" for card in ACHIEVEMENTS.values() for call in card.reward) == 2


def test_12_1_filters() -> None:
    lemon, table_salt, bake = 41, 1, 129
    assert all(matches_filter(lemon, name) for name in ("card", "any", "ingredient", "fruit", "citrus", "!salt"))
    assert not any(matches_filter(lemon, name) for name in ("action", "berry", "!fruit", "!citrus"))
    assert matches_filter(table_salt, "salt")
    assert not matches_filter(table_salt, "!salt")
    assert [name for name in ("card", "action", "any", "!salt") if matches_filter(bake, name)] == [
        "card",
        "action",
    ]
    orchard_keeper, hoarder, fruit_basket = 184, 201, 182
    assert matches_filter(orchard_keeper, "orchard"), "a turned card has its new type"
    assert matches_filter(hoarder, "action")
    assert not matches_filter(fruit_basket, "card"), "an Achievement that does not turn is neither"


def test_every_word_of_the_vocabulary_has_an_effect_and_a_text() -> None:
    internal = {"baked_effects", "end_check", "search_keep", "become"}
    assert set(INTERPRETED) == set(OPS) | internal
    assert set(CONDITIONS) == {*STATE_CONDITIONS, *BAKE_CONDITIONS, *COUNTED_DEEDS, "dive"}
    assert set(OP_TEXTS) == set(OPS)
    assert set(TERM_TEXTS) == set(TERMS)
    assert set(CONDITION_TEXTS) == set(CONDITIONS)


def test_every_word_of_the_vocabulary_is_used() -> None:
    written = COMPONENTS_FILE.read_text()
    unused = [name for name in (*OPS, *TERMS, *CONDITIONS) if f'"{name}(' not in written]
    assert unused == []


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        (19, "+1 for each other orchard here"),
        (30, "+2 with sweet here"),
        (53, "−2 without crust"),
        (125, "When Baked: +4 in a Kitchen of 5 or more"),
        (121, "When Baked: +1 per different flavour here"),
        (41, "Each other cream here +1"),
        (14, "Others cannot touch this"),
        (69, "Your Pies go stale by 2 less"),
        (38, "When Baked: Put a fruit from the Trash into your Kitchen"),
        (63, "When played: Draw 3"),
        (141, "Bake a Pie; Draw 2"),
        (149, "Steal an Ingredient (anything but salt)"),
        (172, "Another baker's Pie: −3"),
        (201, "Swap an Ingredient; Play 1 more card"),
        (24, "No ability"),
    ],
)
def test_12_5_face_texts(card: int, expected: str) -> None:
    assert face_text(card) == expected


def test_12_5_achievement_texts() -> None:
    assert (condition_text(182), reward_text(182)) == ("3 fruit in your Kitchen", "Draw 2")
    assert reward_text(189) == "Becomes an Ingredient: sweet / chocolate, worth 3"
    assert reward_text(208) == "Becomes an Action: A Pie of yours: +4"
    assert all(condition_text(card) and reward_text(card) for card in ACHIEVEMENTS)
    assert all(face_text(card) for card in FACES)


def test_the_digest_depends_on_every_byte() -> None:
    assert GAME.components_digest == COMPONENTS.digest
    assert load(COMPONENTS_FILE.read_bytes() + b"\n").digest != COMPONENTS.digest


def test_a_card_can_be_added_as_a_line_of_data() -> None:
    """A new Action loads once the ids of the Achievements and the counts are adjusted."""
    document = json.loads(COMPONENTS_FILE.read_bytes())
    document["actions"].append(
        {"id": 182, "copies": 1, "name": "Feast", "do": ["draw(self, 5)", "pie(all_others, -1)"]}
    )
    document["counts"]["actions"] = 54
    for line in document["achievements"]:
        line["id"] += 1
    components = load(json.dumps(document).encode())
    assert components.names[182] == "Feast"
    face = components.faces[182]
    assert isinstance(face, Action)
    assert [str(call) for call in face.do] == ["draw(self, 5)", "pie(all_others, -1)"]
    assert components.names[222] == "Busy Baker"


def spoiled(section: str, number: int, **change: Any) -> bytes:
    document = json.loads(COMPONENTS_FILE.read_bytes())
    document[section][number].update(change)
    return json.dumps(document).encode()


def without(section: str, number: int) -> bytes:
    document = json.loads(COMPONENTS_FILE.read_bytes())
    del document[section][number]
    return json.dumps(document).encode()


def with_part(**change: Any) -> bytes:
    return json.dumps({**json.loads(COMPONENTS_FILE.read_bytes()), **change}).encode()


COUNTS = {"ingredients": 128, "actions": 53, "achievements": 40}
FAULTS = [
    (spoiled("ingredients", 0, copies=8), "ingredients: copies: add up to 127, but counts has 128"),
    (with_part(counts={**COUNTS, "actions": 54}), "actions: copies: add up to 53, but counts has 54"),
    (with_part(counts={**COUNTS, "actions": "many"}), "counts: .*actions"),
    (without("achievements", 3), "achievements: copies: add up to 39"),
    (spoiled("ingredients", 1, id=11), r"card 11 \(Sea Salt\): id: must be 10"),
    (spoiled("ingredients", 1, name="Table Salt"), r"card 10 \(Table Salt\): name: is used twice"),
    (spoiled("ingredients", 1, name=" "), r"ingredients: 2 \( \): .*name"),
    (spoiled("ingredients", 1, flavour="umami"), r"card 10 \(Sea Salt\): flavour: there is no umami"),
    (spoiled("ingredients", 1, sub="lake"), r"card 10 \(Sea Salt\): sub: there is no lake"),
    (spoiled("ingredients", 1, worth="two"), r"ingredients: 2 \(Sea Salt\): .*worth"),
    (spoiled("ingredients", 1, colour="blue"), r"ingredients: 2 \(Sea Salt\): .*colour"),
    (spoiled("ingredients", 1, always=["if_any(sweat, 2)"]), r"card 10 \(Sea Salt\): always: .*'sweat' is not"),
    (spoiled("ingredients", 1, always=["if_any(sweet)"]), r"card 10 \(Sea Salt\): always: .*takes 2 arguments, not 1"),
    (spoiled("ingredients", 1, always=["draw(self, 1)"]), r"card 10 \(Sea Salt\): always: .*there is no draw"),
    (spoiled("ingredients", 1, always=["if_size(6, 1)"]), r"card 10 \(Sea Salt\): always: .*6 is not"),
    (spoiled("ingredients", 1, baked=["per(sweet, 0)"]), r"card 10 \(Sea Salt\): baked: .*0 is not"),
    (spoiled("ingredients", 1, on_play=["per(sweet, 1)"]), r"card 10 \(Sea Salt\): on_play: .*there is no per"),
    (spoiled("ingredients", 1, on_bake=["draw self 1"]), r"card 10 \(Sea Salt\): on_bake: .*is not an effect"),
    (spoiled("ingredients", 1, on_play=["forage()"] * 3), r"ingredients: 2 \(Sea Salt\): .*on_play"),
    (spoiled("ingredients", 1, flags=["sharp"]), r"ingredients: 2 \(Sea Salt\): .*flags"),
    (spoiled("ingredients", 1, flags=["guard", "guard"]), r"card 10 \(Sea Salt\): flags: has the same flag twice"),
    (spoiled("ingredients", 1, flags=["fresh:2", "fresh:1"]), r"card 10 \(Sea Salt\): flags"),
    (spoiled("actions", 0, do=[]), r"actions: 1 \(Bake\): .*do"),
    (spoiled("actions", 0, do=["bake(others)"]), r"card 129 \(Bake\): do: .*'others' is not self or may or all"),
    (spoiled("actions", 0, do=["bake(self, 2)"]), r"card 129 \(Bake\): do: .*takes 1 arguments, not 2"),
    (spoiled("actions", 0, do=["draw(self, -1)"]), r"card 129 \(Bake\): do: .*-1 is not a number of 1 or more"),
    (spoiled("actions", 0, do=["steal_ing(action)"]), r"card 129 \(Bake\): do: .*'action' is not"),
    (spoiled("achievements", 0, condition="kitchen(fruit)"), r"card 182 \(Fruit Basket\): condition"),
    (spoiled("achievements", 0, condition="weather(fine)"), r"card 182 \(Fruit Basket\): condition: .*no weather"),
    (spoiled("achievements", 0, reward=[]), r"card 182 \(Fruit Basket\): reward: must have either"),
    (spoiled("achievements", 0, becomes={"do": ["forage()"]}), r"card 182 \(Fruit Basket\): reward: must have either"),
    (spoiled("achievements", 2, becomes={"worth": 3}), r"card 184 \(Orchard Keeper\): becomes: an Ingredient needs"),
    (spoiled("achievements", 2, becomes={"do": ["swap()"], "worth": 3}), r"card 184 \(Orchard Keeper\): becomes: do"),
    (spoiled("achievements", 2, becomes={"flavour": "x", "worth": 3}), r"card 184 .*flavour: there is no x"),
    (with_part(flavours=["salt", "fruit", "any"]), "flavours, subflavours: any is used twice"),
    (with_part(flavours=["sugar"]), "flavours: salt is missing"),
    (with_part(ingredients={}), "ingredients: must be a list of cards"),
    (with_part(ingredients=["salt"]), "ingredients: 1"),
    (b"{}", "must have exactly flavours"),
    (b"[", "house.json"),
]


@pytest.mark.parametrize(("raw", "named"), FAULTS, ids=[named for _, named in FAULTS])
def test_errors_name_file_card_and_field(raw: bytes, named: str) -> None:
    with pytest.raises(ComponentsError) as error:
        load(raw, "house.json")
    assert str(error.value).startswith("house.json: ")
    assert re.search(named, str(error.value)), str(error.value)
