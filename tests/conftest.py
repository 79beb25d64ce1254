"""Settings of every test run, and the servers that tests of the service can use.

Pure tests need no server. Fixtures import servers only when a test uses them, so `pytest tests/domain` loads neither
redis nor a web framework.
"""

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

if TYPE_CHECKING:
    from redis import Redis

    from service.event_store.embedded import EmbeddedServer
    from service.event_store.log import MatchLog
    from tests.workers.receivers import HookServer, MailServer

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None)
settings.load_profile("steady")
"""Runs are repeatable. `--hypothesis-profile=exploring` tries new examples, like the soak test."""


def ignore_loaded_modules() -> None:
    """Make the examples of the steady profile independent of the modules that are loaded.

    Hypothesis also tries constants from the source of every loaded module. Which modules are loaded depends on what ran
    before in the same process, so a test would get other examples in each run. Reading all that source also takes
    seconds of processor time in each process. Hypothesis has no setting for this.
    """
    providers._get_local_constants = lambda: providers._local_constants


def pytest_configure(config: pytest.Config) -> None:
    """Make SIGTERM, as `timeout` sends it, end the run like Ctrl-C, so that no server is left running."""
    run = os.getpid()
    os.environ["CRUMBTRAIL_LIMITS"] = "off"  # tests of the limits set their own
    if not config.getoption("--hypothesis-profile", default=None):
        ignore_loaded_modules()

    def end(number: int, frame: object) -> None:
        if os.getpid() != run:
            os._exit(128 + number)  # a forked child must not tear down its parent's fixtures
        raise KeyboardInterrupt  # unlike pytest's Exit, it is not an Exception, which the service would turn into a 500

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """An empty folder whose path is short enough for a socket, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server() -> "Iterator[EmbeddedServer]":
    """The log server that the tests of one process share. Tests that stop or configure it use `own_server`."""
    from service.event_store.embedded import EmbeddedServer

    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    with EmbeddedServer(folder) as server:
        yield server
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_server(short_dir: Path) -> "Iterator[EmbeddedServer]":
    """A log server for this test alone, which may be stopped, killed and restarted."""
    from service.event_store.embedded import EmbeddedServer

    with EmbeddedServer(short_dir / "log") as server:
        yield server


@pytest.fixture
def redis(server: "EmbeddedServer") -> "Iterator[Redis]":
    """A connection to the shared server, emptied."""
    from redis import Redis

    from service.event_store.connect import connect

    client = connect(server.url())
    assert isinstance(client, Redis)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def log(redis: "Redis") -> "MatchLog":
    """An empty log."""
    from service.event_store.log import MatchLog

    return MatchLog(redis)


@pytest.fixture
def mail_server() -> "Iterator[MailServer]":
    """A mail server that stores the emails it receives."""
    from tests.workers.receivers import MailServer

    with MailServer() as server:
        yield server


@pytest.fixture
def webhook_server() -> "Iterator[HookServer]":
    """An HTTP server that stores the calls it receives."""
    from tests.workers.receivers import HookServer

    with HookServer() as server:
        yield server
