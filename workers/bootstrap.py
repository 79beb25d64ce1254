"""The composition root of the workers: what a process builds once, and what it raises when a server is down."""

from functools import cache

from domain.kernel.registry import games
from service.bootstrap import Services, build_services
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.runtime.settings import from_environment
from workers.bots.turn_source import ApiTurnSource, ApiUnavailable, LogTurnSource, TurnSource
from workers.jobs.queue import QueueUnavailable

UNREACHABLE_ERRORS = (LogUnavailable, QueueUnavailable, ApiUnavailable, *REDIS_ERRORS)
"""What a server that is down makes our parts and RQ raise."""


def safe_message(error: Exception) -> str:
    """An error for the log: our own words, or the kind alone, since a message of others may quote anything."""
    if isinstance(error, LogUnavailable | QueueUnavailable | ApiUnavailable):
        return str(error)
    return f"A server does not do its part ({type(error).__name__})."


@cache
def get_services() -> Services:
    """The services of this process, with every game loaded. Raises LogUnavailable or redis-py's errors.

    They outlast a fork: redis-py's pools notice that the process is another and open connections of their own.
    """
    games()
    return build_services(from_environment())


@cache
def get_turn_source() -> TurnSource:
    """Where this process gets the turns of bots from: the interface that the settings name, else the log.

    Raises LogUnavailable or redis-py's errors, ValueError for settings that do not fit together.
    """
    settings = from_environment()
    if settings.api_url is None:
        return LogTurnSource(get_services().house_bots, get_services().runtime.job_failures)
    if settings.bot_token is None:
        raise ValueError("no token: set CRUMBTRAIL_BOT_TOKEN to one that `crumbtrail bot token new` has made")
    return ApiTurnSource(settings.api_url, settings.bot_token)
