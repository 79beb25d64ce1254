"""Finds the presentation files of a game: its table, its rules page, and their templates, scripts and styles.

They are in the `presentation` folder of the game's package. Wherever that is, templates are named
`tables/<slug>/<file>` and `rules/<slug>.html`, scripts and styles `tables/<slug>/<file>`.
"""

from collections.abc import Iterator
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


@cache
def find_table(slug: str) -> Table:
    """Return the table of a game, or the generic table if the game has none."""
    module = _presentation(slug, "table")
    table: Table = (module or generic_table).TABLE
    return table


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


def _presentation(slug: str, room: str) -> ModuleType | None:
    package = package_of(slug)
    if package is None or find_spec(f"{package}.presentation") is None:
        return None
    name = f"{package}.presentation.{room}"
    return import_module(name) if find_spec(name) else None


@cache
def _table_folder(slug: str) -> Path | None:
    module = generic_table if slug == GENERIC else _presentation(slug, "table")
    return Path(module.__file__).parent if module and module.__file__ else None


@cache
def _rules_template(slug: str) -> Path | None:
    module = find_rules_page(slug)
    return Path(module.__file__).with_suffix(".html") if module and module.__file__ else None
