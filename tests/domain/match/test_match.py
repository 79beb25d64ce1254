"""The match: the lifecycle around a game."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from domain.kernel.event_codec import write_event
from domain.kernel.events import AnyEvent, Created, Ended, Moved, SeedRevealed
from domain.kernel.hash_chain import GENESIS
from domain.kernel.refusals import BadOptions, IllegalMove, MatchRefused
from domain.kernel.registry import UnknownGame, find_game
from domain.match.commands import Cancel, Command, Create, LeaveSeat, Play, SeatSpec, TakeSeat
from domain.match.decide import decide
from domain.match.history import fold
from domain.match.lobby import create
from domain.match.state import AnyMatch, snapshot_decoder
from tests.builders import play_match, secrets_of

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
GAME = find_game("tic_tac_toe")
LUCK = secrets_of(GAME, bytes(range(32)), match="m01")
ANN = SeatSpec("human", player="ann")
OPEN = SeatSpec("open")
BOT = SeatSpec("bot", level="greedy")
ALMOST = {"cells": ["cross", "cross", None, "nought", "nought", None, None, None, None]}


def create_events(*seats: SeatSpec, **more: Any) -> list[AnyEvent]:
    wish: dict[str, Any] = {"match": "m01", "game": "tic_tac_toe", "creator": "ann", "options": {}, **more}
    return create(Create(seats=seats or (ANN, OPEN), **wish), NOON, LUCK).events


def decide_next(events: Sequence[AnyEvent], command: Command, now: datetime = NOON) -> list[AnyEvent]:
    return decide(fold(events), command, now, LUCK).events


def kinds(events: Sequence[AnyEvent]) -> list[str]:
    return [msgspec.to_builtins(event)["kind"] for event in events]


def started_match(*seats: SeatSpec, **more: Any) -> AnyMatch:
    return fold(create_events(*(seats or (ANN, BOT)), **more))


def test_a_match_with_an_open_seat_waits() -> None:
    events = create_events(ANN, OPEN)
    assert kinds(events) == ["created", "seat_taken"]
    assert fold(events).status == "open"
    assert fold(events).open_seats == (1,)
    assert fold(events).to_move == frozenset()


def test_a_match_with_all_seats_taken_starts_immediately() -> None:
    events = create_events(ANN, BOT)
    assert kinds(events) == ["created", "seat_taken", "seat_taken", "started"]
    match = fold(events)
    assert (match.status, match.ply, match.to_move, match.draw_count) == ("playing", 4, frozenset({0}), 1)
    assert [(seat.kind, seat.player, seat.level) for seat in match.seats] == [
        ("human", "ann", None),
        ("bot", None, "greedy"),
    ]


def test_the_first_event_fixes_what_is_played() -> None:
    first = create_events()[0]
    assert isinstance(first, Created)
    assert (first.game, first.rules_version, first.options, first.position) == (
        "tic_tac_toe",
        GAME.rules_version,
        {},
        None,
    )
    assert first.components == GAME.components_digest
    assert first.commitment == LUCK.commitment()
    assert not first.given
    assert first.prev == GENESIS


def test_the_last_seat_taken_starts_the_match() -> None:
    events = decide_next(create_events(ANN, OPEN), TakeSeat(1, "bob"))
    assert kinds(events) == ["seat_taken", "started"]


def test_leaving_before_the_start_frees_the_seat() -> None:
    events = create_events(OPEN, OPEN)
    events += decide_next(events, TakeSeat(0, "bob"))
    events += decide_next(events, LeaveSeat(0))
    assert fold(events).open_seats == (0, 1)
    assert fold(events).seats_of("bob") == ()


def test_a_cancelled_match_reveals_its_seed() -> None:
    events = create_events(ANN, OPEN)
    events += decide_next(events, Cancel("ann"))
    assert kinds(events)[-2:] == ["cancelled", "seed_revealed"]
    assert (fold(events).status, fold(events).outcome, fold(events).seed) == ("over", None, LUCK.reveal().seed)


def test_the_last_move_ends_the_match_and_reveals_the_seed() -> None:
    events = create_events(ANN, BOT, position=ALMOST)
    events += decide_next(events, Play(0, {"type": "mark", "cell": 2}))
    assert kinds(events)[-3:] == ["moved", "ended", "seed_revealed"]
    match = fold(events)
    assert match.status == "over"
    assert match.outcome is not None
    assert match.outcome.winners == (0,)
    assert match.to_move == frozenset()


def test_resigning_out_of_turn_ends_the_match() -> None:
    events = create_events(ANN, BOT)
    events += decide_next(events, Play(1, {"type": "resign"}))
    assert kinds(events)[-3:] == ["moved", "ended", "seed_revealed"]
    assert fold(events).outcome.winners == (0,)  # type: ignore[union-attr]


def test_draws_and_facts_are_counted() -> None:
    events = create_events(ANN, BOT)
    for seat, cell in ((0, 4), (1, 0), (0, 8)):
        events += decide_next(events, Play(seat, {"type": "mark", "cell": cell}))
    assert [(event.draw, event.first_fact) for event in events[3:]] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert (fold(events).draw_count, fold(events).fact_count) == (4, 4)


def test_time_never_goes_back() -> None:
    (moved,), _ = decide(started_match(), Play(0, {"type": "mark", "cell": 4}), NOON - timedelta(days=1), LUCK)
    assert moved.at == NOON


@pytest.mark.parametrize(
    ("command", "code"),
    [(TakeSeat(0, "bob"), "seat_taken"), (TakeSeat(2, "bob"), "no_such_seat"), (TakeSeat(-1, "bob"), "no_such_seat"),
     (LeaveSeat(1), "seat_open"), (LeaveSeat(7), "no_such_seat"), (Cancel("bob"), "not_creator"),
     (Play(0, {"type": "mark", "cell": 4}), "not_started")],
)  # fmt: skip
def test_an_open_match_refuses_invalid_commands(command: Command, code: str) -> None:
    with pytest.raises(MatchRefused) as refused:
        decide_next(create_events(ANN, OPEN), command)
    assert (refused.value.code, refused.value.rule) == (code, "match")


@pytest.mark.parametrize("command", [TakeSeat(0, "bob"), LeaveSeat(0), Cancel("ann")])
def test_seats_are_fixed_once_the_match_has_started(command: Command) -> None:
    with pytest.raises(MatchRefused) as refused:
        decide(started_match(), command, NOON, LUCK)
    assert refused.value.code == "already_started"


@pytest.mark.parametrize(
    ("seat", "move", "code"),
    [(1, {"type": "mark", "cell": 4}, "not_your_turn"), (0, {"type": "mark", "cell": 9}, "bad_move"),
     (0, {"type": "castle"}, "bad_move"), (0, "mark", "bad_move"), (0, None, "bad_move"),
     (0, {"type": "mark", "cell": 2**70}, "bad_move"), (0, {"type": "mark", "cell": 4, "row": 1}, "bad_move")],
)  # fmt: skip
def test_the_game_refuses_invalid_moves(seat: int, move: Any, code: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        decide(started_match(), Play(seat, move), NOON, LUCK)
    assert refused.value.code == code


def test_an_integer_can_be_written_with_a_zero_fraction() -> None:
    (moved,), _ = decide(started_match(), Play(0, {"type": "mark", "cell": 4.0}), NOON, LUCK)
    assert b'"move":{"cell":4,"type":"mark"}' in write_event(moved)


def test_a_seat_that_does_not_exist_cannot_move() -> None:
    with pytest.raises(MatchRefused) as refused:
        decide(started_match(), Play(2, {"type": "resign"}), NOON, LUCK)
    assert refused.value.code == "no_such_seat"


def test_a_finished_match_accepts_no_moves() -> None:
    over = fold(play_match(GAME))
    with pytest.raises(IllegalMove) as refused:
        decide(over, Play(0, {"type": "resign"}), NOON, LUCK)
    assert refused.value.code == "game_over"


def test_a_cancelled_match_accepts_no_moves() -> None:
    events = create_events(ANN, OPEN)
    events += decide_next(events, Cancel("ann"))
    with pytest.raises(MatchRefused) as refused:
        decide_next(events, Play(0, {"type": "mark", "cell": 4}))
    assert refused.value.code == "match_cancelled"


def test_an_invalid_match_cannot_be_created() -> None:
    with pytest.raises(UnknownGame, match="tic_tac_toe"):
        create_events(game="go")
    with pytest.raises(BadOptions, match="is for 2 players, not 3"):
        create_events(ANN, OPEN, OPEN)
    with pytest.raises(BadOptions):
        create_events(options={"cells": 16})
    with pytest.raises(BadOptions):
        create_events(position={"cells": []})
    with pytest.raises(BadOptions, match="outside"):
        create_events(position={"cells": [10**30]})


def test_a_refusal_changes_nothing() -> None:
    match = started_match()
    before = msgspec.json.encode(match)
    with pytest.raises(IllegalMove):
        decide(match, Play(1, {"type": "mark", "cell": 4}), NOON, LUCK)
    assert msgspec.json.encode(match) == before


def test_folding_needs_a_first_event() -> None:
    with pytest.raises(ValueError, match="created"):
        fold([])


def test_folding_in_two_parts_gives_the_same_match() -> None:
    events = play_match(GAME)
    for cut in range(1, len(events)):
        assert fold(events[cut:], fold(events[:cut])) == fold(events)


def test_a_snapshot_survives_a_round_trip() -> None:
    match = started_match()
    decoder = snapshot_decoder(GAME)
    assert decoder.decode(msgspec.json.encode(match)) == match


def test_seats_of_none_is_empty() -> None:
    assert started_match().seats_of(None) == ()
    assert started_match().seats_of("ann") == (0,)


def test_the_events_of_one_command_are_chained() -> None:
    events = create_events(ANN, BOT, position=ALMOST)
    last = decide(fold(events), Play(0, {"type": "mark", "cell": 2}), NOON, LUCK).events
    assert [type(event) for event in last] == [Moved, Ended, SeedRevealed]
    assert [event.ply for event in last] == [5, 6, 7]
    assert last[0].prev == events[-1].hash
