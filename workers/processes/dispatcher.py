"""The dispatcher: turns new events into projections and jobs. `python -m workers.processes.dispatcher`

Hints wake it, and it also polls all feeds once a second. It updates the projections and enqueues the work that follows;
under load it does so in batches. It may be killed at any point: events not yet applied are still in the feeds, and
work not yet enqueued is still in the projections, where the reconciler in this process finds it within seconds.
Running two dispatchers duplicates work but not its effects.
"""

import logging
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta

import click

from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.event_store.errors import redis_errors_as_unavailable as log_in_words
from service.event_store.keys import shard_of
from service.event_store.log import MatchLog
from service.event_store.wakeups import WakeupSubscription
from service.read_models.summary import MatchSummary
from service.runtime.settings import from_environment
from service.runtime.start_report import report_ready
from workers.bootstrap import get_services
from workers.jobs.queue import JobQueue, QueueUnavailable, connect_queue
from workers.jobs.standing_orders import StandingOrderScheduler
from workers.notifications.scheduler import NotificationScheduler
from workers.processes.lifecycle import GracefulShutdown, OutageBackoff, retry_until_reachable, set_up_process
from workers.processes.name_check import start_name_check
from workers.processes.reconciler import DISPATCH_GRACE, Reconciler
from workers.projection.projector import Projector
from workers.projection.ratings import BATCHES_PER_CALL, Rater

logger = logging.getLogger("workers")

POLL_SECONDS = 1.0
RECONCILE_SECONDS = 2.5
SHORTEN_SECONDS = 60.0
"""How often to check whether a rewrite is due, to keep the check after a restart of the log server short."""
PAUSE_SHARE = 8
"""After a round, wait up to this many times its duration for more hints. A single event is dispatched immediately.
Under load this process uses a small share of the machine, since events of the same match are applied together."""
MAX_PAUSE_SECONDS = 0.25
"""Maximum wait after a round."""
NOTIFY_SECONDS = 1.0
"""Under load, notifications are checked this often, since a turn that is already over needs no email."""
MAX_ROWS_HANDLED_SINGLY = 500
"""Handles up to this many rows individually when they arrive without hints."""
NO_GRACE = timedelta(0)
MIN_WAIT_SECONDS = 0.001


class Dispatcher:
    """Does the work of the process. On shutdown it finishes the current feed or sweep."""

    def __init__(self, services: Services, jobs: JobQueue, ending: GracefulShutdown | None = None) -> None:
        self._shutdown = ending or GracefulShutdown()
        self._log: MatchLog = services.log
        self._jobs = jobs
        self._projector = Projector(
            services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
        )
        self._rater = Rater(
            services.read_models.results, services.read_models.ratings, services.read_models.rating_trust.current
        )
        self._reconciler = Reconciler(
            services.read_models.work, services.runtime.job_failures, jobs, services.runtime.clock
        )
        self._notification_scheduler = NotificationScheduler(
            services.notifications.outbox,
            services.notifications.preferences,
            services.notifications.one_off_tasks,
            jobs,
            services.runtime.clock,
            has_mail=services.runtime.settings.smtp_url is not None,
        )
        self._standing_order_scheduler = StandingOrderScheduler(
            services.matches.standing_orders, services.read_models.lists, jobs, services.runtime.clock
        )
        self._sanctions = services.moderation.sanctions
        self._heartbeat = services.runtime.heartbeat
        self._log_outage = OutageBackoff()
        self._queue_outage = OutageBackoff()
        self._queue_retry_at = 0.0
        self._shards_to_notify: set[int] = set()
        """Shards that may have notifications to send."""
        self._next_notify_at = 0.0

    def run(self) -> None:
        """Dispatch forever."""
        while True:
            try:
                with ExitStack() as listening:
                    with self._shutdown.interruptible():
                        hints = listening.enter_context(self._log.wakeups())
                    self._serve(hints)
            except LogUnavailable as error:
                with self._shutdown.interruptible():
                    time.sleep(self._log_outage.record_failure(error))

    def _serve(self, hints: WakeupSubscription) -> None:
        poll_at = reconcile_at = shorten_at = rest_until = 0.0
        while True:
            now = time.monotonic()
            if now >= poll_at:
                self._poll()
                poll_at = now + POLL_SECONDS
            self._shutdown.exit_if_requested()
            if now >= reconcile_at:
                self._reconcile(DISPATCH_GRACE)
                reconcile_at = now + RECONCILE_SECONDS
            if now >= shorten_at:
                self._log.shorten_next_check()
                shorten_at = now + SHORTEN_SECONDS
            with self._shutdown.interruptible():
                wait = max(MIN_WAIT_SECONDS, min(poll_at, reconcile_at) - time.monotonic())
                received = hints.gather(wait, rest_until)
            news = {hint.shard for hint in received if not self._projector.has_applied(hint.match, hint.last)}
            if news:
                begun = time.monotonic()
                self._enqueue_follow_ups(self._projector.advance(*sorted(news)))
                took = time.monotonic() - begun
                rest_until = begun + took + min(MAX_PAUSE_SECONDS, PAUSE_SHARE * took)

    def _poll(self) -> None:
        """Process everything that arrived without a hint: the whole backlog at the start, missed hints later.

        The backlog may be years of matches. If it is long, enqueue only the work that is due now.
        """
        changed = self._projector.catch_up()
        self._rater.catch_up(BATCHES_PER_CALL)
        self._log_outage.record_success()
        if len(changed) > MAX_ROWS_HANDLED_SINGLY:
            self._reconcile(NO_GRACE)
        else:
            self._enqueue_follow_ups(changed)

    def _enqueue_follow_ups(self, rows: Sequence[MatchSummary]) -> None:
        """Enqueue the work that follows from changed rows."""
        if time.monotonic() < self._queue_retry_at:
            return
        rows = list(rows)
        try:
            self._standing_order_scheduler.schedule(rows)
            for row in rows:
                if row.is_bot_to_move:
                    self._jobs.enqueue_bot_turn(row.id, row.ply)
                if row.status == "over":
                    self._jobs.enqueue_audit(row.id)
                if row.status == "open" and self._has_banned_player(row):
                    self._jobs.enqueue_expiry(row.id, row.ply)
                for dispute in row.unheard:
                    self._jobs.enqueue_dispute_audit(row.id, dispute)
            self._enqueue_notifications({shard_of(row.id) for row in rows})
        except QueueUnavailable as error:
            self._back_off_queue(error)

    def _has_banned_player(self, row: MatchSummary) -> bool:
        """Return whether a match was created or joined by a player who was being banned meanwhile."""
        with log_in_words():
            return any(
                map(self._sanctions.is_banned, {row.creator, *(seat.player for seat in row.seats if seat.player)})
            )

    def _enqueue_notifications(self, shards: set[int]) -> None:
        """Enqueue the notifications for news in these shards, now or at the next poll."""
        self._shards_to_notify |= shards
        if self._shards_to_notify and time.monotonic() >= self._next_notify_at:
            waiting, self._shards_to_notify = sorted(self._shards_to_notify), set()
            self._notification_scheduler.run(waiting, with_tasks=False)
            self._next_notify_at = time.monotonic() + NOTIFY_SECONDS

    def _reconcile(self, patience: timedelta) -> None:
        try:
            self._reconciler.run(patience)
            self._notification_scheduler.run()
            self._standing_order_scheduler.run()
            queues = self._jobs.queue_states()
        except QueueUnavailable as error:
            queues = None
            self._back_off_queue(error)
        else:
            self._queue_outage.record_success()
        self._shutdown.exit_if_requested()
        with log_in_words():
            self._heartbeat.record(queues)

    def _back_off_queue(self, error: QueueUnavailable) -> None:
        """Leave the queue alone for a while, so that its timeouts don't hold up the projections."""
        self._queue_retry_at = time.monotonic() + max(RECONCILE_SECONDS, self._queue_outage.record_failure(error))


@click.command()
def main() -> None:
    """Watch the log, update the lists and enqueue work. One dispatcher is enough; running two is safe."""
    set_up_process("dispatcher")
    queue = retry_until_reachable(lambda: connect_queue(from_environment().queue_url))
    ending = GracefulShutdown()
    services = retry_until_reachable(get_services)
    dispatcher = Dispatcher(services, JobQueue(queue), ending)
    ending.install()
    start_name_check(services.accounts.unique_names)
    logger.info("Started as process %d.", os.getpid())
    report_ready()
    dispatcher.run()


if __name__ == "__main__":
    main()
