"""Log lines on standard error, one per event, as plain text for people or JSON for programs.

A line names its request, match and job. It shows only the route of a request, because paths contain invitations and
bodies contain hidden choices. It shows the type and location of an exception, never its message, which may quote
secrets.
"""

import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal

import msgspec

from service.runtime.error_hook import places_of, report_error

LogFormat = Literal["plain", "json"]

REQUEST_ID_HEADER = "X-Request-Id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
QUIET_LIBRARIES = ("rq", "werkzeug", "gevent", "urllib3")
"""Libraries of which only warnings are logged."""

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
match_id: ContextVar[str | None] = ContextVar("match_id", default=None)
job_id: ContextVar[str | None] = ContextVar("job_id", default=None)
CONTEXT_FIELDS = {"request": request_id, "match": match_id, "job": job_id}
"""The context of a line, by field name."""


access_logger = logging.getLogger("crumbtrail.access")


def log_access(method: str, route: str, status: int, arrived: float) -> None:
    """Log a response by its route, because the path may contain an invitation. `arrived` is the time of the request."""
    if access_logger.isEnabledFor(logging.INFO):
        milliseconds = round(1000 * (time.perf_counter() - arrived), 1)
        fields = {"method": method, "route": route, "status": status, "ms": milliseconds}
        access_logger.info("answered", extra={"fields": fields})


def log_unavailable(method: str, route: str, cause: str) -> None:
    """Log why a request was answered with 503. The cause never quotes the request."""
    access_logger.warning("unavailable (503): %s", cause, extra={"fields": {"method": method, "route": route}})


def request_id_for(wanted: str | None) -> str:
    """Return the request id given by a proxy or client if it is well-formed, or else a new one."""
    return wanted if wanted and _REQUEST_ID.fullmatch(wanted) else os.urandom(8).hex()


@contextmanager
def log_context(**ids: str | None) -> Iterator[None]:
    """Add a request, match or job id to the log lines written inside the block."""
    tokens = [(CONTEXT_FIELDS[name], CONTEXT_FIELDS[name].set(value)) for name, value in ids.items()]
    try:
        yield
    finally:
        for variable, token in reversed(tokens):
            variable.reset(token)


def present_context() -> dict[str, str]:
    """Return the ids of the present request, match and job, by field name."""
    return {name: value for name, variable in CONTEXT_FIELDS.items() if (value := variable.get())}


def error_location(error: BaseException) -> str:
    """Return the type of an error and the location in the code where it was raised."""
    frames = extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
    return f"{type(error).__name__} at {where}"


def log_unexpected(logger: logging.Logger, error: Exception, endpoint: str | None) -> None:
    """Log where an unexpected error was raised, without its message, which may quote secrets. Calls the error hook."""
    logger.error("unexpected %s on %s: %s", type(error).__name__, endpoint, " < ".join(places_of(error)))
    report_error(error, endpoint or "unknown", present_context())


class LogFormatter(logging.Formatter):
    """Base class of both formats."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def fields_of(self, record: logging.LogRecord) -> dict[str, Any]:
        """Return the fields of a record, in the order in which they are written."""
        error = record.exc_info[1] if record.exc_info else None
        return {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self._process,
            "pid": record.process,
            "text": _CONTROL.sub(" ", record.getMessage()),
            **present_context(),
            **getattr(record, "fields", {}),
            **({"error": error_location(error)} if error else {}),
        }


class PlainFormatter(LogFormatter):
    """Formats a line for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return time, process, text and context."""
        parts = self.fields_of(record)
        at, _, process, _, text, *_ = parts.values()
        more = " ".join(f"{name} {value}" for name, value in list(parts.items())[5:])
        return f"{at[:19].replace('T', ' ')} {process}: {text}" + (f" [{more}]" if more else "")


class JsonFormatter(LogFormatter):
    """Formats a line for programs: one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return all fields as JSON."""
        return msgspec.json.encode(self.fields_of(record)).decode()


def make_handler(process: str, form: LogFormat) -> logging.Handler:
    """Return a handler that writes to standard error in this format."""
    made = logging.StreamHandler(sys.stderr)
    made.setFormatter(JsonFormatter(process) if form == "json" else PlainFormatter(process))
    return made


def set_up_logging(process: str, form: LogFormat) -> None:
    """Configure the logging of this process in this format."""
    logging.basicConfig(handlers=[make_handler(process, form)], level=logging.INFO, force=True)
    logging.captureWarnings(True)
    for name in QUIET_LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)
    # In a terminal, a line for each request would hide the important ones.
    access_logger.setLevel(logging.INFO if form == "json" else logging.WARNING)
