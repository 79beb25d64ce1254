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
from service.api.blueprint import PREFIX
from service.api.health import health
from service.api.openapi import DESCRIPTION, ProblemApi, complete_document
from service.api.request_parsing import MAX_BODY_BYTES
from service.api.responses import API_HEADERS
from service.bootstrap import Services
from service.runtime.concurrency_limits import MAX_STREAMS, make_stream_limiter
from service.runtime.metrics import OPEN_STREAMS, OPEN_UPLOADS, REQUEST_SECONDS
from service.verification.uploads import make_upload_limiter

ROOT_PATHS = ("/healthz", "/readyz", "/metrics", "/.well-known/crumbtrail-key")
COUNTED_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Those that are counted by name: a client can make up any others, and each label is kept for ever."""


def register(app: Flask, services: Services) -> None:
    """The blueprints under `/api/v1`, the routes at the root, and what every answer of theirs carries."""
    app.extensions["crumbtrail"] = services
    app.extensions["crumbtrail-slots"] = make_stream_limiter(
        MAX_STREAMS, services.settings.limits.address_streams, OPEN_STREAMS
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
    app.url_map.merge_slashes = False  # a path with two slashes is not found, rather than redirected to another
    api = ProblemApi(app)
    modules = (
        games,
        players,
        notifications,
        matches,
        moves,
        orders,
        streams,
        replays,
        disputes,
        bots,
        ratings,
        bot_turns,
    )
    for module in modules:
        api.register_blueprint(module.blp)
    complete_document(api, (kind for module in modules for kind in module.blp.answer_types))
    app.register_blueprint(health)
    app.after_request(finish_response)


def is_api_path(path: str) -> bool:
    """Whether a path belongs to the interface, existing or not."""
    return path.startswith("/api/") or path == "/api" or path in ROOT_PATHS


def finish_response(response: Response) -> Response:
    """Measure every answer; put our headers on our own."""
    route = request.url_rule.rule if request.url_rule else "none"
    if "arrived" in g:
        method = request.method if request.method in COUNTED_METHODS else "other"
        REQUEST_SECONDS.labels(method, route, str(response.status_code)).observe(time.perf_counter() - g.arrived)
    if is_api_path(request.path):
        for name, value in API_HEADERS.items():
            response.headers.setdefault(name, value)
    return response
