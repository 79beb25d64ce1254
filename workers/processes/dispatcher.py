"""The dispatcher: from the feeds to projections and jobs. `python -m workers.processes.dispatcher`

A hint wakes it; it looks at all feeds once a second anyway. For what is new it brings the projections up to date and
enqueues what follows; while much goes on, now and then, for all that has come together meanwhile. It may be killed
anywhere: what it has not applied stands in the feeds, and what it has not enqueued stands in the projections, where the
reconciler, a part of this process, finds it within seconds. Two dispatchers at once do the same work, and its effect is
once.
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
from workers.bootstrap import get_services
from workers.jobs.queue import JobQueue, QueueUnavailable, connect_queue
from workers.jobs.standing_orders import StandingOrderScheduler
from workers.notifications.scheduler import NotificationScheduler
from workers.processes.lifecycle import GracefulShutdown, OutageBackoff, retry_until_reachable, set_up_process
from workers.processes.reconciler import DISPATCH_GRACE, Reconciler
from workers.projection.projector import Projector
from workers.projection.ratings import BATCHES_PER_CALL, Rater

logger = logging.getLogger("workers")

POLL_SECONDS = 1.0
RECONCILE_SECONDS = 2.5
PAUSE_SHARE = 8
"""Behind a round, news are let gather for so many times as long as it took: what is alone is dispatched at once, and
where much goes on this process takes a small share of the machine, since the moves of one match count together."""
MAX_PAUSE_SECONDS = 0.25
"""For so many seconds at most."""
NOTIFY_SECONDS = 1.0
"""While much goes on, it is looked so often for what people are to be told: a turn that is over needs no mail."""
MAX_ROWS_HANDLED_SINGLY = 500
"""So many rows that no hint has told us are followed one by one."""
NO_GRACE = timedelta(0)
MIN_WAIT_SECONDS = 0.001


class Dispatcher:
    """Does the work of the process, until it is asked to end: then it finishes the feed or the sweep that it is at."""

    def __init__(self, services: Services, jobs: JobQueue, ending: GracefulShutdown | None = None) -> None:
        self._shutdown = ending or GracefulShutdown()
        self._log: MatchLog = services.log
        self._jobs = jobs
        self._projector = Projector(
            services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
        )
        self._rater = Rater(services.read_models.results, services.read_models.ratings)
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
        self._heartbeat = services.runtime.heartbeat
        self._log_outage = OutageBackoff()
        self._queue_outage = OutageBackoff()
        self._queue_retry_at = 0.0
        self._shards_to_notify: set[int] = set()
        """The shards in which people may have to be told something."""
        self._next_notify_at = 0.0

    def run(self) -> None:
        """Dispatch for ever."""
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
        poll_at = reconcile_at = rest_until = 0.0
        while True:
            now = time.monotonic()
            if now >= poll_at:
                self._poll()
                poll_at = now + POLL_SECONDS
            self._shutdown.exit_if_requested()
            if now >= reconcile_at:
                self._reconcile(DISPATCH_GRACE)
                reconcile_at = now + RECONCILE_SECONDS
            with self._shutdown.interruptible():
                wait = max(MIN_WAIT_SECONDS, min(poll_at, reconcile_at) - time.monotonic())
                heard = hints.gather(wait, rest_until)
            news = {hint.shard for hint in heard if not self._projector.has_applied(hint.match, hint.last)}
            if news:
                begun = time.monotonic()
                self._enqueue_follow_ups(self._projector.advance(*sorted(news)))
                took = time.monotonic() - begun
                rest_until = begun + took + min(MAX_PAUSE_SECONDS, PAUSE_SHARE * took)

    def _poll(self) -> None:
        """What no hint has told us: all of it at the start, later what came while we did not listen.

        That may be years of matches; so many are not followed row by row: what is due now is enough.
        """
        changed = self._projector.catch_up()
        self._rater.catch_up(BATCHES_PER_CALL)
        self._log_outage.record_success()
        if len(changed) > MAX_ROWS_HANDLED_SINGLY:
            self._reconcile(NO_GRACE)
        else:
            self._enqueue_follow_ups(changed)

    def _enqueue_follow_ups(self, rows: Sequence[MatchSummary]) -> None:
        """Enqueue what follows from rows that have just changed."""
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
                for dispute in row.unheard:
                    self._jobs.enqueue_dispute_audit(row.id, dispute)
            self._enqueue_notifications({shard_of(row.id) for row in rows})
        except QueueUnavailable as error:
            self._back_off_queue(error)

    def _enqueue_notifications(self, shards: set[int]) -> None:
        """Enqueue what people are to be told by what has come in these shards, now or at the next poll."""
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
        """Leave the queue alone for a while: the projections must not wait for its time-outs."""
        self._queue_retry_at = time.monotonic() + max(RECONCILE_SECONDS, self._queue_outage.record_failure(error))


@click.command()
def main() -> None:
    """Watch the log, keep the lists up to date and give the workers their work. One is enough, two do no harm."""
    set_up_process("dispatcher")
    queue = retry_until_reachable(lambda: connect_queue(from_environment().queue_url))
    ending = GracefulShutdown()
    dispatcher = Dispatcher(retry_until_reachable(get_services), JobQueue(queue), ending)
    ending.install()
    logger.info("Started as process %d.", os.getpid())
    dispatcher.run()


if __name__ == "__main__":
    main()
