"""The same seed and moves produce the same bytes in any process, regardless of the global random generator."""

import os
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.chance import Chance, DrawContext, Fast
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from replays.re_execution import TracedLuck
from tests.builders import log_lines, play_match, random_agent, secrets_of
from tests.contract.cases import GAMES, every_table
from tests.contract.playout import SEATINGS, playout

ROOT = Path(__file__).parents[2]


class CountedDraws(TracedLuck):
    """The luck of a match that counts its draws."""

    draws_made = 0

    def chance(self, context: DrawContext) -> Chance:
        self.draws_made += len(self.traced)
        return super().chance(context)


def playouts_in_process(hash_seed: str, count: int, seats: str, *words: str) -> list[str]:
    """Return the playouts of a separate process; with a game and a fault, only of that faulty game."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.contract.playout", str(count), seats, *words]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=240)
    return run.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(("count", "seats"), [(1, "outer"), pytest.param(2, "all", marks=pytest.mark.full)])
def test_separate_processes_give_the_same_bytes(count: int, seats: str) -> None:
    here = playout(count, SEATINGS[seats])
    assert here
    for hash_seed in ("0", "1"):
        assert playouts_in_process(hash_seed, count, seats) == here


@every_table
def test_the_global_random_generator_has_no_effect(game: AnyGame, seats: int) -> None:
    def disturbing(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
        random.seed(chance.below(1000))
        random.random()
        return random_agent(game, view, seat, legal, chance)

    def quiet(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
        chance.below(1000)
        return random_agent(game, view, seat, legal, chance)

    before = random.getstate()
    try:
        disturbed = log_lines(play_match(game, seats=seats, agent=disturbing))
        random.seed(5)
        assert log_lines(play_match(game, seats=seats, agent=quiet)) == disturbed
    finally:
        random.setstate(before)


@every_table
def test_the_rules_do_not_use_the_global_random_generator(game: AnyGame, seats: int) -> None:
    before = random.getstate()
    play_match(game, seats=seats)
    assert random.getstate() == before


@pytest.mark.slow
@every_table
def test_other_seeds_give_other_matches(game: AnyGame, seats: int) -> None:
    luck = CountedDraws(secrets_of(game, bytes(32)))
    play_match(game, seats=seats, luck=luck)
    matches = {canonical_json([event.facts for event in play_match(game, seats=seats, seed=n)]) for n in range(4)}
    same_moves = {str(game.start(seats, {}, Fast(n))) for n in range(6)}
    if luck.draws_made == 0:
        assert len(same_moves) == 1, "a game without chance always starts the same"
        assert len(matches) == 1
    else:
        assert len(matches) == 4


@pytest.mark.slow
def test_the_seed_of_the_moves_matters_too() -> None:
    assert all(log_lines(play_match(game, moves=1)) != log_lines(play_match(game, moves=2)) for game in GAMES)
