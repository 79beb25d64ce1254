"""The composition root of the worker processes, and the errors that an unreachable server raises."""

from functools import cache

from service.bootstrap import Services, build_services
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.runtime.installed_games import log_skipped_games
from service.runtime.settings import from_environment
from workers.bots.turn_source import ApiTurnSource, ApiUnavailable, LogTurnSource, TurnSource
from workers.jobs.queue import QueueUnavailable

UNREACHABLE_ERRORS = (LogUnavailable, QueueUnavailable, ApiUnavailable, *REDIS_ERRORS)
"""Errors that our code and RQ raise when a server is unreachable."""


def safe_message(error: Exception) -> str:
    """Return an error message that is safe to log. Other libraries' messages may quote secrets, so it omits them."""
    if isinstance(error, LogUnavailable | QueueUnavailable | ApiUnavailable):
        return str(error)
    return f"A server is unavailable ({type(error).__name__})."


@cache
def get_services() -> Services:
    """Return the services of this process, with every game loaded that can be.

    Raises LogUnavailable or redis-py's errors.

    They survive a fork: redis-py's pools detect the new process and open their own connections.
    """
    log_skipped_games()
    return build_services(from_environment())


@cache
def get_turn_source() -> TurnSource:
    """Return the source of bot turns: the API if the settings name its URL, otherwise the log.

    Raises LogUnavailable, redis-py's errors, or ValueError for inconsistent settings.
    """
    settings = from_environment()
    if settings.api_url is None:
        return LogTurnSource(get_services().house_bots, get_services().runtime.job_failures)
    if settings.bot_token is None:
        raise ValueError(
            "No token is set. Create one with `crumbtrail bot token new` and set CRUMBTRAIL_BOT_TOKEN to it."
        )
    return ApiTurnSource(settings.api_url, settings.bot_token)
