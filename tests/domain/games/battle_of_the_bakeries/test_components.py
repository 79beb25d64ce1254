"""The component data (sections 2 and 12): contents and validation."""

from typing import Any

import msgspec
import pytest

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.components import (
    COMPONENTS,
    COMPONENTS_FILE,
    FACTORS,
    PRICES,
    ComponentsError,
    load,
)

RAW = COMPONENTS_FILE.read_bytes()


def changed(section: str, entry: int, **fields: Any) -> bytes:
    document = msgspec.json.decode(RAW)
    row = document[section][entry] if isinstance(document[section], list) else document[section]
    row.update(fields)
    return msgspec.json.encode(document)


def test_2_1_thirty_chef_cards() -> None:
    effects = [card.effect for card in COMPONENTS.cards]
    assert {effect: effects.count(effect) for effect in effects} == {
        "chef": 5, "hat": 5, "apron": 5, "oven": 5, "batter": 5, "wild": 5,
    }  # fmt: skip
    assert not any(6 in card.sets for card in COMPONENTS.cards if card.effect == "wild")


def test_2_2_seventy_eight_cakes() -> None:
    assert sum(cake.copies for cake in COMPONENTS.cakes) == 78
    assert sum(cake.copies * cake.price for cake in COMPONENTS.cakes) == 10650
    assert sorted(set(PRICES.values())) == [50, 75, 125, 200, 350, 500]


def test_2_3_and_2_4_slots_and_stale_cards() -> None:
    assert [FACTORS[slot] for slot in range(2, 13)] == [13, 8, 5, 3, 2, 1, 2, 3, 5, 8, 13]
    assert (COMPONENTS.stale.copies, COMPONENTS.stale.percent) == (30, 20)
    assert GAME.seat_names(2) == ("Union Yummies", "Confederate Concoctions")


def test_section_8_no_price_needs_rounding() -> None:
    assert not any(price % 25 for price in PRICES.values())


def test_the_digest_covers_the_file() -> None:
    assert len(GAME.components_digest) == 64
    assert load(RAW).digest == GAME.components_digest
    assert load(changed("cakes", 0, price=525)).digest != GAME.components_digest


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"{", "data.json"),
        (b'{"cards": []}', "needs exactly bakeries, slots, sets, cards, cakes, stale"),
        (changed("cards", 6, card="hat_2"), r"cards 7 \(hat_3\): card"),
        (changed("cards", 6, effect="oven"), "card hat_3: effect: is oven"),
        (changed("cards", 25, sets=[2, 4]), "card wild_23_a: sets"),
        (changed("cards", 6, name=" "), r"cards 7 \(hat_3\):.*name"),
        (changed("cards", 6, colour="red"), r"cards 7 \(hat_3\):.*colour"),
        (changed("cakes", 1, price=0), r"cakes 2 \(boston_cream_pie\):.*price"),
        (changed("cakes", 1, price="350"), r"cakes 2 \(boston_cream_pie\):.*price"),
        (changed("slots", 0, slot=3), r"slots 1 \(2\): slot: is 3"),
        (changed("sets", 4, multiplier=7), r"sets 5 \(6\): multiplier: is 7"),
        (changed("bakeries", 0, bakery="confederate"), r"bakeries 1 \(union\): bakery"),
        (changed("stale", 0, percent=25), "stale:.*percent"),
    ],
)
def test_the_error_names_the_invalid_entry(raw: bytes, words: str) -> None:
    with pytest.raises(ComponentsError, match=words) as wrong:
        load(raw, "data.json")
    assert str(wrong.value).startswith("data.json")


def test_too_few_cakes_are_refused() -> None:
    document = msgspec.json.decode(RAW)
    for cake in document["cakes"]:
        cake["copies"] = 1
    with pytest.raises(ComponentsError, match="cannot fill both cases"):
        load(msgspec.json.encode(document))
