"""Waits for a condition instead of a fixed time, so that a busy machine only makes tests slower."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], seconds: float, every: float = 0.01) -> T:
    """Wait until a condition is true and return its value. Fail after this many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"the condition was still false after {seconds:g} s"
        time.sleep(every)
    return found


def holds_within(condition: Callable[[], object], seconds: float, every: float = 0.02) -> bool:
    """Wait until a condition is true, for up to this many seconds. Return whether it is."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def wait_until_empty(left: Callable[[], Sequence[object]], standstill: float = 45) -> None:
    """Wait until nothing is left, however long a busy machine needs.

    Fails if what is left stays the same for `standstill` seconds, which is longer than it takes to recover a lost job.
    """
    before: Sequence[object] = ()
    since = time.monotonic()
    while found := left():
        if found != before:
            before, since = found, time.monotonic()
        assert time.monotonic() - since < standstill, (
            f"{len(found)} left unchanged for {standstill:g} s, for example {found[0]}"
        )
        time.sleep(0.02)
