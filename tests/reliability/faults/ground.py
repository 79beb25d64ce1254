"""What is tested: the whole service as `crumbtrail up` runs it, on servers of its own, behind a proxy and a clock."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from service.log.keys import SHARDS, feed_key
from service.projections import Projections
from tests.reliability.faults.history import ClockSet
from tests.reliability.faults.planted import planted
from tests.reliability.faults.servers import Server
from tests.reliability.stack import Stack, running_stack
from tests.service.log.proxy import Proxy

TICK_SECONDS = 0.02


class Clock(threading.Thread):
    """The service's clock: a file that goes with the machine's, but may be set."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="clock", daemon=True)
        self.path = path
        self.sets = [ClockSet(time.monotonic(), time.time())]
        self._over = threading.Event()
        self._write()

    def run(self) -> None:
        """Go."""
        while not self._over.wait(TICK_SECONDS):
            self._write()

    def stop(self) -> None:
        """Stand still."""
        self._over.set()
        self.join()

    def jump(self, seconds: float) -> None:
        """Show so much more, or less, from now on."""
        now = time.monotonic()
        self.sets.append(ClockSet(now, self._shows(now) + seconds))

    def _shows(self, now: float) -> float:
        return self.sets[-1].shows + now - self.sets[-1].at

    def _write(self) -> None:
        text = datetime.fromtimestamp(self._shows(time.monotonic()), UTC).isoformat(timespec="milliseconds")
        beside = self.path.with_suffix(".new")
        beside.write_text(text)
        beside.replace(self.path)


@dataclass
class Ground:
    """All that can be broken."""

    log: Server
    queue: Server
    proxy: Proxy
    clock: Clock
    stack: Stack

    def owes_nothing(self) -> bool:
        """Whether the service has done all that it has to do."""
        redis = self.log.client()
        try:
            projections = Projections(redis)
            announced = sum(redis.xlen(feed_key(shard)) for shard in range(SHARDS))
            behind = announced - sum(projections.checkpoints().values())
            now = datetime.fromisoformat(self.clock.path.read_text())
            return not (behind or projections.due() or projections.unaudited() or projections.expired(now))
        finally:
            redis.close()


@contextmanager
def ground(folder: Path, log: Server, queue: Server, plant: str | None) -> Iterator[Ground]:
    """The service on these servers, until the block ends; with a `plant`, a fault of our own in every process."""
    clock = Clock(folder / "clock")
    clock.start()
    try:
        with Proxy(str(log.embedded.socket_path)) as proxy:
            settings = {
                "CRUMBTRAIL_LOG_URL": f"{proxy.url}/0",
                "CRUMBTRAIL_QUEUE_URL": queue.embedded.url(1),
                "CRUMBTRAIL_CLOCK_FILE": str(clock.path),
            }
            with running_stack(folder / "var", folder / "output", started_by=planted(plant), **settings) as stack:
                yield Ground(log, queue, proxy, clock, stack)
    finally:
        clock.stop()
