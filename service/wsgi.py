"""The web application with its pages and its API. Run it with `gunicorn "service.wsgi:app()"`."""

import gc
import logging
import time

from flask import Flask, Response, current_app, g, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import RoutingException

from service import api, web
from service.api.app_setup import is_api_path
from service.api.fast_path import ERROR_KEY, STARTED_AT_KEY, with_fast_path
from service.api.fast_path import ROUTE as FAST_ROUTE
from service.api.problems import error_response
from service.bootstrap import Services, build_services
from service.event_store.durability import require_durability
from service.event_store.errors import LogUnavailable, is_transient
from service.event_store.keys import is_match_id
from service.runtime.error_hook import install_error_hook
from service.runtime.gevent_support import with_body_deadlines
from service.runtime.installed_games import log_skipped_games
from service.runtime.logs import (
    REQUEST_ID_HEADER,
    log_access,
    log_unavailable,
    match_id,
    request_id,
    request_id_for,
    set_up_logging,
)
from service.runtime.metrics import forget_dead_processes
from service.runtime.rate_limits import LimitExceeded
from service.runtime.settings import Settings, from_environment
from service.runtime.tracing import ROUTE_KEY, Tracing, make_tracing
from service.web.warm_up import warm_up

logger = logging.getLogger("crumbtrail")

RETRY_SECONDS = 0.5
"""Seconds between two attempts to reach the log while a process starts."""
UNCOUNTED_ENDPOINTS = {"health.alive", "health.ready", "health.metrics", "web.send_asset"}


class Application(Flask):
    """A Flask application that answers every error under the API's paths with a problem document."""

    def handle_http_exception(self, e: HTTPException) -> HTTPException | ResponseReturnValue:
        """Return the API's problem document, or the error page for any other path."""
        if is_api_path(request.path) and not isinstance(e, RoutingException):
            return error_response(e)
        return super().handle_http_exception(e)


def create_app(services: Services, tracing: Tracing | None = None) -> Flask:
    """Return the application built on these services. With `tracing`, each request makes spans."""
    app = Application("service", static_folder=None)
    app.wsgi_app = with_fast_path(app.wsgi_app, services)  # type: ignore[method-assign, assignment]
    if services.runtime.settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=services.runtime.settings.proxies)  # type: ignore[method-assign]
    app.before_request(begin_request)
    app.after_request(finish_request)
    app.wsgi_app = with_body_deadlines(app.wsgi_app)  # type: ignore[method-assign, assignment]
    api.register(app, services)
    web.register(app, services)
    app.before_request(raise_fast_path_error)
    app.before_request(rate_limit_request)
    if tracing is not None:
        trace_requests(app, services, tracing)
    return app


def trace_requests(app: Flask, services: Services, tracing: Tracing) -> None:
    """Make a span for each request and each call of the log."""

    def name_route(response: Response) -> Response:
        request.environ[ROUTE_KEY] = request.url_rule.rule if request.url_rule else "none"
        return response

    app.after_request(name_route)
    trusts_headers = services.runtime.settings.proxies > 0
    served = tracing.application(app.wsgi_app, FAST_ROUTE, trusts_headers)
    app.wsgi_app = served  # type: ignore[method-assign, assignment]
    tracing.log_calls(services.log)


def begin_request() -> None:
    """Set the request id and the match id for the log lines and the response."""
    g.arrived = request.environ.get(STARTED_AT_KEY) or time.perf_counter()
    g.request_id = request_id_for(request.headers.get(REQUEST_ID_HEADER))
    request_id.set(g.request_id)
    match = (request.view_args or {}).get("match")
    match_id.set(match if isinstance(match, str) and is_match_id(match) else None)


def raise_fast_path_error() -> None:
    """Raise the error that the fast path found. The fast path has already counted the request."""
    error = request.environ.get(ERROR_KEY)
    if error is not None:
        raise error


def finish_request(response: Response) -> Response:
    """Add the request id to the response and log the route, not the path, which may hold an invitation."""
    response.headers[REQUEST_ID_HEADER] = g.request_id
    route = request.url_rule.rule if request.url_rule else "none"
    if response.status_code == 503:
        log_unavailable(request.method, route, g.get("cause", "unknown"))
    if request.endpoint not in UNCOUNTED_ENDPOINTS:
        log_access(request.method, route, response.status_code, g.arrived)
    return response


def rate_limit_request() -> ResponseReturnValue | None:
    """Count the request against its address's rate limit, except for static files, health checks and metrics."""
    if request.endpoint in UNCOUNTED_ENDPOINTS:
        return None
    try:
        services: Services = current_app.extensions["crumbtrail"]
        services.runtime.rate_limiter.count_request_from(request.remote_addr or "")
    except LimitExceeded as error:
        if is_api_path(request.path):
            return error_response(error)
        raise
    return None


def wait_for_services(settings: Settings) -> Services:
    """Return the services of this process, waiting until the log is available. Raises NotDurable, LogUnavailable.

    A web process must not give up: gunicorn stops all its workers when one of them cannot start.
    """
    warned = False
    while True:
        try:
            services = build_services(settings)
            services.runtime.durability_status.last = found = require_durability(
                services.runtime.redis, settings.allow_fast, settings.replicas, settings.log_servers
            )
        except LogUnavailable as error:
            if not isinstance(error.__cause__, Exception) or not is_transient(error.__cause__):
                raise
            if not warned:
                logger.warning("%s This process is waiting for it.", error)
            warned = True
            time.sleep(RETRY_SECONDS)
        else:
            for fault in found.faults:
                logger.warning("Log server: %s", fault)
            return services


def app() -> Flask:
    """Return the application of this process, configured from the environment, once its log is available.

    It is warmed up, so its first answers take no longer than later ones.

    Raises NotDurable, and LogUnavailable for a permanent error such as a wrong password.
    """
    settings = from_environment()
    set_up_logging("web", settings.log_format)
    install_error_hook(settings.error_hook, "web")
    tracing = make_tracing(settings.traces_to, "web")
    forget_dead_processes()
    log_skipped_games()
    application = create_app(wait_for_services(settings), tracing)
    warm_up(application)
    gc.freeze()  # the garbage collector then skips objects that live as long as the process
    return application
