"""Keeps the processes of one machine running: starts them, restarts those that end, and stops them in order.

Workers exit with code 0 when their queue stalls, so every process that ends is restarted. The pause before a restart
grows while a process keeps ending soon after its start. `docs/decisions/0001-supervisor.md` explains why this is not a
library.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

STABLE_SECONDS = 5.0
MAX_PAUSE_SECONDS = 10.0
STOP_SECONDS = 8.0
PR_SET_PDEATHSIG = 1


class Stopped(Exception):
    """The supervisor was asked to stop."""


@dataclass(frozen=True)
class Program:
    """One process to keep running."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    serves_others: bool = False
    """Whether other programs depend on it: it is stopped last, and not restarted by SIGHUP."""
    reload: signal.Signals = signal.SIGTERM
    """The signal that makes it finish its current work and restart with the code installed now."""


@dataclass
class RunningProgram:
    """A program and its process. `pause` is the delay before the next restart, in seconds."""

    program: Program
    process: "subprocess.Popen[bytes]"
    started_at: float
    pause: float = 0.0
    restart_at: float | None = None


class Supervisor:
    """Runs programs until asked to stop.

    Signal handlers only set flags, which `restart_dead` and `raise_if_stopped` check. An exception raised in a handler
    could be swallowed, or could lose track of a process that has just been started.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._report = tell
        self._running: list[RunningProgram] = []
        self._stop_requested = False
        self._restart_requested = False

    def install_signal_handlers(self) -> None:
        """From now on, stop on SIGINT and SIGTERM, and restart programs on SIGHUP."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: self.request_stop())
        signal.signal(signal.SIGHUP, lambda number, frame: self.request_restart())

    def request_stop(self) -> None:
        """Request that all programs stop."""
        self._stop_requested = True

    def request_restart(self) -> None:
        """Request a restart of all programs except those that others depend on."""
        self._restart_requested = True

    def raise_if_stopped(self) -> None:
        """Raise Stopped if a stop was requested. Call this a few times per second while waiting for something."""
        if self._stop_requested:
            raise Stopped

    def start(self, program: Program) -> None:
        """Start a program."""
        self._running.append(RunningProgram(program, spawn_process(program), time.monotonic()))

    def restart_dead(self) -> None:
        """Restart programs that have ended, or all if requested. Call this a few times per second. Raises Stopped."""
        self.raise_if_stopped()
        if self._restart_requested:
            self._restart_requested = False
            self._restart_all()
        for running in self._running:
            code = running.process.poll()
            if code is None:
                continue
            now = time.monotonic()
            if running.restart_at is None:
                lived = now - running.started_at
                running.pause = 0.0 if lived > STABLE_SECONDS else min(MAX_PAUSE_SECONDS, 2 * running.pause + 0.2)
                running.restart_at = now + running.pause
                self._report(f"{running.program.name} ended ({describe_exit(code)}); restarting")
            if now >= running.restart_at:
                running.process, running.started_at, running.restart_at = spawn_process(running.program), now, None

    def _restart_all(self) -> None:
        """Signal all programs, except those that others depend on, to finish their work and restart."""
        for running in self._running:
            if not running.program.serves_others and running.process.poll() is None:
                running.process.send_signal(running.program.reload)

    def stop(self) -> None:
        """Stop all programs, those that others depend on last. Kill those that do not stop in time."""
        for last in (False, True):
            stop_processes([each.process for each in self._running if each.program.serves_others is last])
        self._running.clear()


def stop_processes(processes: "Sequence[subprocess.Popen[bytes]]") -> None:
    """Ask the processes to end, wait until they have, and kill those that take too long."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    until = time.monotonic() + STOP_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def spawn_process(program: Program) -> "subprocess.Popen[bytes]":
    """Start a process in its own session, so that Ctrl-C in the terminal reaches only the supervisor."""
    return subprocess.Popen(
        program.command,
        env={**os.environ, **program.environment},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 -- the supervisor has one thread
    )


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent ends, even by kill -9."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def describe_exit(code: int) -> str:
    """Return a description of an exit code."""
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
