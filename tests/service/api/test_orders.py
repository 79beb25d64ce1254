"""Standing orders in the API: set, visible only to their seat, executed, dropped and cancelled."""

import json
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.bootstrap import Services
from tests.service.api.builders import Person, anonymous, assert_problem, mark_cell, new_match, register, started_match

CORNER, EDGE, CENTRE = ({"type": "mark", "cell": cell} for cell in (0, 1, 4))


def put_orders(person: Person, match: str, *moves: Any, forced: bool = False, **headers: str) -> TestResponse:
    body = {"forced": forced, "moves": list(moves)}
    return person.send(
        "PUT", f"/matches/{match}/orders", encoded(body), {"Content-Type": "application/json", **headers}
    )


def encoded(body: Any) -> bytes:
    return json.dumps(body).encode()


def get_orders(person: Person, match: str) -> dict[str, Any]:
    return dict(person.get(f"/matches/{match}/orders").json)


def follow_orders(services: Services, match: str) -> None:
    """Execute standing orders, as the worker's job does."""
    services.matches.order_executor.execute(match, services.matches.repository.load(match).ply)


def last_event(person: Person, match: str) -> dict[str, Any]:
    return dict(person.get(f"/matches/{match}/events").json["events"][-1])


def test_orders_are_set_shown_and_cancelled(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    assert get_orders(ann, match) == {"seat": 0, "revision": 0, "forced": False, "moves": [], "dropped": []}
    answer = put_orders(ann, match, CENTRE, CORNER, forced=True)
    assert answer.status_code == 200, answer.text
    assert [order["move"] for order in answer.json["moves"]] == [CENTRE, CORNER]
    assert answer.headers["ETag"] == f'"{answer.json["revision"]}"'
    assert get_orders(ann, match) == answer.json
    gone = ann.send("DELETE", f"/matches/{match}/orders")
    assert (gone.json["forced"], gone.json["moves"]) == (False, [])


def test_an_order_is_executed_once_and_only_its_seat_sees_it_as_the_cause(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    order = put_orders(bob, match, CORNER).json["moves"][0]["id"]
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    event = last_event(bob, match)
    assert (event["kind"], event["seat"], event["cause"]) == ("moved", 1, {"order": order, "kind": "move"})
    for other in (ann, anonymous(app), register(app, "Eve")):
        assert "cause" not in last_event(other, match)
    follow_orders(services, match)
    assert get_orders(bob, match)["moves"] == []
    ann.post(f"/matches/{match}/moves", {"type": "resign"})
    shown = [event for event in anonymous(app).get(f"/matches/{match}/events").json["events"] if "cause" in event]
    assert [event["cause"]["order"] for event in shown] == [order], "at the end everyone sees it"
    verdict = anonymous(app).send(
        "POST", "/replays/verify", ann.get(f"/matches/{match}/replay").data, {"Content-Type": "application/x-ndjson"}
    )
    assert verdict.json["verdict"] == "verified", verdict.text


def test_the_first_legal_order_is_executed_and_earlier_ones_are_dropped(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    put_orders(bob, match, CENTRE, CORNER, EDGE)
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    follow_orders(services, match)
    left = get_orders(bob, match)
    assert [order["move"] for order in left["moves"]] == [EDGE]
    (dropped,) = left["dropped"]
    assert (dropped["move"], dropped["code"]) == (CENTRE, "cell_taken")
    assert "Cell 4" in dropped["message"]
    mark_cell(ann, match, 8)
    follow_orders(services, match)
    assert last_event(bob, match)["move"] == EDGE


def test_without_a_legal_order_the_player_moves(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    put_orders(bob, match, CENTRE)
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    assert last_event(bob, match)["seat"] == 0
    assert len(get_orders(bob, match)["dropped"]) == 1
    assert mark_cell(bob, match, 0).status_code == 201


def test_an_order_set_during_your_turn_is_executed(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    put_orders(ann, match, CENTRE)
    follow_orders(services, match)
    assert last_event(ann, match)["move"] == CENTRE


def test_only_the_player_of_the_seat_can_read_or_set_orders(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    put_orders(bob, match, CORNER)
    assert get_orders(ann, match)["moves"] == []
    for path in ("orders?as=1", "orders?as=9"):
        assert ann.get(f"/matches/{match}/{path}").status_code in (403, 404)
    assert_problem(register(app, "Eve").get(f"/matches/{match}/orders"), 403, "not_your_seat")
    assert_problem(anonymous(app).get(f"/matches/{match}/orders"), 401, "no_token")
    assert_problem(put_orders(register(app, "Eve"), match, CORNER), 403, "not_your_seat")
    assert [order["move"] for order in get_orders(bob, match)["moves"]] == [CORNER]


def test_others_get_the_same_bytes_with_and_without_orders(app: Flask, services: Services) -> None:
    """Noninterference: answers to other readers do not reveal whether a seat has orders."""
    match, (ann, bob) = started_match(app)

    def answers() -> list[bytes]:
        paths = ("", "/events", "/replay", "/legal-moves", "/orders")
        return [ann.get(f"/matches/{match}{path}").data.split(b'"signature"')[0] for path in paths]

    mark_cell(ann, match, 4)
    before = answers()
    put_orders(bob, match, CENTRE, forced=True)
    follow_orders(services, match)
    assert len(get_orders(bob, match)["dropped"]) == 1, "the order was tried"
    after = answers()
    assert after == before


def test_the_next_player_of_a_seat_does_not_get_its_orders(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    put_orders(bob, match, CORNER)
    bob.post(f"/matches/{match}/commands", {"type": "hand_over"})
    (offer,) = bob.get(f"/matches/{match}").json["offers"]
    cid = register(app, "Cid")
    cid.post(f"/matches/{match}/seats/1", {"invitation": offer["invitation"]})
    assert get_orders(cid, match)["moves"] == []
    assert_problem(bob.get(f"/matches/{match}/orders"), 403, "not_your_seat")
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    assert last_event(cid, match)["seat"] == 0, "no order moved for the new player"


def test_a_change_of_an_outdated_revision_is_refused(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    seen = put_orders(ann, match, CENTRE).json["revision"]
    assert put_orders(ann, match, CORNER, If_Match=f'"{seen}"').status_code == 200
    assert_problem(put_orders(ann, match, EDGE, If_Match=f'"{seen}"'), 409, "stale_orders")
    assert [order["move"] for order in get_orders(ann, match)["moves"]] == [CORNER]


@pytest.mark.parametrize(
    "moves",
    [[{"type": "mark", "cell": 99}], [{"type": "resign"}], [{"type": "nonsense"}], [{}], ["mark"], [None], "mark",
     [CENTRE] * 21, [{"type": "mark", "cell": 0, "more": 1}], [{"type": "mark", "cell": "x" * 5000}]],
)  # fmt: skip
def test_invalid_orders_are_refused_and_the_old_ones_remain(app: Flask, moves: Any) -> None:
    match, (ann, _) = started_match(app)
    put_orders(ann, match, CORNER)
    body = encoded({"moves": moves})
    refused = ann.send("PUT", f"/matches/{match}/orders", body, {"Content-Type": "application/json"})
    assert refused.status_code == 422, refused.text
    assert [order["move"] for order in get_orders(ann, match)["moves"]] == [CORNER]


def test_orders_need_a_running_match(app: Flask, services: Services) -> None:
    ann = register(app)
    match = new_match(ann)["match"]["id"]
    assert_problem(put_orders(ann, match, CORNER), 409, "not_playing")
    match, (ann, bob) = started_match(app)
    put_orders(ann, match, CORNER)
    bob.post(f"/matches/{match}/moves", {"type": "resign"})
    assert_problem(put_orders(ann, match, CORNER), 409, "not_playing")
    follow_orders(services, match)
    assert get_orders(ann, match)["moves"] == []
    assert services.matches.standing_orders.sweep(0) == []


def test_a_forced_move_is_made_if_it_is_publicly_the_only_one(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    order = put_orders(ann, match, forced=True)
    assert order.json["forced"] is True
    for person, cell in ((ann, 0), (bob, 1), (ann, 2), (bob, 4), (ann, 3), (bob, 5), (ann, 7), (bob, 6)):
        follow_orders(services, match)
        assert mark_cell(person, match, cell).status_code == 201
    follow_orders(services, match)
    moved = ann.get(f"/matches/{match}/events").json["events"][-3]
    assert (moved["move"]["cell"], moved["cause"]["kind"]) == (8, "forced")
    replay = ann.get(f"/matches/{match}/replay").data
    found = anonymous(app).send("POST", "/replays/verify", replay, {"Content-Type": "application/x-ndjson"})
    assert found.json["verdict"] == "verified", found.text


def test_a_forced_move_that_was_also_ordered_counts_as_ordered(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    for person, cell in ((ann, 0), (bob, 1), (ann, 2), (bob, 4), (ann, 3), (bob, 5), (ann, 7), (bob, 6)):
        mark_cell(person, match, cell)
    order = put_orders(ann, match, CENTRE, {"type": "mark", "cell": 8}, forced=True).json["moves"][1]
    follow_orders(services, match)
    assert ann.get(f"/matches/{match}/events").json["events"][-3]["cause"] == {"order": order["id"], "kind": "move"}


def test_a_bot_token_can_set_orders_and_a_read_token_cannot(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    for scope, status in (("bot", 200), ("read", 403)):
        token = services.accounts.players.new_token(ann.id or "", scope, scope)  # type: ignore[arg-type]
        person = Person(app, token, ann.id)
        assert put_orders(person, match, CORNER).status_code == status
        assert person.get(f"/matches/{match}/orders").status_code == 200
