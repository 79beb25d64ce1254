"""The levels of house bots, as players choose them."""

from domain.bots.levels import LEVELS as STRATEGIES

LEVELS: dict[str, str] = {level.name: level.description for level in STRATEGIES.values()}
"""Descriptions of the levels for players, by name, weakest first."""
