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
from service.event_store.errors import in_words as log_in_words
from service.event_store.keys import shard_of
from service.event_store.log import Hints, LogUnavailable, MatchLog
from service.read_models.projections import Row
from service.runtime.settings import from_environment
from workers.jobs.queue import Jobs, QueueUnavailable, connect_queue
from workers.jobs.standing_orders import Follower
from workers.notifications.scheduler import Notifier
from workers.processes.lifecycle import Ending, Outage, services, set_up, until_reachable
from workers.processes.reconciler import PATIENCE, Reconciler
from workers.projection.projector import Projector
from workers.projection.ratings import BATCHES_AT_ONCE, Rater

logger = logging.getLogger("workers")

POLL_SECONDS = 1.0
RECONCILE_SECONDS = 2.5
PAUSE_SHARE = 8
"""Behind a round, news are let gather for so many times as long as it took: what is alone is dispatched at once, and
where much goes on this process takes a small share of the machine, since the moves of one match count together."""
LONGEST_PAUSE = 0.25
"""For so many seconds at most."""
TELL_SECONDS = 1.0
"""While much goes on, it is looked so often for what people are to be told: a turn that is over needs no mail."""
FEW = 500
"""So many rows that no hint has told us are followed one by one."""
AT_ONCE = timedelta(0)
SHORTEST_WAIT = 0.001


class Dispatcher:
    """Does the work of the process, until it is asked to end: then it finishes the feed or the sweep that it is at."""

    def __init__(self, services: Services, jobs: Jobs, ending: Ending | None = None) -> None:
        self._ending = ending or Ending()
        self._log: MatchLog = services.log
        self._jobs = jobs
        self._projector = Projector(services.log, services.projections, services.archive.holds)
        self._rater = Rater(services.projections, services.ratings)
        self._reconciler = Reconciler(services.projections, services.failures, jobs, services.clock)
        self._notifier = Notifier(services, jobs)
        self._follower = Follower(services.orders, services.projections, jobs, services.clock)
        self._pulse = services.pulse
        self._log_outage = Outage()
        self._queue_outage = Outage()
        self._queue_back_at = 0.0
        self._untold: set[int] = set()
        """The shards in which people may have to be told something."""
        self._tell_at = 0.0

    def run(self) -> None:
        """Dispatch for ever."""
        while True:
            try:
                with ExitStack() as listening:
                    with self._ending.idle():
                        hints = listening.enter_context(self._log.hints())
                    self._serve(hints)
            except LogUnavailable as error:
                with self._ending.idle():
                    time.sleep(self._log_outage.begins(error))

    def _serve(self, hints: Hints) -> None:
        poll_at = reconcile_at = rest_until = 0.0
        while True:
            now = time.monotonic()
            if now >= poll_at:
                self._poll()
                poll_at = now + POLL_SECONDS
            self._ending.heed()
            if now >= reconcile_at:
                self._reconcile(PATIENCE)
                reconcile_at = now + RECONCILE_SECONDS
            with self._ending.idle():
                wait = max(SHORTEST_WAIT, min(poll_at, reconcile_at) - time.monotonic())
                heard = hints.gather(wait, rest_until)
            news = {hint.shard for hint in heard if not self._projector.knows(hint.match, hint.last)}
            if news:
                begun = time.monotonic()
                self._follow(self._projector.advance(*sorted(news)))
                took = time.monotonic() - begun
                rest_until = begun + took + min(LONGEST_PAUSE, PAUSE_SHARE * took)

    def _poll(self) -> None:
        """What no hint has told us: all of it at the start, later what came while we did not listen.

        That may be years of matches; so many are not followed row by row: what is due now is enough.
        """
        changed = self._projector.catch_up()
        self._rater.catch_up(BATCHES_AT_ONCE)
        self._log_outage.ends()
        if len(changed) > FEW:
            self._reconcile(AT_ONCE)
        else:
            self._follow(changed)

    def _follow(self, rows: Sequence[Row]) -> None:
        """Enqueue what follows from rows that have just changed."""
        if time.monotonic() < self._queue_back_at:
            return
        rows = list(rows)
        try:
            self._follower.follow(rows)
            for row in rows:
                if row.bot_to_move:
                    self._jobs.play_bot(row.id, row.ply)
                if row.status == "over":
                    self._jobs.audit(row.id)
                for dispute in row.unheard:
                    self._jobs.hear(row.id, dispute)
            self._tell({shard_of(row.id) for row in rows})
        except QueueUnavailable as error:
            self._queue_fails(error)

    def _tell(self, shards: set[int]) -> None:
        """Enqueue what people are to be told by what has come in these shards, now or at the next poll."""
        self._untold |= shards
        if self._untold and time.monotonic() >= self._tell_at:
            waiting, self._untold = sorted(self._untold), set()
            self._notifier.run(waiting, errands=False)
            self._tell_at = time.monotonic() + TELL_SECONDS

    def _reconcile(self, patience: timedelta) -> None:
        try:
            self._reconciler.run(patience)
            self._notifier.run()
            self._follower.run()
            queues = self._jobs.states()
        except QueueUnavailable as error:
            queues = None
            self._queue_fails(error)
        else:
            self._queue_outage.ends()
        self._ending.heed()
        with log_in_words():
            self._pulse.beat(queues)

    def _queue_fails(self, error: QueueUnavailable) -> None:
        """Leave the queue alone for a while: the projections must not wait for its time-outs."""
        self._queue_back_at = time.monotonic() + max(RECONCILE_SECONDS, self._queue_outage.begins(error))


@click.command()
def main() -> None:
    """Watch the log, keep the lists up to date and give the workers their work. One is enough, two do no harm."""
    set_up("dispatcher")
    queue = until_reachable(lambda: connect_queue(from_environment().queue_url))
    ending = Ending()
    dispatcher = Dispatcher(until_reachable(services), Jobs(queue), ending)
    ending.install()
    logger.info("Started as process %d.", os.getpid())
    dispatcher.run()


if __name__ == "__main__":
    main()
