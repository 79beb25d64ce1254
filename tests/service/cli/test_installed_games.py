"""Commands next to installed packages that can't be loaded: run as programs, as an operator runs them."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.runtime.installed_games import log_skipped_games
from tests.installed import NOUGHTS, Packages, installed_packages

GOLDEN = Path(__file__).parents[2] / "golden" / "tic_tac_toe"
BROKEN = "raise RuntimeError('no licence')"
NOTE = "skipped the game in broken (package broken 1.0): RuntimeError: no licence"


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Packages]:
    """A broken package, and one with the slug of a built-in game."""
    with installed_packages(tmp_path / "site") as packages:
        packages.install("broken", BROKEN)
        packages.install("twin", NOUGHTS.format(digest="").replace('"noughts"', '"mice_cake"'))
        yield packages


def run(packages: Packages, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end, without a traceback."""
    environment = {name: value for name, value in packages.environment().items() if not name.startswith("CRUMBTRAIL_")}
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", *words],
        env={**environment, "CRUMBTRAIL_DATA": str(packages.folder / "var")},
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_doctor_names_what_it_skipped(packages: Packages) -> None:
    done = run(packages, "doctor", "--json")
    faults = {found["what"]: found for found in json.loads(done.stdout) if not found["well"]}
    assert done.returncode == 1
    assert faults["game broken"]["found"] == "skipped: broken (package broken 1.0): RuntimeError: no licence"
    assert "its slug mice_cake is also that of a built-in game" in faults["game twin"]["found"]
    assert faults["game twin"]["advice"].startswith("Repair or uninstall the package.")


def test_verify_and_play_work_and_name_what_they_skipped(packages: Packages) -> None:
    file = sorted(GOLDEN.glob("v2-*.crumb.ndjson"))[0]
    done = run(packages, "verify", str(file))
    assert (done.returncode, "verified" in done.stdout) == (0, True)
    assert NOTE in done.stderr
    played = run(packages, "play", "broken")
    assert played.returncode == 1
    assert "there is no game 'broken'" in played.stderr
    assert NOTE in played.stderr


def test_the_start_names_what_it_skipped(packages: Packages, caplog: pytest.LogCaptureFixture) -> None:
    """Then `up` says it first, before anything can fail, and each process logs it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(packages, "up", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    first, last = done.stderr.splitlines()[0], done.stderr.splitlines()[-1]
    assert first.startswith("Skipped the game in broken (package broken 1.0): RuntimeError: no licence.")
    assert "is taken" in last
    log_skipped_games()
    assert "Skipped the game in broken (package broken 1.0): RuntimeError: no licence." in caplog.text


@pytest.mark.full
def test_a_command_whose_package_is_broken_breaks_no_other(packages: Packages) -> None:
    packages.install("broken_command", "1 / 0", entry="broken_command:run", group="crumbtrail.commands")
    assert "broken_command" in run(packages, "--help").stdout
    done = run(packages, "broken_command", "--any", "thing")
    assert done.returncode == 1
    assert "comes from broken_command:run, which can't be loaded: ZeroDivisionError" in done.stderr
    assert run(packages, "rules", "--help").returncode == 0
