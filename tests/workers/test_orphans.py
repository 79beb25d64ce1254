"""A job's process never outlives its worker, even if the worker is killed right after the fork."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import is_alive, kill
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses, create_bots_match

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no parent-death signal")

SLOW_START = """
import os, sys, time
from pathlib import Path
from workers.processes import worker

class SlowStart(worker.QueueWorker):
    def setup_work_horse_signals(self):
        Path(sys.argv[1]).write_text(str(os.getpid()))
        while os.getppid() == self._worker_pid:
            time.sleep(0.001)
        super().setup_work_horse_signals()

worker.QueueWorker = SlowStart
worker.main(["--queues", "bots"])
"""
"""A worker whose jobs ask for the parent-death signal only after the worker has ended."""


def test_a_job_ends_if_its_worker_was_killed_right_after_the_fork(crew: ServiceProcesses, short_dir: Path) -> None:
    crew.dispatcher()
    found = short_dir / "job"
    environment = os.environ | {"CRUMBTRAIL_LOG_URL": crew.log.url(), "CRUMBTRAIL_QUEUE_URL": crew.queue.url()}
    worker = subprocess.Popen([sys.executable, "-c", SLOW_START, str(found)], env=environment)
    try:
        match = create_bots_match(crew.services)
        wait_until(lambda: found.exists() and found.read_text(), 60)
        job = int(found.read_text())
        assert is_alive(job)
    finally:
        kill(worker)
    wait_until(lambda: not is_alive(job), 60)
    assert crew.services.matches.repository.load(match.id).ply == match.ply, "the job must not have begun"
