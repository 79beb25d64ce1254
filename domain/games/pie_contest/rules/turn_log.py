"""One entry of the log in the making: the facts so far, and the table as they leave it."""

from collections.abc import Iterable

from domain.games.pie_contest.rules.model import Fact, State, Step, StepsQueued
from domain.games.pie_contest.rules.reducer import evolve
from domain.kernel.chance import Chance


class Entry:
    """What follows from one move. Every fact is folded at once, so `state` is always the table as it is now."""

    def __init__(self, state: State, chance: Chance) -> None:
        self.state = state
        self.chance = chance
        self.facts: list[Fact] = []

    def emit(self, fact: Fact) -> None:
        """One more fact."""
        self.facts.append(fact)
        self.state = evolve(self.state, fact)

    def queue(self, steps: Iterable[Step]) -> None:
        """Steps to the front of the agenda; no fact if there are none (4.6)."""
        queued = tuple(steps)
        if queued:
            self.emit(StepsQueued(queued))
