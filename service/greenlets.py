"""Where greenlets serve: long work goes to a true thread, and a wait has an end. Elsewhere both are plain calls."""

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from werkzeug.exceptions import RequestTimeout

BODY_SECONDS = 15.0
"""How long a body may take to come in, and a second more for each `BODY_PACE` bytes that it says it has."""
BODY_PACE = 64 * 1024

T = TypeVar("T")
Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def serve_here() -> bool:
    """Whether gunicorn has brought greenlets in."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey is not None and bool(monkey.is_module_patched("socket"))


def aside(work: Callable[[Any], T], argument: Any) -> T:
    """The result of long work, in a true thread where greenlets serve, so that they go on meanwhile."""
    if not serve_here():
        return work(argument)
    from gevent import get_hub  # type: ignore[import-untyped]  # noqa: PLC0415

    result: T = get_hub().threadpool.apply(work, (argument,))
    return result


class TimelyBody:
    """The body of a request, which has to come in before its time is up."""

    def __init__(self, body: Any, seconds: float) -> None:
        self._body = body
        self._ends = time.monotonic() + seconds

    def read(self, *size: int) -> bytes:
        """The next bytes. Raises RequestTimeout."""
        return self._in_time(self._body.read, *size)

    def readline(self, *size: int) -> bytes:
        """The next line. Raises RequestTimeout."""
        return self._in_time(self._body.readline, *size)

    def _in_time(self, read: Callable[..., bytes], *size: int) -> bytes:
        from gevent import Timeout  # noqa: PLC0415

        with Timeout(max(0.0, self._ends - time.monotonic()), RequestTimeout):
            return read(*size)


def with_timely_bodies(application: Wsgi) -> Wsgi:
    """The application, for clients who have to send what they promise: who drips holds no place for ever."""

    def timely(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if serve_here():
            length = environ.get("CONTENT_LENGTH") or "0"
            pace = int(length) / BODY_PACE if length.isdecimal() else 0.0
            environ["wsgi.input"] = TimelyBody(environ["wsgi.input"], BODY_SECONDS + pace)
        return application(environ, start)

    return timely
