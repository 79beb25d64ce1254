"""The log records the newest format that wrote to it, and an older release refuses to start."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from redis import Redis

from domain.kernel.events import EVENT_TYPES, Event
from service.bootstrap import build_services
from service.event_store import keys
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import LOG_FORMAT_KEY
from service.event_store.log_format import LOG_FORMAT, NewerLogFormat, open_log_format, require_known_format
from service.runtime.settings import Settings
from tools import log_formats

ROOT = Path(__file__).parents[3]
CURRENT = str(LOG_FORMAT)
KEY_MODULES = ("keys.py", "server_accounts.py")
"""Modules that name keys. The second one has the patterns of what an account may use."""
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


# -- what a format contains ------------------------------------------------------------------------------------------


def test_everything_that_this_release_writes_is_recorded_under_its_format() -> None:
    """A new event kind, field, word, rules version or key either raises LOG_FORMAT, or is recorded under a number that
    no release has had yet."""
    assert log_formats.contents() == log_formats.recorded()[CURRENT], (
        "The log can hold something that is not recorded. If a release has had this number, raise LOG_FORMAT. Then run "
        "`python -m tools.log_formats`."
    )


def test_a_release_that_writes_more_than_the_last_one_has_a_higher_number() -> None:
    formats = log_formats.recorded()
    assert formats.keys() > set(log_formats.RELEASED)
    for number in log_formats.RELEASED:
        assert formats[number] == log_formats.contents() or int(number) < LOG_FORMAT


def test_nothing_that_a_release_wrote_is_gone() -> None:
    """Given the formats of all releases, then this one knows all their event kinds, fields, words, keys and rules."""
    current = log_formats.contents()
    for number in log_formats.RELEASED:
        then = log_formats.recorded()[number]
        for kind, fields in then["events"].items():
            assert set(fields) <= set(current["events"][kind]), kind
        assert set(then["keys"]) <= set(current["keys"])
        assert set(then["replays"]) <= set(current["replays"])
        for slug, versions in then["rules"].items():
            assert set(versions) <= set(current["rules"][slug])


class Rung(Event[Any, Any], frozen=True, kw_only=True, tag="bell_rung"):
    """An event kind that does not exist."""

    why: Literal["dinner", "visitor"]


def test_a_new_kind_of_event_and_its_words_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_formats, "EVENT_TYPES", (*EVENT_TYPES, Rung))
    found = log_formats.contents()
    assert found != log_formats.recorded()[CURRENT]
    assert {"why", "why=dinner", "why=visitor"} <= set(found["events"]["bell_rung"])


def test_a_new_key_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def bell_key(match: str) -> str:
        return f"{keys.hash_tag(7)}:bell:{match}"

    monkeypatch.setattr(keys, "bell_key", bell_key, raising=False)
    monkeypatch.setattr(keys, "BELLS_KEY", "ct:bells", raising=False)
    found = set(log_formats.contents()["keys"]) - set(log_formats.recorded()[CURRENT]["keys"])
    assert found == {"{ct:07}:bell:07mzxw6ytboi3dgnbv", "ct:bells"}


def test_a_new_rules_version_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_formats, "all_versions", lambda: ())
    assert log_formats.contents()["rules"] != log_formats.recorded()[CURRENT]["rules"]


def test_all_keys_have_their_name_in_one_module() -> None:
    """Otherwise a key could be missing from the recorded formats."""
    paths = [path for folder in ("service", "workers") for path in (ROOT / folder).rglob("*.py")]
    named = [
        path for path in paths if re.search(r"""["']\{?\{?ct:""", path.read_text()) and path.name not in KEY_MODULES
    ]
    assert named == []


def test_the_format_of_a_release_is_never_recorded_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(log_formats, "PATH", tmp_path / "formats.json")
    monkeypatch.setattr(log_formats, "RELEASED", (CURRENT,))
    with pytest.raises(SystemExit, match="Raise LOG_FORMAT first"):
        log_formats.main()
    monkeypatch.setattr(log_formats, "RELEASED", ())
    log_formats.main()
    assert log_formats.recorded() == {CURRENT: log_formats.contents()}
