"""Notices are folded from the log. Each has a kind, a player and a ply, and none is repeated."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.events import TimeControl
from domain.kernel.registry import find_game, games
from domain.match.commands import AnswerProposal, Expire, Play, Propose, RaiseDispute, RecordVerdict
from domain.match.durations import DAY
from domain.match.history import fold
from domain.match.notices import TRANSIENT_KINDS
from domain.match.state import AnyMatch
from tests.builders import EPOCH, play_match, sit_down

GAME = find_game("tic_tac_toe")


def mark(seat: int, cell: int) -> Play:
    return Play(seat, {"type": "mark", "cell": cell})


def pending_notices(match: AnyMatch, *kinds: str) -> list[tuple[str, int, int]]:
    """Return kind, seat and ply of the pending notices."""
    return [(n.kind, n.seat, n.ply) for n in match.notices if n.kind in (kinds or (n.kind,))]


def test_a_turn_notice_lasts_from_its_event_to_the_move() -> None:
    table = sit_down(GAME)
    start = table.match.ply
    assert pending_notices(table.match) == [("turn", 0, start)]
    table.take_command(mark(0, 4), EPOCH)
    assert pending_notices(table.match) == [("turn", 1, start + 1)]


def test_actions_of_others_do_not_start_a_new_turn() -> None:
    table = sit_down(GAME, clock=TimeControl(kind="per_move", seconds=DAY))
    before = pending_notices(table.match)
    table.take_command(RaiseDispute(1, 1, "other", "ab" * 32), EPOCH)
    table.take_command(Propose(seat=1, what="extend", seconds=3600), EPOCH)
    assert pending_notices(table.match, "turn") == before


def test_a_player_who_is_asked_has_a_notice_until_the_answer() -> None:
    table = sit_down(GAME, clock=TimeControl(kind="per_move", seconds=DAY))
    table.take_command(Propose(seat=0, what="pause"), EPOCH)
    number = table.match.ply
    assert pending_notices(table.match, "asked") == [("asked", 1, number)]
    table.take_command(AnswerProposal(1, number, False), EPOCH)
    assert pending_notices(table.match, "asked") == []


def test_a_takeback_starts_a_new_turn() -> None:
    table = sit_down(GAME)
    first = table.match.ply
    table.take_command(mark(0, 4), EPOCH)
    table.take_command(Propose(seat=0, what="takeback", to_ply=first), EPOCH)
    table.take_command(AnswerProposal(1, table.match.ply, True), EPOCH)
    assert pending_notices(table.match) == [("turn", 0, table.match.ply)]
    assert table.match.ply > first


@pytest.mark.parametrize(
    ("expiry", "kinds"), [("bot_moves", ["expired"]), ("bot_takes_over", ["expired"]), ("resigns", ["over", "over"])]
)
def test_a_player_who_ran_out_of_time_is_notified_and_has_no_turn(expiry: Any, kinds: list[str]) -> None:
    level = None if expiry == "resigns" else "random"
    table = sit_down(GAME, clock=TimeControl(kind="per_move", seconds=DAY, expiry=expiry, level=level or "random"))
    player = table.match.seats[0].player
    table.take_command(Expire(0), EPOCH + timedelta(days=1))
    assert [notice.kind for notice in table.match.notices] == kinds
    assert table.match.notices[0].player == player


def test_everyone_has_lasting_notices_of_the_end_and_a_verdict() -> None:
    table = sit_down(GAME)
    table.take_command(Play(0, {"type": "resign"}), EPOCH)
    ended = next(event.ply for event in table.events if type(event).__name__ == "Ended")
    assert pending_notices(table.match) == [("over", 0, ended), ("over", 1, ended)]
    table.take_command(RaiseDispute(1, 1, "other", "ab" * 32), EPOCH)
    table.take_command(RecordVerdict(table.match.ply, True), EPOCH)
    ply = table.match.ply
    assert pending_notices(table.match) == [
        ("over", 0, ended),
        ("over", 1, ended),
        ("verdict", 0, ply),
        ("verdict", 1, ply),
    ]


@pytest.mark.parametrize("slug", sorted(games()))
@settings(max_examples=5, deadline=None)
@given(luck=st.integers(0, 10**6))
def test_in_every_game_the_seats_to_move_have_notices_and_none_is_repeated(slug: str, luck: int) -> None:
    match: AnyMatch | None = None
    seen: set[Any] = set()
    pending: set[Any] = set()
    for event in play_match(find_game(slug), moves=luck, resign_in=40):
        match = fold([event], match)
        now = {(notice.kind, notice.player, notice.ply, notice.seat) for notice in match.notices}
        owing = {seat for seat in match.to_move if match.seats[seat].kind == "human"}
        assert {notice.seat for notice in match.notices if notice.kind == "turn"} == owing
        assert not (now - pending) & seen, "a notice must not be repeated"
        assert all(notice.ply <= match.ply for notice in match.notices)
        seen |= now
        pending = now
    assert match is not None
    assert not any(notice.kind in TRANSIENT_KINDS for notice in match.notices) or match.status == "playing"
