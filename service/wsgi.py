"""The web application: pages and interface in one. `gunicorn "service.wsgi:app()"` serves it."""

import gc

from flask import Flask, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from service import api, web
from service.api.metrics import forget_dead
from service.api.problems import refuse
from service.api.register import is_ours
from service.log.durability import require
from service.services import Services, build
from service.settings import from_environment


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
    api.register(app, services)
    web.register(app, services)
    return app


def app() -> Flask:
    """The application of this process, set up from the environment. Raises LogUnavailable and NotDurable."""
    services = build(from_environment())
    forget_dead()
    require(services.redis, allow_fast=services.settings.allow_fast)
    application = create_app(services)
    gc.freeze()  # what lives as long as the process is nothing to look through at each collection
    return application
