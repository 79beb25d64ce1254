"""Which games there are: every folder of `domain/games`, and what installed packages add.

An installed package adds a game by an entry point of the group `crumbtrail.games` that names a module with the same
attributes: `GAME` (the rules version that new matches get) and, where there are older ones, `EARLIER`.
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
"""The package that holds the games of the house. Named, not imported, so that the kernel knows no game."""


class UnknownGame(LookupError):
    """No game of that name, or not at that rules version."""


def _game_modules() -> Iterator[ModuleType]:
    for module in iter_modules(import_module(HOUSE_GAMES).__path__, f"{HOUSE_GAMES}."):
        yield import_module(module.name)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        yield entry.load()


@cache
def package_of(slug: str) -> str | None:
    """Return the name of the package that brings a game, or None if nothing by that name is installed."""
    return next((module.__name__ for module in _game_modules() if module.GAME.slug == slug), None)


@cache
def _versions() -> dict[tuple[str, int], AnyGame]:
    found: dict[tuple[str, int], AnyGame] = {}
    for module in _game_modules():
        for game in (*getattr(module, "EARLIER", ()), module.GAME):
            if (game.slug, game.rules_version) in found:
                raise ValueError(f"two games call themselves {game.slug} at rules version {game.rules_version}")
            found[game.slug, game.rules_version] = game
    return found


def games() -> dict[str, AnyGame]:
    """Every game at its newest rules version, by slug."""
    return {slug: game for (slug, _), game in sorted(_versions().items(), key=lambda item: item[0])}


def all_versions() -> list[AnyGame]:
    """Every game at every rules version."""
    return [game for _, game in sorted(_versions().items(), key=lambda item: item[0])]


def find_game(slug: str, rules_version: int | None = None) -> AnyGame:
    """The game of that name: at that rules version, or the newest. Raises UnknownGame."""
    game = games().get(slug) if rules_version is None else _versions().get((slug, rules_version))
    if game is not None:
        return game
    version = "" if rules_version is None else f" at rules version {rules_version}"
    known = ", ".join(str(number) for name, number in sorted(_versions()) if name == slug)
    there_are = f"its rules versions here are {known}" if known else f"there are {', '.join(games())}"
    raise UnknownGame(f"there is no game {slug!r}{version}; {there_are}")
