"""The web application: pages and interface in one. `gunicorn "service.wsgi:app()"` serves it."""

import gc
import logging
import time

from flask import Flask, Response, current_app, g, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import RoutingException

from service import api, web
from service.api.app_setup import is_ours
from service.api.fast_path import ARRIVED, ERROR, with_lane
from service.api.metrics import forget_dead
from service.api.problems import refuse
from service.bootstrap import Services, build
from service.event_store.durability import require
from service.event_store.errors import is_transient
from service.event_store.keys import is_match_id
from service.event_store.log import LogUnavailable
from service.runtime.gevent_support import with_timely_bodies
from service.runtime.logs import REQUEST_HEADER, match_id, new_request_id, request_id, set_up, tell_access
from service.runtime.rate_limits import TooMany
from service.runtime.settings import Settings, from_environment

logger = logging.getLogger("crumbtrail")

AGAIN_SECONDS = 0.5
"""How long a process that begins waits for the log before it looks again."""
UNCOUNTED = {"health.alive", "health.ready", "health.metrics", "web.send_asset"}


class Application(Flask):
    """Flask, but what it refuses under the interface's paths is told in the interface's way, whatever pages do."""

    def handle_http_exception(self, e: HTTPException) -> HTTPException | ResponseReturnValue:
        """The interface's problem document, or what the pages make of it."""
        if is_ours(request.path) and not isinstance(e, RoutingException):
            return refuse(e)
        return super().handle_http_exception(e)


def create_app(services: Services) -> Flask:
    """The application on these services."""
    app = Application("service", static_folder=None)
    app.wsgi_app = with_lane(app.wsgi_app, services)  # type: ignore[method-assign, assignment]
    if services.settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=services.settings.proxies)  # type: ignore[method-assign]
    app.before_request(begin)
    app.after_request(tell)
    app.wsgi_app = with_timely_bodies(app.wsgi_app)  # type: ignore[method-assign, assignment]
    api.register(app, services)
    web.register(app, services)
    app.before_request(raise_found)
    app.before_request(count_request)
    return app


def begin() -> None:
    """Give the request its id, which its log lines and its answer carry, and note what match it is about."""
    g.arrived = request.environ.get(ARRIVED) or time.perf_counter()
    g.request_id = new_request_id(request.headers.get(REQUEST_HEADER))
    request_id.set(g.request_id)
    match = (request.view_args or {}).get("match")
    match_id.set(match if isinstance(match, str) and is_match_id(match) else None)


def raise_found() -> None:
    """Raise what the lane of moves has found wrong with a request; it was counted there."""
    error = request.environ.get(ERROR)
    if error is not None:
        raise error


def tell(response: Response) -> Response:
    """Put the request's id on its answer, and log it by its route: a path may be an invitation."""
    response.headers[REQUEST_HEADER] = g.request_id
    if request.endpoint not in UNCOUNTED:
        route = request.url_rule.rule if request.url_rule else "none"
        tell_access(request.method, route, response.status_code, g.arrived)
    return response


def count_request() -> ResponseReturnValue | None:
    """Count what an address asks for, but for files that never change and what operators look at."""
    if request.endpoint in UNCOUNTED:
        return None
    try:
        services: Services = current_app.extensions["crumbtrail"]
        services.limits.request_from(request.remote_addr or "")
    except TooMany as error:
        if is_ours(request.path):
            return refuse(error)
        raise
    return None


def services_in_time(settings: Settings) -> Services:
    """The services of this process, however long the log takes to be there. Raises NotDurable, LogUnavailable.

    A web process that gave up would take its siblings along, which gunicorn stops when one cannot begin.
    """
    told = False
    while True:
        try:
            services = build(settings)
            services.footing.last = found = require(services.redis, settings.allow_fast, settings.replicas)
        except LogUnavailable as error:
            if not isinstance(error.__cause__, Exception) or not is_transient(error.__cause__):
                raise
            if not told:
                logger.warning("%s This process waits for it.", error)
            told = True
            time.sleep(AGAIN_SECONDS)
        else:
            for fault in found.faults:
                logger.warning("Of the log's server: %s", fault)
            return services


def app() -> Flask:
    """The application of this process, set up from the environment, once its log is there.

    Raises NotDurable, and LogUnavailable for what no waiting mends, such as a wrong password.
    """
    settings = from_environment()
    set_up("web", settings.log_format)
    forget_dead()
    application = create_app(services_in_time(settings))
    gc.freeze()  # what lives as long as the process is nothing to look through at each collection
    return application
