"""Tests of all pictures: every card has its own, and all follow the same rules for drawing."""

import gzip
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from domain.games.pie_contest.presentation.card_pictures import picture_name as pie_picture
from domain.games.pie_contest.rules.components import NAMES as PIE_NAMES
from domain.kernel.drawing import avatar_of
from domain.kernel.drawing.avatars import AVATARS, BAKES, SAME_FOOD, TOOLS
from domain.kernel.drawing.icons import ICONS
from domain.kernel.drawing.materials import KINDS, PALETTE, SEAT_FILLS, SEAT_INKS, TOKENS
from domain.kernel.drawing.shapes import Solid, flat, solid, symbol
from service.accounts.guest_names import NAME_NOUNS
from tools import pictures

ROOT = Path(__file__).parents[1]
TOKENS_FILE = ROOT / "service" / "web" / "static" / "tokens.css"
GAMES = ("bakers_brawl", "battle_of_the_bakeries", "pie_contest", "take_the_cake")
COLOUR = re.compile(r'(?:fill|stroke|stop-color|color)="([^"]+)"')
PACKED_BYTES = 80_000
SVG = "{http://www.w3.org/2000/svg}"


@cache
def sprite(name: str) -> str:
    return pictures.sprites()[name]


def elements(symbols: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>').iter())


def component_names(game: str) -> list[str]:
    """Return the names of all cards in the component file of a game, each once."""
    document = msgspec.json.decode((ROOT / "domain" / "games" / game / "rules" / "components.json").read_bytes())
    match game:
        case "pie_contest":
            parts = (*document["ingredients"], *document["actions"], *document["achievements"])
            return [card["name"] for card in parts]
        case "bakers_brawl":
            return [card["name"] for part in ("ingredients", "orders", "agendas") for card in document[part]]
        case "battle_of_the_bakeries":
            names = [card["name"] for part in ("cards", "cakes") for card in document[part]]
            return [*dict.fromkeys(names), document["stale"]["name"]]
    kinds = [card["name"] for part in ("ingredients", "kinds") for card in document[part]]
    recipes = [f"Recipe: {card['name']}" for card in document["recipes"]]
    return [*kinds, *recipes, *(f"Special: {card['name']}" for card in document["featured"])]


# -- cards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_every_card_has_a_picture_of_its_own(game: str) -> None:
    drawings = import_module(f"domain.games.{game}.presentation.card_pictures").PICTURES
    cards = import_module(f"domain.games.{game}.presentation.card_pictures").card_pictures()
    assert set(component_names(game)) <= set(cards)
    assert not [name for name, used in cards.items() if used not in drawings]
    drawn = Counter(drawings[used] for used in cards.values())
    assert not [name for name, used in cards.items() if drawn[drawings[used]] > 1]


def test_no_ingredient_looks_like_another() -> None:
    names = {name: card for card, name in PIE_NAMES.items()}
    assert pie_picture(names["Chicken"]) == "chicken"
    assert pie_picture(names["Potato"]) == "potato"
    assert pie_picture(names["Peach"]) == "peach"


def test_a_card_that_is_not_drawn_yet_has_a_picture_of_its_flavour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PIE_NAMES, 24, "Quince")
    pie_picture.cache_clear()
    try:
        assert pie_picture(24) == "apple"
    finally:
        monkeypatch.undo()
        pie_picture.cache_clear()
    assert pie_picture(24) == "pear"


# -- the rules for drawing ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", pictures.sprites())
def test_ids_are_unique_and_every_reference_is_inside_the_sprite(name: str) -> None:
    ids = Counter(one.get("id") for one in elements(sprite(name)) if one.get("id"))
    assert not [one for one, count in ids.items() if count > 1]
    assert set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', sprite(name))) <= {(one, "") for one in ids} | {
        ("", one) for one in ids
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", pictures.sprites())
def test_a_picture_has_no_gradient_filter_text_style_or_script(name: str) -> None:
    allowed = {"svg", "symbol", "g", "path", "circle", "ellipse", "rect", "clipPath", "line", "use"}
    assert {one.tag.removeprefix(SVG) for one in elements(sprite(name))} <= allowed
    assert not re.search(r'style=|class=|\son\w+=|href="(?!#)', sprite(name))


@pytest.mark.parametrize("name", ["kernel", *GAMES])
def test_pictures_use_the_palette_only(name: str) -> None:
    assert set(COLOUR.findall(sprite(name))) <= PALETTE | {"none", "currentColor"}


def test_materials_with_the_name_of_a_token_have_its_colours() -> None:
    light = TOKENS_FILE.read_text(encoding="utf-8").split("}")[0]
    tokens = dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", light))
    for name, material in TOKENS.items():
        assert (tokens[name], tokens[f"{name}-light"], tokens[f"{name}-dark"]) == material
    assert tuple(tokens[f"seat-{n}"] for n in range(1, 9)) == SEAT_FILLS
    assert tuple(tokens[f"seat-{n}-on"] for n in range(1, 9)) == SEAT_INKS
    assert {name: tokens[f"kind-{name}"] for name in KINDS} == KINDS


def test_a_body_has_its_material_two_crescents_inside_it_and_an_outline() -> None:
    body = solid("M4 4h40v40H4z", TOKENS["dough"], 3)
    drawn = elements(symbol("loaf", (body,)))
    clip = next(one for one in drawn if one.tag == f"{SVG}clipPath")
    inside = next(one for one in drawn if one.get("clip-path"))
    assert inside.get("clip-path") == f"url(#{clip.get('id')})"
    base, light, dark = TOKENS["dough"]
    assert [one.get("fill") or one.get("stroke") for one in inside] == [base, light, dark]
    assert [one.get("transform") for one in inside] == [None, "translate(1.5 1.5)", "translate(-1.8 -1.8)"]
    assert [one.get("stroke-width") for one in drawn][-1] == "1.7"


def test_a_flat_drawing_has_no_ids_so_that_a_page_can_hold_it_many_times() -> None:
    for drawing in AVATARS.values():
        assert "id=" not in flat(drawing)
        assert flat(drawing).count("<path") >= sum(isinstance(shape, Solid) for shape in drawing)


@pytest.mark.slow
def test_all_sprites_together_have_at_most_80_kilobytes_packed() -> None:
    packed = {name: len(gzip.compress(symbols.encode(), mtime=0)) for name, symbols in pictures.sprites().items()}
    print(packed)
    assert sum(packed.values()) <= PACKED_BYTES


# -- avatars ----------------------------------------------------------------------------------------------------------


def test_every_noun_of_a_random_name_has_its_bake() -> None:
    chosen = {noun: avatar_of(f"Crispy Orchard {noun}") for noun in NAME_NOUNS}
    for noun, avatar in chosen.items():
        assert avatar == f"avatar-{SAME_FOOD.get(noun.lower(), noun.lower())}"
        assert avatar.removeprefix("avatar-") in BAKES
    assert len(set(chosen.values())) == len(NAME_NOUNS) - len(SAME_FOOD) == 48


def test_no_two_avatars_are_the_same_drawing() -> None:
    assert len(set(AVATARS.values())) == len(AVATARS)


@pytest.mark.parametrize("name", ["Ann", "Zoë", "李雷", "x", "", "Muffinman", "Cookiemonster 2000"])
def test_any_other_name_gets_a_tool_and_always_the_same(name: str) -> None:
    assert avatar_of(name).removeprefix("avatar-") in TOOLS
    assert avatar_of(name) == avatar_of(name)


def test_bots_get_the_robot_baker_and_the_last_bake_in_a_name_decides() -> None:
    assert avatar_of("Greedy bot") == avatar_of("Random Bot") == "avatar-robot"
    assert avatar_of("Waffle Muffin") == "avatar-muffin"
    assert avatar_of("BAGEL bot") == "avatar-bagel"


# -- contact sheets -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_contact_sheets_show_what_pages_use() -> None:
    """If this fails: `python -m tools.pictures`."""
    for path, content in pictures.files().items():
        assert path.read_text(encoding="utf-8") == content, path.name
    assert {path.name for path in pictures.FOLDER.iterdir()} == {f"{name}.svg" for name in pictures.sprites()}


@pytest.mark.slow
@pytest.mark.parametrize("name", pictures.sprites())
def test_a_contact_sheet_shows_every_picture_at_48_and_28_pixels(name: str) -> None:
    uses = [one for one in elements(pictures.sheet(name, sprite(name))) if one.tag == f"{SVG}use"]
    shown = Counter((one.get("href", "").removeprefix("#"), one.get("width")) for one in uses)
    for one in pictures.SYMBOL.findall(sprite(name)):
        assert shown[one, "48"] == shown[one, "28"] == 1


def test_icons_are_drawn_in_the_colour_of_the_text() -> None:
    drawn = sprite("kernel")
    for name in ICONS:
        icon = re.search(f'<symbol id="icon-{name}".*?</symbol>', drawn)
        assert icon
        assert set(COLOUR.findall(icon[0])) <= {"currentColor", "none"}
