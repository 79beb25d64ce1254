"""What every worker process has in common: its log lines, its services, its way to end."""

import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import NoReturn, TypeVar

import click

from domain.kernel.registry import games
from service.bootstrap import Services, build
from service.event_store.errors import REDIS_ERRORS
from service.event_store.log import LogUnavailable
from service.runtime import logs
from service.runtime.invalid_setting import BadSetting
from service.runtime.settings import from_environment
from workers.bots.turn_source import ApiTurns, ApiUnavailable, LogTurns, Turns
from workers.jobs.queue import QueueUnavailable

T = TypeVar("T")

logger = logging.getLogger("workers")

UNREACHABLE = (LogUnavailable, QueueUnavailable, ApiUnavailable, *REDIS_ERRORS)
"""What a server that is down makes our parts and RQ raise."""
SHORTEST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
"""Seconds between two attempts to reach a server."""


class Outage:
    """Tells once that something does not work, and once that it works again."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._pause = SHORTEST_PAUSE

    def begins(self, error: Exception) -> float:
        """It does not work; gives the seconds to wait before the next attempt."""
        if self._since is None:
            self._since = time.monotonic()
            logger.warning("%s Trying again until it does.", in_short(error))
        self._pause = min(LONGEST_PAUSE, 2 * self._pause)
        return self._pause

    def ends(self) -> None:
        """It works."""
        if self._since is not None:
            logger.warning("Working again after %.1f s.", time.monotonic() - self._since)
        self._since, self._pause = None, SHORTEST_PAUSE


def in_short(error: Exception) -> str:
    """An error for the log: our own words, or the kind alone, since a message of others may quote anything."""
    if isinstance(error, LogUnavailable | QueueUnavailable | ApiUnavailable):
        return str(error)
    return f"A server does not do its part ({type(error).__name__})."


def set_up(name: str) -> None:
    """Log to standard error in single lines, and end on SIGTERM and SIGINT. Raises ClickException."""
    try:
        logs.set_up(name, from_environment().log_format)
    except BadSetting as error:
        raise click.ClickException(str(error)) from None
    end_on_signals()


class Ending:
    """Whether this process was asked to end. An idle one ends at once, one at work behind what it is at."""

    def __init__(self) -> None:
        self._asked = False
        self._idle = False

    def install(self) -> None:
        """Listen to SIGTERM and SIGINT from here on."""
        signal.signal(signal.SIGTERM, self._hear)
        signal.signal(signal.SIGINT, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        if self._idle:
            end(number, frame)

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Inside, nothing is begun that would have to be finished. Ends the process if it was asked to."""
        self._idle = True
        try:
            self.heed()
            yield
        finally:
            self._idle = False

    def heed(self) -> None:
        """End the process if it was asked to: called where nothing that was begun is left to finish."""
        if self._asked:
            raise SystemExit(0)


def end_on_signals() -> None:
    """End wherever we are: all that we do may break off at any point and be done again."""
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)


def end(number: int, frame: FrameType | None) -> NoReturn:
    """End with exit code 0."""
    raise SystemExit(0)


@cache
def services() -> Services:
    """The services of this process, with every game loaded. Raises LogUnavailable or redis-py's errors.

    They outlast a fork: redis-py's pools notice that the process is another and open connections of their own.
    """
    games()
    return build(from_environment())


@cache
def turns() -> Turns:
    """Where this process gets the turns of bots from: the interface that the settings name, else the log.

    Raises LogUnavailable or redis-py's errors, ValueError for settings that do not fit together.
    """
    settings = from_environment()
    if settings.api_url is None:
        return LogTurns(services().house, services().failures)
    if settings.bot_token is None:
        raise ValueError("no token: set CRUMBTRAIL_BOT_TOKEN to one that `crumbtrail bot token new` has made")
    return ApiTurns(settings.api_url, settings.bot_token)


def until_reachable(attempt: Callable[[], T]) -> T:
    """What the attempt gives, once it can be made. Raises ClickException where the settings can never do."""
    outage = Outage()
    while True:
        try:
            result = attempt()
        except UNREACHABLE as error:
            time.sleep(outage.begins(error))
            continue
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        outage.ends()
        return result
