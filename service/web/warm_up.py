"""Compiles the templates of a web process, draws the pictures and packs the files before it takes requests.

Otherwise the first visitors of each new process would wait for this, and during a renewal all visitors of a busy
machine at the same moment.
"""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from flask import Flask

from domain.kernel.registry import games
from service.accounts.names import skeletons
from service.runtime.logs import error_location
from service.web.assets import assets
from service.web.game_files import (
    find_cover,
    find_pictures,
    find_rules_page,
    find_table,
    has_rules_page,
    table_files,
)

TEMPLATES = Path(__file__).parent / "templates"
ANY_NAME = "Ann"

logger = logging.getLogger("crumbtrail")


def warm_up(app: Flask) -> None:
    """Do once what the first requests would have to wait for.

    What fails is logged. It concerns only the pages that need it, and those report it again.
    """
    for step in steps(app):
        try:
            step()
        except Exception as error:
            logger.warning("A page can't be prepared: %s.", error_location(error))


def steps(app: Flask) -> Iterator[Callable[[], object]]:
    """Yield what to do: templates of the pages and tables, files, pictures of the games, tables of similar letters."""
    yield from (partial(app.jinja_env.get_template, name) for name in template_names())
    yield from (
        partial(find, slug) for find in (find_table, find_cover, find_pictures, find_rules_page) for slug in games()
    )
    yield assets
    yield partial(skeletons, ANY_NAME)


def template_names() -> Iterator[str]:
    """Yield the names of the service's templates, and of those of the games."""
    yield from (f"templates/{path.name}" for path in sorted(TEMPLATES.glob("*.html")))
    yield from (name for name, path in table_files() if path.suffix == ".html")
    yield from (f"rules/{slug}.html" for slug in games() if has_rules_page(slug))
