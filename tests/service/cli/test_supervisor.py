"""The supervisor with real processes: renewals without a gap, failed successors, and children that never outlive it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.cli import child_process, renewal
from service.cli.child_process import Program
from service.cli.supervisor import Stopped, Supervisor
from tests.processes import is_alive, state_of
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

WORK = """
import os, signal, sys, time
from pathlib import Path
from service.runtime.start_report import report_ready

folder, name = Path(sys.argv[1]), sys.argv[2]
if (folder / "stubborn").exists():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with (folder / "started").open("a") as started:
    started.write(f"{name} {os.getpid()}\\n")
while (folder / f"hold-{name}").exists():
    time.sleep(0.01)
if (folder / f"broken-{name}").exists():
    sys.exit(3)
report_ready()
while True:
    time.sleep(60)
"""
"""A program that is ready once no file holds it back, and fails if a file says so."""


class Programs:
    """Programs under a supervisor, controlled by files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.supervisor = Supervisor(self.said.append)

    def start(self, name: str) -> None:
        """Start a program, and wait until it is ready."""
        command = [sys.executable, "-c", WORK, str(self.folder), name]
        running = self.supervisor.start(Program(name, command))
        wait_until(running.child.is_ready, 60)

    def file(self, name: str) -> Path:
        """Create a file that controls the programs."""
        (self.folder / name).touch()
        return self.folder / name

    def started(self, name: str) -> list[int]:
        """Return all processes of a program that have started so far."""
        lines = map(str.split, (self.folder / "started").read_text().splitlines())
        return [int(pid) for each, pid in lines if each == name]

    def supervise_until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        """Supervise until a condition holds."""

        def step() -> object:
            self.supervisor.restart_dead()
            return condition()

        wait_until(step, seconds)


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    programs = Programs(tmp_path)
    yield programs
    programs.supervisor.stop()
    started = tmp_path / "started"
    left = [int(line.split()[1]) for line in started.read_text().splitlines()] if started.exists() else []
    wait_until(lambda: not any(is_alive(pid) and state_of(pid) != "Z" for pid in left), 60)


def test_the_old_process_works_until_the_new_one_is_ready(programs: Programs) -> None:
    programs.start("web")
    (old,) = programs.started("web")
    hold = programs.file("hold-web")
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: len(programs.started("web")) == 2)
    for _ in range(20):
        programs.supervisor.restart_dead()
        time.sleep(0.01)
    assert is_alive(old), "the old process must not end before the new one is ready"
    hold.unlink()
    programs.supervise_until(lambda: not is_alive(old))
    assert is_alive(programs.started("web")[1])
    programs.supervise_until(lambda: "Renewed: web." in programs.said)


def test_programs_are_renewed_one_after_another(programs: Programs) -> None:
    programs.start("dispatcher"), programs.start("web")
    hold = programs.file("hold-dispatcher")
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: len(programs.started("dispatcher")) == 2)
    for _ in range(20):
        programs.supervisor.restart_dead()
        time.sleep(0.01)
    assert len(programs.started("web")) == 1, "the turn of the next program comes later"
    hold.unlink()
    programs.supervise_until(lambda: "Renewed: dispatcher, web." in programs.said)
    assert [len(programs.started(name)) for name in ("dispatcher", "web")] == [2, 2]


def test_a_program_is_ready_when_all_its_processes_are(tmp_path: Path) -> None:
    """Given a program that runs as two processes, the report of the first one is not enough."""
    report = (
        "import os, time\nfrom pathlib import Path\n"
        f"folder, pipe = Path({str(tmp_path)!r}), int(os.environ['SUPERVISOR_READY_FD'])\n"
        "os.write(pipe, b'2\\n')\n(folder / 'said').touch()\n"
        "while not (folder / 'go').exists():\n    time.sleep(0.01)\n"
        "os.write(pipe, b'2\\n')\ntime.sleep(60)"
    )
    child = child_process.ChildProcess(Program("web", [sys.executable, "-c", report]))
    try:
        wait_until((tmp_path / "said").exists, 60)
        assert not child.is_ready()
        (tmp_path / "go").touch()
        wait_until(child.is_ready, 60)
    finally:
        child_process.stop_children([child])


def test_a_failed_successor_changes_nothing(programs: Programs) -> None:
    """Given an installation in which the new web process fails, the old one and all later programs keep running."""
    for name in ("dispatcher", "web", "worker"):
        programs.start(name)
    broken = programs.file("broken-web")
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: any("The new web" in line for line in programs.said))
    assert programs.said == [
        "The new web ended (exit code 3) before it was ready. These keep running without the update: web, worker. "
        "See its output above, fix the installation or the settings, then send SIGHUP again."
    ]
    assert is_alive(programs.started("web")[0])
    assert [len(programs.started(name)) for name in ("dispatcher", "worker")] == [2, 1]
    broken.unlink()
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: "Renewed: dispatcher, web, worker." in programs.said)


def test_a_successor_that_is_never_ready_is_stopped(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    programs.start("web")
    programs.file("hold-web")
    monkeypatch.setattr(renewal, "READY_SECONDS", 0.5)
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: any("was not ready within 0.5 seconds" in line for line in programs.said))
    wait_until(lambda: programs.supervisor._renewal.advance() or programs.supervisor._renewal.is_over(), 60)
    assert is_alive(programs.started("web")[0])
    assert not any(is_alive(pid) for pid in programs.started("web")[1:])


def test_a_process_that_does_not_stop_is_killed(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    stubborn = programs.file("stubborn")
    programs.start("web")
    stubborn.unlink()
    monkeypatch.setattr(child_process, "STOP_SECONDS", 0.5)
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: "Renewed: web." in programs.said)
    assert not is_alive(programs.started("web")[0])


def test_a_request_during_a_renewal_starts_another_one(programs: Programs) -> None:
    """The code may have changed again after the first successor read it."""
    programs.start("web")
    hold = programs.file("hold-web")
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: len(programs.started("web")) == 2)
    programs.supervisor.request_restart()
    programs.supervisor.restart_dead()
    hold.unlink()
    programs.supervise_until(lambda: programs.said.count("Renewed: web.") == 2)
    assert len(programs.started("web")) == 3


def test_a_stop_during_a_renewal_stops_old_and_new_processes(programs: Programs) -> None:
    programs.start("web")
    programs.file("hold-web")
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: len(programs.started("web")) == 2)
    programs.supervisor.request_stop()
    with pytest.raises(Stopped):
        programs.supervisor.restart_dead()
    programs.supervisor.stop()
    assert not any(is_alive(pid) for pid in programs.started("web"))


def test_an_old_process_that_dies_during_a_renewal_is_replaced_anyway(programs: Programs) -> None:
    programs.start("web")
    hold = programs.file("hold-web")
    programs.supervisor.request_restart()
    programs.supervise_until(lambda: len(programs.started("web")) == 2)
    os.kill(programs.started("web")[0], signal.SIGKILL)
    programs.supervise_until(lambda: any("web ended (signal SIGKILL); restarting" in line for line in programs.said))
    hold.unlink()
    programs.supervise_until(lambda: "Renewed: web." in programs.said)
    programs.supervise_until(lambda: sum(map(is_alive, programs.started("web"))) == 1)


ORPHAN = """
import os, signal, time
from service.runtime.parent_death import end_with_parent

parent = os.getpid()
if child := os.fork():
    print(child, flush=True)
    os.kill(parent, signal.SIGKILL)
while os.getppid() == parent:
    time.sleep(0.001)
end_with_parent(parent, signal.SIGTERM)
print("outlived its parent", flush=True)
"""


def test_a_process_whose_parent_ended_before_it_could_ask_ends_itself() -> None:
    """The parent is killed between fork and the request to the kernel."""
    done = subprocess.run([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    child, *more = done.stdout.split("\n", 1)
    assert child.isdecimal()
    assert more == [""]
