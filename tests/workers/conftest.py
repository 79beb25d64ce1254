"""Fixtures for the tests of the workers."""

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
    """Return the services as jobs in this process use them, with an empty log and a queue."""
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url(0))
    monkeypatch.setenv("CRUMBTRAIL_QUEUE_URL", server.url(1))
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()
    yield bootstrap.get_services()
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()


@pytest.fixture
def queue(services: Services) -> Iterator[Redis]:
    """Return a connection to the empty queue server."""
    client = connect_queue(os.environ["CRUMBTRAIL_QUEUE_URL"])
    yield client
    client.close()


@pytest.fixture
def jobs(queue: Redis) -> JobQueue:
    """Return the empty queues."""
    return JobQueue(queue)


@pytest.fixture(scope="module")
def running() -> Iterator[ServiceProcesses]:
    """Return a running dispatcher and workers of bots, deadlines and audits. Tests don't kill any of them."""
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
    """Return two servers of the test's own, without any processes."""
    with EmbeddedServer(short_dir / "log") as log, EmbeddedServer(short_dir / "queue") as queue:
        crew = ServiceProcesses(log, queue, short_dir)
        yield crew
        crew.kill_all()
