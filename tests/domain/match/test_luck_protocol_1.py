"""Luck protocol 1: matches of earlier rules versions keep it. They continue as they began, with client seeds."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from domain.kernel.chance import Fast, Seed
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import Created, SeatTaken, SeedRevealed, Started
from domain.kernel.game import AnyGame
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import all_versions, find_game
from domain.match.commands import Cancel, Create, LeaveSeat, LoseShare, OpenShare, SeatSpec, TakeSeat
from domain.match.history import fold
from domain.match.lobby import create_under_rules
from domain.match.luck import draw_seat_order, load_secrets, seating_chance
from domain.match.state import snapshot_decoder
from replays.fork_check import check_fork
from replays.verify import verify
from tests.builders import EPOCH, Table, fork_table, play_match, play_on, replay_file, seed_of, sit_down, step

GAME = find_game("tic_tac_toe", 1)
VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs/test-vectors.json").read_text())
every_game = pytest.mark.parametrize(
    "game", [game for game in all_versions() if game.luck_protocol == 1], ids=lambda game: game.slug
)


def open_table(**more: Any) -> Table:
    """Return a match with protocol 1 in which player "ann" waits for someone to take seat 1."""
    luck = Seed(seed_of("lobby"))
    seats = (SeatSpec("human", player="ann", client_seed="tea"), SeatSpec("open"))
    command = Create(match="m01", game=GAME.slug, creator="ann", options={}, seats=seats, **more)
    events, match = create_under_rules(GAME, command, EPOCH, luck)
    return Table(luck, match, events)


def start_event(table: Table) -> Started[Any, Any]:
    return next(event for event in table.events if isinstance(event, Started))


@every_game
def test_a_match_keeps_its_protocol_to_the_end(game: AnyGame) -> None:
    events = play_match(game, client_seeds=("tea", "Zwieback"))
    created, revealed = events[0], events[-1]
    assert isinstance(created, Created)
    assert isinstance(revealed, SeedRevealed)
    assert (created.luck, revealed.salts) == (UNSET, UNSET)
    assert fold(events).luck is None
    fields = {name for event in events for name in json.loads(write_event(event))}
    assert not fields & {"luck", "share", "seal", "shares", "draws", "salts", "bot", "seen"}
    report = verify(replay_file(events))
    assert report.ok, report.as_text()


def test_the_last_seat_taken_starts_the_match_with_the_client_seeds() -> None:
    table = open_table()
    table.take_command(TakeSeat(1, "bob", "lucky"))
    assert start_event(table).client_seeds == ("tea", "lucky")


def test_a_seat_that_was_left_has_no_client_seed() -> None:
    table = open_table()
    table.take_command(LeaveSeat(0))
    assert table.match.seats[0].client_seed is None


@pytest.mark.parametrize("text", ["", "two\nlines", "\ud800", "x" * 201])
def test_an_invalid_client_seed_is_refused(text: str) -> None:
    with pytest.raises(MatchRefused) as refused:
        open_table().take_command(TakeSeat(1, "bob", text))
    assert refused.value.code == "bad_client_seed"


def test_a_cancelled_match_reveals_its_seed() -> None:
    table = open_table()
    table.take_command(Cancel("ann"))
    assert (table.match.status, table.match.seed) == ("over", seed_of("lobby").hex())
    assert verify(replay_file(table.events)).ok


def test_there_are_no_levels_and_no_shares() -> None:
    with pytest.raises(MatchRefused) as refused:
        open_table(level="sealed")
    assert refused.value.code == "wrong_level"
    for command in (OpenShare("ann", "0" * 64, "1" * 64), LoseShare("ann")):
        with pytest.raises(MatchRefused) as refused:
            open_table().take_command(command)
        assert refused.value.code == "not_your_seal"


@every_game
def test_players_and_their_client_seeds_follow_the_drawn_order(game: AnyGame) -> None:
    seats = game.seat_counts[-1]
    seeds = [f"seed{n}" for n in range(seats)]
    table = sit_down(game, seats=seats, by_chance=True, client_seeds=seeds)
    order = start_event(table).order
    assert order is not UNSET
    assert sorted(order) == [*range(seats)]
    assert [seat.player for seat in table.match.seats] == [f"p{old}" for old in order]
    assert start_event(table).client_seeds == tuple(seeds[old] for old in order)


def test_every_client_seed_influences_the_order() -> None:
    """Given one seed, when the other player's client seed changes, then the order can change."""
    orders = {start_event(sit_down(GAME, by_chance=True, client_seeds=("none", f"{n}"))).order for n in range(40)}
    assert orders == {(0, 1), (1, 0)}


def test_the_order_matches_the_published_vectors() -> None:
    for v in VECTORS["seats"]:
        chance = seating_chance(Seed(bytes.fromhex(v["seed"])), v["match"], v["client_seeds"])
        assert draw_seat_order(chance, len(v["client_seeds"])) == tuple(v["order"])


@every_game
def test_a_running_match_plays_on_from_its_log_snapshot_and_stored_seed(game: AnyGame) -> None:
    table, chance = sit_down(game), Fast("old")
    step(table, chance)
    read = fold([read_event(write_event(event), game) for event in table.events])
    assert read == table.match == snapshot_decoder(game).decode(msgspec.json.encode(table.match))
    again = Table(load_secrets(read, table.secrets), read, [*table.events])
    assert play_on(again, Fast("on")) == play_on(table, Fast("on"))
    assert verify(replay_file(again.events)).ok


@every_game
@pytest.mark.parametrize("luck", ["same", "new"])
def test_a_fork_keeps_protocol_and_rules_version(game: AnyGame, luck: Any) -> None:
    parent = sit_down(game, client_seeds=("tea", "sugar"))
    ply = parent.match.ply
    play_on(parent, Fast("parent"))
    fork = fork_table(parent, ply, luck)
    assert (fork.match.rules_version, fork.match.luck) == (1, None)
    play_on(fork, Fast("fork"))
    assert verify(replay_file(fork.events)).ok
    assert check_fork(fork.events, parent.events).status == "ok"


def test_bots_have_no_version_and_see_no_ply() -> None:
    luck = Seed(seed_of("bots"))
    seats = (SeatSpec("human", player="ann"), SeatSpec("bot", level="greedy"))
    command = Create(match="m01", game=GAME.slug, creator="ann", options={}, seats=seats)
    events, match = create_under_rules(GAME, command, EPOCH, luck)
    table = Table(luck, match, events)
    play_on(table, Fast("bots"))
    taken = [event for event in table.events if isinstance(event, SeatTaken)]
    assert [event.bot for event in taken] == [UNSET, UNSET]
    assert verify(replay_file(table.events)).ok
