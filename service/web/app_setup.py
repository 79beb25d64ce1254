"""Registers the web pages with a Flask application."""

from datetime import UTC, datetime

from flask import Flask
from jinja2 import ChoiceLoader
from markupsafe import Markup
from msgspec import UNSET

from domain.kernel.events import TimeControl
from domain.match.durations import DAY, format_duration
from service.accounts.name_notices import NameNotice
from service.app_context import services as present_services
from service.bootstrap import Services
from service.web.assets import asset
from service.web.blueprint import web
from service.web.comfort import comfort_attributes, comfort_choices
from service.web.game_files import template_loader
from service.web.pages import (
    account,
    comfort,
    disputes,
    errors,
    find,
    fork,
    frames,
    join,
    live,
    lobby,
    match,
    moderation,
    name,
    new,
    notifications,
    orders,
    player,
    rematch,
    replay,
    report,
    rules,
    score,
    shares,
    sign_in,
    table_requests,
    trust,
    unplayable,
    unsubscribe,
    verify,
)
from service.web.pictures import picture
from service.web.public_links import public_link
from service.web.security import set_up_security
from service.web.unrated import unrated_note
from service.web.visitor import current_player

MINUTE = 60

PAGES = (
    *(
        account,
        table_requests,
        comfort,
        disputes,
        find,
        fork,
        frames,
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
    *(moderation, report),
    *(replay, rules, score, shares, sign_in, trust, unplayable, unsubscribe, verify),
)
"""Importing these modules registers their routes on the blueprint."""


def register(app: Flask, services: Services) -> None:
    """Add the pages to an application that may serve other routes too."""
    app.extensions["crumbtrail"] = services
    set_up_security(app, services)
    app.register_blueprint(web)
    app.jinja_loader = ChoiceLoader([template_loader(), *filter(None, [app.jinja_loader])])
    errors.handle_unrouted(app)


TIMEOUT_CONSEQUENCES = {
    "resigns": "the player resigns",
    "bot_moves": "a bot makes the move",
    "bot_takes_over": "a bot takes over the seat",
}
"""What a time control does when a player runs out of time."""


@web.app_context_processor
def template_helpers() -> dict[str, object]:
    """Return the helpers available in every template."""
    return {
        "asset": asset,
        "picture": picture,
        "comfort": comfort_attributes,
        "comfort_choices": comfort_choices,
        "unrated_note": unrated_note,
        "public_link": public_link,
        "durability": present_services().runtime.durability_status.current,
        "me": current_player,
        "renamed": current_name_notice,
        "drawn": safe_svg,
        "ago": ago,
        "ahead": time_until,
        "is_ahead": is_future,
        "clock_words": describe_clock,
    }


def current_name_notice() -> NameNotice | None:
    """Return the notice for the reader that their name was changed for them, or None."""
    me = current_player()
    return present_services().accounts.name_notices.find(me.id) if me else None


def safe_svg(svg: str) -> Markup:
    """Return an SVG drawn by our own code as safe markup."""
    return Markup(svg)  # noqa: S704 -- the drawing code escapes all text


def ago(at: datetime) -> str:
    """Return how long ago a time was, such as "3 hours ago"."""
    seconds = max(0, int((present_services().runtime.clock.now() - at.astimezone(UTC)).total_seconds()))
    return f"{approximate_duration(seconds)} ago" if seconds >= MINUTE else "just now"


def time_until(at: datetime) -> str:
    """Return how far in the future a time is, such as "in 3 hours"."""
    seconds = int((at.astimezone(UTC) - present_services().runtime.clock.now()).total_seconds())
    return (
        f"in {approximate_duration(seconds)}" if seconds >= MINUTE else "any moment" if seconds >= 0 else "out of time"
    )


def is_future(at: datetime | None) -> bool:
    """Return whether the time is in the future; False for None."""
    return at is not None and at > present_services().runtime.clock.now()


def approximate_duration(seconds: int) -> str:
    """Return a duration in its largest whole unit, at least one minute."""
    for size, unit in ((86400, "day"), (3600, "hour")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    count = max(1, seconds // MINUTE)
    return f"{count} minute{'' if count == 1 else 's'}"


def describe_clock(plan: TimeControl) -> str:
    """Return a description of a time control."""
    each = f"{format_duration(plan.seconds)} per move"
    bank = f"{format_duration(plan.seconds)} in total"
    if plan.increment:
        bank += f", plus {format_duration(plan.increment)} per move"
    off = "" if plan.vacation is UNSET else f", with {format_duration(plan.vacation * DAY)} of vacation"
    return f"{each if plan.kind == 'per_move' else bank}{off}; if time runs out, {TIMEOUT_CONSEQUENCES[plan.expiry]}"
