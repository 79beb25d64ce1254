"""The component data: counts of the house edition (rules, section 12), and errors that name the wrong entry."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.presentation.narration import agenda_text
from domain.games.bakers_brawl.rules.components import (
    AGENDAS,
    CATEGORIES,
    COMPONENTS,
    COMPONENTS_FILE,
    NEEDS,
    ORDERS,
    SPECIALS,
    ComponentsError,
    agendas_in_play,
    load,
    orders_in_play,
    special_cards,
)
from domain.games.bakers_brawl.rules.scoring import agenda_points

NESTED = (
    "O01 in O30, O02 in O24, O02 in O32, O03 in O24, O03 in O29, O04 in O40, O09 in O16, O09 in O38, O12 in O16, "
    "O12 in O40, O18 in O24, O20 in O23, O21 in O24, O25 in O32, O26 in O13, O26 in O15, O26 in O35, O27 in O08, "
    "O34 in O23, O35 in O15"
)


def test_12_1_forty_eight_specials() -> None:
    assert [special_cards().count(kind) for kind in SPECIALS] == [8, 7, 6, 6, 6, 5, 5, 5]


def test_12_2_check_sums() -> None:
    orders = ORDERS.values()
    assert Counter(order.category for order in orders) == dict.fromkeys(CATEGORIES, 8)
    assert Counter(len(order.need) for order in orders) == {3: 12, 4: 15, 5: 9, 6: 4}
    assert (sum(order.top for order in orders), sum(order.bottom for order in orders)) == (122, 141)
    nested = [f"{a} in {b}" for a in ORDERS for b in ORDERS if NEEDS[a] < NEEDS[b]]
    assert nested == NESTED.split(", ")
    on_orders: Counter[str] = Counter(kind for order in orders for kind in order.need)
    assert [on_orders[kind] for kind in COMPONENTS.ingredients] == [26, 19, 17, 18, 22, 9, 10, 8, 9, 7, 6, 6, 8]
    small: Counter[str] = Counter(kind for order_id in orders_in_play(2) for kind in ORDERS[order_id].need)
    assert [small[kind] for kind in COMPONENTS.ingredients] == [15, 12, 11, 10, 13, 4, 3, 5, 5, 5, 4, 4, 5]


def test_s4_s6_large_orders_are_left_out_with_two_players() -> None:
    assert [len(orders_in_play(n)) for n in (2, 3, 4)] == [27, 40, 40]
    assert all(len(ORDERS[order_id].need) <= 4 for order_id in orders_in_play(2))
    assert set(AGENDAS) - set(agendas_in_play(2)) == {"A12"}


def test_12_3_number_of_orders_counted_by_each_agenda() -> None:
    counted = [len(agenda_points(agenda, list(ORDERS))[0]) for agenda in AGENDAS.values()]
    assert counted == [9, 10, 9, 8, 12, 13, 10, 18, 16, 16, 15, 13, 16, 40]


def test_12_3_distinct_categories() -> None:
    agenda = AGENDAS["A14"]
    one_of_each = ["O01", "O09", "O17", "O25", "O33"]
    assert [agenda_points(agenda, one_of_each[:n])[1] for n in range(6)] == [0, 1, 2, 4, 6, 8]
    assert agenda_points(agenda, ["O01", "O02", "O03"])[1] == 1


def test_12_3_the_texts_on_the_cards() -> None:
    expected = [
        "3 points for each Order with chocolate you helped to complete",
        "3 points for each Order with vanilla you helped to complete",
        "3 points for each Order with nuts you helped to complete",
        "4 points for each Order with cinnamon you helped to complete",
        "3 points for each Order with apple or lemon you helped to complete",
        "3 points for each Order with berries or cream cheese you helped to complete",
        "3 points for each Order with both flour and milk you helped to complete",
        "2 points for each Order with eggs you helped to complete",
        "2 points for each cookie or pie Order you helped to complete",
        "2 points for each cake or pastry Order you helped to complete",
        "2 points for each Order with exactly four ingredients you helped to complete",
        "3 points for each Order with five or six ingredients you helped to complete",
        "2 points for each bread or pastry Order you helped to complete",
        "1 / 2 / 4 / 6 / 8 points for helping with 1 / 2 / 3 / 4 / 5 different categories",
    ]
    assert [agenda_text(agenda) for agenda in AGENDAS.values()] == expected


def test_the_digest_depends_on_every_byte_of_the_file() -> None:
    assert GAME.components_digest == COMPONENTS.digest
    assert load(COMPONENTS_FILE.read_bytes() + b"\n").digest != COMPONENTS.digest


def spoiled(part: str, number: int, **change: Any) -> bytes:
    document = json.loads(COMPONENTS_FILE.read_bytes())
    document[part][number].update(change)
    return json.dumps(document).encode()


PER_ORDER = {"kind": "per_order", "points": 3}
FAULTS = [
    (spoiled("ingredients", 0, copies=2), "ingredient flour: copies"),
    (spoiled("ingredients", 5, **{"class": "basic"}), "ingredient chocolate: class"),
    (spoiled("ingredients", 5, copies=0), r"ingredient 6 \(chocolate\): .*copies"),
    (spoiled("ingredients", 5, id="cocoa"), r"ingredient 6 \(cocoa\): .*id"),
    (spoiled("ingredients", 1, name=""), r"ingredient 2 \(butter\): .*name"),
    (spoiled("orders", 4, id="O04"), r"order 5 \(O04\): id"),
    (spoiled("orders", 4, id="O44"), "orders: id: expected O05, found O44"),
    (spoiled("orders", 4, need=["sugar", "eggs", "nuts"]), "order O05: need: name each"),
    (spoiled("orders", 4, need=["eggs", "eggs", "nuts"]), "order O05: need: name each"),
    (spoiled("orders", 4, need=["flour", "sugar", "cinnamon"]), "order O05: need: .* O01"),
    (spoiled("orders", 4, need=["flour", "eggs", "sugar"]), "order O05: need: an Order needs"),
    (spoiled("orders", 4, need=["eggs", "chocolate", "nuts"]), "order O05: need: an Order needs"),
    (spoiled("orders", 4, need=["eggs", "nuts"]), r"order 5 \(O05\): .*need"),
    (spoiled("orders", 4, need=["eggs", "sugar", "salt"]), r"order 5 \(O05\): .*need"),
    (spoiled("orders", 4, top="three"), r"order 5 \(O05\): .*top"),
    (spoiled("orders", 4, copies=2), r"order 5 \(O05\): .*copies"),
    (spoiled("orders", 4, colour="red"), r"order 5 \(O05\): .*colour"),
    (spoiled("agendas", 0, effect={**PER_ORDER, "condition": {}}), "agenda A01: effect.condition"),
    (
        spoiled("agendas", 0, effect={**PER_ORDER, "condition": {"has_any": ["nuts"], "has_all": ["nuts"]}}),
        "agenda A01",
    ),
    (spoiled("agendas", 0, effect={**PER_ORDER, "condition": {"size_between": [5, 4]}}), "agenda A01: .*size_between"),
    (spoiled("agendas", 0, effect={"kind": "per_cube", "points": 1}), r"agenda 1 \(A01\): .*effect"),
    (spoiled("agendas", 13, effect={"kind": "distinct_category", "table": [0, 1]}), r"agenda 14 \(A14\): .*table"),
    (b"{}", "needs exactly"),
    (b"[", "house.json"),
]


@pytest.mark.parametrize(("raw", "named"), FAULTS, ids=[named for _, named in FAULTS])
def test_an_error_names_file_card_and_field(raw: bytes, named: str) -> None:
    with pytest.raises(ComponentsError) as error:
        load(raw, "house.json")
    assert str(error.value).startswith("house.json")
    assert re.search(named, str(error.value))


def test_too_few_cards_for_the_players() -> None:
    document = json.loads(COMPONENTS_FILE.read_bytes())
    for agenda in document["agendas"][1:]:
        agenda["min_players"] = 4
    with pytest.raises(ComponentsError, match="too few agendas for 2 players"):
        load(json.dumps(document).encode())
