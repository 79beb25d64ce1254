"""Two worlds that a reader cannot tell apart: the same match twice, with one hidden difference.

Both matches of a pair are played through `domain.match` from one seed, under the newest rules with luck protocol 2 or
under rules version 1 with protocol 1. In the second world, one draw or one move is different. They are a pair for a
reader if the reader's views and facts are equal while the states differ; then everything else that the reader gets must
be equal too. Whether views and facts hide enough is checked by the contract tests, which compare with worlds sampled
from a reader's knowledge.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from domain.kernel.chance import Chance, Fast, Luck
from domain.kernel.events import AnyEvent, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.luck import share_seal
from domain.kernel.refusals import Refused
from domain.match.commands import Create, OpenShare, Play, SeatSpec, TakeSeat
from domain.match.decide import decide
from domain.match.history import fold
from domain.match.lobby import create_under_rules
from domain.match.luck import new_secrets, stored_secrets, unopened_seats
from domain.match.opening import full_table_hash
from domain.match.state import AnyMatch
from replays.re_execution import Draw, TracedLuck
from replays.redaction import redact_events
from service.event_store.keys import match_id_for
from tests.builders import EPOCH, PACE, seed_of

Kind = Literal["people", "practice"]
"""Between people, with a seed drawn by the server; or one person against bots, with a given seed."""
PEOPLE = tuple(f"p_{n:016x}" for n in range(1, 10))
"""The players of a match in the order of its seats; the others are spectators."""
SHARES = tuple(seed_of(f"share {n}").hex() for n in range(len(PEOPLE)))
"""The shares of these players, where the match takes shares."""
WITHOUT_SHARE = 1
"""The seat of a player who adds no share."""
MAX_MOVES_SAMPLED = 400
MAX_MOVES_PLAYED = 40
"""Maximum number of moves before the end of a pair's matches."""
MAX_WORLDS_TRIED = 24
"""Number of second worlds to try for a first one."""


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
    """Two worlds with the same stored `secrets` that `reader` cannot tell apart."""

    game: AnyGame
    kind: Kind
    secrets: bytes
    worlds: tuple[World, World]
    reader: Seat | None

    @property
    def match(self) -> str:
        """The id of the match, the same in both worlds."""
        return self.worlds[0].match.id


@dataclass(frozen=True)
class Setting:
    """What both worlds of a pair share: game, number of seats, kind, id and secrets of the match.

    Under luck protocol 2, people play a sealed match in which everybody but seat 1 has opened a share. The service
    remembers for each bot move on which ply the bot decided, and whether its strategy failed.
    """

    game: AnyGame
    seats: int
    kind: Kind
    match: str
    luck: Luck

    @property
    def has_levels(self) -> bool:
        """Whether the match has luck protocol 2."""
        return self.game.luck_protocol == 2

    def is_bot(self, seat: Seat) -> bool:
        """Return whether a bot plays this seat."""
        return self.kind == "practice" and seat > 0


def pairs(game: AnyGame, seats: int, number: int, kind: Kind = "people", most: int = 1) -> Iterator[Pair]:
    """Yield up to `most` pairs for each reader of the match with this number. There may be none.

    In every other match against bots, the last bot's strategy fails in the second world. Only that bot's worker may
    know it.
    """
    chance = Fast(f"pairs {game.slug} {seats} {number} {kind}")
    seed, match = seed_of(f"pair {number}"), match_id_for(seed_of(f"match {game.slug} {kind} {number}"))
    luck = new_secrets(game, match, seed, seed_of(f"salts {number}"), given=kind == "practice")
    setting = Setting(game, seats, kind, match, luck)
    one = play_random_moves(setting, start_match(setting, luck), chance, chance.below(MAX_MOVES_PLAYED))
    failing = seats - 1 if setting.has_levels and setting.is_bot(seats - 1) and number % 2 else None
    readers = [reader for reader in (*range(seats), None) if reader is None or reader != failing]
    known = {reader: one.information_for(reader) for reader in readers}
    found: Counter[Seat | None] = Counter()
    for _ in range(MAX_WORLDS_TRIED):
        other = other_world(setting, one, chance, failing)
        if other is None or canonical_json(other.match.state) == canonical_json(one.match.state):
            continue
        for reader, information in known.items():
            if found[reader] < most and other.information_for(reader) == information:
                found[reader] += 1
                yield Pair(game, kind, stored_secrets(luck), (one, other), reader)
        if min(found[reader] for reader in known) == most:
            return


def start_match(setting: Setting, luck: Luck) -> tuple[AnyEvent, ...]:
    """Return the events of a match that has just started. `luck` is used for the draws of the start."""
    game, people = setting.game, PEOPLE[: setting.seats]
    wishes = [SeatSpec("human", player=player) for player in people]
    if setting.kind == "practice":
        wishes[1:] = [SeatSpec("bot", level="greedy")] * (setting.seats - 1)
    sealed = setting.has_levels and setting.kind == "people"
    if sealed:
        wishes[1:] = [SeatSpec("open")] * (setting.seats - 1)
    command = Create(
        match=setting.match,
        game=game.slug,
        creator=PEOPLE[0],
        options={},
        seats=tuple(wishes),
        level="sealed" if sealed else UNSET,
    )
    made, now = create_under_rules(game, command, EPOCH, luck)
    for seat, player in enumerate(people) if sealed else ():
        seal = share_seal(now.id, seat, now.commitment, SHARES[seat])
        given = {"commitment": now.commitment, "seal": seal} if seat != WITHOUT_SHARE else {}
        events, now = decide(now, TakeSeat(seat, player, **given), EPOCH, luck)
        made += events
    for seat in unopened_seats(now):
        events, now = decide(now, OpenShare(PEOPLE[seat], full_table_hash(now), SHARES[seat]), EPOCH, luck)
        made += events
    return tuple(made)


def play_random_moves(setting: Setting, events: tuple[AnyEvent, ...], chance: Chance, moves: int) -> World:
    """Return the world after this many random moves, or before the move that would end the match."""
    made, turns, match = list(events), [], fold(events)
    for _ in range(moves):
        seat = chance.pick(sorted(match.to_move))
        move = chance.pick(list(islice(setting.game.legal_moves(match.state, seat), MAX_MOVES_SAMPLED)))
        turn = MadeMove(seat, msgspec.to_builtins(move))
        further = decide_move(setting, match, turn, setting.luck)
        after = fold(further, match)
        if after.status == "over":
            break
        made, match = made + further, after
        turns.append(turn)
    return World(tuple(made), tuple(turns))


def decide_move(
    setting: Setting, match: AnyMatch, turn: MadeMove, luck: Luck, failing: Seat | None = None
) -> list[AnyEvent]:
    """Return the events of a move, at the usual pace of these matches. Raises Refused.

    The bot in the seat `failing` has decided on an older view and failed.
    """
    command = Play(turn.seat, turn.move)
    if setting.is_bot(turn.seat):
        failed = turn.seat == failing
        command = Play(turn.seat, turn.move, seen=match.ply - failed, fallback=True if failed else UNSET)
    return decide(match, command, EPOCH + PACE * match.ply, luck).events


def other_world(setting: Setting, one: World, chance: Chance, failing: Seat | None) -> World | None:
    """Return the same match with a different draw or move; None if its later moves are no longer legal."""
    game, turns, parted, swapped = setting.game, list(one.turns), 0, setting.luck
    if turns and chance.below(2):
        parted = max(0, len(turns) - 1 - chance.below(4))
        before = World(one.events[: events_before_turn(one, parted)], ()).match
        seat = turns[parted].seat
        moves = list(islice(game.legal_moves(before.state, seat), MAX_MOVES_SAMPLED))
        turns[parted] = MadeMove(seat, msgspec.to_builtins(chance.pick(moves)))
        event = 0
    else:
        event = chance.below(1 + len(turns)) if chance.below(2) else 0
        swapped = swap_draw(setting, one, event, chance)
        parted = max(0, event - 1)
    if failing is not None:
        parted = 0
    begins_anew = swapped is not setting.luck and not event
    made = list(start_match(setting, swapped) if begins_anew else one.events[: events_before_turn(one, parted)])
    now = fold(made)
    try:
        for number, turn in enumerate(turns[parted:], parted + 1):
            luck = swapped if number == event else setting.luck
            further = decide_move(setting, now, turn, luck, failing)
            made, now = made + further, fold(further, now)
    except Refused:
        return None
    return World(tuple(made), tuple(turns)) if now.status == "playing" else None


def events_before_turn(world: World, turn: int) -> int:
    """Return the number of events before that of a turn."""
    moves = [n for n, event in enumerate(world.events) if event.draw is not None]
    return [*moves, len(world.events)][turn + 1]  # the first is the start


def swap_draw(setting: Setting, one: World, event: int, chance: Chance) -> Luck:
    """Return the luck with a different draw in one game event: the start (0) or a turn (from 1)."""
    draws = draws_of_event(setting, one, event)
    if not draws:
        return setting.luck
    at = chance.below(len(draws))
    return TracedLuck(setting.luck, at, chance.below(draws[at].below))


def draws_of_event(setting: Setting, one: World, event: int) -> list[Draw]:
    """Return the draws of a game event."""
    traced = TracedLuck(setting.luck)
    if event == 0:
        start_match(setting, traced)
    else:
        before = World(one.events[: events_before_turn(one, event - 1)], ()).match
        decide_move(setting, before, one.turns[event - 1], traced)
    return traced.traced
