"""Access to the services of the application that handles the current request."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from flask import current_app

from service.bootstrap import Services

_current_services: ContextVar[Services | None] = ContextVar("services", default=None)


def services() -> Services:
    """Return the services of the current application."""
    return _current_services.get() or cast(Services, current_app.extensions["crumbtrail"])


@contextmanager
def use_services(given: Services) -> Iterator[None]:
    """Use these services inside the block, for code that runs outside a Flask request."""
    token = _current_services.set(given)
    try:
        yield
    finally:
        _current_services.reset(token)
