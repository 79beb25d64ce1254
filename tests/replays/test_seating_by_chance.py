"""Random seating: the verifiers reproduce the order of seats and find any other order."""

from functools import cache
from typing import Any

import pytest

from replays import standalone_verify
from replays.verify import verify
from tests.builders import play_match, replay_file, sit_down
from tests.replays.forge import Entries, forge_replay, of_kind, reseal
from tests.replays.test_tampering import GAMES, every_game

SHARES = ("Krümel", "tea", "", "none")


@cache
def by_chance(game: Any, seed: int = 0, given: bool = False) -> bytes:
    seats = game.seat_counts[-1]
    shares = [share or "x" for share in SHARES][:seats]
    return replay_file(play_match(game, by_chance=True, seats=seats, seed=seed, client_seeds=shares, given=given))


@pytest.mark.slow
@every_game
def test_honest_files_verify(game: Any) -> None:
    for seed in range(3):
        raw = by_chance(game, seed, given=seed == 2)
        report = verify(raw)
        assert report.ok, report.as_text()
        assert standalone_verify.verify(raw)[1] is None
    running = replay_file(sit_down(game, by_chance=True).events)
    assert verify(running).first is None
    assert standalone_verify.verify(running)[1] is None


def swap(events: Entries) -> None:
    """Swap the first two seats and their client seeds."""
    started = of_kind(events, "started")[0]
    for name in ("order", "client_seeds"):
        one, other, *rest = started[name]
        started[name] = [other, one, *rest]


def drop(events: Entries) -> None:
    del of_kind(events, "started")[0]["order"]


def deny(events: Entries) -> None:
    del events[0]["seating"]


def repeat(events: Entries) -> None:
    started = of_kind(events, "started")[0]
    started["order"] = [started["order"][0]] * len(started["order"])


def claim(events: Entries) -> None:
    """Claim a random order for a match whose players chose their seats."""
    drop(events), deny(events)
    started = of_kind(events, "started")[0]
    started["order"] = [*range(len(started["client_seeds"]))]


CHANGES = (swap, drop, deny, repeat, claim)
COMBINATIONS = [
    pytest.param(
        game, change, seal, id=f"{game.slug}-{change.__name__}-{'resealed' if seal else 'chained'}", marks=marks
    )
    for number, game in enumerate(GAMES)
    for place, change in enumerate(CHANGES)
    for seal in (None, reseal)
    for marks in [() if (number + place) % len(GAMES) == 0 else pytest.mark.full]
]
"""Each change in one game, and at full counts in all of them."""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "change", "seal"), COMBINATIONS)
def test_a_different_order_is_found(game: Any, change: Any, seal: Any) -> None:
    """This holds even if the forger knows the seed and recomputes salts and chain."""
    raw = forge_replay(by_chance(game), change, **({"seal": seal} if seal else {}))
    report = verify(raw)
    assert report.first is not None
    assert report.first.rule in ("seed.seats", "lifecycle.seating", "seed.clients")
    assert report.first.line == next(n for n, line in enumerate(raw.splitlines(), 1) if b'"kind":"started"' in line)
    wrong = standalone_verify.verify(raw)[1]
    assert wrong is not None
    assert wrong.line == report.first.line


def test_there_are_games_to_test() -> None:
    assert {game.slug for game in GAMES} >= {"tic_tac_toe", "pie_contest"}
