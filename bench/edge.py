"""A move over HTTP next to a bare Flask endpoint with a token and an append, on the same server program and log."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from redis import Redis

from bench.floor import TOKEN
from bench.load import Load, Serving, call, free_port, gunicorn, http, serving
from bench.measure import Row, at_least, at_most, in_turns_of, ratio
from service.event_store.embedded import EmbeddedServer

FSYNCS = ("everysec", "always")
CONNECTIONS = (8, 64)
MATCHES = {8: 48, 64: 128}
"""The number of matches in a round, by the number of connections."""
FLOOR = "bench.floor:app()"
DRAWN_GAME = (0, 1, 2, 4, 3, 5, 7, 6, 8)
"""Cells that fill a tic-tac-toe board without a line: nine accepted moves per match."""
COUNTED = "open_matches=1000000 new_matches=1000000 registrations=1000000 requests=1000000 address_requests=1000000"
"""Rate limits are on, and too high to be reached."""


class Sides(NamedTuple):
    """The service, the service without the fast path, and the floor, on one log."""

    service: Serving
    framework: Serving
    floor: Serving
    token: str


def rows() -> Iterator[Row]:
    """Yield both rates, both costs and the ratios, for each fsync setting and number of connections."""
    for fsync in FSYNCS:
        with sides(fsync) as both:
            for connections in CONNECTIONS:
                yield from compare(both, connections, f"fsync {fsync}, {connections} connections")


def compare(both: Sides, connections: int, how: str) -> Iterator[Row]:
    """Yield the figures of one setting."""
    loads = in_turns_of(
        {
            "moves": lambda: moves(both.service, both.token, connections),
            "framework": lambda: moves(both.framework, both.token, connections),
            "floor": lambda: appends(both.floor, connections),
        }
    )
    rates = {name: [load.rate for load in found] for name, found in loads.items()}
    costs = {name: [load.cost for load in found] for name, found in loads.items()}
    yield Row(f"accepted moves: {how}", rates["moves"], "/s")
    yield Row(f"floor: {how}", rates["floor"], "/s")
    yield Row(f"rate, move : floor: {how}", ratio(rates["moves"], rates["floor"]), target=at_least(0.8))
    yield Row(f"rate, move without the fast path : floor: {how}", ratio(rates["framework"], rates["floor"]))
    yield Row(f"processor time of a move: {how}", costs["moves"], "us")
    yield Row(f"processor time of the floor: {how}", costs["floor"], "us")
    yield Row(f"processor time, move : floor: {how}", ratio(costs["moves"], costs["floor"]), target=at_most(1.25))
    yield Row(f"processor time, move without the fast path : floor: {how}", ratio(costs["framework"], costs["floor"]))


@contextmanager
def sides(fsync: str) -> Iterator[Sides]:
    """Start the service and its floor on one embedded log, over its unix socket, as `crumbtrail up` does."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        log = stack.enter_context(EmbeddedServer(folder / "log"))
        with Redis.from_url(log.url(0)) as redis:
            redis.config_set("appendfsync", fsync)
        service, framework, floor = (
            stack.enter_context(web(application, log.url(0), folder))
            for application in (
                "service.wsgi:app()",
                "bench.framework:app()",
                "bench.floor:app()",
            )
        )
        yield Sides(
            service, framework, floor, call(service.port, "POST", "/api/v1/players", {"name": "Bench"})["token"]
        )


@contextmanager
def web(application: str, log_url: str, folder: Path, *settings: str) -> Iterator[Serving]:
    """Start the application with the command that `crumbtrail web` uses."""
    port = free_port("127.0.0.1")
    metrics = folder / f"metrics-{port}"
    metrics.mkdir()
    environment = environment_of(log_url, metrics)
    with serving(gunicorn(application, port, *settings), port, environment) as running:
        yield running


def environment_of(log_url: str, metrics: Path) -> dict[str, str]:
    """Return the settings of a web process, with limits that are too high to be reached."""
    return {
        "CRUMBTRAIL_LIMITS": COUNTED,
        "CRUMBTRAIL_LOG_URL": log_url,
        "CRUMBTRAIL_ALLOW_FAST": "1",
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
    }


def moves(service: Serving, token: str, connections: int) -> Load:
    """Play whole games, each on its own connection."""
    boards = [new_match(service.port, token) for _ in range(MATCHES[connections])]
    return service.under([move_requests(board, token) for board in boards], connections)


def appends(floor: Serving, connections: int) -> Load:
    """Make the same number of appends, to streams of the same length."""
    streams = [append_requests(token_hex(8)) for _ in range(MATCHES[connections])]
    return floor.under(streams, connections)


def new_match(port: int, token: str) -> str:
    """Create a tic-tac-toe match with the same player on both seats."""
    wish = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "me"}]}
    return str(call(port, "POST", "/api/v1/matches", wish, token)["match"]["id"])


def move_requests(match: str, token: str) -> list[bytes]:
    """Yield the nine moves of a drawn game. The seats take turns."""
    return [
        http("POST", f"/api/v1/matches/{match}/moves?as={n % 2}", b'{"type": "mark", "cell": %d}' % cell, token)
        for n, cell in enumerate(DRAWN_GAME)
    ]


def append_requests(stream: str) -> list[bytes]:
    """Yield nine bodies for the floor, the first for an empty stream."""
    return [
        http("POST", f"/append/{stream}/{n}", b'{"type": "mark", "cell": %d}' % cell, TOKEN)
        for n, cell in enumerate(DRAWN_GAME)
    ]
