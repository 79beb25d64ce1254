"""Moves and commands: legal, illegal, late, repeated, and dry runs."""

import pytest
from flask import Flask

from service.bootstrap import Services
from service.runtime.metrics import MOVE_COUNTER
from tests.service.api.builders import (
    anonymous,
    assert_problem,
    finished_match,
    fresh_key,
    mark_cell,
    new_match,
    register,
    started_match,
)

# -- legal moves --------------------------------------------------------------------------------------------------


def test_legal_moves_are_those_of_your_seat(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    legal = ann.get(f"/matches/{match}/legal-moves").json
    moves = [{"type": "mark", "cell": n} for n in range(9)]
    assert legal == {"ply": 4, "seat": 0, "moves": moves, "more": False, "grammar": []}
    assert bob.get(f"/matches/{match}/legal-moves").json["moves"] == []


def test_legal_moves_can_be_limited(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    legal = ann.get(f"/matches/{match}/legal-moves?limit=2").json
    assert ([move["cell"] for move in legal["moves"]], legal["more"]) == ([0, 1], True)
    assert_problem(ann.get(f"/matches/{match}/legal-moves?limit=0"), 422, "invalid")


def test_the_grammar_describes_moves_when_there_are_too_many_to_list(app: Flask) -> None:
    # given: a hand of Take the Cake with thousands of legal programs
    ann = register(app)
    seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
    settings = {"game": "take_the_cake", "options": {"first_player": 0}, "seats": seats, "seed": "0c" * 32}
    match = ann.post("/matches", settings).json["match"]["id"]
    # when: its player requests the legal moves
    legal = ann.get(f"/matches/{match}/legal-moves").json
    # then: some are listed, and a move built with the grammar is legal
    assert (len(legal["moves"]), legal["more"]) == (200, True)
    form = next(form for form in legal["grammar"] if form["type"] == "run_program")
    hand = ann.get(f"/matches/{match}").json["view"]["hands"][0]["cards"]
    kinds = form["schema"]["properties"]["steps"]["items"]["oneOf"]
    assert sorted(card for kind in kinds for card in kind["properties"]["card"]["enum"]) == sorted(hand)
    single = next(kind for kind in kinds if "span" not in kind["required"])
    built = {"type": "run_program", "steps": [{"card": single["properties"]["card"]["enum"][0]}]}
    assert ann.post(f"/matches/{match}/moves?dry_run=1", built).json["legal"] is True
    assert ann.post(f"/matches/{match}/moves", built).status_code == 201


def test_legal_moves_are_only_for_the_player_of_the_seat(app: Flask) -> None:
    match, (ann, _) = started_match(app, "mice_cake")
    assert_problem(ann.get(f"/matches/{match}/legal-moves?as=1"), 403, "not_your_seat")
    assert_problem(register(app).get(f"/matches/{match}/legal-moves"), 403, "not_your_seat")
    assert_problem(anonymous(app).get(f"/matches/{match}/legal-moves"), 401, "no_token")
    assert_problem(ann.get(f"/matches/{match}/legal-moves?as=7"), 404, "no_such_seat")


def test_there_are_no_legal_moves_before_the_start_and_after_the_end(app: Flask) -> None:
    ann = register(app)
    waiting = new_match(ann)["match"]["id"]
    assert ann.get(f"/matches/{waiting}/legal-moves").json["moves"] == []
    over, (winner, _) = finished_match(app)
    assert winner.get(f"/matches/{over}/legal-moves").json["moves"] == []


# -- moves --------------------------------------------------------------------------------------------------------


def test_a_move_answers_with_its_event_and_the_match(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    answer = mark_cell(ann, match, 4, If_Match='"4"')
    assert answer.status_code == 201
    assert answer.headers["ETag"] == '"5"'
    assert answer.json["event"]["move"] == {"type": "mark", "cell": 4}
    assert answer.json["event"]["facts"] == [{"type": "cell_marked", "seat": "cross", "cell": 4}]
    assert answer.json["events"] == [answer.json["event"]]
    assert answer.json["match"]["to_move"] == [1]


def test_the_last_move_also_returns_the_end_of_the_match(app: Flask) -> None:
    match, (_, bob) = started_match(app)
    answer = bob.post(f"/matches/{match}/moves", {"type": "resign"})
    assert [event["kind"] for event in answer.json["events"]] == ["moved", "ended", "seed_revealed"]
    assert answer.json["match"]["outcome"]["winners"] == [0]


def test_integers_can_be_written_with_a_zero_fraction(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    assert mark_cell(ann, match, 4.0).json["event"]["move"] == {"type": "mark", "cell": 4}


def test_a_stale_ply_is_refused_with_the_missed_events(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 4)
    refusal = assert_problem(mark_cell(bob, match, 0, If_Match='"4"'), 409, "stale_ply")
    assert refusal["ply"] == 5
    assert [event["ply"] for event in refusal["events"]] == [5]
    assert refusal["events"][0]["move"] is None, "the other seat's move is hidden until the end"
    assert mark_cell(bob, match, 0, If_Match=f'"{refusal["ply"]}"').status_code == 201
    ahead = assert_problem(mark_cell(ann, match, 1, If_Match='"99"'), 409, "stale_ply")
    assert (ahead["ply"], ahead["events"]) == (6, [])


def test_any_ply_is_accepted_with_a_star_or_without_the_header(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    assert mark_cell(ann, match, 4, If_Match="*").status_code == 201
    assert mark_cell(bob, match, 0).status_code == 201


@pytest.mark.parametrize(
    "tag", ["4", '"four"', 'W/"4"', '"4", "5"', '"-4"', '"4.0"', '"' + "4" * 5000 + '"', "", '"٤"']
)
def test_a_bad_if_match_is_refused(app: Flask, tag: str) -> None:
    match, (ann, _) = started_match(app)
    assert_problem(mark_cell(ann, match, 4, If_Match=tag), 400, "bad_if_match")


def test_a_move_out_of_turn_is_refused_with_the_games_own_code(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    refusal = assert_problem(mark_cell(bob, match, 4), 409, "not_your_turn")
    assert (refusal["rule"], refusal["ply"], refusal["events"]) == ("T1", 4, [])
    cake, (yellow, _) = started_match(app, "mice_cake")
    send = {"type": "assign_mice", "columns": {"A": 4}}
    assert yellow.post(f"/matches/{cake}/moves", send).status_code == 201
    assert_problem(yellow.post(f"/matches/{cake}/moves", send), 409, "already_assigned")
    over, (ann, _) = finished_match(app)
    assert_problem(mark_cell(ann, over, 8), 409, "game_over")
    waiting = new_match(ann)["match"]["id"]
    assert_problem(mark_cell(ann, waiting, 8), 409, "not_started")


def test_an_illegal_move_is_refused_with_its_rule(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 4)
    refusal = assert_problem(mark_cell(bob, match, 4), 422, "cell_taken")
    assert refusal["rule"] == "T2"
    assert "cross" in refusal["detail"]
    assert bob.send("GET", refusal["legal_moves_url"].removeprefix("/api/v1")).json["seat"] == 1
    assert bob.get(f"/matches/{match}").json["ply"] == 5


@pytest.mark.parametrize(
    "move",
    [
        {"type": "mark"},
        {"type": "mark", "cell": 9},
        {"type": "mark", "cell": "4"},
        {"type": "mark", "cell": True},
        {"type": "mark", "cell": 4.5},
        {"type": "mark", "cell": None},
        {"type": "mark", "cell": 4, "colour": "red"},
        {"type": "mark", "cell": [4]},
        {"type": "draw"},
        {"type": "resign", "now": True},
    ],
)
def test_an_invalid_move_is_refused(app: Flask, move: dict) -> None:
    match, (ann, bob) = started_match(app)
    for person in (ann, bob):
        refusal = assert_problem(person.post(f"/matches/{match}/moves", move), 422, "bad_move")
        assert "legal_moves_url" in refusal


@pytest.mark.parametrize("move", [{}, {"cell": 4}, {"type": 5, "cell": 4}, {"type": None}])
def test_a_move_needs_a_type(app: Flask, move: dict) -> None:
    match, (ann, _) = started_match(app)
    assert "type" in assert_problem(ann.post(f"/matches/{match}/moves", move), 422, "invalid")["detail"]


def test_you_can_only_move_for_your_own_seat(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    assert_problem(mark_cell(register(app), match, 4), 403, "not_your_seat")
    assert_problem(ann.post(f"/matches/{match}/moves?as=1", {"type": "resign"}), 403, "not_your_seat")
    assert_problem(ann.post(f"/matches/{match}/moves?as=2", {"type": "resign"}), 404, "no_such_seat")
    assert_problem(anonymous(app).post(f"/matches/{match}/moves", {"type": "resign"}), 401, "no_token")
    assert bob.get(f"/matches/{match}").json["ply"] == 4


def test_a_player_with_several_seats_must_choose_one(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, seats="me me")["match"]["id"]
    assert assert_problem(mark_cell(ann, match, 4), 422, "which_seat")["seats"] == [0, 1]
    body = {"type": "mark", "cell": 4}
    assert ann.post(f"/matches/{match}/moves?as=0", body).status_code == 201
    assert ann.post(f"/matches/{match}/moves?as=1", body).json["code"] == "cell_taken"


# -- repetition ---------------------------------------------------------------------------------------------------


def test_a_repeated_move_gives_the_first_answer(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    key = fresh_key()
    first = mark_cell(ann, match, 4, Idempotency_Key=key, If_Match='"4"')
    mark_cell(bob, match, 0)
    again = mark_cell(ann, match, 4, Idempotency_Key=key, If_Match='"4"')
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json["event"] == first.json["event"]
    assert again.json["match"]["ply"] == 6
    assert ann.get(f"/matches/{match}").json["ply"] == 6


def test_a_repeated_move_is_shown_as_its_author_may_see_it_now(app: Flask) -> None:
    match, (yellow, blue) = started_match(app, "mice_cake")
    key, send = fresh_key(), {"type": "assign_mice", "columns": {"A": 4}}
    first = yellow.post(f"/matches/{match}/moves", send, Idempotency_Key=key).json["event"]
    assert first["salt"] is None
    blue.post(f"/matches/{match}/moves", {"type": "resign"})
    again = yellow.post(f"/matches/{match}/moves", send, Idempotency_Key=key).json["event"]
    assert len(again["salt"]) == 64
    assert again["draws"] == {}
    assert {**again, "salt": None, "draws": None} == first


def test_a_key_is_only_valid_for_one_request(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    key = fresh_key()
    mark_cell(ann, match, 4, Idempotency_Key=key)
    assert_problem(mark_cell(ann, match, 5, Idempotency_Key=key), 422, "idempotency_key_reused")
    assert mark_cell(bob, match, 5, Idempotency_Key=key).status_code == 201, "keys belong to their player"


def test_a_refused_request_does_not_use_up_its_key(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    key = fresh_key()
    assert_problem(mark_cell(bob, match, 4, Idempotency_Key=key), 409, "not_your_turn")
    mark_cell(ann, match, 0)
    assert mark_cell(bob, match, 4, Idempotency_Key=key).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "ünicode"])
def test_a_bad_key_is_refused(app: Flask, key: str) -> None:
    match, (ann, _) = started_match(app)
    assert_problem(mark_cell(ann, match, 4, Idempotency_Key=key), 400, "bad_idempotency_key")


# -- dry runs -----------------------------------------------------------------------------------------------------


def test_a_move_can_be_tried_without_making_it(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    path, move = f"/matches/{match}/moves?dry_run=1", {"type": "mark", "cell": 4}
    tried = ann.post(path, move, If_Match='"4"')
    assert tried.status_code == 200
    assert tried.json == {
        "legal": True,
        "facts": [{"type": "cell_marked", "seat": "cross", "cell": 4}],
        "complete": True,
    }
    assert ann.get(f"/matches/{match}").json["ply"] == 4
    assert_problem(bob.post(path, move), 409, "not_your_turn")
    assert_problem(ann.post(path, {"type": "mark", "cell": 9}), 422, "bad_move")
    assert_problem(ann.post(path, move, If_Match='"3"'), 409, "stale_ply")
    assert_problem(ann.post(f"/matches/{match}/moves?dry_run=yes", move), 422, "invalid")


def test_a_dry_run_reveals_no_dice_and_no_secrets(app: Flask) -> None:
    match, (yellow, blue) = started_match(app, "mice_cake")
    send = {"type": "assign_mice", "columns": {"A": 4}}
    yellow.post(f"/matches/{match}/moves", {"type": "assign_mice", "columns": {"B": 4}})
    tried = blue.post(f"/matches/{match}/moves?dry_run=1", send).json
    assert [fact["type"] for fact in tried["facts"]] == ["mice_assigned"]
    assert tried["complete"] is False


# -- commands -----------------------------------------------------------------------------------------------------


def test_a_seat_can_be_left_before_the_start(app: Flask) -> None:
    ann, key = register(app), fresh_key()
    match = new_match(ann)["match"]["id"]
    answer = ann.post(f"/matches/{match}/commands", {"type": "leave"}, If_Match='"2"', Idempotency_Key=key)
    assert answer.status_code == 201
    assert (answer.json["event"]["kind"], answer.json["match"]["you"]) == ("seat_left", [])
    again = ann.post(f"/matches/{match}/commands", {"type": "leave"}, If_Match='"2"', Idempotency_Key=key)
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
    assert again.json["event"] == answer.json["event"]
    assert_problem(ann.post(f"/matches/{match}/commands", {"type": "leave"}), 403, "not_your_seat")
    assert_problem(
        ann.post(f"/matches/{match}/commands", {"type": "leave"}, Idempotency_Key=fresh_key()), 403, "not_your_seat"
    )
    assert_problem(
        ann.post(f"/matches/{match}/commands", {"type": "cancel"}, Idempotency_Key=key), 422, "idempotency_key_reused"
    )


def test_a_match_can_be_cancelled_by_its_creator_before_the_start(app: Flask) -> None:
    ann, bob, key = register(app, "Ann"), register(app, "Bob"), fresh_key()
    match = new_match(ann, seats="open open")["match"]["id"]
    assert_problem(bob.post(f"/matches/{match}/commands", {"type": "cancel"}), 403, "not_creator")
    answers = [ann.post(f"/matches/{match}/commands", {"type": "cancel"}, Idempotency_Key=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert [event["kind"] for event in answers[0].json["events"]] == ["cancelled", "seed_revealed"]
    assert answers[1].json["events"] == answers[0].json["events"]
    assert answers[0].json["match"]["outcome"] is None
    assert_problem(ann.post(f"/matches/{match}/commands", {"type": "cancel"}), 409, "match_cancelled")
    assert_problem(bob.post(f"/matches/{match}/seats/1", {}), 409, "match_cancelled")


def test_after_the_start_seats_are_fixed(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    assert_problem(bob.post(f"/matches/{match}/commands", {"type": "leave"}), 409, "already_started")
    assert_problem(ann.post(f"/matches/{match}/commands", {"type": "cancel"}), 409, "already_started")


def test_a_command_expects_its_ply_too(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann)["match"]["id"]
    refusal = assert_problem(
        ann.post(f"/matches/{match}/commands", {"type": "leave"}, If_Match='"1"'), 409, "stale_ply"
    )
    assert [event["kind"] for event in refusal["events"]] == ["seat_taken"]


@pytest.mark.parametrize(
    "body", [{"type": "teleport"}, {"type": "start"}, {}, {"type": 1}, {"type": "leave", "seat": 0}]
)
def test_an_unknown_command_is_refused_with_the_list_of_commands(app: Flask, body: dict) -> None:
    match, (ann, _) = started_match(app)
    refusal = assert_problem(ann.post(f"/matches/{match}/commands", body), 422, "invalid")
    if isinstance(body.get("type"), str) and len(body) == 1:
        assert "leave, cancel" in refusal["detail"]


# -- counting -----------------------------------------------------------------------------------------------------


def test_moves_are_counted_by_game_and_code(app: Flask, services: Services) -> None:
    def counted(code: str) -> float:
        return MOVE_COUNTER.labels("tic_tac_toe", code)._value.get()

    match, (ann, bob) = started_match(app)
    before = {code: counted(code) for code in ("accepted", "cell_taken", "not_your_turn", "stale_ply")}
    mark_cell(ann, match, 4)
    mark_cell(ann, match, 5)
    mark_cell(bob, match, 4)
    mark_cell(bob, match, 5, If_Match='"1"')
    assert {code: counted(code) - number for code, number in before.items()} == dict.fromkeys(before, 1.0)
