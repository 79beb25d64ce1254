"""Races: concurrent requests for one seat, for two seats, and with one key."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.service.api.builders import assert_problem, fresh_key, mark_cell, new_match, register, started_match

ATTEMPTS = 4


def run_together(*actions: Callable[[], TestResponse]) -> list[TestResponse]:
    """Send requests at the same time and return the answers."""
    barrier = Barrier(len(actions))

    def run(action: Callable[[], TestResponse]) -> TestResponse:
        barrier.wait()
        return action()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


def statuses(answers: Sequence[TestResponse]) -> list[int]:
    return sorted(answer.status_code for answer in answers)


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_only_one_of_several_moves_at_the_same_ply_is_made(app: Flask, attempt: int) -> None:
    match, (ann, _) = started_match(app)
    answers = run_together(
        lambda: mark_cell(ann, match, 0, If_Match='"4"'),
        lambda: mark_cell(ann, match, 8, If_Match='"4"'),
        lambda: mark_cell(ann, match, 4, If_Match='"4"'),
    )
    assert statuses(answers) == [201, 409, 409]
    (winner,) = (answer for answer in answers if answer.status_code == 201)
    for answer in answers:
        if answer is not winner:
            refusal = assert_problem(answer, 409, "stale_ply")
            assert (refusal["ply"], refusal["events"]) == (5, [winner.json["event"]])
    assert ann.get(f"/matches/{match}").json["ply"] == 5


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_two_seats_can_move_at_the_same_time(app: Flask, attempt: int) -> None:
    send: dict[str, Any] = {"type": "assign_mice", "columns": {"A": 4}}
    match, (yellow, blue) = started_match(app, "mice_cake")
    answers = run_together(
        lambda: yellow.post(f"/matches/{match}/moves", send), lambda: blue.post(f"/matches/{match}/moves", send)
    )
    assert statuses(answers) == [201, 201], [answer.text for answer in answers]
    assert sorted(answer.json["event"]["ply"] for answer in answers) == [5, 6]
    assert {answer.json["event"]["seat"] for answer in answers} == {0, 1}


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_concurrent_requests_with_one_key_act_once(app: Flask, attempt: int) -> None:
    match, (ann, _) = started_match(app)
    key = fresh_key()
    answers = run_together(*(lambda: mark_cell(ann, match, 4, Idempotency_Key=key) for _ in range(4)))
    assert statuses(answers) == [201] * 4, [answer.text for answer in answers]
    assert len({answer.json["event"]["hash"] for answer in answers}) == 1
    assert sum("Idempotent-Replayed" in answer.headers for answer in answers) == 3
    assert ann.get(f"/matches/{match}").json["ply"] == 5


def test_one_key_creates_one_match(app: Flask) -> None:
    ann, key = register(app), fresh_key()
    body = {"game": "mice_cake", "seats": [{"kind": "me"}, {"kind": "open"}]}
    answers = run_together(*(lambda: ann.post("/matches", body, Idempotency_Key=key) for _ in range(4)))
    assert statuses(answers) == [201] * 4
    assert len({answer.json["match"]["commitment"] for answer in answers}) == 1


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_a_seat_is_taken_once(app: Flask, attempt: int) -> None:
    match = new_match(register(app))["match"]["id"]
    people = [register(app, f"P{n}") for n in range(3)]
    answers = run_together(*(partial(person.post, f"/matches/{match}/seats/1", {}) for person in people))
    assert statuses(answers) == [201, 409, 409]
    assert {answer.json["code"] for answer in answers if answer.status_code == 409} == {"already_started"}
