"""Without the memory aid, the API never returns a card that its player has to remember."""

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
    """Return a match in which Ann flipped the red chef at position 3 and both have started another turn."""
    position = {"phase": "hire", "step": "flip", "flips_min": 1, "flips_max": 1}
    match, people = started_match(app, SLUG, options={"memory_aid": "off"}, position=position)
    ann, bob = (replace(person, checked=False) for person in people)  # other tests validate answers
    answer = ann.post(f"/matches/{match}/moves", {"type": "flip_card", "position": 3}, Idempotency_Key="look")
    assert FACE in answer.text
    for move in ({"type": "declare_hire"}, {"type": "flip_card", "position": 9}):
        assert bob.post(f"/matches/{match}/moves", move).status_code == 201
    assert FACE in ann.get(f"/matches/{match}/events").text, "Ann still sees the card while she has to choose"
    assert FACE not in bob.get(f"/matches/{match}/events").text
    assert ann.post(f"/matches/{match}/moves", {"type": "roll_die"}).status_code == 201
    return match, ann, bob


def test_no_get_request_returns_the_card(faded: tuple[str, Person, Person]) -> None:
    match, *people = faded
    for person in people:
        for path in ("", "/events", "/events?after=4", "/replay", "/legal-moves"):
            answer = person.get(f"/matches/{match}{path}")
            assert (answer.status_code, FACE in answer.text) == (200, False), path


def test_a_stream_from_the_start_does_not_contain_the_card(faded: tuple[str, Person, Person], app: Flask) -> None:
    match, *people = faded
    for person in people:
        stream = batches(app, person, f"/matches/{match}/stream?after=0", Accept="text/event-stream")
        sent = next(stream) + next(stream)
        assert b"card_flipped" in sent
        assert FACE.encode() not in sent
        stream.close()


def test_a_repeated_move_is_answered_without_the_card(faded: tuple[str, Person, Person]) -> None:
    match, ann, _ = faded
    again = ann.post(f"/matches/{match}/moves", {"type": "flip_card", "position": 3}, Idempotency_Key="look")
    assert again.status_code in (200, 201)
    flipped = [fact for event in again.json["events"] for fact in event["facts"] if fact["type"] == "card_flipped"]
    assert flipped == [{"type": "card_flipped", "seat": 0, "position": 3, "card": None}]
    assert FACE not in again.text


def test_dry_runs_and_stale_plies_do_not_reveal_the_card(faded: tuple[str, Person, Person]) -> None:
    match, ann, _ = faded
    for headers in ({}, {"If_Match": '"3"'}):
        tried = ann.post(f"/matches/{match}/moves?dry_run=1", {"type": "flip_card", "position": 3}, **headers)
        late = ann.post(f"/matches/{match}/moves", {"type": "roll_dice"}, **headers)
        assert FACE not in tried.text + late.text


def test_the_card_is_served_again_after_the_memory_phase(faded: tuple[str, Person, Person]) -> None:
    match, ann, bob = faded
    assert bob.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    document: dict[str, Any] = json.loads(ann.get(f"/matches/{match}/events").text)
    assert FACE in json.dumps(document["events"])
