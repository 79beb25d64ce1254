"""Noninterference: a seat gets the same bytes in two matches that differ only in what it may not know."""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from tests.names import fresh_name
from tests.service.api.builders import Person, anonymous, mark_cell, new_match, register, started_match

HIDDEN = ("1-1", "2-2", "3-3", "4-4", "5-5", "0-5")
SEED = "5ec2e7" * 10
SECRET_MOVES = [
    {"type": "assign_mice", "columns": columns}
    for columns in ({"A": 4}, {"B": 4}, {"A": 2, "B": 2}, {"A": 1, "B": 1, "C": 2}, {"C": 4})
]


def position(hidden: tuple[str, ...]) -> dict[str, Any]:
    """Return a cake with these six dominoes face down."""
    a, b, c, d, e, f = hidden
    cake = [f"A2: 1-2 ({a}) ({b}) 3-4", f"B2: 2-3 ({c}) ({d}) 4-5", f"C2: 5-6 ({e}) ({f}) 0-6"]
    return {"cake": cake, "rest": "yellow"}


def without_random_parts(answer: TestResponse) -> tuple[int, dict[str, str], str]:
    """Return status, headers and body without what differs in every match: ids, names, hashes, salts, commitment."""
    text = re.sub(r"\b[0-9a-f]{128}\b", "<signature>", answer.text)  # of the hashes
    text = re.sub(r"\b[0-9a-f]{64}\b", "<hash>", text)
    text = re.sub(r"\b[0-6][0-9][a-z2-7]{16}\b", "<match>", text)
    text = re.sub(r"\bp_[0-9a-f]{16}\b", "<player>", text)
    text = re.sub(r"\b(Yellow|Blue) [0-9a-f]{8}\b", r"\1", text)
    headers = {name: re.sub(r"[0-6][0-9][a-z2-7]{16}", "<match>", value) for name, value in answer.headers.items()}
    headers.pop("X-Request-Id")
    return answer.status_code, headers, text


def read_everything(person: Person, match: str, seat: int) -> list[TestResponse]:
    """Return all answers that a reader can get from the API as this seat without changing the match."""
    path = f"/matches/{match}"
    tries = [{"type": "assign_mice", "columns": {column: count}} for column in "ABCD" for count in (3, 4)] + [
        {"type": "assign_mice", "columns": {"A": 4}, "steal_target": "6-6"},
        {"type": "nonsense"},
        {"type": "resign"},
    ]
    return [
        person.get(path),
        person.get(f"{path}?as={seat}"),
        person.get(f"{path}?as={1 - seat}"),
        person.get(f"{path}?at=3"),
        person.get(path, If_None_Match='"4"'),
        person.get(f"{path}/legal-moves"),
        person.get(f"{path}/legal-moves?limit=3"),
        person.get(f"{path}/events"),
        person.get(f"{path}/events?after=4&wait=0"),
        person.get(f"{path}/replay"),
        person.get(f"/audits/{match}"),
        person.get("/me/turns"),
        person.post(f"{path}/moves", {"type": "assign_mice", "columns": {"A": 9}}),
        person.post(f"{path}/moves", {"type": "assign_mice", "columns": {"D": 4}}),
        person.post(f"{path}/moves", {"type": "assign_mice", "columns": {"A": 4}}, If_Match='"1"'),
        person.post(f"{path}/commands", {"type": "leave"}),
        *(person.post(f"{path}/moves?dry_run=1", move) for move in tries),
    ]


def world(app: Flask, project: Callable[[], None], hidden: tuple[str, ...], secret: dict[str, Any]) -> list[Any]:
    """Return all answers to blue and to a spectator while only yellow knows the hidden dominoes and its assignment."""
    yellow, blue = (replace(register(app, fresh_name(name)), checked=False) for name in ("Yellow", "Blue"))
    match = new_match(yellow, "mice_cake", position=position(hidden), seed=SEED)["match"]["id"]
    answers = [blue.post(f"/matches/{match}/seats/1", {}), *read_everything(blue, match, 1)]
    assert yellow.post(f"/matches/{match}/moves", secret).status_code == 201
    project()
    answers += [*read_everything(blue, match, 1), *read_everything(replace(anonymous(app), checked=False), match, 1)]
    assert not any(SEED in answer.text for answer in answers)
    return [without_random_parts(answer) for answer in answers]


orders = st.sampled_from(list(permutations(HIDDEN)))
secrets = st.sampled_from(SECRET_MOVES)


def compare_worlds(app: Flask, project: Callable[[], None], count: int) -> None:
    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(orders, orders, secrets, secrets)
    def same(one: tuple[str, ...], other: tuple[str, ...], first: dict[str, Any], second: dict[str, Any]) -> None:
        assert world(app, project, one, first) == world(app, project, other, second)

    same()


def test_hidden_information_does_not_change_answers_to_others(app: Flask, project: Callable[[], None]) -> None:
    compare_worlds(app, project, 8)


@pytest.mark.full
def test_hidden_information_does_not_change_answers_to_others_in_full(app: Flask, project: Callable[[], None]) -> None:
    compare_worlds(app, project, 300)


def test_the_comparison_detects_a_difference(app: Flask, project: Callable[[], None]) -> None:
    def as_yellow(secret: dict[str, Any]) -> list[Any]:
        yellow = register(app, fresh_name("Yellow"))
        match = new_match(yellow, "mice_cake", "me bot", position=position(HIDDEN), seed=SEED)["match"]["id"]
        yellow.post(f"/matches/{match}/moves", secret)
        return [without_random_parts(answer) for answer in read_everything(yellow, match, 0)]

    assert as_yellow(SECRET_MOVES[0]) == as_yellow(SECRET_MOVES[0])
    assert as_yellow(SECRET_MOVES[0]) != as_yellow(SECRET_MOVES[1])


def test_no_log_line_contains_a_token_or_a_secret(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    match, (ann, bob) = started_match(app, "mice_cake", seed=SEED)
    made = new_match(ann, seats="me private")
    bob.post(f"/matches/{match}/moves", SECRET_MOVES[0])
    bob.post(f"/matches/{match}/moves", SECRET_MOVES[1])
    bob.post(f"/matches/{made['match']['id']}/seats/1", {"invitation": made["invitations"]["1"][:-1] + "!"})
    mark_cell(ann, match, 4)
    anonymous(app).get("/me", Authorization="Bearer ct_wrong")
    logged = caplog.text
    for secret in (ann.token, bob.token, "ct_wrong", SEED, made["invitations"]["1"], '"A"'):
        assert str(secret) not in logged
