"""What the workers' commands say when they cannot begin: a sentence, and no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from workers.bots.terminal import play


def test_a_match_that_could_not_be_saved_is_not_begun(tmp_path: Path) -> None:
    result = CliRunner().invoke(play, ["tic_tac_toe", "--save", str(tmp_path / "none" / "x")], input="resign\n")
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert "there is no folder" in result.output
    assert "Your move" not in result.output


@pytest.mark.parametrize(
    ("words", "settings", "said"),
    [
        ("worker --queues bots", {}, "set CRUMBTRAIL_QUEUE_URL"),
        ("worker --queues arena", {}, "set CRUMBTRAIL_QUEUE_URL"),
        ("worker --queues bots", {"CRUMBTRAIL_API_URL": "http://127.0.0.1:9"}, "set CRUMBTRAIL_QUEUE_URL"),
        ("worker --queues bots", {"CRUMBTRAIL_QUEUE_URL": "redis://127.0.0.1:9"}, "set CRUMBTRAIL_LOG_URL"),
        ("dispatcher", {}, "set CRUMBTRAIL_QUEUE_URL"),
    ],
)
def test_settings_that_are_missing_are_named(words: str, settings: dict[str, str], said: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
    ended = subprocess.run(
        [sys.executable, "-m", "service.cli", *words.split()],
        env={**environment, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    assert said in ended.stderr
