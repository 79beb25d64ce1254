"""Puts the pages into an application."""

from datetime import UTC, datetime

from flask import Flask
from jinja2 import ChoiceLoader
from markupsafe import Markup
from msgspec import UNSET

from domain.kernel.events import TimeControl
from domain.match.durations import DAY, format_duration
from service.app_context import services as present_services
from service.bootstrap import Services
from service.web.assets import asset
from service.web.blueprint import web
from service.web.game_files import template_loader
from service.web.match_history import EXPIRY_CONSEQUENCES
from service.web.pages import (
    account,
    disputes,
    errors,
    find,
    fork,
    join,
    live,
    lobby,
    match,
    name,
    new,
    notifications,
    orders,
    player,
    rematch,
    replay,
    rules,
    score,
    sign_in,
    table_requests,
    unsubscribe,
    verify,
)
from service.web.security import set_up_security
from service.web.visitor import current_player

MINUTE = 60

PAGES = (
    *(
        account,
        table_requests,
        disputes,
        find,
        fork,
        join,
        live,
        lobby,
        match,
        name,
        new,
        notifications,
        orders,
        player,
        rematch,
    ),
    *(replay, rules, score, sign_in, unsubscribe, verify),
)
"""Their routes belong to the blueprint by being imported."""


def register(app: Flask, services: Services) -> None:
    """Add the pages to an application, beside whatever else it serves."""
    app.extensions["crumbtrail"] = services
    set_up_security(app, services)
    app.register_blueprint(web)
    app.jinja_loader = ChoiceLoader([template_loader(), *filter(None, [app.jinja_loader])])
    errors.handle_unrouted(app)


@web.app_context_processor
def template_helpers() -> dict[str, object]:
    """What every template may use."""
    return {
        "asset": asset,
        "durability": present_services().runtime.durability_status.current,
        "me": current_player,
        "drawn": safe_svg,
        "ago": ago,
        "ahead": time_until,
        "is_ahead": is_future,
        "clock_words": describe_clock,
    }


def safe_svg(svg: str) -> Markup:
    """A picture that one of our own functions has drawn."""
    return Markup(svg)  # noqa: S704 -- its texts are escaped where it is drawn


def ago(at: datetime) -> str:
    """How long ago that was, in words."""
    seconds = max(0, int((present_services().runtime.clock.now() - at.astimezone(UTC)).total_seconds()))
    return f"{approximate_duration(seconds)} ago" if seconds >= MINUTE else "just now"


def time_until(at: datetime) -> str:
    """How far off that is, in words."""
    seconds = int((at.astimezone(UTC) - present_services().runtime.clock.now()).total_seconds())
    return (
        f"in {approximate_duration(seconds)}" if seconds >= MINUTE else "any moment" if seconds >= 0 else "time is up"
    )


def is_future(at: datetime | None) -> bool:
    """Whether that time is still to come."""
    return at is not None and at > present_services().runtime.clock.now()


def approximate_duration(seconds: int) -> str:
    """A length of time in its largest unit, a minute at least."""
    for size, unit in ((86400, "day"), (3600, "hour")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    count = max(1, seconds // MINUTE)
    return f"{count} minute{'' if count == 1 else 's'}"


def describe_clock(plan: TimeControl) -> str:
    """A clock in a sentence."""
    each = f"{format_duration(plan.seconds)} for each move"
    bank = f"{format_duration(plan.seconds)} in all, {format_duration(plan.increment)} more with each move"
    off = "" if plan.vacation is UNSET else f", and {format_duration(plan.vacation * DAY)} of vacation"
    return f"{each if plan.kind == 'per_move' else bank}{off}; when time is up, {EXPIRY_CONSEQUENCES[plan.expiry]}"
