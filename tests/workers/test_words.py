"""Errors of the workers' commands at startup: one sentence, without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from workers.bots.terminal import play


def test_a_match_that_cannot_be_saved_is_not_started(tmp_path: Path) -> None:
    result = CliRunner().invoke(play, ["tic_tac_toe", "--save", str(tmp_path / "none" / "x")], input="resign\n")
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert "does not exist" in result.output
    assert "Your move" not in result.output


@pytest.mark.parametrize(
    ("words", "settings", "message"),
    [
        ("worker --queues bots", {}, "Set CRUMBTRAIL_QUEUE_URL"),
        ("worker --queues arena", {}, "Set CRUMBTRAIL_QUEUE_URL"),
        ("worker --queues bots", {"CRUMBTRAIL_API_URL": "http://127.0.0.1:9"}, "Set CRUMBTRAIL_QUEUE_URL"),
        ("worker --queues bots", {"CRUMBTRAIL_QUEUE_URL": "redis://127.0.0.1:9"}, "Set CRUMBTRAIL_LOG_URL"),
        ("dispatcher", {}, "Set CRUMBTRAIL_QUEUE_URL"),
    ],
)
def test_missing_settings_are_named(words: str, settings: dict[str, str], message: str) -> None:
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
    assert message in ended.stderr
