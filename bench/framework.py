"""The service with every request served by Flask: the cost of a move without the fast path."""

from flask import Flask

from service import wsgi
from service.runtime.gevent_support import with_body_deadlines


def app() -> Flask:
    """Return the application of a web process without the fast path."""
    whole = wsgi.app()
    whole.wsgi_app = with_body_deadlines(Flask.wsgi_app.__get__(whole))  # type: ignore[method-assign, assignment]
    return whole
