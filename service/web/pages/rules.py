"""The rules of each game for players, in our own words, with pictures drawn like the board."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from flask import render_template
from markupsafe import Markup

from domain.registry import games
from service.web.blueprint import web
from service.web.pages.new import find
from service.web.tables import find_table

HERE = Path(__file__).parents[1] / "rules"


@web.get("/rules")
def all_rules() -> str:
    """The games whose rules can be read."""
    offered = sorted(games().values(), key=lambda game: game.title)
    return render_template("templates/all_rules.html", games=[(game, find_table(game.slug).cover) for game in offered])


@web.get("/rules/<slug>")
def rules(slug: str) -> str:
    """The rules of one game: its own page, or what the game says of itself."""
    game = find(slug)
    own = (HERE / f"{game.slug}.html").is_file()
    template = f"rules/{game.slug}.html" if own else "templates/rules.html"
    return render_template(template, game=game, **beside(game.slug))


@cache
def beside(slug: str) -> dict[str, Any]:
    """What the module beside a page of rules gives it: pictures by name, and whatever else it shows."""
    name = f"service.web.rules.{slug}"
    if find_spec(name) is None:
        return {}
    module = import_module(name)
    drawn = {name: Markup(picture) for name, picture in module.pictures().items()}  # noqa: S704 -- drawn by us
    return {"pictures": drawn, **module.extras()}
