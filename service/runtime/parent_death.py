"""Ends a process when its parent ends, even if the parent is killed. Only Linux supports this."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int, number: signal.Signals) -> None:
    """Send this process the signal when its parent ends. Call this in the child; `parent` is the parent's process id.

    A parent that has already ended sends nothing more, so the process then ends immediately.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
