"""Builders for tests: whole matches and log lines of any game, through `domain.match`, from a seed alone.

    events = play_match(game)                                   # a random match to its end
    events = play_match(game, options={...}, agent=greedy, resign_in=50, given=True)
    lines = log_lines(events)                                   # as the log and a replay file store them
    raw = replay_file(events)                                   # the `.crumb.ndjson` file

Times, seats, moves and draws depend only on the arguments. Nothing here reads a clock.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import Chance, Fast, Luck
from domain.kernel.event_codec import write_event
from domain.kernel.events import AnyEvent, LuckLevel, TimeControl, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.luck import share_seal
from domain.match.commands import Command, Create, ForkSource, OpenShare, Play, SeatSpec, TakeSeat
from domain.match.decide import decide
from domain.match.evolve import evolve
from domain.match.history import fold
from domain.match.lobby import create, create_under_rules
from domain.match.luck import fork_from, new_secrets, stored_secrets, unopened_seats, with_new_salts
from domain.match.opening import full_table_hash
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

    @property
    def secrets(self) -> bytes:
        """The secrets of the match as the service stores them."""
        return stored_secrets(self.luck)

    def play(self, seat: Seat, move: Any) -> list[AnyEvent]:
        """Play a move (a Struct or plain JSON) and return the new events. Raise Refused."""
        return self.take_command(Play(seat, msgspec.to_builtins(move)))

    def take_command(self, command: Command, now: datetime | None = None) -> list[AnyEvent]:
        """Execute any command, at the usual pace or at `now`, and return the new events. Raise Refused.

        A bot decides on the view of its seat at that time.
        """
        now = now or EPOCH + PACE * self.match.ply
        if isinstance(command, Play) and command.seen is UNSET and is_bots_turn(self.match, command.seat):
            command = replace(command, seen=self.match.ply)
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


def is_bots_turn(match: AnyMatch, seat: Seat) -> bool:
    """Return whether a bot makes the next move of this seat, in a match whose log says what bots have seen."""
    return match.luck is not None and seat < len(match.seats) and match.seats[seat].acting_bot_level is not None


def secrets_of(game: AnyGame, seed: bytes | str | int, *, match: str = "m00built", given: bool = False) -> Luck:
    """Return the secrets of a match of this game, made from a seed or the name of one."""
    raw = seed if isinstance(seed, bytes) else seed_of(seed)
    return new_secrets(game, match, raw, sha256(b"salts" + raw).digest(), given=given)


def share_of(player: int, match: str = "m00built") -> str:
    """Return the share of the player with this number."""
    return sha256(f"share of p{player} in {match}".encode()).hexdigest()


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
    shares: Sequence[bool] = (),
    clock: TimeControl | None = None,
    rated: bool = False,
    by_chance: bool = False,
) -> Table:
    """Return a match that has just started, with all seats taken by people p0, p1, ...

    The match has the rules version of `game`, which may be an earlier one (`find_game(slug, 1)` has luck protocol 1).
    `client_seeds` are those of the seats under luck protocol 1. Under protocol 2, `shares` says which seats give a
    share; a rated match is sealed, and its shares are opened. Without `shares`, everybody sits down immediately.
    """
    count = seats or game.seat_counts[0]
    luck = luck or secrets_of(game, seed, match=match, given=given)
    seeds = [*client_seeds, *["none"] * count]
    wishes = tuple(SeatSpec("human", player=f"p{n}", client_seed=seeds[n]) for n in range(count))
    level: LuckLevel = "sealed" if rated else "open"
    command = Create(
        match=match,
        game=game.slug,
        creator="p0",
        options=options or {},
        seats=tuple(SeatSpec("open") for _ in wishes) if shares else wishes,
        position=position,
        clock=clock,
        rated=rated,
        by_chance=by_chance,
        level=level if shares else UNSET,
    )
    events, match_now = create_under_rules(game, command, EPOCH, luck)
    table = Table(luck, match_now, events)
    for seat, gives in enumerate(shares):
        take_seat(table, seat, gives)
    for seat in [*unopened_seats(table.match)]:
        table.take_command(OpenShare(f"p{seat}", full_table_hash(table.match), share_of(seat, match)))
    return table


def take_seat(table: Table, seat: Seat, gives: bool) -> list[AnyEvent]:
    """Let player number `seat` sit down, with a share or its seal if the player gives one."""
    match, share = table.match, share_of(seat, table.match.id)
    sealed = match.luck is not None and match.luck.level == "sealed"
    seal = share_seal(match.id, seat, match.commitment, share)
    sitting = TakeSeat(
        seat,
        f"p{seat}",
        commitment=match.commitment,
        share=share if gives and not sealed else UNSET,
        seal=seal if gives and sealed else UNSET,
    )
    return table.take_command(sitting)


def fork_table(
    parent: Table, ply: int, luck: Literal["same", "new"], name: str = "m00fork", seed: bytes | str | None = None
) -> Table:
    """Return a match forked from a ply of another, with all seats taken by people q0, q1, ...

    `seed` is that of a fork with new luck.
    """
    then = fold(parent.events[:ply])
    facts = tuple(fact for event in without_retracted(parent.events[:ply]) for fact in event.facts)
    seats = tuple(SeatSpec("human", player=f"q{n}") for n in range(len(then.seats)))
    command = Create(
        match=name,
        game=then.game,
        creator="q0",
        options=then.options,
        seats=seats,
        fork=ForkSource(fork_from(then, luck), then.rules_version, facts),
    )
    salts = sha256(f"salts of {name}".encode()).digest()
    source = secrets_of(then.rules, seed or f"luck of {name}", match=name)
    if luck == "same":
        source = with_new_salts(then, parent.luck, salts)
    events, match = create(command, EPOCH, source)
    return Table(source, match, events)


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
