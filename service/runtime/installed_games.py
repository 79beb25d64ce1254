"""Tells operators which games were found but not loaded."""

import logging

from domain.kernel.registry import SkippedGame, skipped_games

logger = logging.getLogger("crumbtrail")

SKIPPED_ADVICE = (
    "Repair or uninstall the package. Until then its matches are listed as not installed, and nobody can move in them."
)


def skipped_line(game: SkippedGame) -> str:
    """Return the line about a game that was skipped."""
    return f"Skipped the game in {game.as_text()}"


def log_skipped_games() -> None:
    """Log each game that was found but not loaded, so that the operator finds it. Loads all games."""
    for game in skipped_games():
        logger.warning("%s. %s", skipped_line(game), SKIPPED_ADVICE)
