"""The layer `file`: header and closing line agree with the events. Reading has already found every line canonical."""

from replays.frame import check_frame
from replays.report import Layer
from replays.verify.case import Case


def check_file(case: Case) -> list[Layer]:
    """Checks the header and the closing line against the events."""
    check_frame(case.file, public=not case.complete)
    what = "whole" if case.complete else "the public part of a match that is not over"
    return [Layer("file", "ok", f"{len(case.events)} events in canonical form; {what}.")]
