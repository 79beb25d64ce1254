"""Startup, shutdown and outage handling of all worker processes."""

import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, TypeVar

import click

from service.runtime import logs
from service.runtime.error_hook import install_error_hook
from service.runtime.invalid_setting import InvalidSetting
from service.runtime.settings import from_environment
from workers.bootstrap import UNREACHABLE_ERRORS, safe_message

T = TypeVar("T")

logger = logging.getLogger("workers")

MIN_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 2.0
"""Seconds between two attempts to reach a server."""


class OutageBackoff:
    """Logs the start and the end of an outage once each, and computes the pauses between attempts."""

    def __init__(self) -> None:
        self._failing_since: float | None = None
        self._pause = MIN_PAUSE_SECONDS

    def record_failure(self, error: Exception) -> float:
        """Record a failed attempt. Return the seconds to wait before the next one."""
        if self._failing_since is None:
            self._failing_since = time.monotonic()
            logger.warning("%s Retrying until it works.", safe_message(error))
        self._pause = min(MAX_PAUSE_SECONDS, 2 * self._pause)
        return self._pause

    def record_success(self) -> None:
        """Record a successful attempt."""
        if self._failing_since is not None:
            logger.warning("Working again after %.1f s.", time.monotonic() - self._failing_since)
        self._failing_since, self._pause = None, MIN_PAUSE_SECONDS


def set_up_process(name: str) -> None:
    """Log to standard error in single lines, call the error hook, and exit on signals. Raises ClickException."""
    try:
        settings = from_environment()
        logs.set_up_logging(name, settings.log_format)
        install_error_hook(settings.error_hook, name)
    except InvalidSetting as error:
        raise click.ClickException(str(error)) from None
    exit_on_signals()


class StopRequested(SystemExit):
    """A signal asked the process to exit. Unlike a SystemExit raised by a game's package, nothing may catch it."""


class GracefulShutdown:
    """Handles requests to stop. An idle process exits immediately, a busy one after the current step."""

    def __init__(self) -> None:
        self._requested = False
        self._interruptible = False

    def install(self) -> None:
        """Handle SIGTERM and SIGINT from now on."""
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested = True
        if self._interruptible:
            exit_cleanly(number, frame)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Mark a block that may be interrupted at any point. Exit if a stop was requested."""
        self._interruptible = True
        try:
            self.exit_if_requested()
            yield
        finally:
            self._interruptible = False

    def exit_if_requested(self) -> None:
        """Exit if a stop was requested. Call this only between steps."""
        if self._requested:
            raise SystemExit(0)


def exit_on_signals() -> None:
    """Exit on SIGTERM and SIGINT at any point: all work here can be interrupted and repeated."""
    signal.signal(signal.SIGTERM, exit_cleanly)
    signal.signal(signal.SIGINT, exit_cleanly)


def exit_cleanly(number: int, frame: FrameType | None) -> NoReturn:
    """Exit with code 0. Raises StopRequested."""
    raise StopRequested(0)


def retry_until_reachable(attempt: Callable[[], T]) -> T:
    """Return the result of the attempt once it succeeds. Raises ClickException for invalid settings."""
    outage = OutageBackoff()
    while True:
        try:
            result = attempt()
        except UNREACHABLE_ERRORS as error:
            time.sleep(outage.record_failure(error))
            continue
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        outage.record_success()
        return result
