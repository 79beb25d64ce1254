"""The service under test: `crumbtrail up` with its own servers, a proxy to the log and an adjustable clock."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from service.bootstrap import load_shared_secret
from service.event_store.keys import SHARDS, feed_key
from service.matches.standing_orders import StandingOrders
from service.notifications.outbox import Outbox
from service.notifications.preferences import NotificationPreferences
from service.read_models.match_lists import MatchLists
from service.runtime.clock import FileClock
from tests.projections import Projections
from tests.reliability.faults.history import ClockChange
from tests.reliability.faults.planted import planted
from tests.reliability.faults.servers import Server
from tests.reliability.faults.three_servers import ThreeServers
from tests.reliability.stack import Stack, running_stack
from tests.service.event_store.proxy import Proxy
from tests.workers.receivers import HookServer, MailServer

TICK_SECONDS = 0.02


class Clock(threading.Thread):
    """The service's clock: a file that follows the machine's clock and can be set."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="clock", daemon=True)
        self.path = path
        self.sets = [ClockChange(time.monotonic(), time.time())]
        self._over = threading.Event()
        self._write()

    def run(self) -> None:
        """Keep the file up to date."""
        while not self._over.wait(TICK_SECONDS):
            self._write()

    def stop(self) -> None:
        """Stop the clock."""
        self._over.set()
        self.join()

    def jump(self, seconds: float) -> None:
        """Set the clock forward, or back if negative."""
        now = time.monotonic()
        self.sets.append(ClockChange(now, self._shows(now) + seconds))

    def _shows(self, now: float) -> float:
        return self.sets[-1].shows + now - self.sets[-1].at

    def _write(self) -> None:
        text = datetime.fromtimestamp(self._shows(time.monotonic()), UTC).isoformat(timespec="milliseconds")
        temporary = self.path.with_suffix(".new")
        temporary.write_text(text)
        temporary.replace(self.path)


@dataclass
class Environment:
    """Everything that faults can break."""

    log: Server | ThreeServers
    queue: Server
    link: Proxy | None
    """The proxy in front of the only log server."""
    clock: Clock
    stack: Stack
    mail_server: MailServer
    webhook_server: HookServer

    @property
    def has_three_servers(self) -> bool:
        """Whether the log has three servers instead of one."""
        return isinstance(self.log, ThreeServers)

    @property
    def server(self) -> Server:
        """The only log server."""
        assert isinstance(self.log, Server)
        return self.log

    @property
    def three_servers(self) -> ThreeServers:
        """The three log servers."""
        assert isinstance(self.log, ThreeServers)
        return self.log

    @property
    def proxy(self) -> Proxy:
        """The proxy in front of the only log server."""
        assert self.link is not None
        return self.link

    def is_idle(self) -> bool:
        """Return whether the service has no work left."""
        redis = self.log.client()
        try:
            projections = Projections(redis)
            announced = sum(redis.xlen(feed_key(shard)) for shard in range(SHARDS))
            backlog = announced - sum(projections.progress.checkpoints().values())
            now = datetime.fromisoformat(self.clock.path.read_text())
            if (
                backlog
                or projections.work.due_bot_turns()
                or projections.work.unaudited_matches()
                or projections.work.expired_deadlines(now)
            ):
                return False
            return not (
                Outbox(redis).due(now)
                or projections.results.pending_results().marks
                or has_unprocessed_orders(StandingOrders(redis), projections.lists)
            )
        finally:
            redis.close()

    def contacts(self) -> NotificationPreferences:
        """Return the notification preferences of the players."""
        redis = self.log.client()
        return NotificationPreferences(redis, FileClock(self.clock.path), load_shared_secret(redis))


def has_unprocessed_orders(orders: StandingOrders, lists: MatchLists) -> bool:
    """Return whether some match has moved on since its standing orders were checked."""
    waiting = orders.sweep(0)
    plies = {row.id: row.ply for row in lists.find_matches(each.match for each in waiting)}
    return any(plies.get(each.match, 0) > each.checked_ply for each in waiting)


@contextmanager
def running_environment(
    folder: Path, log: Server | ThreeServers, queue: Server, plant: str | None
) -> Iterator[Environment]:
    """Run the service on these servers until the block ends; `plant` names a bug to plant in every process."""
    clock = Clock(folder / "clock")
    clock.start()
    try:
        with reaching(log) as (link, addresses), MailServer() as mail_server, HookServer() as webhook_server:
            settings = {
                **addresses,
                "CRUMBTRAIL_QUEUE_URL": queue.embedded.url(1),
                "CRUMBTRAIL_CLOCK_FILE": str(clock.path),
                "CRUMBTRAIL_SMTP_URL": mail_server.url,
                "CRUMBTRAIL_WEBHOOK_LOOPBACK": "1",
            }
            with running_stack(folder / "var", folder / "output", started_by=planted(plant), **settings) as stack:
                yield Environment(log, queue, link, clock, stack, mail_server, webhook_server)
    finally:
        clock.stop()


@contextmanager
def reaching(log: Server | ThreeServers) -> Iterator[tuple[Proxy | None, dict[str, str]]]:
    """Yield the proxy in front of the log, if there is one, and the settings with which the service reaches the log."""
    if isinstance(log, ThreeServers):
        yield None, log.settings
        return
    with Proxy(str(log.embedded.socket_path)) as proxy:
        yield proxy, {"CRUMBTRAIL_LOG_URL": f"{proxy.url}/0"}
