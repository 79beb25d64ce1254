"""Vacation days in the API, with a manual clock."""

import pytest
from flask import Flask

from domain.match.durations import DAY, HOUR
from tests.service.api.builders import anonymous, assert_problem, new_match, register, started_match
from tests.service.api.conftest import ManualClock
from tests.service.api.test_table_requests import event_kinds, match_json, send_command

CLOCK = {"kind": "per_move", "seconds": DAY, "vacation": 3}


def test_the_deadline_moves_and_the_days_are_counted(app: Flask, clock: ManualClock) -> None:
    match, (ann, bob) = started_match(app, clock=CLOCK)
    clock.advance(HOUR)
    done = send_command(ann, match, "vacation", days=2).json
    assert (done["event"]["kind"], done["event"]["days"], done["event"]["left"]) == ("vacation_taken", 2, 1)
    seat = match_json(bob, match)["seats"][0]
    assert (seat["away"], seat["deadline"], seat["vacation"]) == ("2026-01-03T13:00:00Z", "2026-01-04T12:00:00Z", 1)
    clock.advance(3 * DAY - HOUR)
    assert match_json(ann, match)["status"] == "playing"
    assert_problem(send_command(bob, match, "pause"), 409, "not_playing")
    assert "expired" in event_kinds(ann, match)


def test_a_clock_without_vacation_does_not_mention_it(app: Flask) -> None:
    match, (ann, _) = started_match(app, clock={"kind": "per_move", "seconds": DAY})
    assert "vacation" not in match_json(ann, match)["clock"]
    assert_problem(send_command(ann, match, "vacation", days=1), 409, "no_vacation")


def test_a_repeated_request_takes_the_days_once(app: Flask) -> None:
    match, (ann, _) = started_match(app, clock=CLOCK)
    first = send_command(ann, match, "vacation", days=1, key="away")
    again = send_command(ann, match, "vacation", days=1, key="away")
    assert again.json["event"] == first.json["event"]
    assert match_json(ann, match)["seats"][0]["vacation"] == 2


@pytest.mark.parametrize("days", [0, 4, -1, 2**40, "2", 1.5, None])
def test_invalid_days_are_refused(app: Flask, days: object) -> None:
    match, (ann, _) = started_match(app, clock=CLOCK)
    answer = send_command(ann, match, "vacation", days=days)
    assert (answer.status_code, answer.json["code"] in ("bad_vacation", "invalid")) == (422, True)
    assert match_json(ann, match)["seats"][0]["vacation"] == 3


def test_days_are_only_for_vacation_and_only_players_can_take_them(app: Flask) -> None:
    match, (ann, _) = started_match(app, clock=CLOCK)
    assert_problem(send_command(ann, match, "pause", days=1), 422, "invalid")
    assert_problem(send_command(ann, match, "vacation"), 422, "invalid")
    assert_problem(send_command(register(app, "Eve"), match, "vacation", days=1), 403, "not_your_seat")
    assert_problem(send_command(anonymous(app), match, "vacation", days=1), 401, "no_token")


@pytest.mark.parametrize("vacation", [0, 61, -3, 10**12, "7", True, 1.5])
def test_a_clock_with_invalid_vacation_is_refused(app: Flask, vacation: object) -> None:
    ann = register(app)
    body = {
        "game": "tic_tac_toe",
        "seats": [{"kind": "me"}, {"kind": "open"}],
        "clock": {**CLOCK, "vacation": vacation},
    }
    answer = ann.post("/matches", body)
    assert (answer.status_code, answer.json["code"] in ("bad_clock", "invalid")) == (422, True)


def test_vacation_cannot_be_taken_before_the_start(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, clock=CLOCK)["match"]["id"]
    assert_problem(send_command(ann, match, "vacation", days=1), 409, "not_playing")
