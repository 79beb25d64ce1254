"""What every test of the service may use: a real server with a log of its own."""

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from redis import Redis

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.log import MatchLog
from tests.workers.receivers import HookServer, MailServer

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None)
settings.load_profile("steady")
"""The same tree gets the same answer. `--hypothesis-profile=exploring` looks for what is new, as the soak does."""


def pytest_configure(config: pytest.Config) -> None:
    """Whoever ends a run with SIGTERM, as `timeout` does, leaves no server behind."""
    run = os.getpid()
    os.environ["CRUMBTRAIL_LIMITS"] = "off"  # a test that floods on purpose sets limits of its own

    def end(number: int, frame: object) -> None:
        if os.getpid() != run:
            os._exit(128 + number)  # a forked child must not tear down what is its parent's
        raise KeyboardInterrupt  # unlike pytest's own Exit it is no Exception, which the service would answer with 500

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A folder of one's own with a path short enough for a socket, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """The server that the tests of one process share. Who stops it or changes its settings takes `own_server`."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    with EmbeddedServer(folder) as server:
        yield server
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_server(short_dir: Path) -> Iterator[EmbeddedServer]:
    """A server for this test alone: to stop, kill and start again as it likes."""
    with EmbeddedServer(short_dir / "log") as server:
        yield server


@pytest.fixture
def redis(server: EmbeddedServer) -> Iterator[Redis]:
    """A connection to the shared server, which is empty."""
    client = connect(server.url())
    assert isinstance(client, Redis)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def log(redis: Redis) -> MatchLog:
    """An empty log."""
    return MatchLog(redis)


@pytest.fixture
def post() -> Iterator[MailServer]:
    """A mail server that keeps what comes in."""
    with MailServer() as server:
        yield server


@pytest.fixture
def hook() -> Iterator[HookServer]:
    """A program that is called, and keeps the calls."""
    with HookServer() as server:
        yield server
