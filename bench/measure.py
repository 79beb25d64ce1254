"""How we measure: candidates take turns in every round, and the figure is the median, with minimum and maximum."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec

T = TypeVar("T")

ROUNDS = 5
SLICE_SECONDS = 0.5


class Target(msgspec.Struct, frozen=True):
    """The target of a figure."""

    direction: Literal["at least", "at most"]
    value: float

    def met_by(self, figure: float) -> bool:
        """Return whether the figure meets the target."""
        return figure >= self.value if self.direction == "at least" else figure <= self.value

    def __str__(self) -> str:
        return f"{self.direction} {self.value:g}"


def at_least(value: float) -> Target:
    """Return a target that the figure must reach."""
    return Target("at least", value)


def at_most(value: float) -> Target:
    """Return a target that the figure must not exceed."""
    return Target("at most", value)


class Row(msgspec.Struct, frozen=True):
    """One figure of the table: its rounds, or the reason why there is none.

    `unit` is, for example, "/s" or "us". A ratio has none.
    """

    what: str
    rounds: Sequence[float] = ()
    unit: str = ""
    target: Target | None = None
    missing: str = ""

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def verdict(self) -> str:
        """`met` or `missed`, or nothing if there is no target."""
        if self.target is None or not self.rounds:
            return ""
        return "met" if self.target.met_by(self.median) else "missed"

    def figure(self) -> str:
        """Format the median [minimum-maximum], or the reason why there is none."""
        if not self.rounds:
            return f"not measured: {self.missing}"
        precise = ",.0f" if max(self.rounds) >= 100 else ".2f" if max(self.rounds) >= 0.1 else ".4f"
        low, middle, high = (format(f, precise) for f in (min(self.rounds), self.median, max(self.rounds)))
        return f"{middle} {self.unit}".strip() + f" [{low}-{high}]"


def per_second(work: Callable[[], int], seconds: float = SLICE_SECONDS) -> float:
    """Return how many units `work` does per second of processor time. It returns the number of units of one call."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


def in_turns(candidates: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Return each candidate's figure in each round, after a warm-up round."""
    return in_turns_of(candidates, rounds)


def in_turns_of(candidates: Mapping[str, Callable[[], T]], rounds: int = ROUNDS) -> dict[str, list[T]]:
    """Do the same for candidates with several figures per round."""
    figures: dict[str, list[T]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        names = list(candidates) if number % 2 else list(reversed(candidates))
        for name in names:
            figure = candidates[name]()
            if number:
                figures[name].append(figure)
    return figures


def ratio(top: Sequence[float], bottom: Sequence[float]) -> list[float]:
    """Return the ratio of two candidates, round by round."""
    return [a / b for a, b in zip(top, bottom, strict=True)]
