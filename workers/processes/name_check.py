"""Makes the names of all players unique, in the background of a dispatcher's start. See `UniqueNames`."""

import logging
import threading
import time

from service.accounts.unique_names import UniqueNames
from service.event_store.errors import REDIS_ERRORS, LogUnavailable

RETRY_SECONDS = 20.0
"""Time between two attempts while the log server is unavailable or another process checks the names."""

logger = logging.getLogger("workers")


def start_name_check(names: UniqueNames) -> threading.Thread:
    """Check the names in a thread, which the process does not wait for when it ends. Every step can be repeated."""
    thread = threading.Thread(target=check_until_done, args=(names,), name="name-check", daemon=True)
    thread.start()
    return thread


def check_until_done(names: UniqueNames, retry_seconds: float = RETRY_SECONDS) -> None:
    """Check the names, and try again until this or another process has finished."""
    while True:
        try:
            if names.run_once():
                return
        except (LogUnavailable, *REDIS_ERRORS) as error:
            logger.warning("Names could not be checked for duplicates (%s). Trying again.", type(error).__name__)
        time.sleep(retry_seconds)
