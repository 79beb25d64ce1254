"""The table of Mice Cake: pieces keep their ids, ids reveal nothing hidden, and a round plays in few beats."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import msgspec
import pytest

from domain.games.mice_cake import GAME
from domain.games.mice_cake.presentation.sprite import sprite
from domain.games.mice_cake.presentation.table import TABLE
from domain.games.mice_cake.presentation.table.beats import beats, chapter
from domain.games.mice_cake.presentation.table.board import Side, Slice, board_data
from domain.games.mice_cake.presentation.table.choices import why_impossible
from domain.games.mice_cake.rules.facts import (
    AssignmentsRevealed,
    DiceRolled,
    Fact,
    MiceExhausted,
    PieceTaken,
    RoundEnded,
    RoundStarted,
)
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import odds
from domain.games.mice_cake.rules.parts import PIECES, SEATS
from domain.kernel.events import AnyEvent, Moved
from domain.kernel.table import TableContext
from replays.playback import playback
from replays.replay import Replay
from tests.builders import play_match
from tests.domain.games.mice_cake.builders import ALL_OPTIONS, given, play, position, send

STEAL = {"cake": ["A3: 0-0 (2-4) 1-3", "B7: 4-6"], "rest": "blue"}


def told(facts: Sequence[Fact]) -> tuple[AnyEvent, ...]:
    """Return an event with these facts, as a table gets it."""
    found = next(event for event in play_match(GAME) if isinstance(event, Moved))
    return (msgspec.structs.replace(found, facts=tuple(facts)),)


def shown(state: State, seat: int | None, facts: Sequence[Fact] = ()) -> dict[str, Any]:
    """Return the data of the board for this seat, after an event with these facts."""
    events = told(facts) if facts else ()
    return board_data(TableContext(None, seat, GAME.view(state, seat), events, {}, history=lambda: events))  # type: ignore[arg-type]


def piece_ids(board: dict[str, Any]) -> list[str]:
    """Return the ids of all pieces on a board, in the order of the page."""
    sides: list[Side] = [board["theirs"], board["mine"]]
    cells = chain.from_iterable(column.cells for column in board["columns"])
    mice = [
        each for side in sides for each in (*side.home, *side.napkin, *(m for slot in side.slots for m in slot.mice))
    ]
    dice = [die for side in sides for slot in side.slots if slot.dice for die in slot.dice.dice]
    won: list[Slice] = [each for side in sides for each in side.won]
    return [piece.id for piece in (*filter(None, cells), *won, *mice, *dice)]


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=lambda each: "-".join(each.values()))
def test_every_position_of_a_match_has_each_piece_once(options: dict[str, str]) -> None:
    """Given any match, when a playback shows it, then every slice and every mouse is on the board exactly once."""
    events = tuple(play_match(GAME, options=options))
    whole = Replay(events)
    now = whole.at(events[-1].ply)
    for beat in playback(whole, now, 1, events[-1].ply, "everything", beats, 60):
        if not beat.match.draw_count:
            continue
        seen = (*(event for event in events if event.ply < beat.event.ply), beat.event)
        view = GAME.view(beat.match.state, 0)
        board = board_data(TableContext(beat.match, 0, view, seen, {}, history=lambda seen=seen: seen))  # type: ignore[misc]
        ids = Counter(piece_ids(board))
        assert max(ids.values()) == 1, beat.event.ply
        assert sum(name.startswith("slice-") for name in ids) == len(PIECES) - len(view.removed)
        assert sum(name.startswith("mouse-") for name in ids) == 8


def test_a_won_slice_keeps_the_id_of_its_place() -> None:
    state = given(position(cake=["A3: 1-2 (2-4) 1-3", "B7: 4-6"]))
    state, _ = play(state, "blue", send(B=4))
    assert "slice-A3" in piece_ids(shown(state, 0))
    after, facts = play(state, "yellow", send(A=1, B=3), 3, 1, 1, 1, 1, 1, 1, 1)
    assert any(isinstance(fact, PieceTaken) and fact.at == "A3" for fact in facts)
    mine: Side = shown(after, 0, facts)["mine"]
    assert ("slice-A3", "1-2") in [(each.id, each.face) for each in mine.won]


def test_the_mouse_that_was_exhausted_sleeps_and_the_others_stay_awake() -> None:
    state = given(position(cake=["A3: 1-1 (2-4) 1-3", "B7: 0-6", "C2: 5-5 6-6"]))
    state, _ = play(state, "blue", send(C=4))
    state, facts = play(state, "yellow", send(A=2, B=1, C=1), 3, 4, 6, 1, 1, 1, 2, 2)
    tired = [fact for fact in facts if isinstance(fact, MiceExhausted)]
    assert [(fact.seat, fact.column, fact.count) for fact in tired] == [("yellow", "B", 1)]
    upto = facts[: facts.index(tired[0]) + 1]
    during: Side = shown(
        GAME.fold(upto, given(position(cake=["A3: 1-1 (2-4) 1-3", "B7: 0-6", "C2: 5-5 6-6"]))), 0, upto
    )["mine"]
    assert {m.id: m.face for slot in during.slots for m in slot.mice} == {
        "mouse-yellow-1": "awake", "mouse-yellow-2": "awake", "mouse-yellow-3": "asleep", "mouse-yellow-4": "awake",
    }  # fmt: skip
    home: Side = shown(state, 0, facts)["mine"]
    assert [m.id for m in home.home if m.face == "asleep"] == ["mouse-yellow-3"]


# -- hidden information ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [1, None])
def test_two_worlds_with_different_hidden_mice_look_the_same(seat: int | None) -> None:
    """Given two worlds in which yellow sent its mice elsewhere, then nobody else can tell them apart."""
    here, there = (play(given(position(**STEAL)), "yellow", move)[0] for move in (send(B=4), send(A=4, steal="5-5")))
    assert shown(here, seat) == shown(there, seat)
    assert shown(here, 0) != shown(there, 0)


def test_two_worlds_with_different_slices_under_the_icing_look_the_same() -> None:
    worlds = [
        given(position(cake=[f"A1: 1-1 ({a}) ({b}) 3-4", "B7: 4-6"])) for a, b in (("5-5", "2-3"), ("2-3", "5-5"))
    ]
    for seat in (0, 1, None):
        here, there = (shown(world, seat) for world in worlds)
        assert here == there
        assert "slice-A2" in piece_ids(here)


def test_a_spectator_sees_two_napkins_and_no_column() -> None:
    state, _ = play(given(position(**STEAL)), "yellow", send(B=4))
    board = shown(state, None)
    theirs: Side = board["theirs"]
    assert len(theirs.napkin) == 4
    assert not any(slot.mice for slot in theirs.slots)
    assert theirs.napkin_words == "4 mice sent, still hidden"


# -- beats -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=lambda each: "-".join(each.values()))
def test_beats_show_every_fact_once_and_end_with_the_round(options: dict[str, str]) -> None:
    for event in play_match(GAME, options=options):
        facts = list(getattr(event, "facts", ()))
        together = beats(facts)
        assert Counter(map(id, chain.from_iterable(together))) == Counter(map(id, facts))
        if any(isinstance(fact, AssignmentsRevealed) for fact in facts):
            assert isinstance(together[0][-1], AssignmentsRevealed)
            assert any(isinstance(fact, RoundEnded) for fact in (*together[-1], *together[-2]))


def test_a_round_at_all_columns_has_seven_beats() -> None:
    """The reveal, four columns that overlap, the last results, and the way home."""
    state = given(position(cake=["A3: 1-2 5-6", "B3: 1-3 4-6", "C3: 1-4 3-6", "D3: 1-5 2-6"]))
    state, _ = play(state, "yellow", send(A=1, B=1, C=1, D=1))
    _, facts = play(state, "blue", send(A=1, B=1, C=1, D=1), *[4] * 8)
    together = beats(facts)
    assert len(together) == 7
    rolled = [[fact.column for fact in beat if isinstance(fact, DiceRolled)] for beat in together]
    assert rolled == [[], ["A", "A"], ["B", "B"], ["C", "C"], ["D", "D"], [], []]


def test_chapters_are_rounds() -> None:
    started = [
        fact for event in play_match(GAME) for fact in getattr(event, "facts", ()) if isinstance(fact, RoundStarted)
    ]
    assert [chapter(fact) for fact in started] == [f"Round {n}" for n in range(1, len(started) + 1)]


# -- words and pictures ----------------------------------------------------------------------------------------------


def test_a_chance_of_zero_has_a_reason() -> None:
    for piece, mice in ((piece, mice) for piece in PIECES for mice in range(1, 5)):
        assert bool(why_impossible(piece, mice, Options())) == (odds(piece, mice, "exhaust").take == 0)
    assert why_impossible("0-6", 1, Options()) == "One die can't reach 6 without showing the 6 that tires it."
    assert why_impossible("4-4", 1, Options()) == "One die can't reach 8."


def test_every_face_on_a_board_has_a_picture() -> None:
    names = set(re.findall(r'<symbol id="([^"]+)"', sprite()))
    assert {f"{kind}-{piece}" for kind in ("slice", "biscuit") for piece in PIECES} <= names
    families = ("honey", "blueberry")
    assert {f"mouse-{family}-{state}" for family in families for state in ("awake", "asleep", "hat")} <= names
    assert {"slice-iced", "napkin-honey", "napkin-blueberry", "icon-sleep", "icon-mouse", "icon-lock"} <= names


def test_pictures_keep_their_colours_and_have_no_gradients() -> None:
    drawn = sprite()
    assert not re.search(r"<(linearGradient|radialGradient|filter|style|script)|style=", drawn)
    assert set(re.findall(r'(?:fill|stroke)="([^"#]+)"', drawn)) <= {"none", "currentColor"}


def test_the_table_seats_honey_and_blueberry() -> None:
    assert TABLE.seat_colours == (1, 2)
    assert len(SEATS) == 2
