"""Replays: positions by ply and by fact, text and narration for every reader."""

from itertools import accumulate

import pytest

from domain.kernel.chance import Fast
from domain.kernel.event_codec import write_event
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from domain.match.history import fold
from replays.difference import first_difference
from replays.file import read_replay
from replays.redaction import EVERYTHING, redact_event
from replays.replay import NoSuchPly, NotVisible, Replay
from tests.builders import Table, play_match, replay_file, sit_down, step

GAMES = list(games().values())
TIC = find_game("tic_tac_toe")
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)


def replay_of(game: AnyGame) -> Replay:
    return Replay(tuple(play_match(game)))


def running(game: AnyGame, plies: int = 3) -> Table:
    table, chance = sit_down(game), Fast("running")
    for _ in range(plies):
        step(table, chance)
    return table


@pytest.mark.slow
@every_game
def test_a_ply_is_the_fold_of_the_events_up_to_it(game: AnyGame) -> None:
    replay = replay_of(game)
    for ply in replay.plies:
        assert replay.at(ply) == fold(replay.events[:ply])
    assert list(replay.matches()) == [replay.at(ply) for ply in replay.plies]


@pytest.mark.slow
@every_game
def test_a_ply_can_be_stepped_through_fact_by_fact(game: AnyGame) -> None:
    replay = replay_of(game)
    for event in replay.events:
        states = [replay.at(event.ply, n).state for n in range(len(event.facts) + 1)]
        before = replay.at(event.ply - 1).state if event.ply > 1 else game.initial
        assert states == list(accumulate(event.facts, game.evolve, initial=before))
        assert states[-1] == replay.at(event.ply).state
        assert replay.at(event.ply, len(event.facts)) == replay.at(event.ply)


@every_game
def test_an_unknown_ply_or_fact_is_named(game: AnyGame) -> None:
    replay = replay_of(game)
    for ply in (0, -1, len(replay.events) + 1):
        with pytest.raises(NoSuchPly, match=f"plies 1 to {len(replay.events)}"):
            replay.at(ply)
    for fact in (-1, 99):
        with pytest.raises(NoSuchPly, match="ply 1: it has 0"):
            replay.at(1, fact)


@every_game
def test_every_reader_gets_a_text_of_every_ply(game: AnyGame) -> None:
    replay = replay_of(game)
    for ply in (*replay.plies[:8], replay.plies[-1]):
        for reader in (0, 1, None, EVERYTHING):
            assert replay.text(ply, reader).strip()


def test_the_text_shows_the_table() -> None:
    table = sit_down(TIC)
    table.play(0, {"type": "mark", "cell": 4})
    assert Replay(tuple(table.events)).text(5, None) == ". . .\n. X .\n. . .\nnought to move\n"
    assert Replay(tuple(table.events)).text(5, None, 0) == ". . .\n. . .\n. . .\ncross to move\n"


def test_the_narration_is_the_games_own() -> None:
    table = sit_down(TIC)
    table.play(0, {"type": "mark", "cell": 4})
    table.play(1, {"type": "resign"})
    replay = Replay(tuple(table.events))
    assert replay.narration(5, None) == ["Cross marks the middle."]
    assert [ply for ply, sentences in replay.narrations(None) if sentences] == [4, 5, 6]
    assert dict(replay.narrations(1)) == {ply: replay.narration(ply, 1) for ply in replay.plies}


@pytest.mark.slow
@pytest.mark.parametrize("most", [30, pytest.param(1_000, marks=pytest.mark.full)])
@every_game
def test_each_reader_sees_a_ply_as_they_saw_it_at_the_time(game: AnyGame, most: int) -> None:
    """Information that was hidden from a reader at the time stays hidden."""
    replay = replay_of(game)
    plies = list(zip(replay.matches(), replay.events, strict=True))
    for match, event in plies[:: len(plies) // most + 1]:
        for reader in (0, 1, None):
            assert replay.visible_event(event.ply, reader) == redact_event(event, match, reader)
            assert replay.position(event.ply, reader) == game.view(match.state, reader)
        assert replay.visible_event(event.ply, EVERYTHING) == event
        assert replay.position(event.ply, EVERYTHING) == match.state


def test_a_secret_move_is_visible_only_to_its_seat_until_the_end() -> None:
    if "mice_cake" not in games():
        pytest.skip("Mice Cake is not installed")
    replay = replay_of(find_game("mice_cake"))
    secret = next(event for event in replay.events if event.move is not None)
    mine, others = secret.seat, 1 - (secret.seat or 0)
    assert replay.visible_event(secret.ply, mine).move == secret.move
    assert replay.visible_event(secret.ply, others).move is None
    assert replay.visible_event(secret.ply, others).facts != secret.facts
    assert replay.visible_event(secret.ply, None).facts == replay.visible_event(secret.ply, others).facts
    assert replay.visible_event(secret.ply, EVERYTHING) == secret


@every_game
def test_everything_is_visible_only_at_the_end(game: AnyGame) -> None:
    replay = Replay(tuple(running(game).events))
    assert replay.at(4).status == "playing"
    for ask in (replay.text, replay.narration, replay.position, replay.visible_event):
        with pytest.raises(NotVisible, match="over"):
            ask(5, EVERYTHING)
    assert replay.text(5, 0)


@every_game
def test_the_public_part_of_a_running_match_has_narration_but_no_positions(game: AnyGame) -> None:
    table = running(game)
    replay = read_replay(replay_file(table.events))
    assert replay.is_redacted
    assert replay.narration(4, None) == game.tell(redact_event(table.events[3], table.match, None).facts)
    assert len(list(replay.narrations(None))) == len(table.events)
    with pytest.raises(NotVisible, match="no positions"):
        replay.at(4)
    with pytest.raises(NotVisible, match="only a spectator"):
        replay.narration(4, 0)


def test_an_unknown_seat_cannot_read() -> None:
    for seat in (-1, 2):
        with pytest.raises(NotVisible, match="seats 0 to 1"):
            replay_of(TIC).text(4, seat)


def test_a_replay_must_start_with_the_created_event() -> None:
    for events in ((), tuple(play_match(TIC)[1:])):
        with pytest.raises(ValueError, match="created"):
            _ = Replay(events).created


@every_game
def test_redaction_hides_moves_and_salts_from_others(game: AnyGame) -> None:
    table = running(game)
    for event in table.events:
        for reader in (0, 1, None):
            seen = redact_event(event, table.match, reader)
            assert seen.salt is None
            assert seen.hash == event.hash
            assert (seen.move is not None) == (event.move is not None and event.seat == reader)
            assert table.luck.salt(event.ply).encode() not in write_event(seen)


@every_game
def test_redaction_hides_nothing_at_the_end(game: AnyGame) -> None:
    replay = replay_of(game)
    assert all(redact_event(event, replay.last, reader) is event for event in replay.events for reader in (0, None))


@pytest.mark.parametrize(
    ("expected", "found", "path"),
    [({"a": 1}, {"a": 1}, None), ({"a": 1}, {"a": 2}, "x.a"), ([1, 2], [1], "x[1]"), ([1], [1, 2], "x[1]"),
     ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "x.a[0].b"), ({}, {"a": 1}, "x.a"), ({"a": 1}, {}, "x.a"),
     (1, True, "x"), (1, "1", "x"), ([1], {"0": 1}, "x"), ("ab", "ac", "x"), (None, 0, "x"),
     ({"b": 1, "a": 1}, {"b": 2, "a": 2}, "x.b")],
)  # fmt: skip
def test_the_first_difference_is_found(expected: object, found: object, path: str | None) -> None:
    difference = first_difference(expected, found, "x")
    assert (difference and difference.path) == path
