"""Clocks, proposals and takebacks in the API, with a manual clock."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from domain.match.durations import DAY, HOUR
from service.bootstrap import Services
from tests.service.api.builders import Person, assert_problem, fresh_key, mark_cell, new_match, register, started_match
from tests.service.api.conftest import ManualClock

DAILY = {"kind": "per_move", "seconds": DAY}


def send_command(person: Person, match: str, type: str, **more: Any) -> TestResponse:
    headers = {"Idempotency_Key": more.pop("key")} if "key" in more else {}
    return person.post(f"/matches/{match}/commands", {"type": type, **more}, **headers)


def match_json(person: Person, match: str) -> dict[str, Any]:
    return dict(person.get(f"/matches/{match}").json)


def event_kinds(person: Person, match: str) -> list[str]:
    return [event["kind"] for event in person.get(f"/matches/{match}/events").json["events"]]


# -- clocks -------------------------------------------------------------------------------------------------------


def test_a_match_with_a_clock_shows_deadlines(app: Flask, clock: ManualClock) -> None:
    match, (ann, bob) = started_match(app, clock={**DAILY, "expiry": "bot_moves", "level": "random"})
    seen = match_json(bob, match)
    assert seen["clock"] == {**DAILY, "increment": 0, "expiry": "bot_moves", "level": "random"}
    assert [seat["deadline"] for seat in seen["seats"]] == ["2026-01-02T12:00:00Z", None]
    clock.advance(HOUR)
    mark_cell(ann, match, 4)
    assert [seat["deadline"] for seat in match_json(bob, match)["seats"]] == [None, "2026-01-02T13:00:00Z"]


def test_after_a_deadline_the_timeout_is_applied_first(app: Flask, clock: ManualClock) -> None:
    match, (ann, bob) = started_match(app, clock=DAILY)
    mark_cell(ann, match, 4)
    clock.advance(DAY)
    refused = assert_problem(mark_cell(bob, match, 0), 409, "game_over")
    assert "expired" not in refused["detail"]
    assert event_kinds(ann, match)[-4:] == ["expired", "moved", "ended", "seed_revealed"]
    assert match_json(ann, match)["outcome"]["winners"] == [0]


def test_a_seat_cannot_move_while_a_bot_moves_for_it(app: Flask, clock: ManualClock) -> None:
    match, (ann, bob) = started_match(app, clock={**DAILY, "expiry": "bot_moves"})
    mark_cell(ann, match, 4)
    clock.advance(2 * DAY)
    assert_problem(mark_cell(bob, match, 0), 409, "time_was_up")
    assert match_json(bob, match)["seats"][1]["standin"] == "greedy"
    assert match_json(bob, match)["you"] == [1]


def test_a_replaced_player_no_longer_has_the_seat(app: Flask, clock: ManualClock) -> None:
    match, (ann, bob) = started_match(app, clock={**DAILY, "expiry": "bot_takes_over"})
    mark_cell(ann, match, 4)
    clock.advance(DAY)
    assert_problem(mark_cell(bob, match, 0), 403, "not_your_seat")
    assert (match_json(bob, match)["you"], match_json(bob, match)["seats"][1]["kind"]) == ([], "bot")
    assert_problem(send_command(bob, match, "pause"), 403, "not_your_seat")


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"kind": "per_move", "seconds": 60}, "bad_clock"),
        ({"kind": "per_move", "seconds": 15 * DAY}, "bad_clock"),
        ({"kind": "bank", "seconds": DAY, "increment": -5}, "bad_clock"),
        ({"kind": "hourglass", "seconds": DAY}, "invalid"),
        ({"kind": "bank", "seconds": "1"}, "invalid"),
        ({"kind": "bank", "seconds": DAY, "expiry": "explodes"}, "invalid"),
        ({"kind": "bank", "seconds": DAY, "level": "stockfish"}, "invalid"),
    ],
)
def test_an_invalid_clock_is_refused(app: Flask, wish: dict[str, Any], code: str) -> None:
    body = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}], "clock": wish}
    assert_problem(register(app).post("/matches", body), 422, code)


def test_clients_cannot_trigger_a_timeout(app: Flask) -> None:
    match, (ann, _) = started_match(app, clock=DAILY)
    assert_problem(send_command(ann, match, "expire"), 422, "invalid")


def test_turns_are_sorted_by_deadline(app: Flask, clock: ManualClock, project: Callable[[], None]) -> None:
    ann = register(app, "Ann")
    slow = new_match(ann, seats="me bot", clock={"kind": "per_move", "seconds": 7 * DAY})["match"]["id"]
    none = new_match(ann, seats="me bot")["match"]["id"]
    clock.advance(60)
    soon = new_match(ann, seats="me bot", clock=DAILY)["match"]["id"]
    project()
    assert [row["id"] for row in ann.get("/me/turns").json["turns"]] == [soon, slow, none]


# -- proposals ----------------------------------------------------------------------------------------------------


def test_pause_and_more_time_by_consent(app: Flask, clock: ManualClock, project: Callable[[], None]) -> None:
    match, (ann, bob) = started_match(app, clock=DAILY)
    asked = send_command(ann, match, "pause")
    assert asked.json["event"]["kind"] == "proposed"
    (proposal,) = match_json(bob, match)["proposals"]
    assert (proposal["what"], proposal["seat"], proposal["awaits"]) == ("pause", 0, [1])
    project()
    assert [row["id"] for row in bob.get("/me/turns").json["turns"]] == [match]
    assert_problem(send_command(ann, match, "agree", proposal=proposal["number"]), 409, "not_asked")
    assert_problem(
        send_command(register(app, "Eve"), match, "agree", proposal=proposal["number"]), 403, "not_your_seat"
    )
    agreed = send_command(bob, match, "agree", proposal=proposal["number"])
    assert [event["kind"] for event in agreed.json["events"]] == ["answered", "paused"]
    clock.advance(50 * DAY)
    assert send_command(bob, match, "resume").status_code == 201
    number = send_command(ann, match, "extend", seconds=DAY).json["event"]["ply"]
    send_command(bob, match, "agree", proposal=number)
    assert match_json(ann, match)["seats"][0]["deadline"] == "2026-02-22T12:00:00Z"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"type": "extend"}, 422, "invalid"),
        ({"type": "agree"}, 422, "invalid"),
        ({"type": "pause", "seconds": 5}, 422, "invalid"),
        ({"type": "extend", "seconds": 5}, 422, "bad_clock"),
        ({"type": "agree", "proposal": 99}, 404, "no_such_proposal"),
        ({"type": "resume"}, 409, "not_paused"),
        ({"type": "takeback"}, 409, "no_such_move"),
        ({"type": "takeback", "to_ply": 99}, 404, "no_such_ply"),
    ],
)
def test_invalid_requests_are_refused(app: Flask, body: dict[str, Any], status: int, code: str) -> None:
    match, (ann, _) = started_match(app, clock=DAILY)
    assert_problem(ann.post(f"/matches/{match}/commands", body), status, code)


# -- takebacks ----------------------------------------------------------------------------------------------------


def test_a_takeback_by_consent(app: Flask) -> None:
    match, (ann, bob) = started_match(app, rated=True)
    mark_cell(ann, match, 4)
    number = send_command(ann, match, "takeback").json["event"]["ply"]
    assert match_json(ann, match)["to_move"] == [1]
    send_command(bob, match, "agree", proposal=number)
    seen = match_json(ann, match)
    assert (seen["to_move"], seen["rated"], seen["retracted"]) == ([0], True, [[5, 7]])
    assert event_kinds(ann, match)[-4:] == ["moved", "proposed", "answered", "taken_back"]
    assert mark_cell(ann, match, 0).status_code == 201


def test_a_secret_choice_is_taken_back_without_consent_and_stays_secret(app: Flask) -> None:
    match, (ann, bob) = started_match(app, "mice_cake")
    move = ann.get(f"/matches/{match}/legal-moves").json["moves"][0]
    ann.post(f"/matches/{match}/moves", move)
    before = [event for event in bob.get(f"/matches/{match}/events").json["events"] if event["kind"] == "moved"]
    done = send_command(ann, match, "takeback")
    assert [event["kind"] for event in done.json["events"]] == ["taken_back"]
    other = ann.get(f"/matches/{match}/legal-moves").json["moves"][7]
    ann.post(f"/matches/{match}/moves", other)
    bob.post(f"/matches/{match}/moves", bob.get(f"/matches/{match}/legal-moves").json["moves"][0])
    after = [event for event in bob.get(f"/matches/{match}/events").json["events"] if event["kind"] == "moved"]
    assert after[0] == before[0]  # the first choice stays secret even when the second one is revealed
    assert after[0]["move"] is None


def test_a_takeback_can_be_repeated_safely(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    mark_cell(ann, match, 4)
    key = fresh_key()
    first, again = send_command(ann, match, "takeback", key=key), send_command(ann, match, "takeback", key=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json["event"] == first.json["event"]
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_replay_with_takeback_and_timeout_verifies(app: Flask, clock: ManualClock, services: Services) -> None:
    match, (ann, bob) = started_match(app, clock=DAILY)
    mark_cell(ann, match, 4)
    mark_cell(bob, match, 0)
    send_command(ann, match, "agree", proposal=send_command(bob, match, "takeback").json["event"]["ply"])
    clock.advance(5 * DAY)
    assert_problem(mark_cell(bob, match, 1), 409, "game_over")
    raw = ann.get(f"/matches/{match}/replay").data
    answer = ann.send("POST", "/replays/verify", raw, {"Content-Type": "application/x-ndjson"})
    assert answer.json["verdict"] == "verified", answer.text
