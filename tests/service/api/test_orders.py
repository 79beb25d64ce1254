"""Standing orders through the interface: given, shown to their seat alone, carried out, dropped, cancelled."""

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
    """What the worker's job does."""
    services.matches.order_executor.execute(match, services.matches.repository.load(match).ply)


def last_event(person: Person, match: str) -> dict[str, Any]:
    return dict(person.get(f"/matches/{match}/events").json["events"][-1])


def test_orders_are_given_shown_and_cancelled(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    assert get_orders(ann, match) == {"seat": 0, "revision": 0, "forced": False, "moves": [], "dropped": []}
    given = put_orders(ann, match, CENTRE, CORNER, forced=True)
    assert given.status_code == 200, given.text
    assert [order["move"] for order in given.json["moves"]] == [CENTRE, CORNER]
    assert given.headers["ETag"] == f'"{given.json["revision"]}"'
    assert get_orders(ann, match) == given.json
    gone = ann.send("DELETE", f"/matches/{match}/orders")
    assert (gone.json["forced"], gone.json["moves"]) == (False, [])


def test_an_order_is_carried_out_once_and_named_to_its_own_seat_alone(app: Flask, services: Services) -> None:
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
    assert [event["cause"]["order"] for event in shown] == [order], "at the end it is told to all"
    verdict = anonymous(app).send(
        "POST", "/replays/verify", ann.get(f"/matches/{match}/replay").data, {"Content-Type": "application/x-ndjson"}
    )
    assert verdict.json["verdict"] == "verified", verdict.text


def test_the_first_legal_one_is_made_those_above_dropped_those_below_kept(app: Flask, services: Services) -> None:
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


def test_none_that_is_legal_leaves_the_turn_to_its_player(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    put_orders(bob, match, CENTRE)
    mark_cell(ann, match, 4)
    follow_orders(services, match)
    assert last_event(bob, match)["seat"] == 0
    assert len(get_orders(bob, match)["dropped"]) == 1
    assert mark_cell(bob, match, 0).status_code == 201


def test_given_at_ones_own_turn_it_is_done_at_the_next_look(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    put_orders(ann, match, CENTRE)
    follow_orders(services, match)
    assert last_event(ann, match)["move"] == CENTRE


def test_nobody_else_reads_or_gives_them(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    put_orders(bob, match, CORNER)
    assert get_orders(ann, match)["moves"] == []
    for path in ("orders?as=1", "orders?as=9"):
        assert ann.get(f"/matches/{match}/{path}").status_code in (403, 404)
    assert_problem(register(app, "Eve").get(f"/matches/{match}/orders"), 403, "not_your_seat")
    assert_problem(anonymous(app).get(f"/matches/{match}/orders"), 401, "no_token")
    assert_problem(put_orders(register(app, "Eve"), match, CORNER), 403, "not_your_seat")
    assert [order["move"] for order in get_orders(bob, match)["moves"]] == [CORNER]


def test_with_orders_and_without_others_are_given_the_same_bytes(app: Flask, services: Services) -> None:
    """Noninterference: what anybody else is given does not tell whether orders stand there."""
    match, (ann, bob) = started_match(app)

    def given() -> list[bytes]:
        paths = ("", "/events", "/replay", "/legal-moves", "/orders")
        return [ann.get(f"/matches/{match}{path}").data.split(b'"signature"')[0] for path in paths]

    mark_cell(ann, match, 4)
    before = given()
    put_orders(bob, match, CENTRE, forced=True)
    follow_orders(services, match)
    assert len(get_orders(bob, match)["dropped"]) == 1, "it was tried"
    after = given()
    assert after == before


def test_who_takes_the_seat_over_inherits_no_orders_and_reads_none(app: Flask, services: Services) -> None:
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
    assert last_event(cid, match)["seat"] == 0, "nobody moved for the new one"


def test_a_change_of_what_one_has_not_seen_is_refused(app: Flask) -> None:
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
def test_orders_that_cannot_be_are_refused_and_the_old_ones_stay(app: Flask, moves: Any) -> None:
    match, (ann, _) = started_match(app)
    put_orders(ann, match, CORNER)
    body = encoded({"moves": moves})
    refused = ann.send("PUT", f"/matches/{match}/orders", body, {"Content-Type": "application/json"})
    assert refused.status_code == 422, refused.text
    assert [order["move"] for order in get_orders(ann, match)["moves"]] == [CORNER]


def test_before_the_start_and_behind_the_end_there_is_nothing_to_order(app: Flask, services: Services) -> None:
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


def test_a_forced_move_is_made_where_everybody_sees_that_there_is_no_other(app: Flask, services: Services) -> None:
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


def test_a_forced_move_that_was_ordered_as_well_counts_as_ordered(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    for person, cell in ((ann, 0), (bob, 1), (ann, 2), (bob, 4), (ann, 3), (bob, 5), (ann, 7), (bob, 6)):
        mark_cell(person, match, cell)
    order = put_orders(ann, match, CENTRE, {"type": "mark", "cell": 8}, forced=True).json["moves"][1]
    follow_orders(services, match)
    assert ann.get(f"/matches/{match}/events").json["events"][-3]["cause"] == {"order": order["id"], "kind": "move"}


def test_a_bot_token_may_order_and_a_reading_one_may_only_look(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    for scope, status in (("bot", 200), ("read", 403)):
        token = services.accounts.players.new_token(ann.id or "", scope, scope)  # type: ignore[arg-type]
        person = Person(app, token, ann.id)
        assert put_orders(person, match, CORNER).status_code == status
        assert person.get(f"/matches/{match}/orders").status_code == 200
