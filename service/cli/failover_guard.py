"""`crumbtrail failover-guard`: choose which log server takes over when the primary dies."""

import logging
import os
import signal
from threading import Event

import click

from service.event_store.connect import InvalidLogUrl, sentinel_group
from service.event_store.failover import FailoverGuard, Level
from service.runtime.logs import set_up_logging
from service.runtime.settings import Settings, from_environment

POLL_SECONDS = 0.25
LEVELS: dict[Level, int] = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

logger = logging.getLogger("crumbtrail.failover")


@click.command("failover-guard")
def failover_guard() -> None:
    """Choose which of three log servers takes over when the primary dies.

    Run one next to each log server. It lets Sentinel promote only a server that has every confirmed move. Needs
    CRUMBTRAIL_LOG_URL with sentinels, CRUMBTRAIL_REPLICAS and CRUMBTRAIL_LOG_SERVERS. You can run any number of guards.
    """
    settings = from_environment()
    guard = build_guard(settings)
    set_up_logging("failover guard", settings.log_format)
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: stop.set())
    logger.info("Started as process %d.", os.getpid())
    while not stop.wait(POLL_SECONDS):
        guard.step()


def build_guard(settings: Settings) -> FailoverGuard:
    """Return the guard of the servers that the settings name. Raises ClickException for settings without a group."""
    if settings.replicas < 1 or settings.log_servers <= settings.replicas:
        raise click.ClickException(
            "Set CRUMBTRAIL_LOG_SERVERS to the number of log servers, such as 3, and CRUMBTRAIL_REPLICAS to the number "
            "of replicas that confirm a move, such as 1."
        )
    try:
        group = sentinel_group(settings.log_url or "")
    except InvalidLogUrl as error:
        raise click.ClickException(f"CRUMBTRAIL_LOG_URL is invalid: {error}") from None
    return FailoverGuard(
        group, settings.log_servers, settings.replicas, lambda level, text: logger.log(LEVELS[level], "%s", text)
    )
