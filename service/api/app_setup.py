"""Everything of the interface, put on an application."""

import time

from flask import Flask, Response, g, request

from service.api import (
    bot_turns,
    bots,
    disputes,
    games,
    matches,
    moves,
    notifications,
    orders,
    players,
    ratings,
    replays,
    streams,
)
from service.api.health import health
from service.api.metrics import LATENCY, STREAMS, UPLOADS
from service.api.openapi import DESCRIPTION, ProblemApi, complete
from service.api.request_context import PREFIX
from service.bootstrap import Services
from service.runtime.concurrency_limits import MOST_STREAMS, stream_slots
from service.verification.uploads import upload_slots

LARGEST_BODY = 64 * 1024
ROOT = ("/healthz", "/readyz", "/metrics", "/.well-known/crumbtrail-key")
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Those that are counted by name: a client can make up any others, and each label is kept for ever."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Authorization, Accept",
}


def register(app: Flask, services: Services) -> None:
    """The blueprints under `/api/v1`, the routes at the root, and what every answer of theirs carries."""
    app.extensions["crumbtrail"] = services
    app.extensions["crumbtrail-slots"] = stream_slots(MOST_STREAMS, services.settings.limits.address_streams, STREAMS)
    app.extensions["crumbtrail-uploads"] = upload_slots(UPLOADS)
    app.config.update(
        API_TITLE="Crumbtrail",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX=PREFIX,
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS={"info": {"description": DESCRIPTION}},
        MAX_CONTENT_LENGTH=LARGEST_BODY,
    )
    app.url_map.merge_slashes = False  # a path with two slashes is not found, rather than redirected to another
    api = ProblemApi(app)
    for module in (
        *(games, players, notifications, matches, moves, orders, streams, replays, disputes, bots, ratings, bot_turns),
    ):
        api.register_blueprint(module.blp)
    complete(api)
    app.register_blueprint(health)
    app.after_request(finish)


def is_ours(path: str) -> bool:
    """Whether a path belongs to the interface, existing or not."""
    return path.startswith("/api/") or path == "/api" or path in ROOT


def finish(response: Response) -> Response:
    """Measure every answer; put our headers on our own."""
    route = request.url_rule.rule if request.url_rule else "none"
    if "arrived" in g:
        method = request.method if request.method in METHODS else "other"
        LATENCY.labels(method, route, str(response.status_code)).observe(time.perf_counter() - g.arrived)
    if is_ours(request.path):
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
    return response
