"""Where greenlets serve: long work goes to a true thread, and a wait has an end. Elsewhere both are plain calls."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from werkzeug.exceptions import RequestTimeout

BODY_SECONDS = 15.0
"""How long a body may take to come in, and a second more for each `BODY_BYTES_PER_SECOND` bytes that it says it has."""
BODY_BYTES_PER_SECOND = 64 * 1024

DEADLINE_CHECK_SECONDS = 1.0
"""How often it is looked whose time is up."""

T = TypeVar("T")
Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def is_gevent_active() -> bool:
    """Whether gunicorn has brought greenlets in."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey is not None and bool(monkey.is_module_patched("socket"))


def run_in_thread(work: Callable[[Any], T], argument: Any) -> T:
    """The result of long work, in a true thread where greenlets serve, so that they go on meanwhile."""
    if not is_gevent_active():
        return work(argument)
    from gevent import get_hub  # type: ignore[import-untyped]  # noqa: PLC0415

    result: T = get_hub().threadpool.apply(work, (argument,))
    return result


class BodyWithDeadline:
    """The body of a request, which has to come in before its time is up."""

    def __init__(self, body: Any, seconds: float) -> None:
        self._body = body
        self._deadline = time.monotonic() + seconds

    def read(self, *size: int) -> bytes:
        """The next bytes. Raises RequestTimeout."""
        with _read_deadlines.enforce(self._deadline):
            return self._body.read(*size)  # type: ignore[no-any-return]

    def readline(self, *size: int) -> bytes:
        """The next line. Raises RequestTimeout."""
        with _read_deadlines.enforce(self._deadline):
            return self._body.readline(*size)  # type: ignore[no-any-return]


class ReadDeadlines:
    """The greenlets that are reading a body, and until when each may: one timer looks after all of them.

    A timer for each, as gevent has them, costs a tenth of a request, most of which have come wholly by then.
    """

    def __init__(self) -> None:
        self._deadlines: dict[Any, float] = {}
        self._timer: Any = None

    @contextmanager
    def enforce(self, ends: float) -> Iterator[None]:
        """Inside, RequestTimeout is raised when the time is up, a second later at most."""
        from gevent import getcurrent  # noqa: PLC0415

        if time.monotonic() > ends:
            raise RequestTimeout
        self._start_timer()
        reader = getcurrent()
        self._deadlines[reader] = ends
        try:
            yield
        finally:
            del self._deadlines[reader]

    def _start_timer(self) -> None:
        from gevent import get_hub  # noqa: PLC0415

        if self._timer is None:
            self._timer = get_hub().loop.timer(DEADLINE_CHECK_SECONDS, DEADLINE_CHECK_SECONDS, ref=False)
            self._timer.start(self._interrupt_overdue)

    def _interrupt_overdue(self) -> None:
        """Called by the loop itself, while all that stand here wait for their bytes."""
        now = time.monotonic()
        for reader in [reader for reader, ends in self._deadlines.items() if now > ends]:
            reader.throw(RequestTimeout())


_read_deadlines = ReadDeadlines()


def with_body_deadlines(application: Wsgi) -> Wsgi:
    """The application, for clients who have to send what they promise: who drips holds no place for ever."""

    def timely(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if is_gevent_active():
            length = environ.get("CONTENT_LENGTH") or "0"
            pace = int(length) / BODY_BYTES_PER_SECOND if length.isdecimal() else 0.0
            environ["wsgi.input"] = BodyWithDeadline(environ["wsgi.input"], BODY_SECONDS + pace)
        return application(environ, start)

    return timely
