"""The layer `file`: header and closing line match the events. Reading already checked that lines are canonical."""

from replays.frame import check_frame
from replays.report import Layer
from replays.verify.case import Case


def check_file(case: Case) -> list[Layer]:
    """Check the header and the closing line against the events."""
    check_frame(case.file, public=not case.complete)
    what = "the file is complete" if case.complete else "this is the public part of a match that is not over"
    return [Layer("file", "ok", f"{len(case.events)} events in canonical form; {what}.")]
