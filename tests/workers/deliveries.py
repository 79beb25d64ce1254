"""A service with notifications: a mail server, players with addresses, their matches, and a clock to advance."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.notifications.preferences import MailPreferences
from workers.handlers import notifications as handlers
from workers.jobs.allowed_job import MAIL, WEBHOOKS, AllowedJob
from workers.jobs.queue import JobQueue
from workers.notifications.scheduler import NotificationScheduler
from workers.projection.projector import Projector

ANN, BOB = "ann@example.org", "bob@example.org"


class NotificationHarness:
    """All parts of one service, with a clock that the test controls (freezegun)."""

    def __init__(self, services: Services, queue: Redis) -> None:
        self.services, self.redis, self.jobs = services, queue, JobQueue(queue)
        self.projector = Projector(services.log, services.read_models.writer, services.read_models.progress)
        self.notifier = NotificationScheduler(
            services.notifications.outbox,
            services.notifications.preferences,
            services.notifications.one_off_tasks,
            self.jobs,
            services.runtime.clock,
            has_mail=services.runtime.settings.smtp_url is not None,
        )

    def player(self, name: str, address: str | None = None, **wishes: Any) -> str:
        """Create a player. With an address, the player wants emails."""
        player = self.services.accounts.players.create(name).id
        if address:
            self.services.notifications.preferences.set_address(player, address)
            self.services.notifications.preferences.set_mail_preferences(
                player, MailPreferences(**{"patience": 0, **wishes})
            )
        return player

    def match(self, *players: str, **plan: Any) -> AnyMatch:
        """Create a match of tic-tac-toe between players."""
        seats = [SeatSpec("human", player=player) for player in players]
        return self.services.matches.creation.create(players[0], "tic_tac_toe", seats, {}, **plan).match

    def move(self, match: AnyMatch, seat: int, cell: int) -> AnyMatch:
        """Make a move of the player in a seat."""
        player = match.seats[seat].player or ""
        by = IdempotencyKey(player, f"{match.id} {seat} {cell}")
        return self.services.matches.commands.submit(match.id, Play(seat, {"type": "mark", "cell": cell}), by).match

    def sweep(self) -> int:
        """Update the lists and enqueue what is due. Return the number of jobs."""
        self.projector.catch_up()
        return self.notifier.run()

    def work(self) -> list[str]:
        """Run all waiting jobs in this process. Return their ids."""
        return [self._do(job) for name in (MAIL, WEBHOOKS) for job in self._waiting(name)]

    def run(self) -> list[str]:
        """Sweep and work once. Return the ids of the jobs."""
        self.sweep()
        return self.work()

    def _waiting(self, name: str) -> Iterator[AllowedJob]:
        queue = Queue(name, connection=self.redis, job_class=AllowedJob, serializer=JSONSerializer)
        for job_id in queue.get_job_ids():
            job = AllowedJob.fetch(job_id, connection=self.redis, serializer=JSONSerializer)
            yield job  # type: ignore[misc]
            job.delete()

    def _do(self, job: AllowedJob) -> str:
        getattr(handlers, job.func_name.rpartition(".")[2])(*job.args)
        return str(job.id)


def advance_time(
    harness: NotificationHarness, frozen: Any, length: timedelta, step: timedelta = timedelta(minutes=10)
) -> datetime:
    """Let time pass while the service runs as usual."""
    end = harness.services.runtime.clock.now() + length
    while harness.services.runtime.clock.now() < end:
        frozen.tick(min(step, end - harness.services.runtime.clock.now()))
        harness.run()
    return end
