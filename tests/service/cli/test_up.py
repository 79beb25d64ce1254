"""`crumbtrail up` stops whenever it is asked to, even while it starts a process."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.listen import free_port

SIGNAL_DURING_FORK = """
import os, sys
from service.cli.main import main

left = [int(sys.argv[1])]

def send_signal():
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), int(sys.argv[2]))

os.register_at_fork(after_in_parent=send_signal)
main(["up", "--port", sys.argv[3], "--data", sys.argv[4]])
"""
"""Sends the signal in a fork hook, where Python ignores exceptions."""


@pytest.mark.skipif(sys.platform != "linux", reason="fork hooks need Linux")
@pytest.mark.parametrize("process", [1, 2, 8], ids=["log server", "dispatcher", "web"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_of_a_process_stops_everything(tmp_path: Path, process: int, number: int) -> None:
    arguments = [str(process), str(int(number)), str(free_port("127.0.0.1")), str(tmp_path / "var")]
    command = [sys.executable, "-c", SIGNAL_DURING_FORK, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert "Stopped. Every confirmed move is saved." in done.stdout
    assert "Exception ignored" not in done.stderr
