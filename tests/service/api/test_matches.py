"""Matches: create, list and get them, take seats."""

from collections.abc import Callable

import pytest
from flask import Flask

from service.bootstrap import Services
from tests.service.api.builders import (
    OPEN_CAKE,
    Person,
    anonymous,
    assert_problem,
    finished_match,
    fresh_key,
    mark_cell,
    new_match,
    register,
    started_match,
)

# -- create -------------------------------------------------------------------------------------------------------


def test_a_match_with_an_open_seat_waits_and_has_an_invitation(app: Flask) -> None:
    ann = register(app)
    answer = ann.post("/matches", {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]})
    assert answer.status_code == 201
    match = answer.json["match"]
    assert (match["status"], match["ply"], match["you"], match["view"]) == ("open", 2, [0], None)
    assert list(answer.json["invitations"]) == ["1"]
    assert answer.headers["Location"] == f"/api/v1/matches/{match['id']}"
    assert answer.headers["ETag"] == '"2"'
    assert ann.get(f"/matches/{match['id']}").json == match


def test_a_match_without_open_seats_starts_immediately(app: Flask) -> None:
    match = new_match(register(app), "mice_cake", "me bot")["match"]
    assert match["status"] == "playing"
    assert match["seats"][1]["level"] == "random"
    assert match["to_move"] == [0, 1]


def test_options_are_completed_with_defaults(app: Flask) -> None:
    match = new_match(register(app), "mice_cake", "me me", options={"matches": "boost"})["match"]
    assert match["options"] == {"start_face": "alternate", "matches": "boost", "contest_floor": "pips"}


def test_the_same_given_seed_deals_the_same_cake(app: Flask) -> None:
    ann = register(app)
    cakes = [new_match(ann, "mice_cake", "me me", seed="00ff")["match"]["view"]["cake"] for _ in range(2)]
    assert cakes[0] == cakes[1]
    drawn = new_match(ann, "mice_cake", "me me")["match"]
    assert drawn["view"]["cake"] != cakes[0]
    assert (drawn["given_seed"], drawn["seed"]) == (False, None)


def test_a_match_can_start_from_a_position(app: Flask) -> None:
    cells = ["cross", "cross", None, "nought", "nought", None, None, None, None]
    match = new_match(register(app), seats="me me", position={"cells": cells})["match"]
    assert match["view"]["cells"] == cells


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({}, "invalid", "seats"),
        ({"game": "go", "seats": [{"kind": "me"}]}, "no_such_game", "mice_cake"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}]}, "bad_options", "2 players"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "you"}, {"kind": "me"}]}, "invalid", "me, open, bot"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "bot"}, {"kind": "me"}]}, "invalid", "greedy, strong"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "bot", "level": "deep"}, {"kind": "me"}]}, "invalid", "random"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me", "private": True}, {"kind": "me"}]}, "invalid", "open"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "open", "private": 1}, {"kind": "me"}]}, "invalid", "private"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "open", "client_seed": "x"}, {"kind": "me"}]}, "invalid", "me"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 17}, "invalid", "16"),
        ({"game": "tic_tac_toe", "seats": []}, "invalid", "seats"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2, "colour": "red"}, "invalid", "colour"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2, "options": {"size": 4}}, "bad_options", "size"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2, "seed": "0"}, "invalid", "hex"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2, "seed": "00\n"}, "invalid", "hex"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2, "seed": "00" * 65}, "invalid", "hex"),
        ({"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2, "position": {"cells": []}}, "bad_options", "nine"),
        ({"game": "mice_cake", "seats": [{"kind": "me"}] * 2, "options": {"matches": "no"}}, "bad_options", "boost"),
    ],
)
def test_a_refusal_of_an_invalid_match_lists_the_valid_values(app: Flask, body: dict, code: str, where: str) -> None:
    answer = register(app).post("/matches", body)
    refusal = assert_problem(answer, 422, code)
    assert where in refusal["detail"] + str(refusal.get("errors", ""))


def test_creating_needs_a_token(app: Flask) -> None:
    assert_problem(
        anonymous(app).post("/matches", {"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2}), 401, "no_token"
    )


def test_a_repeated_creation_creates_once(app: Flask) -> None:
    ann, bob, key = register(app, "Ann"), register(app, "Bob"), fresh_key()
    body = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open", "private": True}]}
    first = ann.post("/matches", body, Idempotency_Key=key)
    bob.post(f"/matches/{first.json['match']['id']}/seats/1", {"invitation": first.json["invitations"]["1"]})
    again = ann.post("/matches", body, Idempotency_Key=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert again.json["match"]["id"] == first.json["match"]["id"]
    assert again.json["invitations"] == first.json["invitations"]
    assert again.json["match"]["status"] == "playing"
    assert_problem(ann.post("/matches", body | {"seed": "00"}, Idempotency_Key=key), 422, "idempotency_key_reused")
    other = bob.post("/matches", body, Idempotency_Key=key)
    assert other.json["match"]["id"] != first.json["match"]["id"], "keys belong to their player"


# -- get ----------------------------------------------------------------------------------------------------------


def test_a_match_can_be_watched_without_a_token(app: Flask) -> None:
    match, (ann, _) = started_match(app, "mice_cake")
    watched = anonymous(app).get(f"/matches/{match}").json
    assert (watched["you"], watched["view"]["legal"]) == ([], [])
    assert len(ann.get(f"/matches/{match}").json["view"]["legal"]) == 35


def test_the_etag_is_the_ply(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    answer = ann.get(f"/matches/{match}")
    assert answer.headers["ETag"] == '"4"'
    for tag in ('"4"', 'W/"4"', '"1", "4"', "*"):
        unchanged = ann.get(f"/matches/{match}", If_None_Match=tag)
        assert (unchanged.status_code, unchanged.data) == (304, b"")
        assert unchanged.headers["ETag"] == '"4"'
    mark_cell(ann, match, 4)
    assert ann.get(f"/matches/{match}", If_None_Match='"4"').status_code == 200


def test_only_your_own_seats_can_be_viewed_during_a_match(app: Flask) -> None:
    match, (ann, bob) = started_match(app, "mice_cake")
    assert ann.get(f"/matches/{match}?as=0").status_code == 200
    assert_problem(ann.get(f"/matches/{match}?as=1"), 403, "not_your_seat")
    assert_problem(register(app).get(f"/matches/{match}?as=1"), 403, "not_your_seat")
    assert_problem(anonymous(app).get(f"/matches/{match}?as=1"), 401, "no_token")
    assert_problem(ann.get(f"/matches/{match}?as=2"), 404, "no_such_seat")
    bob.post(f"/matches/{match}/moves", {"type": "resign"})
    for person in (ann, register(app), anonymous(app)):
        assert person.get(f"/matches/{match}?as=1").status_code == 200


def test_a_player_with_several_seats_can_view_each(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, "mice_cake", "me me", seed=OPEN_CAKE)["match"]["id"]
    send = {"type": "assign_mice", "columns": {"A": 4}}
    assert ann.post(f"/matches/{match}/moves?as=1", send).status_code == 201
    assert ann.get(f"/matches/{match}?as=1").json["view"]["own_assignment"]["columns"]["A"] == 4
    assert ann.get(f"/matches/{match}?as=0").json["view"]["own_assignment"] is None


def test_earlier_positions_can_be_viewed_after_the_match(app: Flask) -> None:
    match, (ann, bob) = finished_match(app)
    at = bob.get(f"/matches/{match}?at=6")
    assert at.json["view"]["cells"] == ["cross", None, None, "nought", None, None, None, None, None]
    assert (at.json["status"], at.json["to_move"], at.headers["ETag"]) == ("playing", [0], '"6"')
    assert_problem(ann.get(f"/matches/{match}?at=12"), 404, "no_such_ply")
    assert_problem(ann.get(f"/matches/{match}?at=0"), 422, "invalid")
    running, (ann, _) = started_match(app)
    assert_problem(ann.get(f"/matches/{running}?at=2"), 409, "not_over")


def test_a_finished_match_shows_its_seed_and_outcome(app: Flask) -> None:
    match, (ann, _) = finished_match(app)
    document = ann.get(f"/matches/{match}").json
    assert (document["status"], document["to_move"], document["ply"]) == ("over", [], 11)
    assert document["outcome"]["winners"] == [0]
    assert len(document["seed"]) == 64


@pytest.mark.parametrize("match", ["00aaaaaaaaaaaaaaaa", "nope", "99aaaaaaaaaaaaaaaa", "%00", "..%2f", "é", "00" * 99])
@pytest.mark.parametrize(
    "ask",
    [
        lambda person, match: person.get(f"/matches/{match}"),
        lambda person, match: person.get(f"/matches/{match}/events"),
        lambda person, match: person.get(f"/matches/{match}/stream"),
        lambda person, match: person.get(f"/matches/{match}/legal-moves"),
        lambda person, match: person.get(f"/matches/{match}/replay"),
        lambda person, match: person.get(f"/audits/{match}"),
        lambda person, match: person.post(f"/matches/{match}/moves", {"type": "resign"}),
        lambda person, match: person.post(f"/matches/{match}/commands", {"type": "leave"}),
        lambda person, match: person.post(f"/matches/{match}/commands", {"type": "cancel"}),
        lambda person, match: person.post(f"/matches/{match}/seats/0", {}),
    ],
)
def test_an_unknown_match_is_not_found(app: Flask, match: str, ask: Callable) -> None:
    answer = ask(register(app), match)
    assert answer.status_code == 404
    assert answer.json["code"] in ("no_such_match", "not_found")


# -- take a seat --------------------------------------------------------------------------------------------------


def test_the_last_seat_taken_starts_the_match(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    match = new_match(ann)["match"]["id"]
    answer = bob.post(f"/matches/{match}/seats/1", {})
    assert answer.status_code == 201
    assert "token" not in answer.json
    assert (answer.json["match"]["status"], answer.json["match"]["you"]) == ("playing", [1])
    assert answer.json["match"]["seats"][1]["player_name"] == "Bob"
    started = ann.get(f"/matches/{match}/events?after=3").json["events"][0]
    assert started["shares"] == [None, None]


def test_a_guest_is_registered_and_gets_a_token(app: Flask) -> None:
    match = new_match(register(app))["match"]["id"]
    answer = anonymous(app).post(f"/matches/{match}/seats/1", {"name": "Passer-by"})
    assert answer.status_code == 201
    guest = Person(app, answer.json["token"])
    assert guest.get("/me").json["player"]["name"] == "Passer-by"
    assert guest.get(f"/matches/{match}").json["you"] == [1]


def test_a_guest_needs_a_name(app: Flask) -> None:
    match = new_match(register(app))["match"]["id"]
    refusal = assert_problem(anonymous(app).post(f"/matches/{match}/seats/1", {}), 422, "invalid")
    assert "name" in refusal["detail"]
    assert_problem(anonymous(app).post(f"/matches/{match}/seats/1", {"name": "\u202e"}), 422, "bad_name")


def test_a_guest_who_comes_too_late_is_not_registered(app: Flask, services: Services) -> None:
    match, _ = started_match(app)
    before = services.runtime.redis.dbsize()
    assert_problem(anonymous(app).post(f"/matches/{match}/seats/1", {"name": "Late"}), 409, "already_started")
    assert services.runtime.redis.dbsize() == before


def test_a_private_seat_needs_an_invitation(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    made = new_match(ann, seats="me private")
    path, other = f"/matches/{made['match']['id']}/seats/1", new_match(ann, seats="me private")
    assert_problem(bob.post(path, {}), 403, "invitation_needed")
    assert_problem(anonymous(app).post(path, {"name": "Guest"}), 403, "invitation_needed")
    assert_problem(bob.post(path, {"invitation": other["invitations"]["1"]}), 403, "invitation_needed")
    assert_problem(bob.post(path, {"invitation": "ä"}), 403, "invitation_needed")
    assert bob.post(path, {"invitation": made["invitations"]["1"]}).status_code == 201


def test_the_creator_needs_no_invitation(app: Flask) -> None:
    ann = register(app)
    made = new_match(ann, seats="me private")
    assert ann.post(f"/matches/{made['match']['id']}/seats/1", {}).json["match"]["you"] == [0, 1]


def test_a_seat_is_taken_once(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    match = new_match(ann, seats="me open")["match"]["id"]
    assert_problem(bob.post(f"/matches/{match}/seats/0", {}), 409, "seat_taken")
    assert_problem(bob.post(f"/matches/{match}/seats/2", {}), 404, "no_such_seat")
    assert_problem(bob.post(f"/matches/{match}/seats/x", {}), 404, "not_found")
    assert_problem(bob.post(f"/matches/{match}/seats/" + "9" * 5000, {}), 404, "not_found")
    assert bob.post(f"/matches/{match}/seats/1", {}).status_code == 201
    assert_problem(register(app).post(f"/matches/{match}/seats/1", {}), 409, "already_started")


def test_a_repeated_request_for_a_seat_gets_the_first_answer(app: Flask) -> None:
    ann, bob, key = register(app, "Ann"), register(app, "Bob"), fresh_key()
    match = new_match(ann)["match"]["id"]
    answers = [bob.post(f"/matches/{match}/seats/1", {}, Idempotency_Key=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[1].headers["Idempotent-Replayed"] == "true"
    assert answers[0].json == answers[1].json


# -- list ---------------------------------------------------------------------------------------------------------


def test_matches_are_listed_page_by_page(app: Flask, project: Callable[[], None]) -> None:
    ann = register(app)
    made = [new_match(ann, game, "me open")["match"]["id"] for game in ("tic_tac_toe", "mice_cake") for _ in range(3)]
    over, _ = finished_match(app)
    project()
    found, cursor = [], ""
    while cursor is not None:
        page = anonymous(app).get(f"/matches?status=open&limit=2{cursor and '&cursor=' + cursor}").json
        assert len(page["matches"]) <= 2
        found += [row["id"] for row in page["matches"]]
        cursor = page["cursor"]
    assert sorted(found) == sorted(made)
    rows = anonymous(app).get("/matches?game=tic_tac_toe&status=over").json["matches"]
    assert [row["id"] for row in rows] == [over]


def test_an_invalid_search_is_refused(app: Flask) -> None:
    assert_problem(anonymous(app).get("/matches?cursor=nonsense"), 422, "bad_cursor")
    assert_problem(anonymous(app).get("/matches?status=lost"), 422, "invalid")
    assert_problem(anonymous(app).get("/matches?game=go"), 422, "no_such_game")
    assert_problem(anonymous(app).get("/matches?limit=101"), 422, "invalid")
    assert_problem(anonymous(app).get("/matches?sort=up"), 422, "invalid")


def test_turns_are_listed_for_their_player(app: Flask, project: Callable[[], None]) -> None:
    match, (ann, bob) = started_match(app)
    project()
    assert [row["id"] for row in ann.get("/me/turns").json["turns"]] == [match]
    assert bob.get("/me/turns").json["turns"] == []
    assert_problem(anonymous(app).get("/me/turns"), 401, "no_token")
