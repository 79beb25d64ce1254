"""Keeps the processes of one machine running: starts them, restarts what dies, stops all in order.

Workers leave with exit code 0 when their queue stalls, so whatever ends is started again, after a pause that grows
while it keeps dying at once. See `docs/decisions/0001-supervisor.md` for why this is not a library.
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
    """Somebody asked us to stop."""


@dataclass(frozen=True)
class Program:
    """One process to keep running."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    serves_others: bool = False
    """It is stopped last, and not started anew while the others are."""
    reload: signal.Signals = signal.SIGTERM
    """What makes it start anew with whatever is installed now, once it has finished what it has accepted."""


@dataclass
class RunningProgram:
    """A program and its process; `pause` is how long to wait before the next start."""

    program: Program
    process: "subprocess.Popen[bytes]"
    started_at: float
    pause: float = 0.0
    restart_at: float | None = None


class Supervisor:
    """Runs programs until told to stop.

    Signals only leave word here, and `step` and `heed` act on it. An exception out of a signal's handler arrives
    anywhere: where Python passes over exceptions it is lost, and between a start and its being noted a process is.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._report = tell
        self._running: list[RunningProgram] = []
        self._stop_requested = False
        self._restart_requested = False

    def install_signal_handlers(self) -> None:
        """Stop at SIGINT and SIGTERM from here on, and start all anew at SIGHUP."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: self.request_stop())
        signal.signal(signal.SIGHUP, lambda number, frame: self.request_restart())

    def request_stop(self) -> None:
        """Leave word that all shall end."""
        self._stop_requested = True

    def request_restart(self) -> None:
        """Leave word that all shall start anew but what serves the others."""
        self._restart_requested = True

    def raise_if_stopped(self) -> None:
        """Called a few times a second while something is waited for. Raises Stopped when somebody asked for it."""
        if self._stop_requested:
            raise Stopped

    def start(self, program: Program) -> None:
        """Start one more program."""
        self._running.append(RunningProgram(program, spawn_process(program), time.monotonic()))

    def restart_dead(self) -> None:
        """Restart what has died, or all if that was asked for; call it a few times a second. Raises Stopped."""
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
                self._report(f"{running.program.name} ended ({describe_exit(code)}); it starts again")
            if now >= running.restart_at:
                running.process, running.started_at, running.restart_at = spawn_process(running.program), now, None

    def _restart_all(self) -> None:
        """Start all anew but those that serve the others: each finishes first what it has accepted."""
        for running in self._running:
            if not running.program.serves_others and running.process.poll() is None:
                running.process.send_signal(running.program.reload)

    def stop(self) -> None:
        """Stop all by their own process ids, those that serve the others last; what does not listen is killed."""
        for last in (False, True):
            stop_processes([each.process for each in self._running if each.program.serves_others is last])
        self._running.clear()


def stop_processes(processes: "Sequence[subprocess.Popen[bytes]]") -> None:
    """Ask these to end, all at once, and wait until they have."""
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
    """A process in a session of its own, so that the terminal's Ctrl-C reaches the supervisor alone."""
    return subprocess.Popen(
        program.command,
        env={**os.environ, **program.environment},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 -- the supervisor has one thread
    )


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent does, even by kill -9."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def describe_exit(code: int) -> str:
    """An exit code in words."""
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
