"""Golden decisions: a house bot of one version always chooses the same move in the same position with the same luck."""

import pytest

from domain.bots.levels import LEVELS
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from tools.bot_decisions import POSITIONS, REPLAYS, advice, decisions, golden

every_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)


@every_game
@pytest.mark.parametrize("level", [name for name in LEVELS if name != "strong"])
def test_a_bot_decides_as_its_version_always_did(game: AnyGame, level: str) -> None:
    require_golden_decisions(game, level)


@pytest.mark.slow
@every_game
def test_the_strong_bot_decides_as_its_version_always_did(game: AnyGame) -> None:
    require_golden_decisions(game, "strong")


def require_golden_decisions(game: AnyGame, level: str) -> None:
    """Fail with what to do if a decision differs from the golden one of this version."""
    known = golden()[game.slug]
    assert known["bot_version"] == game.bot_version, "Run `python -m tools.bot_decisions` and commit the file."
    assert len(known["decisions"][level]) == POSITIONS * len(REPLAYS)
    assert decisions(game, level) == known["decisions"][level], advice(game)
