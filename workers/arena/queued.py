"""Plays a series on RQ workers. Matches are queued a few at a time, and results are fetched as they finish. After an
interruption, finished matches are found again if the same series is repeated soon."""

import time
from collections.abc import Generator
from hashlib import sha256
from itertools import islice

import msgspec

from domain.bots.levels import LEVELS
from workers.arena.series import RecordedMatch, Series
from workers.jobs.queue import JobQueue

MAX_IN_FLIGHT = 64
"""Maximum number of matches queued or being played."""
POLL_SECONDS = 0.2
MAX_TRIES = 2
"""How often a match is tried if it fails on its worker."""


class MatchFailed(Exception):
    """Raised for a match that failed on its workers, or whose result was lost, in every attempt."""


def play_on_workers(series: Series, count: int, jobs: JobQueue) -> Generator[RecordedMatch, None, None]:
    """Yield the matches as they finish. When the generator is closed, unfinished matches leave the queue.

    Raises QueueUnavailable, MatchFailed.
    """
    text = msgspec.json.encode(series).decode()
    engines = [(LEVELS[name].engine, LEVELS[name].version) for name in series.bots]
    digest = sha256(f"{text}|{engines}".encode()).hexdigest()[:16]
    numbers = iter(range(count))
    tried: dict[str, int] = {}
    waiting: dict[str, int] = {}

    def put(number: int) -> None:
        job_id = f"arena-{digest}-{number}"
        waiting[job_id] = number
        tried[job_id] = tried.get(job_id, 0) + 1
        jobs.enqueue_arena_match(job_id, text, number)

    try:
        while True:
            for number in islice(numbers, MAX_IN_FLIGHT - len(waiting)):
                put(number)
            if not waiting:
                return
            for job_id, result in jobs.finished_arena_matches(list(waiting)).items():
                number = waiting.pop(job_id)
                if result is not None:
                    yield msgspec.json.decode(result, type=RecordedMatch)
                    continue
                if tried[job_id] >= MAX_TRIES:
                    raise MatchFailed(f"match {number} failed on its worker. See the worker's log for details")
                jobs.remove_arena_matches([job_id])
                put(number)
            time.sleep(POLL_SECONDS)
    finally:
        jobs.remove_arena_matches(waiting)
