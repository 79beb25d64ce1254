"""Many replay files verified by the command, in one process and shared between two."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from replays.file import SUFFIX
from tests.benchmarks.measure import Row, at_least, ratio

FILES = 1_000
ROUNDS = 3
GOLDEN = Path(__file__).parents[1] / "golden"


class Run(NamedTuple):
    """One run of the command: files a second, and seconds of processor time of all its processes."""

    rate: float
    processor: float


def rows() -> Iterator[Row]:
    """Rates of one process and of two, and what sharing costs. The ratio says something on a quiet machine only."""
    files = list(islice(cycle(sorted(GOLDEN.glob(f"*/*{SUFFIX}"))), FILES))
    runs: dict[int, list[Run]] = {1: [], 2: []}
    for number in range(ROUNDS):
        for jobs in (1, 2) if number % 2 else (2, 1):
            runs[jobs].append(verified(files, jobs))
    one, two = ([run.rate for run in runs[jobs]] for jobs in (1, 2))
    costs = ratio([run.processor for run in runs[2]], [run.processor for run in runs[1]])
    yield Row(f"{FILES:,} files verified, --jobs 1", one, "/s")
    yield Row(f"{FILES:,} files verified, --jobs 2 ({os.cpu_count()} processors)", two, "/s")
    yield Row("the same : --jobs 1", ratio(two, one), target=at_least(1.8))
    yield Row("processor time of two processes : of one", costs)


def verified(files: list[Path], jobs: int) -> Run:
    """The command from its start to its end."""
    command = [sys.executable, "-m", "service.cli", "verify", "--json", "--jobs", str(jobs), *map(str, files)]
    before, begun = children_seconds(), perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Run(len(files) / (perf_counter() - begun), children_seconds() - before)


def children_seconds() -> float:
    """Processor time of all processes that were started from here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
