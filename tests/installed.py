"""Game packages that tests install, change and uninstall: modules with real metadata in a folder on `sys.path`."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import invalidate_caches
from pathlib import Path

import pytest

from domain.kernel import registry

NOUGHTS = """
from dataclasses import replace

from domain.games.tic_tac_toe import GAME as HONEST

GAME = replace(HONEST, slug="noughts", title="Noughts", components_digest="{digest}")
"""
"""Tic-tac-toe under another name, with a digest of component data."""
LOST = """

def evolve(state, fact):
    return {{}}[fact]


GAME = replace(GAME, evolve=evolve)
"""
"""Appended to a game: its component data no longer has what earlier facts name."""
FIRST_CARDS, OTHER_CARDS = "a" * 64, "b" * 64


PAGE_CACHES = {
    "service.web.game_files": ("find_table", "find_cover", "find_pictures", "find_rules_page", "_presentation"),
    "service.web.sprites": ("sprite_symbols", "sprite_ids"),
    "service.web.assets": ("assets", "assets_digest"),
}
"""What the pages remember of the installed games while a process runs."""


class Packages:
    """A folder of installed packages, each with one module."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, name: str, source: str, entry: str = "", group: str = registry.ENTRY_POINT_GROUP) -> None:
        """Install a package, or another version of it."""
        (self.folder / f"{name}.py").write_text(source)
        info = self.folder / f"{name}-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {entry or name}\n")
        self.reload(name)

    def install_noughts(self, digest: str = FIRST_CARDS, more: str = "") -> None:
        """Install the game `noughts` with this digest of its component data."""
        self.install("noughts", (NOUGHTS + more).format(digest=digest))

    def uninstall(self, name: str) -> None:
        """Remove a package."""
        (self.folder / f"{name}.py").unlink()
        shutil.rmtree(self.folder / f"{name}-1.0.dist-info")
        self.reload(name)

    def reload(self, *names: str) -> None:
        """Forget what this process has loaded, as a restart would."""
        shutil.rmtree(self.folder / "__pycache__", ignore_errors=True)
        for name in [*names, *(each for each in sys.modules if each.split(".")[0] in names)]:
            sys.modules.pop(name, None)
        invalidate_caches()
        registry.forget_games()
        for module, names_of_cached in PAGE_CACHES.items():
            pages = sys.modules.get(module)  # pure tests load no pages
            for cached in names_of_cached if pages else ():
                getattr(pages, cached).cache_clear()

    def environment(self) -> dict[str, str]:
        """Return an environment in which child processes find the packages."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])}


@contextmanager
def installed_packages(folder: Path) -> Iterator[Packages]:
    """Yield an empty folder of packages that this process finds. They are uninstalled at the end."""
    folder.mkdir()
    packages = Packages(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        try:
            yield packages
        finally:
            for path in folder.glob("*.py"):
                packages.uninstall(path.stem)
    packages.reload()
