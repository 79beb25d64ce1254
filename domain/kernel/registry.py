"""The registry of games: every folder of `domain/games`, plus games from installed packages.

A package adds a game with an entry point in the group `crumbtrail.games`. It names a module with the same attributes
as ours: `GAME` (the rules version for new matches) and, if there are older versions, `EARLIER`.

A game that can't be loaded is skipped, so that one broken package stops nothing else. `skipped_games` names it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from types import ModuleType

from domain.kernel.game import AnyGame, Game
from domain.kernel.values import Value

ENTRY_POINT_GROUP = "crumbtrail.games"
HOUSE_GAMES = "domain.games"
"""The package of the built-in games. Referenced by name so that the kernel imports no game."""

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
"""Slugs are part of addresses and of the names of lists, so they contain no separators."""


class UnknownGame(LookupError):
    """Raised for an unknown game or rules version."""


class GameNotInstalled(UnknownGame):
    """Raised for a stored match whose game, or its rules version, is not installed in this process."""

    def __init__(self, slug: str, rules_version: int) -> None:
        super().__init__(f"the game {slug!r} at rules version {rules_version} is not installed here")
        self.slug = slug
        self.rules_version = rules_version


class SkippedGame(Value, frozen=True):
    """A game that was found but not loaded: the module that was to provide it, its package, and why it was skipped.

    `package` is the name and version of the installed package, or None for a folder of `domain/games`.
    """

    module: str
    package: str | None
    reason: str

    def as_text(self) -> str:
        """Return one line that names the game's package and the reason, for operators."""
        return f"{self.module}{f' (package {self.package})' if self.package else ''}: {self.reason}"


class _Found(Value, frozen=True):
    """A module that provides a game at one or more rules versions."""

    module: str
    package: str | None
    games: tuple[AnyGame, ...]

    @property
    def is_house(self) -> bool:
        return self.package is None

    @property
    def slugs(self) -> frozenset[str]:
        return frozenset(game.slug for game in self.games)


class _Catalogue(Value, frozen=True):
    versions: dict[tuple[str, int], AnyGame]
    modules: dict[str, str]
    """The module of each game at its newest rules version, by slug."""
    skipped: tuple[SkippedGame, ...]


class _NotAGame(ValueError):
    """Raised for a module that provides no valid game."""


def _candidates() -> Iterator[tuple[str, str | None, EntryPoint | None]]:
    """Yield each place where a game may be: its module, its package, and its entry point."""
    for module in iter_modules(import_module(HOUSE_GAMES).__path__, f"{HOUSE_GAMES}."):
        yield module.name, None, None
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: (entry.value, entry.name)):
        yield entry.value, _describe_package(entry), entry


def _describe_package(entry: EntryPoint) -> str:
    """Return the name and version of the package of an entry point, as far as its metadata can be read."""
    try:
        return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.name
    except Exception:  # damaged metadata
        return entry.name


def _games_of(module: ModuleType) -> tuple[AnyGame, ...]:
    """Return the games of a module, newest last. Raises _NotAGame."""
    games = (*getattr(module, "EARLIER", ()), getattr(module, "GAME", None))
    for game in games:
        if not isinstance(game, Game):
            raise _NotAGame("GAME or EARLIER is missing or holds something that is not a Game")
        if not isinstance(game.slug, str) or not _SLUG.fullmatch(game.slug):
            raise _NotAGame(f"its slug {game.slug!r} is not made of letters, digits, '_', '-' and '.'")
    versions = [(game.slug, game.rules_version) for game in games]
    for slug, version in versions:
        if versions.count((slug, version)) > 1:
            raise _NotAGame(f"it has two games with the slug {slug} and rules version {version}")
    return games


def _load(module: str, package: str | None, entry: EntryPoint | None) -> _Found | SkippedGame:
    """Import a game, or return why it can't be. Packages are other people's code: any error only skips the package."""
    try:
        loaded = entry.load() if entry else import_module(module)
        return _Found(getattr(loaded, "__name__", module), package, _games_of(loaded))
    except _NotAGame as error:
        return SkippedGame(module, package, f"{error}")
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and type(error) is not SystemExit:
            raise  # a signal asked this process to exit
        said = " ".join(f"{error}".split())
        return SkippedGame(module, package, f"{type(error).__name__}{f': {said}' if said else ''}")


@cache
def _catalogue() -> _Catalogue:
    """Return the games that can be loaded.

    A built-in game keeps its slug. If several packages have the same slug, all of them are skipped, because we can't
    know which of them the stored matches belong to.
    """
    loaded: dict[str, _Found] = {}
    skipped: list[SkippedGame] = []
    for place in _candidates():
        found = _load(*place)
        if isinstance(found, SkippedGame):
            skipped.append(found)
        else:
            loaded.setdefault(found.module, found)  # two entry points may name the same module
    claims: defaultdict[str, list[_Found]] = defaultdict(list)
    for found in loaded.values():
        for slug in found.slugs:
            claims[slug].append(found)
    versions: dict[tuple[str, int], AnyGame] = {}
    modules: dict[str, str] = {}
    for found in loaded.values():
        rivals = {slug: [each for each in claims[slug] if each is not found] for slug in sorted(found.slugs)}
        taken = {slug: others for slug, others in rivals.items() if others}
        if any(not found.is_house or each.is_house for others in taken.values() for each in others):
            skipped.append(SkippedGame(found.module, found.package, _describe_rivals(taken)))
            continue
        versions |= {(game.slug, game.rules_version): game for game in found.games}
        modules[found.games[-1].slug] = found.module
    return _Catalogue(versions, modules, tuple(skipped))


def _describe_rivals(taken: dict[str, list[_Found]]) -> str:
    return "; ".join(
        f"its slug {slug} is also that of {', '.join(each.package or 'a built-in game' for each in others)}"
        for slug, others in taken.items()
    )


def package_of(slug: str) -> str | None:
    """Return the name of the module that provides a game, or None if it is not installed."""
    return _catalogue().modules.get(slug)


def skipped_games() -> tuple[SkippedGame, ...]:
    """Return the games that were found but not loaded. For operators only: a reason may quote other people's code."""
    return _catalogue().skipped


def are_games_loaded() -> bool:
    """Return whether this process has already looked for games."""
    return _catalogue.cache_info().currsize > 0


def _versions() -> dict[tuple[str, int], AnyGame]:
    return _catalogue().versions


def forget_games() -> None:
    """Look for installed games again on the next call. For tests, which install packages while they run."""
    _catalogue.cache_clear()


def games() -> dict[str, AnyGame]:
    """Return every game at its newest rules version, by slug."""
    return {slug: _versions()[slug, version] for slug, version in sorted(_versions())}


def all_versions() -> list[AnyGame]:
    """Return every game at every rules version."""
    return [_versions()[key] for key in sorted(_versions())]


def is_installed(slug: str) -> bool:
    """Return whether a game is installed, at any rules version."""
    return any(name == slug for name, _ in _versions())


def find_game(slug: str, rules_version: int | None = None) -> AnyGame:
    """Return a game at a rules version, or at its newest. Raise UnknownGame."""
    game = games().get(slug) if rules_version is None else _versions().get((slug, rules_version))
    if game is not None:
        return game
    version = "" if rules_version is None else f" at rules version {rules_version}"
    known = ", ".join(str(number) for name, number in sorted(_versions()) if name == slug)
    there_are = f"available rules versions: {known}" if known else f"available games: {', '.join(games())}"
    raise UnknownGame(f"there is no game {slug!r}{version}; {there_are}")


def find_pinned_game(slug: str, rules_version: int) -> AnyGame:
    """Return the game that a stored match names in its first event. Raise GameNotInstalled."""
    game = _versions().get((slug, rules_version))
    if game is None:
        raise GameNotInstalled(slug, rules_version)
    return game
