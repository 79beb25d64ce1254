"""Pages with the rules of each game."""

from functools import cache
from typing import Any

from flask import render_template
from markupsafe import Markup

from domain.kernel.registry import games
from service.web.blueprint import web
from service.web.game_files import find_cover, find_rules_page, has_rules_page
from service.web.pages.new import require_game


@web.get("/rules")
def all_rules() -> str:
    """Show the list of games with rules."""
    offered = sorted(games().values(), key=lambda game: game.title)
    return render_template("templates/all_rules.html", games=[(game, find_cover(game.slug)) for game in offered])


@web.get("/rules/<slug>")
def rules(slug: str) -> str:
    """Show the rules of one game: its own page, or else the generic one."""
    game = require_game(slug)
    template = f"rules/{game.slug}.html" if has_rules_page(game.slug) else "templates/rules.html"
    return render_template(template, game=game, **page_extras(game.slug))


@cache
def page_extras(slug: str) -> dict[str, Any]:
    """Return the template variables of a game's rules page: pictures by name, and the module's extras."""
    module = find_rules_page(slug)
    if module is None:
        return {}
    drawn = {name: Markup(picture) for name, picture in module.pictures().items()}  # noqa: S704 -- drawn by us
    return {"pictures": drawn, **module.extras()}
