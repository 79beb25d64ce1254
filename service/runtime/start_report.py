"""Reports to the supervisor that this process is ready.

The supervisor starts the successor of a process while the old one still works, and stops the old one after this report.
The successor inherits the writing end of a pipe, whose descriptor is in the environment variable `READY_VARIABLE`. Each
process writes one line with the number of processes of its kind.
"""

import os
from contextlib import suppress

READY_VARIABLE = "SUPERVISOR_READY_FD"


def report_ready(processes: int = 1) -> None:
    """Report that this process, one of `processes` of its kind, is ready. Does nothing without a supervisor.

    Closes the pipe and forgets the variable, so that processes started from here cannot report.
    """
    text = os.environ.pop(READY_VARIABLE, "")
    if not text.isdecimal():
        return
    with suppress(OSError):  # the supervisor has gone, or no longer waits
        os.write(int(text), b"%d\n" % processes)
    with suppress(OSError):
        os.close(int(text))
