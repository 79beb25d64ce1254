"""Random seating, and which matches can be rated."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Luck
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import UNSET, Created, Started, TimeControl
from domain.kernel.game import AnyGame
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game, games
from domain.match.commands import Create, LeaveSeat, RemovePlayer, SeatSpec, TakeSeat
from domain.match.decide import decide
from domain.match.evolve import evolve
from domain.match.history import fold
from domain.match.lobby import create
from domain.match.luck import table_seats
from domain.match.state import AnyMatch
from tests.builders import EPOCH, Table, secrets_of, share_of, sit_down

GAME = find_game("tic_tac_toe")
ANN, BOB = SeatSpec("human", player="ann"), SeatSpec("human", player="bob")
OPEN, BOT = SeatSpec("open"), SeatSpec("bot", level="greedy")
every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)
LUCK = secrets_of(GAME, "seating", match="m01")


def created_match(*seats: SeatSpec, luck: Luck = LUCK, **more: Any) -> AnyMatch:
    wish: dict[str, Any] = {"match": "m01", "game": "tic_tac_toe", "creator": "ann", "options": {}, **more}
    return create(Create(seats=seats, **wish), EPOCH, luck).match


def start_event(table: Table) -> Started[Any, Any]:
    return next(event for event in table.events if isinstance(event, Started))


# -- random seating -----------------------------------------------------------------------------------------------


@every_game
def test_players_follow_the_drawn_order_and_shares_stay_where_they_were(game: AnyGame) -> None:
    seats = game.seat_counts[-1]
    table = sit_down(game, seats=seats, by_chance=True, shares=(True,) * seats)
    order = start_event(table).order
    assert order is not UNSET
    assert sorted(order) == [*range(seats)]
    assert [seat.player for seat in table.match.seats] == [f"p{old}" for old in order]
    assert table.match.shares == start_event(table).shares == tuple(share_of(n) for n in range(seats))
    assert [seat.share for seat in table.match.seats] == [share_of(old) for old in order]
    assert [seat.player for seat in table_seats(table.match)] == [f"p{n}" for n in range(seats)]


@pytest.mark.slow
def test_all_orders_are_equally_likely() -> None:
    game = find_game("pie_contest")
    seen = Counter(start_event(sit_down(game, seats=3, by_chance=True, seed=n)).order for n in range(600))
    assert len(seen) == 6
    assert all(60 <= count <= 145 for count in seen.values())  # 100 each; five standard deviations are 46


def test_every_share_influences_the_order() -> None:
    """Given one seed, when the other player's share changes, then the order can change."""
    orders = {seating(f"{n:064x}") for n in range(1, 41)}
    assert orders == {(0, 1), (1, 0)}


def seating(share: str) -> Any:
    """Return the order of seats that chance draws when the second player gives this share."""
    match = created_match(OPEN, OPEN, by_chance=True)
    match = decide(match, TakeSeat(0, "ann"), EPOCH, LUCK).match
    sitting = TakeSeat(1, "bob", commitment=match.commitment, share=share)
    return decide(match, sitting, EPOCH, LUCK).match.seat_order


@every_game
def test_random_seating_uses_none_of_the_games_draws(game: AnyGame) -> None:
    plain = sit_down(game)
    drawn = next(t for n in range(99) if start_event(t := sit_down(game, by_chance=True, match="m00built", seed=n)))
    assert [event.draw for event in drawn.events] == [event.draw for event in plain.events]


def test_unset_options_are_not_written() -> None:
    names = {name for event in sit_down(GAME).events for name in msgspec.to_builtins(event)}
    assert not names & {"seating", "order", "rated", "private"}


def test_random_seating_survives_the_log() -> None:
    first, *_ = (read_event(write_event(e), GAME) for e in sit_down(GAME, by_chance=True, rated=True).events)
    assert isinstance(first, Created)
    assert (first.seating, first.rated, first.private) == ("chance", True, UNSET)


@pytest.mark.parametrize("order", [(0, 0), (1,), (0, 1, 2), (5, -1)])
def test_an_invalid_order_changes_nothing(order: tuple[int, ...]) -> None:
    before = created_match(ANN, OPEN, by_chance=True)
    forged: Any = Started(ply=before.ply + 1, at=EPOCH, shares=(None, None), draws={}, order=order)
    after = evolve(before, forged)
    assert (after.seats, after.seat_order) == (before.seats, ())


# -- seats that were left -----------------------------------------------------------------------------------------


def test_a_seat_counts_how_often_it_was_left() -> None:
    match = created_match(ANN, OPEN, OPEN, game="pie_contest")
    for command in (TakeSeat(1, "bob"), LeaveSeat(1), TakeSeat(1, "cid"), LeaveSeat(1), TakeSeat(1, "bob")):
        match = decide(match, command, EPOCH, LUCK).match
    assert [(seat.kind, seat.times_vacated) for seat in match.seats] == [("human", 0), ("human", 2), ("open", 0)]


def test_a_seat_that_was_left_many_times_can_still_be_taken() -> None:
    """Given a guest who takes and leaves a seat 60 times, then the creator and others can still sit there."""
    match = created_match(OPEN, OPEN, OPEN, game="pie_contest")
    for command in (TakeSeat(1, "bob"), LeaveSeat(1)) * 60:
        match = decide(match, command, EPOCH, LUCK).match
    for player in ("ann", "cid"):
        assert decide(match, TakeSeat(1, player), EPOCH, LUCK).match.seats[1].player == player


# -- the creator's lobby ------------------------------------------------------------------------------------------


def refused_code(match: AnyMatch, command: Any) -> str:
    """Return the code of a refused command."""
    with pytest.raises(MatchRefused) as refused:
        decide(match, command, EPOCH, LUCK)
    return refused.value.code


def test_the_creator_can_remove_a_player_who_cannot_come_back() -> None:
    """Given a player at a seat, when the creator removes them, then others can sit there, and the player can't."""
    match = created_match(ANN, OPEN, OPEN, game="pie_contest")
    match = decide(match, TakeSeat(1, "bob"), EPOCH, LUCK).match
    done = decide(match, RemovePlayer("ann", 1), EPOCH, LUCK)
    assert [seat.kind for seat in done.match.seats] == ["human", "open", "open"]
    assert [refused_code(done.match, TakeSeat(seat, "bob")) for seat in (1, 2)] == ["removed", "removed"]
    assert decide(done.match, TakeSeat(1, "cid"), EPOCH, LUCK).match.seats[1].player == "cid"


def test_the_creator_can_take_a_seat_back() -> None:
    """Given a lobby with a free seat, when the creator keeps another player's seat, then only they can take it."""
    match = created_match(OPEN, OPEN, OPEN, game="pie_contest")
    for seat, player in ((0, "bob"), (1, "cid")):
        match = decide(match, TakeSeat(seat, player), EPOCH, LUCK).match
    match = decide(match, RemovePlayer("ann", 0, keep=True), EPOCH, LUCK).match
    assert (match.seats[0].reserved_for, refused_code(match, TakeSeat(0, "eve"))) == ("ann", "seat_taken")
    seated = decide(match, TakeSeat(0, "ann"), EPOCH, LUCK).match
    assert seated.seats[0].player == "ann"
    left = decide(seated, LeaveSeat(0), EPOCH, LUCK).match
    assert (left.seats[0].reserved_for, left.seats[0].private) == (None, False)


def test_a_seat_that_the_creator_keeps_and_gives_up_is_as_public_as_the_match() -> None:
    """Given an unlisted match, when the creator keeps a seat and gives it up, then it still needs an invitation."""
    match = created_match(ANN, OPEN, OPEN, game="pie_contest", private=True)
    match = decide(match, TakeSeat(1, "bob"), EPOCH, LUCK).match
    for command in (RemovePlayer("ann", 1, keep=True), TakeSeat(1, "ann"), LeaveSeat(1)):
        match = decide(match, command, EPOCH, LUCK).match
    assert match.seats[1].private


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (RemovePlayer("bob", 0), "not_creator"),
        (RemovePlayer("ann", 0), "own_seat"),
        (RemovePlayer("ann", 2), "seat_open"),
        (RemovePlayer("ann", 3), "seat_of_a_bot"),
        (RemovePlayer("ann", 4), "no_such_seat"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_only_the_creator_can_remove_other_people(command: RemovePlayer, code: str) -> None:
    match = created_match(ANN, OPEN, OPEN, BOT, game="pie_contest")
    match = decide(match, TakeSeat(1, "bob"), EPOCH, LUCK).match
    assert refused_code(match, command) == code


def test_nobody_is_removed_after_the_start() -> None:
    match = decide(created_match(ANN, OPEN), TakeSeat(1, "bob"), EPOCH, LUCK).match
    assert refused_code(match, RemovePlayer("ann", 1)) == "already_started"


# -- rated --------------------------------------------------------------------------------------------------------


def test_a_match_between_people_with_secret_luck_can_be_rated() -> None:
    assert created_match(ANN, BOB, rated=True).is_rated
    assert created_match(ANN, OPEN, rated=True).is_rated
    assert not created_match(ANN, BOB).is_rated


@pytest.mark.parametrize(
    ("seats", "more", "reason"),
    [
        ((ANN, BOT), {}, "bots can't take part"),
        ((ANN, ANN), {}, "one seat each"),
        ((ANN, BOB), {"position": {"cells": [None] * 9}}, "normal set-up"),
        ((ANN, BOB), {"luck": secrets_of(GAME, b"given", match="m01", given=True)}, "secret"),
        ((ANN, BOB), {"private": True}, "unlisted"),
        (
            (ANN, BOB),
            {"clock": TimeControl(kind="per_move", seconds=86400, expiry="bot_takes_over")},
            "a bot can't step in",
        ),
        ((ANN, BOB), {"clock": TimeControl(kind="per_move", seconds=86400, expiry="bot_moves")}, "a bot can't step in"),
    ],
)
def test_an_unfair_match_cannot_be_rated(seats: Any, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(MatchRefused, match=reason) as refused:
        created_match(*seats, rated=True, **more)
    assert refused.value.code == "not_rateable"
    assert not created_match(*seats, **more).is_rated


def test_a_match_in_which_bots_may_step_in_is_unrated_even_if_its_log_says_rated() -> None:
    """Given a log from before this was refused, then its result does not change ratings."""
    clock = TimeControl(kind="per_move", seconds=86400, expiry="bot_moves", level="greedy")
    first, *others = sit_down(GAME, clock=clock).events
    match = fold([msgspec.structs.replace(first, rated=True), *others])
    assert match.was_created_rated
    assert not match.is_rated
    resigning = msgspec.structs.replace(clock, expiry="resigns")
    assert sit_down(GAME, clock=resigning, rated=True).match.is_rated


def test_a_player_has_one_seat_in_a_rated_match() -> None:
    with pytest.raises(MatchRefused) as refused:
        decide(created_match(ANN, OPEN, rated=True), TakeSeat(1, "ann"), EPOCH, LUCK)
    assert refused.value.code == "one_seat_each"
