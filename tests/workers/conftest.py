"""What tests of the workers begin with."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.bootstrap import Services
from service.event_store.embedded import EmbeddedServer
from tests.workers.crew import ServiceProcesses
from workers import bootstrap
from workers.jobs.queue import JobQueue, connect_queue


@pytest.fixture
def services(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """The services as the jobs of this process find them, on an empty log, with a queue beside it."""
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url(0))
    monkeypatch.setenv("CRUMBTRAIL_QUEUE_URL", server.url(1))
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()
    yield bootstrap.get_services()
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()


@pytest.fixture
def queue(services: Services) -> Iterator[Redis]:
    """The queue's server, empty."""
    client = connect_queue(os.environ["CRUMBTRAIL_QUEUE_URL"])
    yield client
    client.close()


@pytest.fixture
def jobs(queue: Redis) -> JobQueue:
    """The queues, empty."""
    return JobQueue(queue)


@pytest.fixture(scope="module")
def running() -> Iterator[ServiceProcesses]:
    """A crew at work: dispatcher and workers of bots, deadlines and audits. Nobody kills anything of it."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    with EmbeddedServer(folder / "log") as log, EmbeddedServer(folder / "queue") as queue:
        crew = ServiceProcesses(log, queue, folder)
        crew.dispatcher(), crew.worker(), crew.worker("deadlines"), crew.worker("audits")
        crew.wait_until_started(4)
        yield crew
        crew.kill_all()
    shutil.rmtree(folder)


@pytest.fixture
def crew(short_dir: Path) -> Iterator[ServiceProcesses]:
    """Two servers of one's own, and no process yet."""
    with EmbeddedServer(short_dir / "log") as log, EmbeddedServer(short_dir / "queue") as queue:
        crew = ServiceProcesses(log, queue, short_dir)
        yield crew
        crew.kill_all()
