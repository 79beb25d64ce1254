"""What a job may be: the queues, the functions by the names that stand in them, and how long each may take.

A job names one of our functions and ids, nothing else. Anyone who can write to the queue's server can make us look at a
match once more, and no more than that.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from rq.job import Job

from service.runtime.settings import from_environment

BOTS: Final = "bots"
"""Turns of bots, and nothing else: their workers may run anywhere, without access to the log."""
AUDITS: Final = "audits"
"""Audits of matches and disputes. Each takes a while, and no player waits for it."""
DEADLINES: Final = "deadlines"
"""Deadlines and standing orders. Players wait for them, so they do not wait for audits."""
MAIL: Final = "mail"
WEBHOOKS: Final = "webhooks"
ARENA: Final = "arena"
"""Matches of the arena, which need neither log nor interface."""
QUEUES = (BOTS, DEADLINES, AUDITS, MAIL, WEBHOOKS, ARENA)
"""One worker process serves one queue: with two, RQ can lose a job."""

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
"""Where the function of each job lives. The names on the left are in the queue and never change; no others are run."""

JOB_SECONDS = 30
"""How long a job may take; for a bot's turn see `Settings.bot_seconds`."""
AUDIT_SECONDS = 120
"""How long an audit may take. A late verdict is better than none, and only other audits wait for it."""
ARENA_SECONDS = 900
"""How long a match of the arena may take."""
RESULT_SECONDS = 60 * 60
"""How long a match of the arena waits to be fetched. No other job keeps a result."""
FAILURE_SECONDS = 24 * 60 * 60
"""How long a failed job is kept."""


class JobRefused(Exception):
    """Raised for a job that names a function that is not in `FUNCTIONS`."""


class AllowedJob(Job):
    """A job as we make it. Anything else that was written to the queue's server is refused or ignored."""

    @property
    def func(self) -> Callable[..., Any]:
        """Return the function. Raises JobRefused unless it is in `FUNCTIONS`."""
        name = self.func_name
        if name not in FUNCTIONS or self.instance is not None:
            raise JobRefused("the job names a function that is not on the list")
        module, attribute = FUNCTIONS[name]
        function: Callable[..., Any] = getattr(import_module(module), attribute)
        return function

    def restore(self, raw_data: Any) -> None:
        """Read the job, without what RQ would call, fetch or repeat by itself."""
        super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self.webhooks, self._dependency_ids, self.group_id = [], [], None
        self.retries_left = self.repeats_left = None
        self.timeout, self.failure_ttl = job_timeout(self.origin), FAILURE_SECONDS
        self.result_ttl = RESULT_SECONDS if self.origin == ARENA else 0


def job_timeout(queue: str) -> int:
    """Return how many seconds a job of this queue may take."""
    longer = {BOTS: from_environment().bot_seconds, AUDITS: AUDIT_SECONDS, ARENA: ARENA_SECONDS}
    return longer.get(queue, JOB_SECONDS)
