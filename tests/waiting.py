"""Waiting for a condition instead of a time, so that a busy machine only makes a test slower."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], seconds: float, every: float = 0.01) -> T:
    """Waits until a condition holds and returns its value. Fails after this many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"it does not hold within {seconds:g} s"
        time.sleep(every)
    return found


def holds_within(condition: Callable[[], object], seconds: float, every: float = 0.02) -> bool:
    """Waits until a condition holds, at most this many seconds. Returns whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def wait_until_empty(left: Callable[[], Sequence[object]], standstill: float = 45) -> None:
    """Waits until nothing is left, however long a busy machine needs.

    Fails when what is left stays the same for `standstill` seconds, which is longer than a lost job may take.
    """
    before: Sequence[object] = ()
    since = time.monotonic()
    while found := left():
        if found != before:
            before, since = found, time.monotonic()
        assert time.monotonic() - since < standstill, f"{len(found)} stay for {standstill:g} s, like {found[0]}"
        time.sleep(0.02)
