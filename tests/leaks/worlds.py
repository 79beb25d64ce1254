"""Two worlds that a reader cannot tell apart: the same match twice, with one hidden difference.

Both matches of a pair are played through `domain.match` from one seed. In the second world, one draw or one move is
different. They are a pair for a reader if the reader's views and facts are equal while the states differ; then
everything else that the reader gets must be equal too. Whether views and facts hide enough is checked by the contract
tests, which compare with worlds sampled from a reader's knowledge.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import msgspec

from domain.kernel.chance import Chance, Fast, Luck, Seed
from domain.kernel.events import AnyEvent, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import Refused
from domain.match.commands import Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.history import fold
from domain.match.lobby import create
from domain.match.state import AnyMatch
from replays.re_execution import TracedChance
from replays.redaction import redact_events
from service.event_store.keys import match_id_for
from tests.builders import EPOCH, PACE, seed_of

Kind = Literal["people", "practice"]
"""Between people, with a seed drawn by the server; or one person against bots, with a given seed."""
PEOPLE = tuple(f"p_{n:016x}" for n in range(1, 10))
"""The players of a match in the order of its seats; the others are spectators."""
MAX_MOVES_SAMPLED = 400
MAX_MOVES_PLAYED = 40
"""Maximum number of moves before the end of a pair's matches."""
MAX_WORLDS_TRIED = 24
"""Number of second worlds to try for a first one."""


class ModifiedLuck:
    """A match's luck with one draw of one game event replaced."""

    def __init__(self, luck: Luck, event: int, swapped: int, value: int) -> None:
        self._luck, self._event, self._swapped, self._value = luck, event, swapped, value
        self.given = luck.given
        self.commitment = luck.commitment
        self.salt = luck.salt
        self.reveal = luck.reveal

    def draws(self, match: str, client_seeds: Sequence[str], n: int) -> Chance:
        """Return the draws of game event n."""
        source = self._luck.draws(match, client_seeds, n)
        return TracedChance(source, self._swapped, self._value) if n == self._event else source


@dataclass(frozen=True)
class MadeMove:
    """A move as plain JSON, and the seat that made it."""

    seat: Seat
    move: Any


@dataclass(frozen=True)
class World:
    """A match in one of two worlds."""

    events: tuple[AnyEvent, ...]
    turns: tuple[MadeMove, ...]

    @cached_property
    def match(self) -> AnyMatch:
        """The match after its events."""
        return fold(self.events)

    def information_for(self, reader: Seat | None) -> bytes:
        """Return what a reader may see: moves, facts, view and whose turn it is."""
        match = self.match
        seen = redact_events(self.events, match, reader, lambda ply: fold(self.events[:ply]))
        facts = [[event.facts, event.move] for event in seen]
        return canonical_json([facts, match.rules.view(match.state, reader), sorted(match.to_move)])

    def facts_for(self, reader: Seat | None) -> list[Any]:
        """Return the facts that were not taken back, as the reader may see them."""
        seen = redact_events(self.events, self.match, reader, lambda ply: fold(self.events[:ply]))
        return [fact for event in without_retracted(seen) for fact in event.facts]


@dataclass(frozen=True)
class Pair:
    """Two worlds with the same `seed` that `reader` cannot tell apart."""

    game: AnyGame
    kind: Kind
    seed: bytes
    worlds: tuple[World, World]
    reader: Seat | None

    @property
    def match(self) -> str:
        """The id of the match, the same in both worlds."""
        return self.worlds[0].match.id


def pairs(game: AnyGame, seats: int, number: int, kind: Kind = "people", most: int = 1) -> Iterator[Pair]:
    """Yield pairs of the match with this number, up to `most` for each reader; there may be none."""
    chance = Fast(f"pairs {game.slug} {seats} {number} {kind}")
    seed, match = seed_of(f"pair {number}"), match_id_for(seed_of(f"match {game.slug} {kind} {number}"))
    luck = Seed(seed, given=kind == "practice")
    one = play_random_moves(
        game, start_match(game, seats, kind, match, luck), luck, chance, chance.below(MAX_MOVES_PLAYED)
    )
    known = {reader: one.information_for(reader) for reader in (*range(seats), None)}
    found: Counter[Seat | None] = Counter()
    for _ in range(MAX_WORLDS_TRIED):
        other = other_world(game, seats, kind, match, luck, one, chance)
        if other is None or canonical_json(other.match.state) == canonical_json(one.match.state):
            continue
        for reader, information in known.items():
            if found[reader] < most and other.information_for(reader) == information:
                found[reader] += 1
                yield Pair(game, kind, seed, (one, other), reader)
        if min(found[reader] for reader in known) == most:
            return


def start_match(game: AnyGame, seats: int, kind: Kind, match: str, luck: Luck) -> tuple[AnyEvent, ...]:
    """Return the events of a match that has just started."""
    wishes = [SeatSpec("human", player=player) for player in PEOPLE[:seats]]
    if kind == "practice":
        wishes[1:] = [SeatSpec("bot", level="greedy")] * (seats - 1)
    command = Create(match=match, game=game.slug, creator=PEOPLE[0], options={}, seats=tuple(wishes))
    return tuple(create(command, EPOCH, luck).events)


def play_random_moves(game: AnyGame, events: tuple[AnyEvent, ...], luck: Luck, chance: Chance, moves: int) -> World:
    """Return the world after this many random moves, or before the move that would end the match."""
    made, turns, match = list(events), [], fold(events)
    for _ in range(moves):
        seat = chance.pick(sorted(match.to_move))
        move = chance.pick(list(islice(game.legal_moves(match.state, seat), MAX_MOVES_SAMPLED)))
        turn = MadeMove(seat, msgspec.to_builtins(move))
        further = decide_move(match, turn, luck)
        after = fold(further, match)
        if after.status == "over":
            break
        made, match = made + further, after
        turns.append(turn)
    return World(tuple(made), tuple(turns))


def decide_move(match: AnyMatch, turn: MadeMove, luck: Luck) -> list[AnyEvent]:
    """Return the events of a move, at the usual pace of these matches. Raises Refused."""
    return decide(match, Play(turn.seat, turn.move), EPOCH + PACE * match.ply, luck).events


def other_world(
    game: AnyGame, seats: int, kind: Kind, match: str, luck: Luck, one: World, chance: Chance
) -> World | None:
    """Return the same match with a different draw or move; None if its later moves are no longer legal."""
    turns, other, parted = list(one.turns), luck, 0
    if turns and chance.below(2):
        parted = max(0, len(turns) - 1 - chance.below(4))
        before = World(one.events[: events_before_turn(one, parted)], ()).match
        seat = turns[parted].seat
        moves = list(islice(game.legal_moves(before.state, seat), MAX_MOVES_SAMPLED))
        turns[parted] = MadeMove(seat, msgspec.to_builtins(chance.pick(moves)))
        made = list(one.events[: events_before_turn(one, parted)])
    else:
        event = chance.below(1 + len(turns)) if chance.below(2) else 0
        other = swap_draw(game, match, luck, one, event, chance)
        parted = max(0, event - 1)
        made = (
            list(one.events[: events_before_turn(one, parted)])
            if event
            else list(start_match(game, seats, kind, match, other))
        )
    now = fold(made)
    try:
        for turn in turns[parted:]:
            further = decide_move(now, turn, other)
            made, now = made + further, fold(further, now)
    except Refused:
        return None
    return World(tuple(made), tuple(turns)) if now.status == "playing" else None


def events_before_turn(world: World, turn: int) -> int:
    """Return the number of events before that of a turn."""
    moves = [n for n, event in enumerate(world.events) if event.draw is not None]
    return [*moves, len(world.events)][turn + 1]  # the first is the start


def swap_draw(game: AnyGame, match: str, luck: Luck, one: World, event: int, chance: Chance) -> Luck:
    """Return the luck with a different draw in one game event."""
    draws = draw_ranges(game, match, luck, one, event)
    if not draws:
        return luck
    at = chance.below(len(draws))
    return ModifiedLuck(luck, event, at, chance.below(draws[at]))


def draw_ranges(game: AnyGame, match: str, luck: Luck, one: World, event: int) -> list[int]:
    """Return the number of possible values of each draw of a game event."""
    source = TracedChance(luck.draws(match, ["none"] * len(one.match.seats), event))
    if event == 0:
        game.start(len(one.match.seats), one.match.options, source)
    else:
        turn = one.turns[event - 1]
        before = World(one.events[: events_before_turn(one, event - 1)], ()).match
        game.decide(before.state, turn.seat, game.read_move(turn.move), source)
    return [draw.below for draw in source.draws]
