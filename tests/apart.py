"""Runs a program in its own process and measures its peak memory."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPORTER = """
import atexit, pathlib, runpy, sys
report, status = pathlib.Path(sys.argv[1]), pathlib.Path("/proc/self/status")
atexit.register(lambda: report.write_text(status.read_text()))
del sys.argv[1]
"""


def run_apart(program: str, *words: str) -> tuple[int, int, str]:
    """Return the exit code, the peak memory (bytes) and the output of a Python program with these arguments.

    The memory does not include that of the process it was forked from.
    """
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder) / "status"
        command = [sys.executable, "-c", REPORTER + program, str(status), *words]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    assert peak
    return run.returncode, int(peak[1]) * 1024, run.stdout
