"""The whole service, started with `crumbtrail up` on a free port, and its processes by name."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from service.cli.listen import free_port
from tests import plain_http
from tests.processes import children_of, command_of, environment_of, is_alive

READY_SECONDS = 120
COMMAND_MARKS = {
    "log server": "valkey-server",
    "dispatcher": "workers.processes.dispatcher",
    "bot worker": "--queues bots",
    "deadline worker": "--queues deadlines",
    "audit worker": "--queues audits",
    "mail worker": "--queues mail",
    "webhook worker": "--queues webhooks",
    "web": "gunicorn",
}


class Stack:
    """One running `crumbtrail up`."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, output: Path) -> None:
        self.process, self.port, self.output = process, port, output
        self.url = f"http://127.0.0.1:{port}"

    def pids(self, name: str) -> list[int]:
        """Return the process with this name that the supervisor started, and its children."""
        children = [pid for pid in children_of(self.process.pid) if COMMAND_MARKS[name] in command_of(pid)]
        return [*children, *(grandchild for child in children for grandchild in children_of(child))]

    def kill(self, name: str) -> None:
        """Kill (-9) the process with this name and its children."""
        pids = self.pids(name)
        assert pids, f"no process {name!r} among {[command_of(pid) for pid in children_of(self.process.pid)]}"
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def wait_until_ready(self) -> None:
        """Wait until the web reports that the log is available."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.output.read_text()
            try:
                if plain_http.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"not ready within {READY_SECONDS} s:\n{self.output.read_text()}")


@contextmanager
def running_stack(
    data: Path, output: Path, *, started_by: Callable[[Sequence[str]], list[str]] = list, **settings: str
) -> Iterator[Stack]:
    """Run `crumbtrail up` with this data folder and these settings until the block ends.

    Then stop it as with Ctrl-C and check that no process or temporary folder is left. `started_by` may change the
    command.
    """
    port = free_port("127.0.0.1")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
    environment |= {"CRUMBTRAIL_LIMITS": "off", **settings}
    with output.open("ab") as log:
        command = [sys.executable, "-m", "service.cli", "up", "--port", str(port), "--data", str(data)]
        process = subprocess.Popen(started_by(command), stdout=log, stderr=log, env=environment)
    stack = Stack(process, port, output)
    try:
        stack.wait_until_ready()
        yield stack
    finally:
        left = [pid for name in COMMAND_MARKS for pid in stack.pids(name)]
        counters = {folder for pid in left if (folder := environment_of(pid).get("PROMETHEUS_MULTIPROC_DIR"))}
        process.send_signal(signal.SIGINT)
        process.wait(40)
    assert not [pid for pid in left if is_alive(pid)]
    assert not [folder for folder in counters if Path(folder).exists()]
