"""A service for a benchmark. Log, web processes and dispatcher run as `crumbtrail up` starts them, and each is
measured."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError

from bench.load import processor_nanoseconds
from service.cli.listen import free_port
from service.cli.web import gunicorn_command
from service.event_store.embedded import EmbeddedServer

HOST = "127.0.0.1"
START_SECONDS = 30.0
STOP_SECONDS = 10.0


class Group:
    """A program with all its child processes, in its own session."""

    def __init__(self, leader: int) -> None:
        self.leader = leader

    def members(self) -> list[int]:
        """Return the ids of its processes."""
        return [pid for pid, fields in _stats() if int(fields[2]) == self.leader]

    def processor_seconds(self) -> float:
        """Return the processor time of all threads of its processes, to the nanosecond as counted by the kernel."""
        return sum(processor_nanoseconds(Path(f"/proc/{pid}")) for pid in self.members()) / 1e9

    def memory(self) -> int:
        """Return the memory of all its processes in bytes, with shared pages counted once (PSS)."""
        return sum(proportional_set(pid) for pid in self.members())


class Site:
    """A running service: its port, its log and its programs (`log`, `web`, and sometimes `dispatcher`)."""

    def __init__(self, port: int, log_url: str, programs: dict[str, Group]) -> None:
        self.port = port
        self.log_url = log_url
        self.programs = programs

    @property
    def url(self) -> str:
        """The address of the service."""
        return f"http://{HOST}:{self.port}"

    def processor_seconds(self) -> dict[str, float]:
        """Return the processor time of each program so far."""
        return {name: program.processor_seconds() for name, program in self.programs.items()}


@contextmanager
def site(folder: Path, web: int | None = None, dispatcher: bool = True, **settings: str) -> Iterator[Site]:
    """Start a service in a temporary folder, with this number of web processes. Rate limits are off."""
    folder.mkdir()
    with ExitStack() as stack:
        server = stack.enter_context(EmbeddedServer(folder / "log"))
        metrics = folder / "metrics"
        metrics.mkdir()
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")},
            "CRUMBTRAIL_LIMITS": "off",
            "CRUMBTRAIL_LOG_URL": server.url(0),
            "CRUMBTRAIL_QUEUE_URL": server.url(1),
            "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            **settings,
        }
        port = free_port(HOST)
        command = [*gunicorn_command(HOST, port), *(("--workers", str(web)) if web else ())]
        assert server.pid is not None
        programs = {"log": Group(server.pid), "web": stack.enter_context(program(command, environment))}
        if dispatcher:
            command = [sys.executable, "-m", "workers.processes.dispatcher"]
            programs["dispatcher"] = stack.enter_context(program(command, environment))
        wait_for(f"http://{HOST}:{port}/readyz")
        yield Site(port, server.url(0), programs)


@contextmanager
def program(command: Sequence[str], environment: Mapping[str, str] | None = None, **more: Any) -> Iterator[Group]:
    """Start a program in its own session. Its output goes to our standard error."""
    process = subprocess.Popen(command, env=environment, start_new_session=True, stdout=sys.stderr, **more)
    try:
        yield Group(process.pid)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(url: str) -> None:
    """Wait until the address answers."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"nothing answers at {url}")


def proportional_set(pid: int) -> int:
    """Return the memory of a process in bytes, with a proportional part of shared pages, or 0 if it has ended."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return 1024 * int(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")))


def _stats() -> Iterator[tuple[int, list[str]]]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(stat.parent.name), stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
