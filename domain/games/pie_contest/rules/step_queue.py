"""The queue of steps still to be carried out."""

from collections.abc import Iterable

from domain.games.pie_contest.rules.facts import StepsQueued
from domain.games.pie_contest.rules.parts import Step
from domain.games.pie_contest.rules.reducer import Recorder


def queue_steps(recorder: Recorder, steps: Iterable[Step]) -> None:
    """Put steps at the front of the agenda. Emits no fact if there are none (4.6)."""
    queued = tuple(steps)
    if queued:
        recorder.emit(StepsQueued(queued))
