"""A program in a process of its own, and the most memory that it took: not counting what it was forked from."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPORTER = """
import atexit, pathlib, runpy, sys
told, status = pathlib.Path(sys.argv[1]), pathlib.Path("/proc/self/status")
atexit.register(lambda: told.write_text(status.read_text()))
del sys.argv[1]
"""


def run_apart(program: str, *words: str) -> tuple[int, int, str]:
    """A Python program with these arguments: exit code, the most memory that it took at a time, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder) / "status"
        command = [sys.executable, "-c", REPORTER + program, str(status), *words]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    assert peak
    return run.returncode, int(peak[1]) * 1024, run.stdout
