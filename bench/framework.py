"""The service with every request served by Flask: what a move costs without the lane of moves."""

from flask import Flask

from service import wsgi
from service.runtime.gevent_support import with_body_deadlines


def app() -> Flask:
    """The application of a web process, but for the lane."""
    whole = wsgi.app()
    whole.wsgi_app = with_body_deadlines(Flask.wsgi_app.__get__(whole))  # type: ignore[method-assign, assignment]
    return whole
