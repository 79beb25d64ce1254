"""Helpers to watch and kill processes on this machine."""

import subprocess
from pathlib import Path


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill this process alone, as a crash would (kill -9)."""
    process.kill()
    process.wait()


def children_of(parent: int) -> list[int]:
    """Return the living processes that this one started."""
    try:
        threads = [path.read_text() for path in Path(f"/proc/{parent}/task").glob("*/children")]
    except OSError:
        return []
    found = sorted(int(pid) for of_thread in threads for pid in of_thread.split())
    return [pid for pid in found if state_of(pid) not in ("", "Z")]


def descendants_of(parent: int) -> list[int]:
    """Return the living processes that this one started, and those that they started."""
    return [each for child in children_of(parent) for each in (child, *descendants_of(child))]


def raw_environment_of(pid: int) -> bytes:
    """Return the environment that a process was started with, in bytes; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def environment_of(pid: int) -> dict[str, str]:
    """Return the environment that a process was started with; empty if there is no such process."""
    lines = raw_environment_of(pid).decode().split("\0")
    return dict(line.split("=", 1) for line in lines if "=" in line)


def state_of(pid: int) -> str:
    """Return the letter of a process's state, as `ps` shows it; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def command_of(pid: int) -> str:
    """Return the command line of a process; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """Return whether the process is running."""
    return bool(command_of(pid))
