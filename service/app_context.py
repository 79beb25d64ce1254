"""Access to the services of the application that handles the current request."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from flask import current_app

from service.bootstrap import Services

T = TypeVar("T")

_current_services: ContextVar[Services | None] = ContextVar("services", default=None)


def services() -> Services:
    """Return the services of the current application."""
    return _current_services.get() or cast(Services, current_app.extensions["crumbtrail"])


def call_with_services(given: Services, call: Callable[..., T], *arguments: Any) -> T:
    """Return the result of a call that uses these services, outside a Flask request."""
    token = _current_services.set(given)
    try:
        return call(*arguments)
    finally:
        _current_services.reset(token)
