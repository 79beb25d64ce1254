"""Support for gevent: runs long work in a real thread and limits reads. Without gevent both are plain calls."""

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from werkzeug.exceptions import BadRequest, RequestTimeout

BODY_SECONDS = 15.0
"""Time limit for receiving a body. Each `BODY_BYTES_PER_SECOND` bytes of its declared length add one second."""
BODY_BYTES_PER_SECOND = 64 * 1024

DEADLINE_CHECK_SECONDS = 1.0
"""Interval between checks for overdue reads."""

GUNICORN_ERRORS = "gunicorn.http.errors"
"""The module of the errors that gunicorn raises for a body it can't parse. It is named, not imported, because this
module also runs without gunicorn."""
BROKEN_BODY = "The request body is malformed: its chunks are not valid HTTP. Send the request again."

T = TypeVar("T")
Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def is_gevent_active() -> bool:
    """Return whether gevent has patched the standard library."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey is not None and bool(monkey.is_module_patched("socket"))


def run_in_thread(work: Callable[[Any], T], argument: Any) -> T:
    """Return the result of long work. Under gevent it runs in a real thread, so that other greenlets continue."""
    if not is_gevent_active():
        return work(argument)
    from gevent import get_hub  # type: ignore[import-untyped]  # noqa: PLC0415

    result: T = get_hub().threadpool.apply(work, (argument,))
    return result


def read_checked(read: Callable[..., bytes], *size: int) -> bytes:
    """Return what `read` returns. Raises BadRequest for a body whose form is broken, such as a chunk of size `zz`.

    gunicorn then closes the connection, because nobody can tell where the next request begins.
    """
    try:
        return read(*size)
    except Exception as error:
        if type(error).__module__ == GUNICORN_ERRORS:
            raise BadRequest(BROKEN_BODY) from None
        raise


class CheckedBody:
    """A request body that must be well-formed."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def read(self, *size: int) -> bytes:
        """Return the next bytes. Raises BadRequest."""
        return read_checked(self._body.read, *size)

    def readline(self, *size: int) -> bytes:
        """Return the next line. Raises BadRequest."""
        return read_checked(self._body.readline, *size)


class BodyWithDeadline:
    """A request body that must arrive within a time limit."""

    def __init__(self, body: Any, seconds: float) -> None:
        self._body = body
        self._deadline = time.monotonic() + seconds

    def read(self, *size: int) -> bytes:
        """Return the next bytes. Raises RequestTimeout."""
        return _read_deadlines.enforce(self._deadline, self._body.read, *size)

    def readline(self, *size: int) -> bytes:
        """Return the next line. Raises RequestTimeout."""
        return _read_deadlines.enforce(self._deadline, self._body.readline, *size)


class ReadDeadlines:
    """The deadlines of all greenlets that are reading a body, checked by a single timer.

    A gevent timer for each read would cost a tenth of a request's time, although most bodies have already arrived.
    """

    def __init__(self) -> None:
        self._deadlines: dict[Any, float] = {}
        self._timer: Any = None

    def enforce(self, ends: float, read: Callable[..., bytes], *size: int) -> bytes:
        """Return what `read` returns. Raises RequestTimeout when the time is over, at most one second late."""
        import gevent  # noqa: PLC0415

        if time.monotonic() > ends:
            raise RequestTimeout
        if self._timer is None:
            self._timer = gevent.get_hub().loop.timer(DEADLINE_CHECK_SECONDS, DEADLINE_CHECK_SECONDS, ref=False)
            self._timer.start(self._interrupt_overdue)
        reader = gevent.getcurrent()
        self._deadlines[reader] = ends
        try:
            return read(*size)
        finally:
            del self._deadlines[reader]

    def _interrupt_overdue(self) -> None:
        """Interrupt overdue readers. The event loop calls this while all of them are waiting for bytes."""
        now = time.monotonic()
        for reader in [reader for reader, ends in self._deadlines.items() if now > ends]:
            reader.throw(RequestTimeout())


_read_deadlines = ReadDeadlines()


def with_body_deadlines(application: Wsgi) -> Wsgi:
    """Return the application with a time limit on request bodies, so that a slow sender cannot hold a slot forever."""

    def timely(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if is_gevent_active():
            length = environ.get("CONTENT_LENGTH") or "0"
            pace = int(length) / BODY_BYTES_PER_SECOND if length.isdecimal() else 0.0
            environ["wsgi.input"] = BodyWithDeadline(CheckedBody(environ["wsgi.input"]), BODY_SECONDS + pace)
        return application(environ, start)

    return timely
