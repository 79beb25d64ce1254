"""The web processes start together and stop together."""

import os
import subprocess
import sys
from pathlib import Path

APPLICATION = """
import os, time

def app():
    try:
        os.mkdir("first")
    except FileExistsError:
        time.sleep(0.5)
    raise RuntimeError("the log is closed")
"""


def test_a_process_that_fails_after_the_first_one_adds_no_traceback(tmp_path: Path) -> None:
    """Given an application that cannot start, gunicorn stops for the first failure and ignores the second one."""
    (tmp_path / "failing.py").write_text(APPLICATION)
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join((os.getcwd(), str(tmp_path)))}
    environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
    config = "python:service.runtime.gunicorn_config"
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "--config", config, "--bind", "127.0.0.1:0", "failing:app()"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("the log is closed") == 2, "both processes failed"
    assert "HaltServer" not in done.stderr
    assert not list(tmp_path.glob("crumbtrail-metrics-*")), "the folder of counters is deleted"
