"""The frames of a playback: what they show, to whom, and how many there are."""

import gzip
import re
from typing import Any

import msgspec
import pytest
from flask import Flask

from service.bootstrap import Services
from service.web import frames as frames_module
from service.web.frames import new_lines
from tests.service.web.visitors import Visitor, two_player_match

SEED = "c0ffee"
ROUND = 6
"""The ply in which the first round is played."""


@pytest.fixture
def two_rounds(app: Flask) -> tuple[str, Visitor, Visitor]:
    """A match of Mice Cake after two rounds, with its players."""
    match, ann, bob = two_player_match(app, seed=SEED)
    for _ in range(2):
        for visitor in (ann, bob):
            send_all_mice(visitor, match)
    return match, ann, bob


def send_all_mice(visitor: Visitor, match: str) -> None:
    """Send all mice to the first open column."""
    form = visitor.open(f"/matches/{match}").form("/moves")
    column = next((c for c in "ABCD" if c in form.choices), None)
    if column:  # otherwise only the form to resign is there: all mice are asleep
        visitor.send(form, **{column: form.choices[column][-1]})


def frames(visitor: Visitor, match: str, query: str = "") -> dict[str, Any]:
    """Return the answer with the frames."""
    answer = visitor.client.get(f"/matches/{match}/frames{query}")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found: dict[str, Any] = msgspec.json.decode(answer.get_data())
    return found


def text_of(board: str) -> str:
    """Return a board without its tags and spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", board).split())


def test_the_last_frame_is_the_board_of_the_page(two_rounds: tuple[str, Visitor, Visitor]) -> None:
    match, ann, _ = two_rounds
    shown = [frame["board"] for frame in frames(ann, match, "?as=0")["frames"] if frame.get("board")]
    page = ann.open(f"/matches/{match}")
    assert len(set(shown)) > 4
    assert " ".join(shown[-1].split()) in " ".join(page.html.split())


def test_a_playback_continues_where_the_one_before_ended(two_rounds: tuple[str, Visitor, Visitor]) -> None:
    match, ann, _ = two_rounds
    whole = frames(ann, match, "?as=0")
    first, second = frames(ann, match, f"?as=0&to={ROUND}"), frames(ann, match, f"?as=0&after={ROUND}")
    assert first["frames"] + second["frames"] == whole["frames"]
    assert second["before"] == [frame["board"] for frame in first["frames"] if frame.get("board")][-1]
    assert (first["first"], first["last"], second["first"], second["last"]) == (1, ROUND, ROUND + 1, whole["head"])


def test_every_fact_of_a_move_is_in_one_frame_and_captioned_once(two_rounds: tuple[str, Visitor, Visitor]) -> None:
    match, ann, _ = two_rounds
    of_round = frames(ann, match, f"?as=0&after={ROUND - 1}&to={ROUND}")["frames"]
    types = [kind for frame in of_round for kind in frame["fact_types"]]
    events = msgspec.json.decode(ann.client.get(f"/api/v1/matches/{match}/events?after={ROUND - 1}&limit=1").get_data())
    assert sorted(types) == sorted(fact["type"] for fact in events["events"][0]["facts"])
    assert [kind for frame in of_round for kind in (fact["type"] for fact in frame["facts"])] == types
    captions = [line for frame in of_round for line in frame["caption"]]
    assert len(captions) == len(set(captions))


def test_a_player_who_has_sent_mice_sees_them_and_the_others_do_not(
    two_rounds: tuple[str, Visitor, Visitor],
) -> None:
    """Given two rounds, when Ann sends her mice, then only her own frame differs by where she sent them."""
    match, ann, bob = two_rounds
    head = frames(ann, match)["head"]
    send_all_mice(ann, match)
    own = frames(ann, match, f"?as=0&after={head}")["frames"][-1]
    seen = frames(bob, match, f"?as=1&after={head}")["frames"][-1]
    assert own["facts"][0]["columns"] is not None
    assert seen["facts"][0]["columns"] is None
    assert seen["caption"] == ["Round 3: yellow sends its mice."]


@pytest.mark.parametrize("query", ["?after=99", "?after=3&to=3", "?after=x", "?to=x", "?to=99", "?after=-1", "?as=9"])
def test_invalid_spans_and_seats_are_not_found(two_rounds: tuple[str, Visitor, Visitor], query: str) -> None:
    match, ann, _ = two_rounds
    assert ann.client.get(f"/matches/{match}/frames{query}").status_code == 404


@pytest.mark.parametrize("look", ["1", "everything"])
def test_another_point_of_view_is_refused_during_the_match(two_rounds: tuple[str, Visitor, Visitor], look: str) -> None:
    match, ann, _ = two_rounds
    assert ann.client.get(f"/matches/{match}/frames?as={look}").status_code == 400


def test_a_match_that_does_not_exist_has_no_frames(app: Flask) -> None:
    assert Visitor(app).client.get("/matches/nomatchwiththisid/frames").status_code == 404


def test_long_answers_are_compressed_for_browsers_that_accept_it(two_rounds: tuple[str, Visitor, Visitor]) -> None:
    match, ann, _ = two_rounds
    packed = ann.client.get(f"/matches/{match}/frames?as=0", headers={"Accept-Encoding": "gzip"})
    plain = ann.client.get(f"/matches/{match}/frames?as=0")
    assert gzip.decompress(packed.get_data()) == plain.get_data()
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.get_data()) < 40_000


def test_a_taken_back_move_shows_the_board_before_it(
    two_rounds: tuple[str, Visitor, Visitor], services: Services
) -> None:
    """Given mice sent by Ann, when she takes them back, then the last frame shows the board before she sent them."""
    match, ann, _ = two_rounds
    before = [frame["board"] for frame in frames(ann, match, "?as=0")["frames"] if frame.get("board")][-1]
    head = frames(ann, match)["head"]
    send_all_mice(ann, match)
    page = ann.open(f"/matches/{match}")
    ann.send(page.form("/ask"), press="takeback")
    taken_back = frames(ann, match, f"?as=0&after={head}")["frames"]
    assert len(taken_back) > 1
    assert text_of([frame["board"] for frame in taken_back if frame.get("board")][-1]) == text_of(before)


def test_a_long_answer_ends_at_a_whole_move_and_says_where(
    two_rounds: tuple[str, Visitor, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a limit of five frames, then no answer has more, and the next one has the rest."""
    match, ann, _ = two_rounds
    monkeypatch.setattr(frames_module, "MAX_FRAMES", 5)
    answers, after = [], 0
    while not answers or after < answers[-1]["head"]:
        answers.append(frames(ann, match, f"?as=0&after={after}"))
        after = answers[-1]["last"]
    assert len(answers) > 1
    assert all(len(answer["frames"]) <= 5 for answer in answers)
    plies = [frame["ply"] for answer in answers for frame in answer["frames"]]
    assert plies == sorted(plies)
    assert set(plies) == set(range(1, after + 1))


def test_only_new_and_changed_lines_are_shown() -> None:
    assert new_lines(["A", "B"], ["A", "B, then C", "D"]) == ["B, then C", "D"]
