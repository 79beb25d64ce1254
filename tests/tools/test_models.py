"""The C++ models that show how luck limits the skill in a game (docs/bots.md) play like the package."""

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from domain.games.mice_cake import GAME as mice_cake
from domain.games.mice_cake.bot.lookahead import Allocation
from domain.games.mice_cake.bot.search import look_ahead, playout
from domain.games.mice_cake.rules.components import TABLE_ORDER
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice
from domain.kernel.chance import Fast
from tests.domain.games.mice_cake.builders import greedily, whole_match

COMPILER = shutil.which("c++")
HERE = Path(__file__).parents[2] / "tools" / "models"

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")


@cache
def built(game: str) -> Path:
    """Return the compiled model of a game; it is compiled once per process."""
    assert COMPILER is not None
    folder = Path(tempfile.mkdtemp(prefix="ct-model-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = folder / game
    subprocess.run([COMPILER, "-O2", "-std=c++17", "-o", program, HERE / f"{game}.cpp"], check=True)
    return program


def figures(program: Path, *arguments: str) -> dict[str, float]:
    """Return the values that a model prints, by name."""
    printed = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value, *_ in map(str.split, printed.splitlines())}


def test_the_mice_cake_model_matches_the_package_in_length_and_strength() -> None:
    """Compares with 40 greedy matches of the package, whose rounds have a standard deviation of two and a half."""
    model = built("mice_cake")
    rounds = [whole_match(seed, (greedily, greedily))[0].round for seed in range(40)]
    greedy = figures(model, "greedy", "20000", "1")
    assert greedy["rounds"] == pytest.approx(sum(rounds) / 40, abs=1.2)
    assert greedy["share"] == pytest.approx(0.5, abs=0.011)
    assert 0.55 < figures(model, "ahead", "20000", "1")["share"] < 0.58


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 11])
def test_the_mice_cake_model_looks_ahead_like_the_package(seed: int) -> None:
    """Compares every spread of yellow's first round on cakes where blue's answer has no random ties.

    In two of them the 0-0 lies deep in a column for everyone to see.
    """
    state = mice_cake.fold(mice_cake.start(2, {}, Fast(seed)))
    ahead = look_ahead(mice_cake.view(state, 0), "yellow", Fast(1))
    looks = {spread_of(move): ahead.lead_after(Allocation(move.columns.counts())) for move in moves(state)}
    assert figures(built("mice_cake"), "look", *cake_of(state)) == pytest.approx(looks, abs=1e-5)


def test_the_mice_cake_model_has_the_same_rollout_results_as_the_package() -> None:
    """Compares the six best spreads of a first round: 20,000 rollouts of the model each, and 500 of the package."""
    state = mice_cake.fold(mice_cake.start(2, {}, Fast(3)))
    modelled = figures(built("mice_cake"), "roll", "20000", *cake_of(state))
    view, packaged = mice_cake.view(state, 0), dict[str, float]()
    for move in moves(state):
        if spread_of(move) in modelled:
            worlds = [mice_cake.determinize(view, [], 0, Fast(n)) for n in range(500)]
            sent = [mice_cake.fold(mice_cake.decide(world, 0, move, Fast(0)), world) for world in worlds]
            packaged[spread_of(move)] = sum(playout(each, 0, Fast(n)) or 0.0 for n, each in enumerate(sent)) / 500
    assert len(packaged) == 6
    assert packaged == pytest.approx(modelled, abs=0.02)


def cake_of(state: State) -> list[str]:
    """Return the cake as arguments for the model."""
    return [str(TABLE_ORDER[cells[row].visible_piece]) for row in range(7) for cells in state.cake.values()]


def moves(state: State) -> list[AssignMice]:
    """Return yellow's moves in the first round."""
    return [move for move in mice_cake.legal_moves(state, 0) if isinstance(move, AssignMice)]


def spread_of(move: AssignMice) -> str:
    """Return a spread as the model prints it."""
    return "".join(map(str, move.columns.counts()))


def test_the_bakeries_model_hires_and_earns_like_the_package() -> None:
    """In 120 matches of the package the policy hired in 24 of 360 rounds, its rival in none."""
    model = built("battle_of_the_bakeries")
    greedy, policy = (figures(model, "match", "4000", "1", who) for who in ("greedy", "policy"))
    assert greedy["share"] == pytest.approx(0.5, abs=0.025)
    assert greedy["hired"] == pytest.approx(0.035, abs=0.01)
    assert policy["hired"] == pytest.approx(24 / 360, abs=0.026)
    assert policy["rival_hired"] < 0.01
    assert 0.51 < policy["share"] < 0.57


@pytest.mark.parametrize("game", ["mice_cake", "battle_of_the_bakeries"])
def test_a_model_prints_its_usage(game: str) -> None:
    process = subprocess.run([built(game)], capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert "usage" in process.stderr
