"""Candidates that run in a separate process, such as other packages."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
PEERS = PROJECT / ".peers"
"""The folder for downloads of the benchmarks. Git ignores it."""
REQUIREMENTS = Path(__file__).parent / "peers" / "requirements.txt"


class Unavailable(Exception):
    """Raised if a candidate can't be installed or started here. The message says why."""


Turns = Mapping[str, Callable[[], Any]]
"""Candidates by name. A call is one turn and returns the result of the other process."""


@contextmanager
def turns(command: list[str], environment: Mapping[str, str] | None = None) -> Iterator[Turns]:
    """Start the candidates of a script that uses `peers.turns.take_turns`. Raises Unavailable."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        names = answer(process, command)
        yield {name: partial(turn, process, command, name) for name in names}
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def turn(process: "subprocess.Popen[str]", command: list[str], name: str) -> Any:
    """Run one turn of a candidate. Raises Unavailable."""
    assert process.stdin is not None
    process.stdin.write(f"{name}\n")
    process.stdin.flush()
    return answer(process, command)


def answer(process: "subprocess.Popen[str]", command: list[str]) -> Any:
    """Return the next line of the process. Raises Unavailable if there is none or it isn't JSON."""
    assert process.stdout is not None
    line = process.stdout.readline()
    try:
        return json.loads(line)
    except ValueError:
        raise Unavailable(f"{Path(command[1]).name} ended with exit code {process.wait(60)}") from None


@contextmanager
def peer(script: str) -> Iterator[Turns]:
    """Start the candidates of a script that needs other packages. Raises Unavailable."""
    with turns([str(python_with_peers()), str(REQUIREMENTS.with_name(script))]) as candidates:
        yield candidates


def python_with_peers() -> Path:
    """Return a Python with the packages of `peers/requirements.txt`, installed if necessary. Raises Unavailable."""
    folder = PEERS / "python"
    stamp, wanted = folder / "made-from", sha256(REQUIREMENTS.read_bytes()).hexdigest()
    python = folder / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    quietly("creating an environment for the peers", [sys.executable, "-m", "venv", "--clear", str(folder)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    quietly("installing the peers", [*pip, "--only-binary", ":all:", "-r", str(REQUIREMENTS)])
    stamp.write_text(wanted)
    return python


def quietly(what: str, command: list[str]) -> None:
    """Run a command. Raises Unavailable with its last output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"{what} failed: {error.strerror}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Unavailable(f"{what} failed: {last[:200]}")
