"""How we measure: candidates take turns in every round; the figure is the median, with least and most."""

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 5
SLICE_SECONDS = 0.5


def per_second(work: Callable[[], int], seconds: float = SLICE_SECONDS) -> float:
    """How many units `work` does in a second of processor time; it returns how many one call did."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


def in_turns(candidates: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Each candidate's figure in each round, after one round to warm up."""
    figures: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        names = list(candidates) if number % 2 else list(reversed(candidates))
        for name in names:
            figure = candidates[name]()
            if number:
                figures[name].append(figure)
    return figures


def spread(figures: list[float], unit: str = "") -> str:
    """Median [least-most] of the rounds."""
    precise = ",.0f" if max(figures) >= 100 else ".2f"
    low, middle, high = (format(f, precise) for f in (min(figures), statistics.median(figures), max(figures)))
    return f"{middle}{unit} [{low}-{high}]"


def ratio(top: list[float], bottom: list[float]) -> list[float]:
    """The ratio of two candidates, round by round."""
    return [a / b for a, b in zip(top, bottom, strict=True)]
