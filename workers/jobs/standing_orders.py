"""Schedules checks of standing orders: immediately for changed matches, and in sweeps because hints can be lost.

A check looks at the newest ply. So a match for which a check is waiting needs no other, and a busy queue holds at most
one for each match.
"""

from collections.abc import Iterable

from service.matches.standing_orders import StandingOrders
from service.read_models.match_lists import MatchLists
from service.read_models.summary import MatchSummary
from service.runtime.clock import Clock
from workers.jobs.allowed_job import DEADLINES
from workers.jobs.job_ids import attempt_number, orders_job_id
from workers.jobs.queue import JobQueue


class StandingOrderScheduler:
    """Enqueues checks of standing orders. Raises QueueUnavailable, LogUnavailable or redis-py's errors."""

    def __init__(self, orders: StandingOrders, lists: MatchLists, jobs: JobQueue, clock: Clock) -> None:
        self._orders = orders
        self._lists = lists
        self._jobs = jobs
        self._clock = clock
        self._sweeps = 0

    def schedule(self, rows: Iterable[MatchSummary]) -> None:
        """Enqueue a check of each of these changed matches that has orders."""
        plies = {row.id: row.ply for row in rows}
        ordered = self._orders.having_orders(list(plies))
        waiting = self._jobs.matches_with_waiting_orders() if ordered else set()
        for match in sorted(ordered - waiting):
            self._jobs.enqueue_standing_orders(match, plies[match])

    def run(self) -> int:
        """Enqueue each match not checked since its last move or change of orders. Return the number of jobs."""
        waiting = self._orders.sweep(self._sweeps)
        self._sweeps += 1
        if not waiting:
            return 0
        rows = {row.id: row for row in self._lists.find_matches(each.match for each in waiting)}
        due = [row for each in waiting if (row := rows.get(each.match)) and row.ply > each.checked_ply]
        in_hand = self._jobs.pending_work(DEADLINES) if due else set()
        queued = self._jobs.matches_with_waiting_orders() if due else set()
        lost = [row for row in due if row.id not in queued and orders_job_id(row.id, row.ply) not in in_hand]
        now = self._clock.now()
        for row in lost:
            self._jobs.enqueue_standing_orders(row.id, row.ply, attempt_number(now - row.at))
        return len(lost)
