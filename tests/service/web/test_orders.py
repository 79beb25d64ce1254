"""Standing orders on the pages, without JavaScript."""

import re

import pytest
from flask import Flask

from domain.kernel.registry import games
from service.bootstrap import Services
from tests.service.web.test_table_requests import mark_cell
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match


def press_button(visitor: Visitor, match: str, what: str, **fields: str) -> Page:
    page = visitor.open(f"/matches/{match}?orders=1")
    form = next(form for form in page.forms("/orders") if what in form.buttons.get("what", ()))
    return visitor.send(form, press=what, **fields)


def follow_orders(services: Services, match: str) -> None:
    services.matches.order_executor.execute(match, services.matches.repository.load(match).ply)


def test_an_ordered_move_is_made_and_only_its_owner_sees_the_order(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    ordered = press_button(bob, match, "add", written='{"type": "mark", "cell": 0}')
    assert "Standing orders (1)" in ordered.text
    assert "Mark the top left cell" in ordered.text
    assert "Standing orders (1)" not in ann.open(f"/matches/{match}").text
    assert "Standing orders" not in Visitor(app).named("Eve").open(f"/matches/{match}").text
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    assert "Your turn" in ann.open(f"/matches/{match}").text
    assert "Made by your standing order." in bob.open(f"/matches/{match}").text
    assert "Made by" not in ann.open(f"/matches/{match}").text


def test_moves_are_suggested_before_your_turn(app: Flask) -> None:
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    page = bob.open(f"/matches/{match}?orders=1")
    form = next(form for form in page.forms("/orders") if "add" in form.buttons.get("what", ()))
    assert len([option for option in page.all("option") if "mark" in option.get("value", "")]) == 9
    assert '"mark"' in bob.send(form, press="add").html.replace("&#34;", '"')


def test_an_illegal_order_is_dropped_with_a_dismissible_notice(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    press_button(bob, match, "add", written='{"type": "mark", "cell": 4}')
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    page = bob.open(f"/matches/{match}")
    assert "These orders were dropped because the move was illegal on your turn" in page.text
    assert "Mark the middle" in page.text
    assert "Dropped" not in press_button(bob, match, "read").text


def test_orders_are_cancelled_one_by_one(app: Flask) -> None:
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    for cell in (0, 1):
        press_button(bob, match, "add", written=f'{{"type": "mark", "cell": {cell}}}')
    remaining = press_button(bob, match, "cancel")
    assert "Standing orders (1)" in remaining.text


def test_forced_moves_are_switched_on_and_off(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    assert "Forced moves are made for you." in press_button(ann, match, "forced").text
    assert "Forced moves are made for you." not in press_button(ann, match, "by_hand").text


@pytest.mark.parametrize("written", ["{", "[]", '{"type": "resign"}', '{"type": "mark", "cell": 99}', '{"type": "x"}'])
def test_an_invalid_order_is_refused(app: Flask, written: str) -> None:
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    page = press_button(bob, match, "add", written=written)
    assert page.status == 422
    assert page.all("div")
    assert "Standing orders (1)" not in page.text


def test_only_the_player_can_give_orders_for_a_seat(app: Flask) -> None:
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    eve = Visitor(app).named("Eve")
    form = next(f for f in bob.open(f"/matches/{match}").forms("/orders"))
    token = eve.open("/name").form("/name").fields["csrf_token"]
    assert eve.post(form, press="forced", csrf_token=token).status_code == 403


@pytest.mark.parametrize("slug", list(games()))
def test_every_game_suggests_moves_to_order(app: Flask, slug: str) -> None:
    ann = Visitor(app).named("Ann")
    fields = {f"seat{n}": "bot:random" for n in range(1, games()[slug].seat_counts[0])}
    match = match_id_of(ann.new_match(slug, seat0="me", **fields))
    page = ann.open(f"/matches/{match}?orders=1")
    assert page.status == 200
    assert page.reader.faults == []
    assert "Add order" in page.html
    offered = re.search(r'<select id="ordered".*?</select>', page.html)
    names = re.findall(r">([^<]+)</option>", offered[0]) if offered else []
    assert len(names) == len(set(names)), "equal cards are offered once"
    assert [name for name in names if re.search(r"_|[{}]|&#3[49];[a-z_]+&#3[49];", name)] == []


def test_an_ordered_card_and_place_are_named_as_on_the_table(app: Flask) -> None:
    match, _, bob = two_player_match(app, game="battle_of_the_bakeries")
    page = press_button(bob, match, "add", written='{"type": "flip_card", "position": 14}')
    assert "Turn over the card in row 3, column 5" in page.text
    match, _, bob = two_player_match(app, game="take_the_cake")
    page = press_button(bob, match, "add", written='{"type": "swap_cards", "cards": ["jump_4", "rep2_1"]}')
    assert "Swap Jump and Repeat x2" in page.text
