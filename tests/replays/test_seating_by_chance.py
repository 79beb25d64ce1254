"""Random seating: the verifiers reproduce the order of seats and find any other order."""

from functools import cache
from typing import Any

import pytest

from domain.kernel.registry import all_versions
from replays import standalone_verify
from replays.verify import verify
from tests.builders import play_match, replay_file, sit_down
from tests.replays.forge import Entries, forge_replay, of_kind, reseal

VERSIONS = all_versions()
every_version = pytest.mark.parametrize("game", VERSIONS, ids=lambda game: f"{game.slug}-{game.rules_version}")
CLIENT_SEEDS = ("Krümel", "tea", "x", "none") * 2
SHARES = (True, True, False, True) * 2


@cache
def by_chance(game: Any, seed: int = 0, given: bool = False) -> bytes:
    seats = game.seat_counts[-1]
    gifts: Any = {"client_seeds": CLIENT_SEEDS[:seats]} if game.luck_protocol == 1 else {"shares": SHARES[:seats]}
    more = {"given": True} if given else gifts
    return replay_file(play_match(game, by_chance=True, seats=seats, seed=seed, **more))


@pytest.mark.slow
@every_version
def test_honest_files_verify(game: Any) -> None:
    for seed in range(2):
        raw = by_chance(game, seed, given=seed == 1)
        report = verify(raw)
        assert report.ok, report.as_text()
        assert standalone_verify.verify(raw)[1] is None
    running = replay_file(sit_down(game, by_chance=True).events)
    assert verify(running).first is None
    assert standalone_verify.verify(running)[1] is None


def swap(events: Entries) -> None:
    """Swap the first two seats and, under protocol 1, their client seeds. Shares stay in table-seat order."""
    started = of_kind(events, "started")[0]
    for name in {"order", "client_seeds"} & started.keys():
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
    started["order"] = [*range(len(events[0]["seats"]))]


CHANGES = (swap, drop, deny, repeat, claim)
COMBINATIONS = [
    pytest.param(
        game,
        change,
        seal,
        id=f"{game.slug}-{game.rules_version}-{change.__name__}-{'resealed' if seal else 'chained'}",
        marks=marks,
    )
    for number, game in enumerate(VERSIONS)
    for place, change in enumerate(CHANGES)
    for seal in (None, reseal)
    for marks in [() if (number + place) % len(CHANGES) == 0 else pytest.mark.full]
]
"""Each change in some games, and at full counts in all of them."""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "change", "seal"), COMBINATIONS)
def test_a_different_order_is_found(game: Any, change: Any, seal: Any) -> None:
    """It is found even if the forger knows the seed and recomputes salts and chain."""
    raw = forge_replay(by_chance(game), change, **({"seal": seal} if seal else {}))
    report = verify(raw)
    assert report.first is not None
    assert report.first.rule in ("seed.seats", "luck.seats", "lifecycle.seating", "seed.clients")
    assert report.first.line == next(n for n, line in enumerate(raw.splitlines(), 1) if b'"kind":"started"' in line)
    wrong = standalone_verify.verify(raw)[1]
    assert wrong is not None
    assert wrong.line == report.first.line


def test_there_are_games_to_test() -> None:
    assert {game.slug for game in VERSIONS} >= {"tic_tac_toe", "pie_contest"}
