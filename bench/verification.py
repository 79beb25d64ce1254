"""Measures the verification of replay files: match by match, and many files in one process and in two."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

from bench.measure import ROUNDS, Row, at_least, at_most, ratio
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from replays.file import SUFFIX
from replays.verify import verify
from tests.builders import greedy_agent, play_match, random_agent, replay_file

MATCHES = 12
"""The number of finished matches per game, half between greedy players and half between random ones."""
FILES = 1_000
TIMES = 3
GOLDEN = Path(__file__).parents[1] / "tests" / "golden"


class Run(NamedTuple):
    """One run of the command: files per second, and seconds of processor time of all its processes."""

    rate: float
    processor: float


def rows() -> Iterator[Row]:
    """Yield one row per game, then the rates of one process and of two."""
    for game in games().values():
        yield from game_rows(game)
    yield from command_rows()


def game_rows(game: AnyGame) -> Iterator[Row]:
    """Yield the median match of a game, in ms of one processor."""
    files = list(finished_matches(game))
    rounds = [[spent(file) for file in files] for _ in range(ROUNDS)]
    what = f"{game.slug}: verification of a match ({len(files)} matches, {events(files):,.0f} events in the median)"
    yield Row(f"{what}, median", [median(each) for each in rounds], "ms", target=at_most(100))
    yield Row(f"{game.slug}: the slowest of them", [max(each) for each in rounds], "ms")


def finished_matches(game: AnyGame) -> Iterator[bytes]:
    """Return the files of matches with all numbers of seats, between both kinds of players."""
    seats = cycle(game.seat_counts)
    for number in range(MATCHES):
        agent = greedy_agent if number % 2 else random_agent
        yield replay_file(play_match(game, seats=next(seats), agent=agent, seed=number, moves=number))


def spent(file: bytes) -> float:
    """Return the processor time of one verification in ms."""
    begun = process_time()
    assert verify(file).ok
    return (process_time() - begun) * 1000


def events(files: Sequence[bytes]) -> float:
    """Return the number of events of the median file."""
    return median(file.count(b"\n") - 2 for file in files)


def command_rows() -> Iterator[Row]:
    """Yield the rates of one process and of two, and their cost. The ratio is meaningful only on a quiet machine."""
    files = list(islice(cycle(sorted(GOLDEN.glob(f"*/*{SUFFIX}"))), FILES))
    runs: dict[int, list[Run]] = {1: [], 2: []}
    for number in range(TIMES):
        for jobs in (1, 2) if number % 2 else (2, 1):
            runs[jobs].append(verified(files, jobs))
    one, two = ([run.rate for run in runs[jobs]] for jobs in (1, 2))
    costs = ratio([run.processor for run in runs[2]], [run.processor for run in runs[1]])
    yield Row(f"{FILES:,} files verified, --jobs 1", one, "/s")
    yield Row(f"{FILES:,} files verified, --jobs 2 ({os.cpu_count()} processors)", two, "/s")
    yield Row("the same : --jobs 1", ratio(two, one), target=at_least(1.8))
    yield Row("processor time of two processes : of one", costs)


def verified(files: list[Path], jobs: int) -> Run:
    """Run the command from start to end."""
    command = [sys.executable, "-m", "service.cli", "verify", "--json", "--jobs", str(jobs), *map(str, files)]
    before, begun = children_seconds(), perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Run(len(files) / (perf_counter() - begun), children_seconds() - before)


def children_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
