"""Job ids. An id consists of the work and the attempt, so that a queue holds each attempt only once.

A failed job keeps its id in the queue, so every attempt needs a new id. The attempt number is derived from the elapsed
time, so two reconcilers compute the same one.
"""

from datetime import datetime, timedelta
from math import log2

from service.notifications.outbox import Delivery

FIRST_RETRY = timedelta(seconds=2)
"""Time before the first retry."""
DOUBLINGS = 6
"""Number of retries with a doubling interval. After them the interval is constant."""
STEADY_INTERVAL = timedelta(seconds=60)


def bot_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """Return the id of the job for a bot's turn."""
    return _job_id("bot", match, ply, attempt=attempt)


def expire_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """Return the id of the job for an expired deadline."""
    return _job_id("expire", match, ply, attempt=attempt)


def orders_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """Return the id of the job for standing orders."""
    return _job_id("orders", match, ply, attempt=attempt)


def match_of_orders_job(job_id: str) -> str | None:
    """Return the match of a job for standing orders, or None for another job."""
    kind, match, *_ = job_id.split("-")
    return match if kind == "orders" else None


def audit_job_id(match: str, attempt: int = 0) -> str:
    """Return the id of the job for an audit."""
    return _job_id("audit", match, attempt=attempt)


def dispute_job_id(match: str, dispute: int, attempt: int = 0) -> str:
    """Return the id of the job for the audit of a dispute."""
    return _job_id("hear", match, dispute, attempt=attempt)


def delivery_job_id(delivery: Delivery, attempt: str = "") -> str:
    """Return the id of the job for a delivery."""
    return _job_id("tell", delivery.match, delivery.id, attempt=attempt)


def daily_job_id(player: str, attempt: str = "") -> str:
    """Return the id of the job for a player's daily digest."""
    return _job_id("daily", player, attempt=attempt)


def task_job_id(task: str, attempt: str = "") -> str:
    """Return the id of the job for a one-off task."""
    return _job_id("errand", task, attempt=attempt)


def _job_id(kind: str, *parts: str | int, attempt: int | str) -> str:
    return "-".join([kind, *map(str, parts), *([str(attempt)] if attempt else [])])


def work_of_job(job_id: str) -> str:
    """Return the id of a job's work: the job id without the attempt."""
    parts = job_id.split("-")
    return "-".join(parts[: 2 if parts[0] in ("audit", "daily", "errand") else 3])


def attempt_number(waited: timedelta) -> int:
    """Return the number of the attempt that is due: 0, then retries after 2, 4, 8, ... 64 s, then one per minute.

    The sign of `waited` is ignored, because after the clock was set back the time counts down to the due time.
    """
    waited = abs(waited)
    times = waited / FIRST_RETRY
    if times < 1:
        return 0
    steady = FIRST_RETRY * 2 ** (DOUBLINGS - 1)
    if waited < steady:
        return 1 + int(log2(times))
    minutes: int = (waited - steady) // STEADY_INTERVAL
    return DOUBLINGS + minutes


def delivery_attempt(now: datetime, due: datetime) -> str:
    """Return the id of the attempt at a delivery or task: its due time and the number of retries since then."""
    return f"{int(due.timestamp() * 1000)}x{attempt_number(now - due)}"
