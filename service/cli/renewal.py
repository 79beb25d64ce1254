"""Replaces running processes by new ones, one program after another, without a gap.

A new process starts while the old one still works. When it reports that it is ready, the old one finishes its work and
ends, and it is the next program's turn. If a new process fails, the old ones stay, and so do all later programs.
"""

import time
from collections.abc import Callable, Iterator, Sequence

from service.cli.child_process import ChildProcess, Program, describe_exit

READY_SECONDS = 120.0
"""How long a new process may take to be ready."""


class RunningProgram:
    """A program and its current process."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.child = ChildProcess(program)
        self.pause = 0.0
        """The delay before the next restart, in seconds."""
        self.restart_at: float | None = None
        self.was_ready = False

    def replace_child(self, child: ChildProcess) -> ChildProcess:
        """Make another process the current one. Return the former one."""
        former, self.child, self.restart_at = self.child, child, None
        return former


class Renewal:
    """The renewal of some programs. Call `advance` a few times per second until it is over."""

    def __init__(self, programs: Sequence[RunningProgram], report: Callable[[str], None]) -> None:
        self._waiting = list(programs)
        self._renewed: list[str] = []
        self._report = report
        self._starting: ChildProcess | None = None
        self._stopping: ChildProcess | None = None

    def children(self) -> Iterator[ChildProcess]:
        """Yield the processes that are not, or no longer, the current ones of their programs."""
        yield from filter(None, (self._starting, self._stopping))

    def is_over(self) -> bool:
        """Return whether nothing is left to do."""
        return not self._waiting and not any(self.children())

    def advance(self) -> None:
        """Take the next step, if it is due."""
        if self._stopping is not None:
            if self._stopping.has_stopped():
                self._stopping = None
                self._report_end()
        elif self._starting is not None:
            self._await_successor(self._starting)
        elif self._waiting:
            self._starting = ChildProcess(self._waiting[0].program)

    def _await_successor(self, successor: ChildProcess) -> None:
        code = successor.exit_code()
        if code is not None:
            self._give_up(f"ended ({describe_exit(code)}) before it was ready")
        elif successor.is_ready():
            renewed = self._waiting.pop(0)
            renewed.was_ready = True
            self._renewed.append(renewed.program.name)
            self._starting, self._stopping = None, renewed.replace_child(successor)
            self._stopping.request_stop()
        elif time.monotonic() > successor.started_at + READY_SECONDS:
            successor.request_stop()
            self._stopping = successor
            self._give_up(f"was not ready within {READY_SECONDS:g} seconds")

    def _report_end(self) -> None:
        if not self._waiting and self._renewed:
            self._report(f"Renewed: {', '.join(self._renewed)}.")
            self._renewed.clear()

    def _give_up(self, reason: str) -> None:
        """Keep the processes that are still to be renewed."""
        kept = ", ".join(each.program.name for each in self._waiting)
        self._report(
            f"The new {self._waiting[0].program.name} {reason}. These keep running without the update: {kept}. "
            "See its output above, fix the installation or the settings, then send SIGHUP again."
        )
        self._starting = None
        self._renewed.clear()
        self._waiting.clear()
