"""`crumbtrail up` ends when it is asked to, at whatever moment that is."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.listen import free_port

ASKED_WHILE_IT_STARTS_A_PROCESS = """
import os, sys
from service.cli.main import main

left = [int(sys.argv[1])]

def ask():
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), int(sys.argv[2]))

os.register_at_fork(after_in_parent=ask)
main(["up", "--port", sys.argv[3], "--data", sys.argv[4]])
"""
"""Python passes over whatever is raised where a fork is being noted."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no fork is heard of")
@pytest.mark.parametrize("process", [1, 2, 8], ids=["log server", "dispatcher", "web"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_though_it_was_asked_to_in_the_middle_of_a_start(tmp_path: Path, process: int, number: int) -> None:
    arguments = [str(process), str(int(number)), str(free_port("127.0.0.1")), str(tmp_path / "var")]
    command = [sys.executable, "-c", ASKED_WHILE_IT_STARTS_A_PROCESS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert "Stopped; every move is on disk." in done.stdout
    assert "Exception ignored" not in done.stderr
