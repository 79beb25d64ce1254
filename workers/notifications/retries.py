"""Pauses between the attempts at a failed delivery, and writes to the outbox that outlast a short outage of the log."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from service.event_store.errors import REDIS_ERRORS
from service.notifications.outbox import Delivery, FailedAttempts, Outbox

MINUTE, HOUR = 60, 3600
OUTAGE_SECONDS = 5.0
"""How long to repeat a write to the outbox while the log server is down. A restart usually takes this long. It is less
than the time that a stopping worker gives its job."""
OUTAGE_POLL_SECONDS = 0.1
MAIL_RETRY_SECONDS = (10, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR)
"""Pauses in seconds while the mail server does not accept an email. The last one repeats."""
WEBHOOK_RETRY_SECONDS = (10, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR)
"""Pauses in seconds between calls of a failing webhook. After the last one, the delivery is given up."""
TASK_RETRY_SECONDS = (5, 15, 60)
"""Pauses in seconds between attempts at a one-off task. The last one repeats."""
EXPIRY_WAIT = timedelta(seconds=5)
"""How long the notice of a turn is postponed while an expiry in its match is due but not in the log yet."""


def retry_later(outbox: Outbox, delivery: Delivery, pauses: tuple[int, ...], outcome: str, now: datetime) -> None:
    """Postpone a failed delivery by the next pause, or by the last one if all have been used."""
    count = outbox.failed_attempts(delivery) + 1
    pause = timedelta(seconds=pauses[min(count, len(pauses)) - 1])
    write_through_outage(lambda: outbox.postpone(delivery, now + pause, FailedAttempts(count, outcome)))


def write_through_outage(write: Callable[[], None]) -> None:
    """Do a write that may be repeated. While the log server is down, repeat it for up to OUTAGE_SECONDS.

    Raises redis-py's errors.
    """
    until = time.monotonic() + OUTAGE_SECONDS
    while True:
        try:
            return write()
        except REDIS_ERRORS:
            if time.monotonic() > until:
                raise
        time.sleep(OUTAGE_POLL_SECONDS)
