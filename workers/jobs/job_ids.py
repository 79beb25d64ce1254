"""Ids of jobs. A job is named for its work and its attempt, so that a queue holds each attempt once.

A job that fails leaves its id in the queue, so each attempt has an id of its own. The attempt follows from the time
that has passed: two reconcilers find the same one.
"""

from datetime import datetime, timedelta
from math import log2

from service.notifications.outbox import Delivery

FIRST_RETRY = timedelta(seconds=2)
"""How long the first attempt is given."""
DOUBLINGS = 6
"""After this many retries, each of which waited twice as long, the interval is steady."""
STEADY_INTERVAL = timedelta(seconds=60)


def bot_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """Return the id of the job for a bot's turn."""
    return _job_id("bot", match, ply, attempt=attempt)


def expire_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """Return the id of the job for a deadline that has passed."""
    return _job_id("expire", match, ply, attempt=attempt)


def orders_job_id(match: str, ply: int, attempt: int = 0) -> str:
    """Return the id of the job for standing orders."""
    return _job_id("orders", match, ply, attempt=attempt)


def audit_job_id(match: str, attempt: int = 0) -> str:
    """Return the id of the job for an audit."""
    return _job_id("audit", match, attempt=attempt)


def dispute_job_id(match: str, dispute: int, attempt: int = 0) -> str:
    """Return the id of the job for a dispute's verdict."""
    return _job_id("hear", match, dispute, attempt=attempt)


def delivery_job_id(delivery: Delivery, attempt: str = "") -> str:
    """Return the id of the job for a delivery."""
    return _job_id("tell", delivery.match, delivery.id, attempt=attempt)


def daily_job_id(player: str, attempt: str = "") -> str:
    """Return the id of the job for a player's daily mail."""
    return _job_id("daily", player, attempt=attempt)


def task_job_id(task: str, attempt: str = "") -> str:
    """Return the id of the job for a one-off task."""
    return _job_id("errand", task, attempt=attempt)


def _job_id(kind: str, *parts: str | int, attempt: int | str) -> str:
    return "-".join([kind, *map(str, parts), *([str(attempt)] if attempt else [])])


def work_of_job(job_id: str) -> str:
    """Return the id of the work that a job does: the job's id without its attempt."""
    parts = job_id.split("-")
    return "-".join(parts[: 2 if parts[0] in ("audit", "daily", "errand") else 3])


def attempt_number(waited: timedelta) -> int:
    """Return the attempt that is due after this time: 0 at first, the next after 2, 4, 8, ... 64 s, then one a minute.

    The sign does not count. After the clock was set back, the time until the work was due counts down.
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
    """Return the attempt that is due at a delivery or task: when it was due, and how often it was retried since."""
    return f"{int(due.timestamp() * 1000)}x{attempt_number(now - due)}"
