"""Finds the lines of the rules that take the most time, by sampling the running line every few ms of processor time."""

import linecache
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import domain

RULES = str(Path(domain.__file__).parent)
INTERVAL_SECONDS = 0.002
SECONDS = 3.0
WIDEST = 60

Line = tuple[str, int]
"""File and line number."""


def hottest(work: Callable[[], object], count: int = 5) -> list[tuple[str, float]]:
    """Return the lines of `domain` that use the most processor time, including library calls, with their shares.

    It uses SIGPROF, so it must run in the main thread.
    """
    seen: Counter[Line] = Counter()

    def note(number: int, frame: FrameType | None) -> None:
        while frame is not None and not frame.f_code.co_filename.startswith(RULES):
            frame = frame.f_back
        at = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno or frame.f_code.co_firstlineno)
        seen[at] += 1

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_SECONDS, INTERVAL_SECONDS)
    try:
        end = time.process_time() + SECONDS
        while time.process_time() < end:
            work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    within = [(line, times) for line, times in seen.most_common() if line[0]]
    return [(described(line), times / seen.total()) for line, times in within[:count]]


def described(line: Line) -> str:
    """Return a readable description of the line: module, number and text."""
    file, number = line
    text = linecache.getline(file, number).strip()
    return f"{Path(file).name}:{number} `{text if len(text) <= WIDEST else text[:WIDEST] + '...'}`".replace("|", "\\|")
