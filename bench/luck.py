"""An accepted move under luck protocol 2 next to one under protocol 1, in the same tree and at the same time.

Protocol 2 counts uses, names purposes, and draws each use from a stream of its own. Rules version 1 of each game has
protocol 1; such matches are written to the log as earlier releases did, because the service starts no new ones.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from secrets import token_bytes
from typing import Any, NamedTuple

import msgspec

from bench.edge import web
from bench.load import Serving, call, http
from bench.measure import Row, at_most, in_turns, ratio
from domain.kernel.chance import SEED_BYTES, Fast, Luck
from domain.kernel.event_codec import write_event
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game
from domain.match.commands import Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.lobby import create_under_rules
from domain.match.luck import new_secrets, stored_secrets
from domain.match.state import AnyMatch
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from service.matches.results import IdempotencyKey, payload_digest

GAMES = ("tic_tac_toe", "mice_cake")
VERSIONS = {"protocol 1": 1, "protocol 2": 2}
"""The rules version of each protocol."""
MATCHES = 60
"""Matches per round. The dice of both protocols differ, so their matches do too."""
CONNECTIONS = 8


class Script(NamedTuple):
    """A match and the moves that will be made in it: (seat, move)."""

    luck: Luck
    events: list[AnyEvent]
    match: AnyMatch
    moves: list[tuple[int, Any]]


def rows() -> Iterator[Row]:
    """Yield the processor time of a decided move, and of one over HTTP, with their ratios."""
    for slug in GAMES:
        yield from compared(f"decided move, {slug}", in_turns(deciding(slug)))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        server = stack.enter_context(EmbeddedServer(folder / "log"))
        service = stack.enter_context(web("service.wsgi:app()", server.url(0), folder))
        edge = Edge(service, server.url(0))
        for slug in GAMES:
            yield from compared(f"accepted move over HTTP, {slug}", in_turns(edge.loads(slug)), limit=1.03)


def compared(what: str, figures: dict[str, list[float]], limit: float | None = None) -> Iterator[Row]:
    """Yield the figures (us) of both protocols and their ratio."""
    for name, rounds in figures.items():
        yield Row(f"{what}, {name}", rounds, "us")
    target = None if limit is None else at_most(limit)
    yield Row(f"{what}, protocol 2 : protocol 1", ratio(figures["protocol 2"], figures["protocol 1"]), target=target)


def deciding(slug: str) -> dict[str, Callable[[], float]]:
    """Return functions that give the time of a decided move (us) for each protocol."""
    scripts = {
        name: [script_of(find_game(slug, version), "p_bench", f"{n}") for n in range(MATCHES)]
        for name, version in VERSIONS.items()
    }
    return {name: partial(decided, found) for name, found in scripts.items()}


def script_of(game: AnyGame, player: str, name: str) -> Script:
    """Return a match that has just started, and the moves of greedy players to its end."""
    match, now = new_match_id(), datetime.now(UTC)
    luck = new_secrets(game, match, token_bytes(SEED_BYTES), token_bytes(SEED_BYTES))
    seats = (SeatSpec("human", player=player),) * game.seat_counts[0]
    command = Create(match=match, game=game.slug, creator=player, options={}, seats=seats)
    events, started = create_under_rules(game, command, now, luck)
    moves, at, chance = list[tuple[int, Any]](), started, Fast(name)
    while at.status == "playing":
        seat = min(at.to_move)
        found = game.greedy(game.view(at.state, seat), seat, game.legal_moves(at.state, seat), chance)
        move = msgspec.to_builtins(found)
        moves.append((seat, move))
        at = decide(at, Play(seat, move), now, luck).match
    return Script(luck, events, started, moves)


def decided(scripts: list[Script]) -> float:
    """Return the processor time (us) of deciding, sealing and encoding a move."""
    count, start = 0, time.process_time()
    for script in scripts:
        match = script.match
        for seat, move in script.moves:
            events, match = decide(match, Play(seat, move), match.last_event_at, script.luck)
            for event in events:
                write_event(event)
            count += 1
    return (time.process_time() - start) / count * 1e6


class Edge:
    """A running service, and matches that are written to its log."""

    def __init__(self, service: Serving, log_url: str) -> None:
        self._service = service
        self._log = MatchLog(connect(log_url))
        registered = call(service.port, "POST", "/api/v1/players", {"name": "Bench"})
        self._token, self._player = registered["token"], registered["player"]["id"]

    def loads(self, slug: str) -> dict[str, Callable[[], float]]:
        """Return functions that give the time of an accepted move (us) for each protocol."""
        return {name: partial(self._load, find_game(slug, version)) for name, version in VERSIONS.items()}

    def _load(self, game: AnyGame) -> float:
        talks = [self._requests(game, f"{n}") for n in range(MATCHES)]
        return self._service.under(talks, CONNECTIONS).cost

    def _requests(self, game: AnyGame, name: str) -> list[bytes]:
        """Return the requests of the moves of a new match."""
        script = script_of(game, self._player, name)
        self._log.append(
            script.match.id,
            0,
            [write_event(event) for event in script.events],
            command=IdempotencyKey(self._player, script.match.id).digest().hex(),
            payload=payload_digest([script.match.id]),
            seed=stored_secrets(script.luck),
        )
        path = f"/api/v1/matches/{script.match.id}/moves?as="
        return [http("POST", f"{path}{seat}", msgspec.json.encode(move), self._token) for seat, move in script.moves]
