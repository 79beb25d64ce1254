"""Access to the services and the limited slots of the application that handles the current request."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from flask import Response, current_app, request

from service.bootstrap import Services
from service.runtime.concurrency_limits import ConcurrencyLimiter

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


def hold_upload_slot() -> AbstractContextManager[None]:
    """Return a context manager that holds a slot for this request's upload.

    Entering it raises VerificationBusy (of `service.verification.uploads`), LimitExceeded.
    """
    places = cast(ConcurrencyLimiter, current_app.extensions["crumbtrail-uploads"])
    return places.hold(request.remote_addr or "")


def stream_limiter() -> ConcurrencyLimiter:
    """Return the stream limiter of this application."""
    return cast(ConcurrencyLimiter, current_app.extensions["crumbtrail-slots"])


def limited_stream_response(written: Iterable[str] | Iterable[bytes], form: str) -> Response:
    """Return a live stream that holds a slot as long as it is open. Raises TooManyStreams, LimitExceeded."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, mimetype=form)
    taken, address = stream_limiter(), request.remote_addr or ""
    taken.acquire(address)
    response = Response(written, headers=headers, mimetype=form)
    # Not in the generator, because one that was never started does not run its cleanup.
    response.call_on_close(lambda: taken.release(address))
    return response
