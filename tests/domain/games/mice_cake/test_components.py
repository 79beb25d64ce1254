"""The component data (rules, sections 2 and 12), and the error messages for invalid data."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.components import COMPONENTS_FILE, DOMINOES, FLAVOURS, PIPS, ComponentsError, load
from domain.games.mice_cake.rules.parts import PIECES


def test_the_double_six_set() -> None:
    kinds = [domino.kind for domino in DOMINOES.values()]
    assert tuple(DOMINOES) == PIECES
    assert {kind: kinds.count(kind) for kind in kinds} == {"blank": 1, "half": 6, "double": 6, "mixed": 15}
    assert sum(PIPS.values()) == 168
    by_kind = {kind: sum(d.pips for d in DOMINOES.values() if d.kind == kind) for kind in kinds}
    assert by_kind == {"blank": 0, "half": 21, "double": 42, "mixed": 105}


def test_flavour_words() -> None:
    assert DOMINOES["5-6"].words == "cherry-chocolate slice"
    assert DOMINOES["0-0"].words == "the crumb"
    assert DOMINOES["0-3"].words == "carrot with sponge"
    assert len({domino.words for domino in DOMINOES.values()}) == 28
    assert FLAVOURS[6] == "chocolate"


def test_the_digest_matches_the_file() -> None:
    assert load(COMPONENTS_FILE.read_bytes()).digest == GAME.components_digest
    assert len(GAME.components_digest) == 64


Edit = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda d: d["dominoes"][26].update(pips=12), "domino 27 (5-6): pips: expected 11, found 12"),
        (lambda d: d["dominoes"][26].update(pips="11"), "domino 27 (5-6): Expected `int`, got `str` - at `$.pips`"),
        (lambda d: d["dominoes"][7].update(kind="mixed"), "domino 8 (1-1): kind: expected double, found mixed"),
        (lambda d: d["dominoes"][1].update(words=" "), "domino 2 (0-1): words: must not be empty"),
        (lambda d: d["dominoes"][1].update(piece="1-0"), "domino 2 (1-0): Invalid enum value '1-0' - at `$.piece`"),
        (lambda d: d["dominoes"][1].update(colour="red"), "domino 2 (0-1): Object contains unknown field `colour`"),
        (lambda d: d["dominoes"][3].pop("kind"), "domino 4 (0-3): Object missing required field `kind`"),
        (lambda d: d["dominoes"].pop(2), "domino 3 (0-3): piece: expected 0-2"),
        (lambda d: d["dominoes"].pop(), "dominoes: expected 28, found 27"),
        (lambda d: d["dominoes"].append(d["dominoes"][0]), "domino 29 (0-0): piece: expected no more dominoes"),
        (lambda d: d["flavours"][2].update(name=""), "flavour 2: name: must not be empty"),
        (lambda d: d["flavours"][2].update(number=3), "flavour 2: number: expected 2, found 3"),
        (lambda d: d["flavours"][2].pop("name"), "flavour 2: Object missing required field `name`"),
        (lambda d: d["flavours"].pop(), "flavours: expected 7, found 6"),
        (lambda d: d.pop("flavours"), "expected the keys `flavours` and `dominoes`, found dominoes"),
    ],
)
def test_the_error_names_the_wrong_entry(edit: Edit, message: str) -> None:
    document = json.loads(COMPONENTS_FILE.read_text())
    edit(document)
    with pytest.raises(ComponentsError) as wrong:
        load(json.dumps(document).encode())
    assert str(wrong.value).startswith(f"components.json: {message}")


def test_malformed_json_is_refused() -> None:
    with pytest.raises(ComponentsError, match=r"components\.json: JSON is malformed"):
        load(b"{,}")
