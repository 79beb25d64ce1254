"""Measures whether response times reveal what an opponent has hidden: dry runs and refused moves in two worlds.

In Mice Cake, Ann sends her mice in secret: in one world all to one column, in the other one to each column. Bob then
repeats dry runs and refused moves. The z score says by how many standard errors the times of both worlds differ. A
control decides on the true state, which the service must never do: it shows that the measurement would find a
difference.
"""

import http.client
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import sqrt
from pathlib import Path
from typing import Any

from redis import Redis

from bench.edge import web
from bench.load import Serving, call
from bench.measure import Row, Target, at_least, at_most
from domain.kernel.refusals import IllegalMove
from domain.match.commands import Play, SeatSpec
from domain.match.decide import decide
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import SECRET_KEY
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings

SAMPLES = 5_000
"""Requests of each kind in each world."""
WARM_UP = 100
MATCHES = 25
"""Matches of each world over HTTP, among which the requests are divided."""
ANN, BOB = 0, 1
SEED = "c0ffee"
WORLDS = ({"A": 4, "B": 0, "C": 0, "D": 0}, {"A": 1, "B": 1, "C": 1, "D": 1})
NAMES = ("mice in one column", "mice in all columns")
"""Where Ann's mice are."""
LEGAL = {"type": "assign_mice", "columns": {"A": 2, "B": 2, "C": 0, "D": 0}}
REFUSED = {"type": "assign_mice", "columns": {"A": 3, "B": 3, "C": 0, "D": 0}}
NOTICEABLE = at_most(3)
"""By chance, 1 of 370 measurements has a greater z score."""

Request = Callable[[], object]
Times = list[float]


def rows() -> Iterator[Row]:
    """Yield the z scores in process and over HTTP, with the times of both worlds."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        server = stack.enter_context(EmbeddedServer(folder / "log"))
        worlds = [stack.enter_context(World(server.url(n), columns).opened()) for n, columns in enumerate(WORLDS)]
        yield from compared("dry run, in process", [world.dry_run for world in worlds])
        yield from compared("refused move, in process", [world.refused_move for world in worlds])
        yield from compared("control: the true state", [world.peek for world in worlds], at_least(3))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        server = stack.enter_context(EmbeddedServer(folder / "log"))
        service = stack.enter_context(web("service.wsgi:app()", server.url(0), folder))
        yield from compared_over_http(service)


# -- in process -------------------------------------------------------------------------------------------------------


class World:
    """A service with one running match. Id, seed and players are the same in all worlds."""

    def __init__(self, url: str, columns: dict[str, int]) -> None:
        with Redis.from_url(url) as redis:
            redis.set(SECRET_KEY, b"secret of the benchmark".ljust(32))
        self._services: Services = build_services(Settings(log_url=url))
        self._commands = self._services.matches.commands
        self._attempts = iter(range(10**9))
        seats = [SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob")]
        creation = self._services.matches.creation
        self._id = creation.create("p_ann", "mice_cake", seats, {}, seed=bytes.fromhex(SEED), key="match").match.id
        self._play(ANN, "p_ann", {"type": "assign_mice", "columns": columns})
        self._match = self._services.matches.repository.load(self._id)
        self._secrets = self._services.matches.repository.secrets(self._match)

    @contextmanager
    def opened(self) -> Iterator["World"]:
        """Close the connections at the end."""
        yield self
        self._services.runtime.redis.close()

    def _play(self, seat: int, player: str, move: Any) -> None:
        by = IdempotencyKey(player, f"{next(self._attempts):06}")
        self._commands.submit(self._id, Play(seat, move), by)

    def dry_run(self) -> None:
        """Try a legal move."""
        self._commands.dry_run(self._match, BOB, LEGAL)

    def refused_move(self) -> None:
        """Make a move that is refused."""
        with suppress(IllegalMove):
            self._play(BOB, "p_bob", REFUSED)

    def peek(self) -> None:
        """Try the legal move on the true state."""
        decide(self._match, Play(BOB, LEGAL), self._match.last_event_at, self._secrets)


def compared(name: str, requests: list[Request], target: Target = NOTICEABLE) -> Iterator[Row]:
    """Yield the median time in each of two worlds, and the z score."""
    times_in_pairs(requests, WARM_UP)
    times = times_in_pairs(requests, SAMPLES)
    for world, found in zip(NAMES, times, strict=True):
        yield Row(f"{name}, {world}", [statistics.median(found)], "us")
    yield Row(f"{name}, z of {SAMPLES:,} samples each", [abs(rank_z(*times))], target=target)


def times_in_pairs(requests: list[Request], count: int) -> list[Times]:
    """Return the times (us) of two requests that alternate. The order in each pair is random."""
    times: list[Times] = [[], []]
    order = [0, 1]
    for _ in range(count):
        random.shuffle(order)
        for number in order:
            start = time.perf_counter_ns()
            requests[number]()
            times[number].append((time.perf_counter_ns() - start) / 1000)
    return times


def rank_z(one: Times, other: Times) -> float:
    """Return the z score of the Mann-Whitney test, which slow outliers don't distort."""
    ranked = sorted([(value, 0) for value in one] + [(value, 1) for value in other])
    ranks = sum(rank for rank, (_, which) in enumerate(ranked, 1) if which == 0)
    n, m = len(one), len(other)
    return (ranks - n * (n + m + 1) / 2) / sqrt(n * m * (n + m + 1) / 12)


# -- over HTTP --------------------------------------------------------------------------------------------------------


def compared_over_http(service: Serving) -> Iterator[Row]:
    """Yield the z scores of matches of both worlds.

    The world of a dry run depends on the match's id, so each match is one sample: the median of its answers.
    """
    ann, bob = (call(service.port, "POST", "/api/v1/players", {"name": name})["token"] for name in ("Ann", "Bob"))
    matches = [[running_match(service.port, ann, bob, columns) for _ in range(MATCHES)] for columns in WORLDS]
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    for name, path, move in (("dry run", "moves?dry_run=1", LEGAL), ("refused move", "moves", REFUSED)):
        medians = [
            [statistics.median(times) for times in both]
            for both in times_of_matches(connection, matches, path, move, bob)
        ]
        for world, found in zip(NAMES, medians, strict=True):
            yield Row(f"{name}, over HTTP, {world}", found, "us")
        yield Row(
            f"{name}, over HTTP, z of {SAMPLES:,} samples each in {MATCHES} matches",
            [abs(mean_z(*medians))],
            target=NOTICEABLE,
        )
    connection.close()


def running_match(port: int, ann: str, bob: str, columns: dict[str, int]) -> str:
    """Return the id of a match in which Ann has sent her mice."""
    wish = {"game": "mice_cake", "seats": [{"kind": "me"}, {"kind": "open"}], "seed": SEED}
    match = str(call(port, "POST", "/api/v1/matches", wish, ann)["match"]["id"])
    call(port, "POST", f"/api/v1/matches/{match}/seats/1", {}, bob)
    call(port, "POST", f"/api/v1/matches/{match}/moves", {"type": "assign_mice", "columns": columns}, ann)
    return match


def times_of_matches(
    connection: http.client.HTTPConnection, matches: list[list[str]], path: str, move: Any, token: str
) -> list[list[Times]]:
    """Return the times (us) of the answers of each match in each world. All matches take turns in random order."""
    body = json.dumps(move).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    times: dict[str, Times] = {match: [] for both in matches for match in both}
    order = [*times]
    for number in range(SAMPLES // MATCHES + 1):
        random.shuffle(order)
        for match in order:
            start = time.perf_counter_ns()
            connection.request("POST", f"/api/v1/matches/{match}/{path}", body, headers)
            connection.getresponse().read()
            if number:  # the first answer fills caches
                times[match].append((time.perf_counter_ns() - start) / 1000)
    return [[times[match] for match in both] for both in matches]


def mean_z(one: Times, other: Times) -> float:
    """Return by how many standard errors two means differ."""
    error = sqrt(statistics.variance(one) / len(one) + statistics.variance(other) / len(other))
    return (statistics.mean(one) - statistics.mean(other)) / error
