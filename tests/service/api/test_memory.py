"""Without the memory aid no way of the interface gives back a card that has faded: events, stream, repetition, file."""

import json
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests.service.api.builders import Person, started_match
from tests.service.api.test_events import batches

SLUG = "battle_of_the_bakeries"
FACE = "chef_5"


@pytest.fixture
def faded(app: Flask) -> tuple[str, Person, Person]:
    """Ann has turned over the red chef at place 3; then both have begun a turn of their own."""
    position = {"phase": "hire", "step": "flip", "flips_min": 1, "flips_max": 1}
    match, people = started_match(app, SLUG, options={"memory_aid": "off"}, position=position)
    ann, bob = (replace(person, checked=False) for person in people)  # other tests hold answers to their schema
    answer = ann.post(f"/matches/{match}/moves", {"type": "flip_card", "position": 3}, Idempotency_Key="look")
    assert FACE in answer.text
    for move in ({"type": "declare_hire"}, {"type": "flip_card", "position": 9}):
        assert bob.post(f"/matches/{match}/moves", move).status_code == 201
    assert FACE in ann.get(f"/matches/{match}/events").text, "she still sees it while she has to choose"
    assert FACE not in bob.get(f"/matches/{match}/events").text
    assert ann.post(f"/matches/{match}/moves", {"type": "roll_die"}).status_code == 201
    return match, ann, bob


def test_nothing_that_can_be_read_holds_the_face(faded: tuple[str, Person, Person]) -> None:
    match, *people = faded
    for person in people:
        for path in ("", "/events", "/events?after=4", "/replay", "/legal-moves"):
            answer = person.get(f"/matches/{match}{path}")
            assert (answer.status_code, FACE in answer.text) == (200, False), path


def test_a_stream_from_the_beginning_does_not_hold_it(faded: tuple[str, Person, Person], app: Flask) -> None:
    match, *people = faded
    for person in people:
        stream = batches(app, person, f"/matches/{match}/stream?after=0", Accept="text/event-stream")
        told = next(stream) + next(stream)
        assert b"card_flipped" in told
        assert FACE.encode() not in told
        stream.close()


def test_a_repeated_move_is_answered_without_the_face(faded: tuple[str, Person, Person]) -> None:
    match, ann, _ = faded
    again = ann.post(f"/matches/{match}/moves", {"type": "flip_card", "position": 3}, Idempotency_Key="look")
    assert again.status_code in (200, 201)
    flipped = [fact for event in again.json["events"] for fact in event["facts"] if fact["type"] == "card_flipped"]
    assert flipped == [{"type": "card_flipped", "seat": 0, "position": 3, "card": None}]
    assert FACE not in again.text


def test_neither_a_trial_nor_a_stale_ply_gives_it_back(faded: tuple[str, Person, Person]) -> None:
    match, ann, _ = faded
    for headers in ({}, {"If_Match": '"3"'}):
        tried = ann.post(f"/matches/{match}/moves?dry_run=1", {"type": "flip_card", "position": 3}, **headers)
        late = ann.post(f"/matches/{match}/moves", {"type": "roll_dice"}, **headers)
        assert FACE not in tried.text + late.text


def test_when_the_round_of_memory_is_over_the_face_is_served_again(faded: tuple[str, Person, Person]) -> None:
    match, ann, bob = faded
    assert bob.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    document: dict[str, Any] = json.loads(ann.get(f"/matches/{match}/events").text)
    assert FACE in json.dumps(document["events"])
