"""The registry of games: every folder of `domain/games`, plus games from installed packages.

A package adds a game with an entry point in the group `crumbtrail.games`. It names a module with the same attributes
as ours: `GAME` (the rules version for new matches) and, if there are older versions, `EARLIER`.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import ModuleType

from domain.kernel.game import AnyGame

ENTRY_POINT_GROUP = "crumbtrail.games"
HOUSE_GAMES = "domain.games"
"""The package of the built-in games. Referenced by name so that the kernel imports no game."""


class UnknownGame(LookupError):
    """Raised for an unknown game or rules version."""


def _game_modules() -> Iterator[ModuleType]:
    for module in iter_modules(import_module(HOUSE_GAMES).__path__, f"{HOUSE_GAMES}."):
        yield import_module(module.name)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        yield entry.load()


@cache
def package_of(slug: str) -> str | None:
    """Return the name of the package that provides a game, or None if it is not installed."""
    return next((module.__name__ for module in _game_modules() if module.GAME.slug == slug), None)


@cache
def _versions() -> dict[tuple[str, int], AnyGame]:
    found: dict[tuple[str, int], AnyGame] = {}
    for module in _game_modules():
        for game in (*getattr(module, "EARLIER", ()), module.GAME):
            if (game.slug, game.rules_version) in found:
                raise ValueError(f"two games have the slug {game.slug} and rules version {game.rules_version}")
            found[game.slug, game.rules_version] = game
    return found


def games() -> dict[str, AnyGame]:
    """Return every game at its newest rules version, by slug."""
    return {slug: game for (slug, _), game in sorted(_versions().items(), key=lambda item: item[0])}


def all_versions() -> list[AnyGame]:
    """Return every game at every rules version."""
    return [game for _, game in sorted(_versions().items(), key=lambda item: item[0])]


def find_game(slug: str, rules_version: int | None = None) -> AnyGame:
    """Return a game at a rules version, or at its newest. Raise UnknownGame."""
    game = games().get(slug) if rules_version is None else _versions().get((slug, rules_version))
    if game is not None:
        return game
    version = "" if rules_version is None else f" at rules version {rules_version}"
    known = ", ".join(str(number) for name, number in sorted(_versions()) if name == slug)
    there_are = f"available rules versions: {known}" if known else f"available games: {', '.join(games())}"
    raise UnknownGame(f"there is no game {slug!r}{version}; {there_are}")
