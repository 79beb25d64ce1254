"""How long a delivery that failed waits for its next attempt."""

from datetime import datetime, timedelta

from service.notifications.outbox import Delivery, FailedAttempts, Outbox

MINUTE, HOUR = 60, 3600
MAIL_RETRY_SECONDS = (MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR)
"""Pauses between attempts while the mail server does not take a mail; the last one repeats."""
WEBHOOK_RETRY_SECONDS = (10, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR)
"""Pauses between calls of a webhook that fails; after the last one the notice is given up."""
TASK_RETRY_SECONDS = (5, 15, 60)
"""Pauses between attempts at a one-off task; the last one repeats."""
EXPIRY_WAIT = timedelta(seconds=5)
"""How long a turn is postponed when an expiry in its match is due and not in the log yet."""


def retry_later(outbox: Outbox, delivery: Delivery, pauses: tuple[int, ...], outcome: str, now: datetime) -> None:
    """Postpone a delivery that failed by the next of the pauses, or by the last one once all are used up."""
    count = outbox.failed_attempts(delivery) + 1
    pause = timedelta(seconds=pauses[min(count, len(pauses)) - 1])
    outbox.postpone(delivery, now + pause, FailedAttempts(count, outcome))
