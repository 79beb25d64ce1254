"""Finds the presentation files of a game: its table, its rules page, and their templates, scripts and styles.

They are in the `presentation` folder of the game's package. Wherever that is, templates are named
`tables/<slug>/<file>` and `rules/<slug>.html`, scripts and styles `tables/<slug>/<file>`.
"""

import logging
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from jinja2 import BaseLoader, FunctionLoader

from domain.kernel.registry import games, package_of
from domain.kernel.table import Table
from service.web import generic_table

GENERIC = "generic"

logger = logging.getLogger("crumbtrail.web")


@cache
def find_table(slug: str) -> Table:
    """Return the table of a game, or the generic table if the game has none."""
    module = _presentation(slug, "table")
    table: Table = getattr(module, "TABLE", None) or generic_table.TABLE
    return table


@cache
def find_cover(slug: str) -> Callable[[], str] | None:
    """Return a function that draws the cover of a game, or None if it has none or can't draw it."""
    draw = find_table(slug).cover_svg
    if draw is None:
        return None
    try:
        drawn = draw()
    except Exception as error:  # another author's package must not break the list of games
        logger.error("The cover of the game %s can't be drawn (%s).", slug, type(error).__name__)
        return None
    return lambda: drawn


@cache
def find_pictures(slug: str) -> ModuleType | None:
    """Return the module with the pictures of a game, or None if the game has none."""
    return _presentation(slug, "pictures")


@cache
def find_rules_page(slug: str) -> ModuleType | None:
    """Return the module that draws the pictures of a game's rules page, or None if the game has none."""
    return _presentation(slug, "rules_page")


def has_rules_page(slug: str) -> bool:
    """Return whether the game has its own rules page."""
    page = _rules_template(slug)
    return page is not None and page.is_file()


def table_files() -> Iterator[tuple[str, Path]]:
    """Yield the name and path of every file in the tables' folders: `tables/<slug>/<file>`."""
    for slug in (*games(), GENERIC):
        folder = _table_folder(slug)
        for path in sorted(folder.iterdir()) if folder else ():
            if path.is_file():
                yield f"tables/{slug}/{path.name}", path


def template_loader() -> BaseLoader:
    """Return a loader for the templates of the games."""
    return FunctionLoader(_template)


def _template(name: str) -> tuple[str, str, None] | None:
    match name.split("/"):
        case ["tables", slug, file]:
            folder = _table_folder(slug)
            path = folder / file if folder else None
        case ["rules", file]:
            path = _rules_template(file.removesuffix(".html"))
        case _:
            path = None
    if path is None or path.suffix != ".html" or not path.is_file():
        return None
    return path.read_text(encoding="utf-8"), str(path), None


@cache
def _presentation(slug: str, room: str) -> ModuleType | None:
    """Return a room of a game's presentation, or None if it has none or can't be loaded, which is logged."""
    package = package_of(slug)
    if package is None:
        return None
    name = f"{package}.presentation.{room}"
    try:
        if not hasattr(import_module(package), "__path__"):
            return None  # a game in a single module
        if find_spec(f"{package}.presentation") is None or find_spec(name) is None:
            return None
        return import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and type(error) is not SystemExit:
            raise  # a signal asked this process to exit
        logger.critical("%s can't be loaded (%s), so %s is shown without it.", name, type(error).__name__, slug)
        return None


@cache
def _table_folder(slug: str) -> Path | None:
    module = generic_table if slug == GENERIC else _presentation(slug, "table")
    return Path(module.__file__).parent if module and module.__file__ else None


@cache
def _rules_template(slug: str) -> Path | None:
    module = find_rules_page(slug)
    return Path(module.__file__).with_suffix(".html") if module and module.__file__ else None
