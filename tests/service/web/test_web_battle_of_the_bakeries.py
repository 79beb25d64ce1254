"""The table of the Battle of the Bakeries: every move by its form, what each reader sees, and the score sheet."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from flask import Flask

from domain.chance import Fast
from domain.games.battle_of_the_bakeries import GAME
from domain.match import SeatWish
from service.services import Services
from service.web.tables import BadForm
from service.web.tables.battle_of_the_bakeries import read
from tests.service.web.visitors import Form, Page, Visitor

SLUG = "battle_of_the_bakeries"
HELD = {"phase": "hire", "step": "flip", "flips_min": 1, "flips_max": 4}
SELLING = {"phase": "sale", "multipliers": [5, 1], "finder": 0}
STALE = {**SELLING, "step": "stale", "sold": [[], [4, 7]]}
CATCHING_UP = {
    "options": {"rounds": 1},
    "phase": "catch_up",
    "multipliers": [2, 6],
    "finder": 1,
    "sold": [[3, 10, 9, 5, 6, 7], [2, 3, 4, 5, 6, 7, 10]],
}


def seated(app: Flask, services: Services, position: dict[str, Any], **options: Any) -> tuple[str, Visitor]:
    """Ann at Union's table in this position, against a bot that does not move by itself."""
    player = services.players.register("Ann")[0]
    wishes = [SeatWish("human", player.id), SeatWish("bot", level="greedy")]
    match = services.matches.create(player.id, SLUG, wishes, options, position=position).match.id
    ann = Visitor(app)
    with ann.client.session_transaction() as session:
        session["player"] = player.id
    return match, ann


def moves(page: Page) -> Form:
    return page.form("/moves")


def press(visitor: Visitor, page: Page, move: str, **fields: str) -> Page:
    """Press the button of this move."""
    assert move in moves(page).buttons["move"], moves(page).buttons
    return visitor.send(moves(page), move=move, **fields)


# -- the form -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "move"),
    [
        ({"move": "go_second"}, {"type": "choose_turn_order", "go": "second"}),
        ({"move": "roll_die"}, {"type": "roll_die"}),
        ({"move": "flip_card", "position": "29"}, {"type": "flip_card", "position": 29}),
        ({"move": "place_cake", "place": "1-12"}, {"type": "place_cake", "case": 1, "slot": 12}),
        ({"move": "place_stale", "place": "1-7"}, {"type": "place_stale", "slot": 7}),
        ({"move": "stop_catch_up", "position": "3"}, {"type": "stop_catch_up"}),
    ],
)
def test_forms_are_read(form: dict[str, str], move: dict[str, Any]) -> None:
    assert read(form) == move
    GAME.read_move(move)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Press the button"),
        ({"move": "win"}, "Press the button"),
        ({"move": "flip_card"}, "Choose a card"),
        ({"move": "flip_card", "position": "3x"}, "Choose a card"),
        ({"move": "flip_card", "position": "-1"}, "Choose a card"),
        ({"move": "flip_card", "position": "٣"}, "Choose a card"),
        ({"move": "place_cake"}, "Choose a slot"),
        ({"move": "place_stale", "place": "0-7-1"}, "Choose a slot"),
    ],
)
def test_what_no_table_has_sent_is_refused(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadForm, match=words):
        read(form)


def offered(form: Form) -> Iterator[dict[str, Any]]:
    """Every move that the form can send."""
    for move in form.buttons["move"]:
        places = {"flip_card": "position", "place_cake": "place", "place_stale": "place"}.get(move)
        for value in form.choices.get(places or "", []) if places else [""]:
            yield read({"move": move, places or "none": value})


def test_the_form_offers_exactly_the_legal_moves_in_every_phase(app: Flask, services: Services) -> None:
    """A whole random match without scripts, both seats by their forms; both sit at one browser."""
    match, chance = both_seats(app, services), Fast("forms")
    ann, met = match[1], set()
    page = ann.open(f"/matches/{match[0]}")
    for _ in range(400):
        head = services.matches.load(match[0])
        if head.status == "over":
            break
        seat = next(iter(head.to_move))
        page = ann.open(f"/matches/{match[0]}?seat={seat}")
        assert page.reader.faults == []
        legal = [plain(move) for move in GAME.legal_moves(head.state, seat)]
        found = [move for move in offered(moves(page)) if is_open(page, move)]
        assert sorted(map(repr, found)) == sorted(map(repr, legal))
        move = chance.pick(legal)
        met.add(move["type"])
        page = ann.send(moves(page), **fields_of(move))
        assert page.status == 200
    assert services.matches.load(match[0]).status == "over"
    assert "Final score" in page.text
    assert {"flip_card", "place_cake", "place_stale", "roll_dice", "roll_die", "declare_hire"} <= met


def both_seats(app: Flask, services: Services) -> tuple[str, Visitor]:
    """Ann at both seats of the shortest match."""
    player = services.players.register("Ann")[0]
    wishes = [SeatWish("human", player.id), SeatWish("human", player.id)]
    options = {"rounds": 1, "hire_turn_limit": 10}
    match = services.matches.create(player.id, SLUG, wishes, options, seed=b"bakers").match.id
    ann = Visitor(app)
    with ann.client.session_transaction() as session:
        session["player"] = player.id
    return match, ann


def plain(move: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(move)
    return found


def is_open(page: Page, move: dict[str, Any]) -> bool:
    """Whether the card's field can be chosen: one that lies face up is shown, but disabled."""
    if move["type"] != "flip_card":
        return True
    field = next(f for f in page.all("input") if f.get("name") == "position" and f["value"] == str(move["position"]))
    return "disabled" not in field


def fields_of(move: dict[str, Any]) -> dict[str, str]:
    """What a person would send for this move."""
    match move:
        case {"type": "choose_turn_order", "go": go}:
            return {"move": f"go_{go}"}
        case {"type": "flip_card", "position": position}:
            return {"move": "flip_card", "position": str(position)}
        case {"type": "place_cake", "case": case, "slot": slot}:
            return {"move": "place_cake", "place": f"{case}-{slot}"}
        case {"type": "place_stale", "slot": slot}:
            return {"move": "place_stale", "place": f"1-{slot}"}
        case _:
            return {"move": move["type"]}
