"""A program that the supervisor runs, and a process of it that reports when it is ready."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import FileIO

from service.runtime.parent_death import end_with_parent
from service.runtime.start_report import READY_VARIABLE

STOP_SECONDS = 8.0
"""How long a process may take to stop before it is killed."""


@dataclass(frozen=True)
class Program:
    """One process to keep running."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    serves_others: bool = False
    """Whether other programs depend on it: it is stopped last, and not replaced by a renewal."""
    sockets: Sequence[int] = ()
    """Descriptors of listening sockets that it inherits."""


class ChildProcess:
    """A running process of a program. It has its own session, so Ctrl-C in the terminal reaches only the supervisor."""

    def __init__(self, program: Program) -> None:
        self.started_at = time.monotonic()
        self._stop_before: float | None = None
        self._reports = b""
        reading_end, writing_end = os.pipe()
        os.set_blocking(reading_end, False)
        self._pipe = FileIO(reading_end)
        try:
            self.process = subprocess.Popen(
                program.command,
                env={**os.environ, **program.environment, READY_VARIABLE: str(writing_end)},
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(writing_end, *program.sockets),
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 -- one thread
            )
        finally:
            os.close(writing_end)

    def is_ready(self) -> bool:
        """Return whether all its processes have reported that they are ready."""
        if not self._pipe.closed:
            self._reports += self._pipe.read(4096) or b""
        lines = self._reports.split(b"\n")[:-1]
        ready = bool(lines) and len(lines) >= int(lines[0])
        if ready or self.process.poll() is not None:
            self._pipe.close()
        return ready

    def exit_code(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return self.process.poll()

    def request_stop(self) -> None:
        """Ask it to finish its current work and end."""
        if self._stop_before is None:
            self._stop_before = time.monotonic() + STOP_SECONDS
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)

    def has_stopped(self) -> bool:
        """Return whether it has ended. Kills it if it was asked to stop too long ago."""
        if self.process.poll() is None and self._stop_before is not None and time.monotonic() > self._stop_before:
            self.process.kill()
        return self.process.poll() is not None


def stop_children(children: Sequence[ChildProcess]) -> None:
    """Ask the processes to end, wait until they have, and kill those that take too long."""
    for child in children:
        child.request_stop()
    until = time.monotonic() + STOP_SECONDS
    for child in children:
        try:
            child.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.process.kill()
            child.process.wait()


def describe_exit(code: int) -> str:
    """Return a description of an exit code."""
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
