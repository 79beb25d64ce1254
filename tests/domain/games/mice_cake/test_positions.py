"""Position documents (rule S7; AC-26)."""

from typing import Any

import pytest

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.parts import PIECES
from domain.kernel.chance import Scripted
from domain.kernel.refusals import BadOptions
from tests.domain.games.mice_cake.builders import given, name_of, plain

DOCUMENT: dict[str, Any] = {
    "options": {"start_face": "down"},
    "quiet": 4,
    "cake": ["A1: (0-0) (2-4) 1-3", "B7: 4-6"],
    "yellow": ["6-6"],
    "rest": "blue",
    "resting": {"blue": [{"column": "A", "count": 2}]},
}
NAMED = ("0-0", "2-4", "1-3", "4-6", "6-6")


def start(document: dict[str, Any], options: dict[str, Any] | None = None) -> list[Any]:
    return GAME.start(2, options or {}, Scripted([]), document)


def test_ac26_facts() -> None:
    facts = [plain(fact) for fact in start(DOCUMENT)]
    assert [fact["type"] for fact in facts] == ["game_started", "position_set", "round_started"]
    assert facts[0]["options"] == {"start_face": "down", "matches": "exhaust", "contest_floor": "pips"}
    assert [cell["at"] for cell in facts[1]["cells"]] == ["A1", "A2", "A3", "B7"]
    assert facts[1]["stash"] == {"yellow": ["6-6"], "blue": [piece for piece in PIECES if piece not in NAMED]}
    assert len(facts[1]["stash"]["blue"]) == 23
    assert facts[1]["removed"] == []
    assert facts[1]["resting"] == {"yellow": [], "blue": [{"column": "A", "count": 2}]}
    assert facts[1]["quiet"] == 4
    assert facts[2] == {
        "type": "round_started",
        "round": 5,
        "ready": {"yellow": 4, "blue": 2},
        "open": {"yellow": ["A", "B"], "blue": ["A", "B"]},
        "to_assign": ["yellow", "blue"],
    }


@pytest.mark.parametrize("seat", [0, 1, None])
def test_ac26_face_down_dominoes_are_hidden(seat: int | None) -> None:
    facts = start(DOCUMENT)
    state = given(facts)
    redacted = plain(GAME.redact(state, facts[1], 1, seat))
    assert {cell["at"] for cell in redacted["cells"] if cell["piece"] is None} == {"A1", "A2"}
    assert GAME.view(state, seat).unseen == ("0-0", "2-4")


def test_ac26_a_position_without_possible_assignments_starts_with_a_rest_round() -> None:
    document = {
        "quiet": 4,
        "cake": ["A7: 0-0"],
        "rest": "blue",
        "resting": {"yellow": [{"column": "A", "count": 4}]},
    }
    facts = start(document)
    assert [name_of(fact) for fact in facts[2:]] == ["round_started", "round_ended", "round_started"]
    last = plain(facts[-1])
    assert (last["round"], last["to_assign"]) == (6, ["yellow"])
    assert given(facts).quiet == 5


REFUSALS = [
    ({"rest": None}, "These dominoes are missing: 0-1"),
    ({"cake": []}, "The cake is empty"),
    ({"cake": [*DOCUMENT["cake"], "A5: 3-3"]}, "Column A has two lines"),
    ({"cake": ["A6: 0-0 2-4 1-3", "B7: 4-6"]}, "runs past row 7"),
    ({"quiet": 20}, "quiet"),
    ({"quiet": -1}, "quiet"),
    ({"round": 0}, "round"),
    ({"round": True}, "round"),
    ({"round": 10**10}, "round"),
    ({"removed": ["1-1"]}, "`removed` can only be"),
    ({"removed": ["0-0", "0-0"]}, "`removed` can only be"),
    ({"removed": ["0-0"]}, "Named more than once: 0-0"),
    ({"blue": ["6-6"]}, "Named more than once: 6-6"),
    ({"yellow": ["6-6", "6-6"]}, "Named more than once: 6-6"),
    ({"yellow": ["6-6"] * 200_000}, "Named more than once: 6-6"),
    ({"yellow": ["6-5"]}, "yellow"),
    ({"rest": "green"}, "rest"),
    ({"resting": {"blue": [{"column": "A", "count": 3}, {"column": "B", "count": 2}]}}, "At most 4 mice of blue"),
    ({"resting": {"blue": [{"column": "A", "count": 5}]}}, "count"),
    ({"resting": {"blue": [{"column": "A", "count": 0}]}}, "count"),
    ({"resting": {"blue": [{"column": "E", "count": 1}]}}, "column"),
    ({"resting": {"green": []}}, "green"),
    ({"cake": ["A1: (0-0) (2-4) 1-3", "B7: (4-6)"]}, "B7 is a front of"),
    ({"cake": ["A2: (0-0) (2-4) 1-3", "B7: 4-6"]}, "A2 is a front of yellow"),
    ({"cake": ["A1: (0-0) (2-4) (1-3)", "B7: 4-6"]}, "A3 is a front of blue"),
    ({"cake": ["A1: (0-0)"]}, "A1 is a front of blue"),
    ({"cake": ["A7: (0-0)"]}, "A7 is a front of yellow"),
    ({"options": {"start_face": "alternate"}}, "A1 is a front of yellow"),
    ({"options": {"start_face": "sideways"}}, "options.start_face"),
    ({"options": {"speed": "fast"}}, "speed"),
    ({"phase": "assign"}, "phase"),
    ({"cake": ["A1: 2-1"]}, "2-1 is not the name of a domino"),
    ({"cake": ["A1 0-0"]}, "is not a valid line of the cake"),
    ({"cake": ["E1: 0-0"]}, "is not a valid line of the cake"),
    ({"cake": ["A1: 0-00-1"]}, "is not a valid line of the cake"),
    ({"cake": ["A1:"]}, "is not a valid line of the cake"),
    ({"cake": "A1: 0-0"}, "cake"),
    ({"cake": {"A1": "0-0"}}, "cake"),
]


@pytest.mark.parametrize(("change", "message"), REFUSALS)
def test_ac26_s7_refusals(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOptions) as refused:
        start({**DOCUMENT, **change})
    assert refused.value.code == "bad_options"
    assert refused.value.rule == "S7"
    assert message in refused.value.message


def test_both_fronts_of_a_full_column_can_be_face_down_if_the_match_starts_face_down() -> None:
    cake = ["A1: (0-0) (2-4) (1-3) (0-1) (0-2) (0-3) (0-4)"]
    assert given(start({"options": {"start_face": "down"}, "cake": cake, "rest": "blue"})).phase == "assign"


def test_options_of_the_match_and_of_the_document_are_merged() -> None:
    document = {"cake": ["A3: 5-6 3-3"], "rest": "blue", "options": {"matches": "boost"}}
    merged = plain(start(document, {"contest_floor": "none"})[0])["options"]
    assert merged == {"start_face": "alternate", "matches": "boost", "contest_floor": "none"}
    with pytest.raises(BadOptions, match="start_face is up, but the position says down"):
        start({**document, "options": {"start_face": "down"}}, {"start_face": "up"})


def test_defaults() -> None:
    state = given(start({"cake": ["A3: 5-6 3-3"], "rest": "yellow"}))
    assert (state.round, state.quiet, state.removed, state.resting.yellow) == (5, 0, (), ())
    assert len(state.stash.yellow) == 26


def test_a_removed_crumb() -> None:
    state = given(start({"cake": ["A3: 5-6 3-3"], "rest": "yellow", "removed": ["0-0"]}))
    assert (state.removed, len(state.stash.yellow)) == (("0-0",), 25)


def test_a_position_can_end_immediately() -> None:
    """A rest round after nineteen quiet rounds is the twentieth (T2)."""
    document = {
        "quiet": 19,
        "cake": ["A7: 0-0"],
        "rest": "blue",
        "resting": {"yellow": [{"column": "A", "count": 4}]},
    }
    facts = start(document)
    assert [name_of(fact) for fact in facts[-2:]] == ["round_ended", "game_ended"]
    assert given(facts).phase == "finished"


def test_unknown_options_are_refused() -> None:
    for options in ({"start_face": "sideways"}, {"speed": 1}, {"matches": None}):
        with pytest.raises(BadOptions) as refused:
            GAME.start(2, options, Scripted([]))
        assert refused.value.code == "bad_options"
    for seats in (0, 1, 3):
        with pytest.raises(BadOptions):
            GAME.start(seats, {}, Scripted([]))
