"""The log records the newest format that wrote to it, and an older release refuses to start."""

import os
import subprocess
import sys

import pytest
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import LOG_FORMAT_KEY
from service.event_store.log_format import LOG_FORMAT, NewerLogFormat, open_log_format, require_known_format
from service.runtime.settings import Settings

SENTENCE = (
    f"A newer release of Crumbtrail has written to this log (format {LOG_FORMAT + 1}; this release reads formats up to "
    f"{LOG_FORMAT}). Install the newer release again. To go back, restore a backup made before the update."
)


def test_a_release_records_its_format_once_it_opens_the_log(server: EmbeddedServer, redis: Redis) -> None:
    assert require_known_format(redis) == 1, "the first release records nothing"
    build_services(Settings(log_url=server.url())).runtime.redis.close()
    assert require_known_format(redis) == LOG_FORMAT


def test_a_newer_release_raises_the_format_and_the_older_one_is_refused(redis: Redis) -> None:
    open_log_format(redis)
    open_log_format(redis, LOG_FORMAT + 1)
    for check in (open_log_format, require_known_format):
        with pytest.raises(NewerLogFormat, match="restore a backup made before the update") as refused:
            check(redis)
        assert str(refused.value) == SENTENCE
    assert redis.get(LOG_FORMAT_KEY) == str(LOG_FORMAT + 1).encode(), "a refused release changes nothing"


def test_formats_are_compared_as_numbers(redis: Redis) -> None:
    open_log_format(redis, 9)
    open_log_format(redis, 10)
    assert redis.get(LOG_FORMAT_KEY) == b"10"
    open_log_format(redis, 10)


COMMANDS = {
    "up": ("service.cli", "up", "--port", "0"),
    "web": ("service.cli", "web", "--port", "0"),
    "dispatcher": ("workers.processes.dispatcher",),
    "worker": ("workers.processes.worker", "--queues", "bots"),
    "keys": ("service.cli", "keys", "list"),
}


@pytest.mark.parametrize(
    "command",
    [pytest.param(words, id=name, marks=[pytest.mark.full] * (name != "up")) for name, words in COMMANDS.items()],
)
def test_every_process_of_an_older_release_refuses_to_start(
    server: EmbeddedServer, redis: Redis, command: tuple[str, ...]
) -> None:
    """Given a log that a newer release has written to, each command ends with the sentence and without a traceback."""
    redis.set(LOG_FORMAT_KEY, LOG_FORMAT + 1)
    environment = os.environ | {"CRUMBTRAIL_LOG_URL": server.url(), "CRUMBTRAIL_QUEUE_URL": server.url(1)}
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode not in (0, None), done.stderr
    assert SENTENCE in done.stderr
    assert "Traceback" not in done.stderr
