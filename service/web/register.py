"""Puts the pages into an application."""

from datetime import UTC, datetime

from flask import Flask
from markupsafe import Markup

from service.services import Services
from service.web.assets import asset
from service.web.blueprint import services as present_services
from service.web.blueprint import web
from service.web.footing import durability
from service.web.guests import known_player
from service.web.pages import disputes, errors, fork, join, live, lobby, match, name, new, replay, rules, score, verify
from service.web.security import secure

PAGES = (disputes, fork, join, live, lobby, match, name, new, replay, rules, score, verify)
"""Their routes belong to the blueprint by being imported."""


def register(app: Flask, services: Services) -> None:
    """Add the pages to an application, beside whatever else it serves."""
    app.extensions["crumbtrail"] = services
    secure(app, services)
    app.register_blueprint(web)
    errors.handle_unrouted(app)


@web.app_context_processor
def helpers() -> dict[str, object]:
    """What every template may use."""
    return {"asset": asset, "durability": durability, "me": known_player, "drawn": drawn, "ago": ago}


def drawn(svg: str) -> Markup:
    """A picture that one of our own functions has drawn."""
    return Markup(svg)  # noqa: S704 -- its texts are escaped where it is drawn


def ago(at: datetime) -> str:
    """How long ago that was, in words."""
    seconds = max(0, int((present_services().clock.now() - at.astimezone(UTC)).total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
