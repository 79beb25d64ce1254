"""Builders for tests: whole matches and log lines of any game, through `domain.match`, from a seed alone.

    events = play_match(game)                                   # a random match to its end
    events = play_match(game, options={...}, agent=greedy, resign_in=50, given=True)
    lines = log_lines(events)                                   # as the log and a replay file hold them
    raw = replay_file(events)                                   # the `.crumb.ndjson` file

Times, seats, moves and draws depend only on the arguments. Nothing here reads a clock.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec

from domain.kernel.chance import Chance, Fast, Luck, Seed
from domain.kernel.event_codec import write_event
from domain.kernel.events import AnyEvent, TimeControl
from domain.kernel.game import AnyGame, Seat
from domain.match.commands import Command, Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.evolve import evolve
from domain.match.history import fold
from domain.match.lobby import create
from domain.match.state import AnyMatch
from replays.file import encode_replay

EPOCH = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When every built match starts."""
PACE = timedelta(seconds=30)
"""The time between two plies of a built match."""
LOOKED_AT = 300
"""How many legal moves a random agent considers. In a position with many more, the first ones are good enough."""
LONGEST = 20_000
"""A match with more plies than this is considered endless."""

Agent = Callable[[AnyGame, Any, Seat, Iterable[Any], Chance], Any]
"""(game, view, seat, legal moves, chance): a move. Agents know nothing else about the match."""


def random_agent(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """Return any legal move."""
    return chance.pick(list(islice(legal, LOOKED_AT)))


def greedy_agent(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """Return the move of the game's greedy player."""
    return game.greedy(view, seat, legal, chance)


def seed_of(name: str | int) -> bytes:
    """Return 32 bytes derived from a name."""
    return sha256(f"seed {name}".encode()).digest()


@dataclass
class Table:
    """A match in progress: its luck, its events so far, and the match they fold to."""

    luck: Luck
    match: AnyMatch
    events: list[AnyEvent]

    def play(self, seat: Seat, move: Any) -> list[AnyEvent]:
        """Play a move (a Struct or plain JSON) and return the new events. Raise Refused."""
        now = EPOCH + PACE * self.match.ply
        made, self.match = decide(self.match, Play(seat, msgspec.to_builtins(move)), now, self.luck)
        self.events += made
        return made

    def take_command(self, command: Command, now: datetime | None = None) -> list[AnyEvent]:
        """Execute any command, at the usual pace or at `now`, and return the new events. Raise Refused."""
        now = now or EPOCH + PACE * self.match.ply
        made, self.match = decide(self.match, command, now, self.luck, self.past)
        self.events += made
        return made

    def past(self, ply: int) -> AnyMatch:
        """Return the match at an earlier ply."""
        return fold(self.events[:ply])

    def take(self, made: Iterable[AnyEvent]) -> None:
        """Fold new events."""
        for event in made:
            self.match = evolve(self.match, event, self.past)
            self.events.append(event)


def sit_down(
    game: AnyGame,
    *,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    position: Mapping[str, Any] | None = None,
    seed: bytes | str | int = "crumbs",
    given: bool = False,
    luck: Luck | None = None,
    match: str = "m00built",
    client_seeds: Sequence[str] = (),
    clock: TimeControl | None = None,
    rated: bool = False,
    by_chance: bool = False,
) -> Table:
    """Return a match that has just started, with all seats taken by people p0, p1, ..."""
    count = seats or game.seat_counts[0]
    luck = luck or Seed(seed if isinstance(seed, bytes) else seed_of(seed), given=given)
    shares = [*client_seeds, *["none"] * count]
    wishes = tuple(SeatSpec("human", player=f"p{n}", client_seed=shares[n]) for n in range(count))
    command = Create(
        match=match,
        game=game.slug,
        creator="p0",
        options=options or {},
        seats=wishes,
        position=position,
        clock=clock,
        rated=rated,
        by_chance=by_chance,
    )
    events, match_now = create(command, EPOCH, luck)
    return Table(luck, match_now, events)


def step(table: Table, chance: Chance, agent: Agent = random_agent, resign_in: int = 0) -> list[AnyEvent]:
    """Play one move of a seat that owes one. With `resign_in`, it resigns once in that many moves."""
    match, game = table.match, table.match.rules
    seat = chance.pick(sorted(match.to_move))
    if resign_in and chance.below(resign_in) == 0:
        return table.play(seat, {"type": "resign"})
    move = agent(game, game.view(match.state, seat), seat, game.legal_moves(match.state, seat), chance)
    return table.play(seat, move)


def play_on(table: Table, chance: Chance, agent: Agent = random_agent, resign_in: int = 0) -> list[AnyEvent]:
    """Play a match to its end and return all its events."""
    while table.match.status == "playing":
        step(table, chance, agent, resign_in)
        assert len(table.events) < LONGEST, f"{table.match.game} does not end"
    return table.events


def play_match(
    game: AnyGame, *, agent: Agent = random_agent, resign_in: int = 0, moves: str | int = "moves", **start: Any
) -> list[AnyEvent]:
    """Return the events of a whole match. `moves` seeds the agents' choices, `start` is passed to `sit_down`."""
    return play_on(sit_down(game, **start), Fast(f"{moves}"), agent, resign_in)


def log_lines(events: Iterable[AnyEvent]) -> list[bytes]:
    """Return the events as lines of the log."""
    return [write_event(event) for event in events]


def replay_file(events: Sequence[AnyEvent]) -> bytes:
    """Return the replay file of the match."""
    return b"".join(encode_replay(events))
