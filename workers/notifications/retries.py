"""Pauses between the attempts at a failed delivery."""

from datetime import datetime, timedelta

from service.notifications.outbox import Delivery, FailedAttempts, Outbox

MINUTE, HOUR = 60, 3600
MAIL_RETRY_SECONDS = (MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR)
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
    outbox.postpone(delivery, now + pause, FailedAttempts(count, outcome))
