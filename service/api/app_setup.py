"""Registers the API with an application."""

import time

from flask import Flask, Response, g, request

from service.api import (
    bot_turns,
    bots,
    commands,
    continuations,
    disputes,
    games,
    legal_moves,
    matches,
    moves,
    notifications,
    orders,
    players,
    ratings,
    replays,
    seat_taking,
    shares,
    streams,
)
from service.api.blueprint import PREFIX
from service.api.health import health
from service.api.openapi import DESCRIPTION, ProblemApi, complete_document
from service.api.request_parsing import MAX_BODY_BYTES
from service.api.responses import API_HEADERS
from service.bootstrap import Services
from service.runtime.concurrency_limits import MAX_STREAMS, make_stream_limiter
from service.runtime.metrics import OPEN_STREAMS, OPEN_UPLOADS, REQUEST_SECONDS
from service.verification.uploads import make_upload_limiter

MODULES = (
    games, players, notifications, matches, seat_taking, shares, legal_moves, moves, commands, orders, streams,
    replays, disputes, continuations, bots, ratings, bot_turns,
)  # fmt: skip
"""All modules with routes, in the order of the documentation. Some of them share a blueprint."""
ROOT_PATHS = ("/healthz", "/readyz", "/metrics", "/.well-known/crumbtrail-key")
COUNTED_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Methods with their own metric label. Clients can invent others, and labels are never dropped."""


def register(app: Flask, services: Services) -> None:
    """Add the blueprints under `/api/v1`, the routes at the root, and the headers of their answers."""
    app.extensions["crumbtrail"] = services
    app.extensions["crumbtrail-slots"] = make_stream_limiter(
        MAX_STREAMS, services.runtime.settings.limits.address_streams, OPEN_STREAMS
    )
    app.extensions["crumbtrail-uploads"] = make_upload_limiter(OPEN_UPLOADS)
    app.config.update(
        API_TITLE="Crumbtrail",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX=PREFIX,
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS={"info": {"description": DESCRIPTION}},
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
    )
    app.url_map.merge_slashes = False  # answer 404 to a path with two slashes instead of redirecting
    api = ProblemApi(app)
    blueprints = tuple(dict.fromkeys(module.blp for module in MODULES))
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    complete_document(api, (kind for blueprint in blueprints for kind in blueprint.answer_types))
    app.register_blueprint(health)
    app.after_request(finish_response)


def is_api_path(path: str) -> bool:
    """Return whether a path belongs to the API, whether or not it exists."""
    return path.startswith("/api/") or path == "/api" or path in ROOT_PATHS


def finish_response(response: Response) -> Response:
    """Measure every request, and add the API's headers to its answers."""
    route = request.url_rule.rule if request.url_rule else "none"
    if "arrived" in g:
        method = request.method if request.method in COUNTED_METHODS else "other"
        REQUEST_SECONDS.labels(method, route, str(response.status_code)).observe(time.perf_counter() - g.arrived)
    if is_api_path(request.path):
        for name, value in API_HEADERS.items():
            response.headers.setdefault(name, value)
    return response
