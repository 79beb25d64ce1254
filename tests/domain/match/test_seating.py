"""Who sits where by chance, and which matches may be rated."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Seed
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import UNSET, Created, Started, TimeControl
from domain.kernel.game import AnyGame
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game, games
from domain.match.commands import Create, LeaveSeat, SeatSpec, TakeSeat
from domain.match.decide import decide
from domain.match.evolve import evolve
from domain.match.history import fold
from domain.match.lobby import MAX_TIMES_VACATED, create
from domain.match.luck import draw_seat_order
from domain.match.state import AnyMatch
from tests.builders import EPOCH, Table, seed_of, sit_down

GAME = find_game("tic_tac_toe")
VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs/test-vectors.json").read_text())
ANN, BOB = SeatSpec("human", player="ann"), SeatSpec("human", player="bob")
OPEN, BOT = SeatSpec("open"), SeatSpec("bot", level="greedy")
every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def created_match(*seats: SeatSpec, luck: Seed | None = None, **more: Any) -> AnyMatch:
    wish: dict[str, Any] = {"match": "m01", "game": "tic_tac_toe", "creator": "ann", "options": {}, **more}
    return create(Create(seats=seats, **wish), EPOCH, luck or Seed(seed_of("seating"))).match


def start_event(table: Table) -> Started[Any, Any]:
    return next(event for event in table.events if isinstance(event, Started))


# -- by chance ----------------------------------------------------------------------------------------------------


@every_game
def test_players_sit_where_the_drawn_order_puts_them_with_their_shares_of_the_luck(game: AnyGame) -> None:
    seats = game.seat_counts[-1]
    shares = [f"share{n}" for n in range(seats)]
    table = sit_down(game, seats=seats, by_chance=True, client_seeds=shares)
    order = start_event(table).order
    assert order is not UNSET
    assert sorted(order) == [*range(seats)]
    assert [seat.player for seat in table.match.seats] == [f"p{old}" for old in order]
    assert start_event(table).client_seeds == tuple(shares[old] for old in order)


@pytest.mark.slow
def test_each_order_comes_as_often_as_any_other() -> None:
    game = find_game("pie_contest")
    seen = Counter(start_event(sit_down(game, seats=3, by_chance=True, seed=n)).order for n in range(600))
    assert len(seen) == 6
    assert all(60 <= count <= 145 for count in seen.values())  # 100 each; five standard deviations are 46


def test_nobody_alone_decides_the_order_not_even_who_draws_the_seed() -> None:
    """Given one seed, when the other player brings another share of the luck, then another order may come."""
    orders = {start_event(sit_down(GAME, by_chance=True, client_seeds=("none", f"{n}"))).order for n in range(40)}
    assert orders == {(0, 1), (1, 0)}


def test_it_is_as_published() -> None:
    for v in VECTORS["seats"]:
        assert draw_seat_order(Seed(bytes.fromhex(v["seed"])), v["match"], v["client_seeds"]) == tuple(v["order"])


@every_game
def test_the_order_takes_no_draw_away_from_the_game(game: AnyGame) -> None:
    plain = sit_down(game)
    drawn = next(t for n in range(99) if start_event(t := sit_down(game, by_chance=True, match="m00built", seed=n)))
    assert [event.draw for event in drawn.events] == [event.draw for event in plain.events]


def test_a_match_without_the_option_is_written_as_ever() -> None:
    names = {name for event in sit_down(GAME).events for name in msgspec.to_builtins(event)}
    assert not names & {"seating", "order", "rated", "private"}


def test_the_option_survives_the_log() -> None:
    first, *_ = (read_event(write_event(e), GAME) for e in sit_down(GAME, by_chance=True, rated=True).events)
    assert isinstance(first, Created)
    assert (first.seating, first.rated, first.private) == ("chance", True, UNSET)


@pytest.mark.parametrize("order", [(0, 0), (1,), (0, 1, 2), (5, -1)])
def test_an_order_that_is_none_changes_nothing(order: tuple[int, ...]) -> None:
    before = created_match(ANN, OPEN, by_chance=True)
    forged: Any = Started(ply=before.ply + 1, at=EPOCH, client_seeds=("none", "none"), order=order)
    assert evolve(before, forged).seats == before.seats


# -- seats that were left -----------------------------------------------------------------------------------------


def test_a_seat_counts_how_often_somebody_got_up() -> None:
    luck = Seed(seed_of("seating"))
    match = created_match(ANN, OPEN, OPEN, luck=luck, game="pie_contest")
    for command in (TakeSeat(1, "bob"), LeaveSeat(1), TakeSeat(1, "cid"), LeaveSeat(1), TakeSeat(1, "bob")):
        match = decide(match, command, EPOCH, luck).match
    assert [(seat.kind, seat.times_vacated) for seat in match.seats] == [("human", 0), ("human", 2), ("open", 0)]


def test_a_seat_can_be_left_only_so_often_and_nobody_is_kept_in_it() -> None:
    """Given somebody who sits down and gets up without end, then the match's log has an end all the same."""
    luck = Seed(seed_of("seating"))
    match = created_match(ANN, OPEN, OPEN, luck=luck, game="pie_contest")
    for command in (TakeSeat(1, "bob"), LeaveSeat(1)) * MAX_TIMES_VACATED:
        match = decide(match, command, EPOCH, luck).match
    with pytest.raises(
        MatchRefused, match=f"taken and left {MAX_TIMES_VACATED} times, which is the most. Take another"
    ) as refused:
        decide(match, TakeSeat(1, "bob"), EPOCH, luck)
    assert refused.value.code == "left_too_often"
    seated = decide(match, TakeSeat(2, "bob"), EPOCH, luck).match
    assert decide(seated, LeaveSeat(2), EPOCH, luck).events


# -- rated --------------------------------------------------------------------------------------------------------


def test_a_match_between_people_with_secret_luck_is_rated_if_that_was_wished() -> None:
    assert created_match(ANN, BOB, rated=True).is_rated
    assert created_match(ANN, OPEN, rated=True).is_rated
    assert not created_match(ANN, BOB).is_rated


@pytest.mark.parametrize(
    ("seats", "more", "reason"),
    [
        ((ANN, BOT), {}, "no bot"),
        ((ANN, ANN), {}, "one seat each"),
        ((ANN, BOB), {"position": {"cells": [None] * 9}}, "begin at the beginning"),
        ((ANN, BOB), {"luck": Seed(b"given", given=True)}, "secret"),
        ((ANN, BOB), {"private": True}, "private"),
        (
            (ANN, BOB),
            {"clock": TimeControl(kind="per_move", seconds=86400, expiry="bot_takes_over")},
            "no bot may play",
        ),
        ((ANN, BOB), {"clock": TimeControl(kind="per_move", seconds=86400, expiry="bot_moves")}, "no bot may play"),
    ],
)
def test_a_match_that_could_not_be_fair_is_not_rated(seats: Any, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(MatchRefused, match=reason) as refused:
        created_match(*seats, rated=True, **more)
    assert refused.value.code == "not_rateable"
    assert not created_match(*seats, **more).is_rated


def test_a_match_that_bots_may_win_for_a_seat_does_not_count_even_where_its_log_says_rated() -> None:
    """Given a log from before this was refused, then who was asleep all along has won nothing, nor lost anything."""
    clock = TimeControl(kind="per_move", seconds=86400, expiry="bot_moves", level="greedy")
    first, *others = sit_down(GAME, clock=clock).events
    match = fold([msgspec.structs.replace(first, rated=True), *others])
    assert match.was_created_rated
    assert not match.is_rated
    resigning = msgspec.structs.replace(clock, expiry="resigns")
    assert sit_down(GAME, clock=resigning, rated=True).match.is_rated


def test_in_a_rated_match_nobody_has_two_seats() -> None:
    luck = Seed(seed_of("seating"))
    with pytest.raises(MatchRefused) as refused:
        decide(created_match(ANN, OPEN, luck=luck, rated=True), TakeSeat(1, "ann"), EPOCH, luck)
    assert refused.value.code == "one_seat_each"
