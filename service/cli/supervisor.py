"""Keeps the processes of one machine running: starts them, restarts those that end, and stops them in order.

Workers exit with code 0 when their queue stalls, so every process that ends is restarted. The pause before a restart
grows while a process keeps ending soon after its start. `docs/decisions/0001-supervisor.md` explains why this is not a
library, and `docs/decisions/0037-renewals-without-a-gap.md` how SIGHUP renews the processes.
"""

import signal
import time
from collections.abc import Callable, Iterator

from service.cli.child_process import STOP_SECONDS, ChildProcess, Program, describe_exit, stop_children
from service.cli.renewal import Renewal, RunningProgram

STABLE_SECONDS = 5.0
MAX_PAUSE_SECONDS = 10.0
STEP_SECONDS = 0.1
"""Seconds between two steps of the supervisor."""


class Stopped(Exception):
    """The supervisor was asked to stop."""


class Supervisor:
    """Runs programs until asked to stop.

    Signal handlers only set flags, which `restart_dead` and `raise_if_stopped` check. An exception raised in a handler
    could be swallowed, or could lose track of a process that has just been started.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._report = tell
        self._running: list[RunningProgram] = []
        self._renewal = Renewal((), tell)
        self._stop_requested = False
        self._restart_requested = False

    def install_signal_handlers(self) -> None:
        """From now on, stop on SIGINT, SIGTERM and SIGQUIT, and renew the programs on SIGHUP."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, lambda number, frame: self.request_stop())
        signal.signal(signal.SIGHUP, lambda number, frame: self.request_restart())

    def request_stop(self) -> None:
        """Request that all programs stop."""
        self._stop_requested = True

    def request_restart(self) -> None:
        """Request that all programs except those that others depend on are replaced, one after another.

        A request during a renewal starts another one after it, because the installed code may have changed since.
        """
        self._restart_requested = True

    def raise_if_stopped(self) -> None:
        """Raise Stopped if a stop was requested. Call this a few times per second while waiting for something."""
        if self._stop_requested:
            raise Stopped

    def start(self, program: Program) -> RunningProgram:
        """Start a program."""
        self._running.append(RunningProgram(program))
        return self._running[-1]

    def pause(self) -> None:
        """Wait for the next step."""
        time.sleep(STEP_SECONDS)

    def run(self) -> None:
        """Supervise the programs until a stop is requested. Raises Stopped."""
        while True:
            self.restart_dead()
            self.pause()

    def restart_dead(self) -> None:
        """Restart programs that have ended, and continue a renewal.

        Call this a few times per second. Raises Stopped.
        """
        self.raise_if_stopped()
        self._renew()
        for running in self._running:
            code = running.child.exit_code()
            if code is None:
                running.was_ready = running.was_ready or running.child.is_ready()
                continue
            now = time.monotonic()
            if running.restart_at is None:
                lived = now - running.child.started_at
                running.pause = 0.0 if lived > STABLE_SECONDS else min(MAX_PAUSE_SECONDS, 2 * running.pause + 0.2)
                running.restart_at = now + running.pause
                self._report(f"{running.program.name} ended ({describe_exit(code)}); restarting")
            if now >= running.restart_at:
                running.replace_child(ChildProcess(running.program))

    def _renew(self) -> None:
        """Begin a renewal if one was requested and none is in progress; otherwise continue it."""
        if self._restart_requested and self._renewal.is_over():
            self._restart_requested = False
            programs = [running for running in self._running if not running.program.serves_others]
            self._renewal = Renewal(programs, self._report)
        self._renewal.advance()

    def stop(self) -> None:
        """Stop all programs, those that others depend on last. Kill those that do not stop in time."""
        stop_children([*self._renewal.children(), *self._children(serves_others=False)])
        stop_children(list(self._children(serves_others=True)))
        self._running.clear()

    def _children(self, *, serves_others: bool) -> Iterator[ChildProcess]:
        for running in self._running:
            if running.program.serves_others is serves_others:
                yield running.child


__all__ = ["STOP_SECONDS", "Program", "Stopped", "Supervisor"]
