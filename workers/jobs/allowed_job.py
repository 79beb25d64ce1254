"""The allowed jobs: queues, function names and time limits.

A job names one of our functions and some ids. Someone with write access to the queue's server can only make us process
a match again.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from rq.job import Job

from service.runtime.settings import from_environment

BOTS: Final = "bots"
"""Bot turns only, so that the workers can run anywhere, without access to the log."""
AUDITS: Final = "audits"
"""Audits of matches and disputes. Each takes a while, and no player waits for it."""
DEADLINES: Final = "deadlines"
"""Deadlines and standing orders. Players wait for them, so they have a queue separate from audits."""
MAIL: Final = "mail"
WEBHOOKS: Final = "webhooks"
ARENA: Final = "arena"
"""Arena matches, which need neither the log nor the API."""
QUEUES = (BOTS, DEADLINES, AUDITS, MAIL, WEBHOOKS, ARENA)
"""Each worker process serves one queue. With two, RQ can lose a job."""

PLAY_BOT: Final = "workers.jobs.play_bot"
AUDIT: Final = "workers.jobs.audit"
HEAR: Final = "workers.jobs.hear"
EXPIRE: Final = "workers.jobs.expire"
TELL: Final = "workers.telling.tell"
DAILY: Final = "workers.telling.daily"
ERRAND: Final = "workers.telling.errand"
FOLLOW_ORDERS: Final = "workers.jobs.follow_orders"
ARENA_MATCH: Final = "workers.jobs.arena_match"
_JOBS, _NOTIFICATIONS = "workers.handlers.matches", "workers.handlers.notifications"
FUNCTIONS: Final = {
    PLAY_BOT: (_JOBS, "play_bot"),
    AUDIT: (_JOBS, "audit"),
    HEAR: (_JOBS, "hear"),
    EXPIRE: (_JOBS, "expire"),
    FOLLOW_ORDERS: (_JOBS, "follow_orders"),
    ARENA_MATCH: (_JOBS, "arena_match"),
    TELL: (_NOTIFICATIONS, "tell"),
    DAILY: (_NOTIFICATIONS, "daily"),
    ERRAND: (_NOTIFICATIONS, "errand"),
}
"""The function of each job. The names on the left are stored in the queue and never change; no other names are run."""

JOB_SECONDS = 30
"""Time limit of a job. A bot turn uses `Settings.bot_seconds` instead."""
AUDIT_SECONDS = 120
"""Time limit of an audit. It is long because a late verdict is better than none, and it delays only other audits."""
ARENA_SECONDS = 900
"""Time limit of an arena match."""
RESULT_SECONDS = 60 * 60
"""How long the result of an arena match is kept. No other job keeps a result."""
FAILURE_SECONDS = 24 * 60 * 60
"""How long a failed job is kept."""


class JobRefused(Exception):
    """Raised for a job whose function is not in `FUNCTIONS`."""


class AllowedJob(Job):
    """A job with our restrictions. Anything else that is stored on the queue's server is refused or ignored."""

    @property
    def func(self) -> Callable[..., Any]:
        """Return the function. Raises JobRefused unless it is in `FUNCTIONS`."""
        name = self.func_name
        if name not in FUNCTIONS or self.instance is not None:
            raise JobRefused("the job's function is not allowed")
        module, attribute = FUNCTIONS[name]
        function: Callable[..., Any] = getattr(import_module(module), attribute)
        return function

    def restore(self, raw_data: Any) -> None:
        """Read the job without the callbacks, dependencies, webhooks and retries that RQ would act on."""
        super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self.webhooks, self._dependency_ids, self.group_id = [], [], None
        self.retries_left = self.repeats_left = None
        self.timeout, self.failure_ttl = job_timeout(self.origin), FAILURE_SECONDS
        self.result_ttl = RESULT_SECONDS if self.origin == ARENA else 0


def job_timeout(queue: str) -> int:
    """Return the time limit of jobs in this queue, in seconds."""
    longer = {BOTS: from_environment().bot_seconds, AUDITS: AUDIT_SECONDS, ARENA: ARENA_SECONDS}
    return longer.get(queue, JOB_SECONDS)
