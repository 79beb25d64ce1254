"""One entry of the log in the making: the facts so far, and the table as they leave it."""

from collections.abc import Iterable

from domain.games.pie_contest.rules.model import Fact, State, Step, StepsQueued
from domain.kernel.recorder import FactRecorder

TurnLog = FactRecorder[State, Fact]


def queue(log: TurnLog, steps: Iterable[Step]) -> None:
    """Put steps at the front of the agenda; no fact if there are none (4.6)."""
    queued = tuple(steps)
    if queued:
        log.emit(StepsQueued(queued))
