"""The match as a whole: its lifecycle around a game, itself a decider.

`decide(match, command, now, luck)` gives the events of a command, sealed and chained; `evolve(match, event)` folds
them. The last seat taken also starts the match, the last move also ends it and reveals the seed. Time and luck come in
as arguments.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.chance import Chance, Luck
from domain.court import (
    Dispute,
    RaiseDispute,
    RecordVerdict,
    Resolve,
    Retracted,
    raise_dispute,
    record_verdict,
    resolve,
    with_dispute,
)
from domain.events import (
    GENESIS,
    AnyEvent,
    Audited,
    Cancelled,
    Created,
    Disputed,
    Ended,
    Fork,
    Moved,
    Resolved,
    SeatLeft,
    SeatPlan,
    SeatTaken,
    SeedRevealed,
    Started,
    seal,
)
from domain.game import AnyGame, MatchRefused, Outcome, Seat, read_position
from domain.registry import find_game

StateT = TypeVar("StateT")

NO_CLIENT_SEED = "none"
LONGEST_CLIENT_SEED = 200
Status = Literal["open", "playing", "over"]


class SeatState(msgspec.Struct, frozen=True):
    """Who sits at a seat: a person (`player`), a bot (`level`), or nobody yet."""

    kind: Literal["human", "bot", "open"]
    private: bool = False
    player: str | None = None
    level: str | None = None
    client_seed: str | None = None


class Match(msgspec.Struct, Generic[StateT], frozen=True, kw_only=True):
    """A match at one ply: what its events fold to.

    `head` is the hash of its last event, `draws` the number of game events so far, `facts` the number of facts.
    `state` is the game's; before the start it is the game's initial one, or a fork's first. `outcome` is the result
    that stands: the game's or, after a ruling, the arbiter's. A match that was cancelled or `annulled` has none.
    """

    id: str
    game: str
    rules_version: int
    options: dict[str, Any]
    position: dict[str, Any] | None
    creator: str
    commitment: str
    given: bool
    created_at: datetime
    seats: tuple[SeatState, ...]
    status: Status
    ply: int
    head: str
    at: datetime
    draws: int
    facts: int
    state: StateT
    outcome: Outcome | None
    seed: str | None
    fork: Fork | None = None
    disputes: tuple[Dispute, ...] = ()
    retracted: tuple[Retracted, ...] = ()
    annulled: bool = False
    flawed: bool = False
    """An audit found that the log does not hold."""

    @property
    def rules(self) -> AnyGame:
        """The game at the rules version that this match is pinned to. Raises UnknownGame."""
        return find_game(self.game, self.rules_version)

    @property
    def to_move(self) -> frozenset[Seat]:
        """The seats that owe a move now."""
        return self.rules.to_move(self.state) if self.status == "playing" else frozenset()

    @property
    def is_rated(self) -> bool:
        """Whether the match may count for anything: its luck was secret, and it began at the beginning."""
        return not self.given and self.fork is None and self.position is None and not self.annulled

    @property
    def open_seats(self) -> tuple[Seat, ...]:
        """The seats that nobody has taken."""
        return tuple(n for n, seat in enumerate(self.seats) if seat.kind == "open")

    def seats_of(self, player: str | None) -> tuple[Seat, ...]:
        """The seats where this player sits."""
        return tuple(n for n, seat in enumerate(self.seats) if player is not None and seat.player == player)


AnyMatch = Match[Any]


# -- commands -----------------------------------------------------------------------------------------------------


class SeatWish(msgspec.Struct, frozen=True):
    """How the creator wants one seat: taken by a player, by a bot of a level, or open."""

    kind: Literal["human", "bot", "open"]
    player: str | None = None
    level: str | None = None
    private: bool = False
    client_seed: str = NO_CLIENT_SEED


class Create(msgspec.Struct, frozen=True, kw_only=True):
    """Create a match. `options` and `position` are plain JSON, checked by the game."""

    match: str
    game: str
    creator: str
    options: Mapping[str, Any]
    seats: tuple[SeatWish, ...]
    position: Mapping[str, Any] | None = None
    fork: "ForkPlan | None" = None


class ForkPlan(msgspec.Struct, frozen=True):
    """A match to be continued from one of its plies: where, under which rules, and the facts up to there."""

    fork: Fork
    rules_version: int
    facts: tuple[Any, ...]


class TakeSeat(msgspec.Struct, frozen=True):
    """Sit down at an open seat."""

    seat: Seat
    player: str
    client_seed: str = NO_CLIENT_SEED


class LeaveSeat(msgspec.Struct, frozen=True):
    """Get up again before the start."""

    seat: Seat


class Cancel(msgspec.Struct, frozen=True):
    """Call the match off before the start."""

    player: str


class Play(msgspec.Struct, frozen=True):
    """Make a move (plain JSON)."""

    seat: Seat
    move: Any


Command = TakeSeat | LeaveSeat | Cancel | Play | RaiseDispute | RecordVerdict | Resolve

Past = Callable[[int], AnyMatch]
"""The match as it stood behind an earlier ply."""


def create(command: Create, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The events of a new match: created, seats taken and, if all are, started.

    Raises BadOptions, MatchRefused, UnknownGame.
    """
    plan = command.fork
    game = find_game(command.game, plan.rules_version if plan else None)
    position = read_position(command.position)
    options = msgspec.to_builtins(game.read_options(command.options))
    if plan is None:
        # A set-up that cannot be is refused before anything exists; its draws are thrown away.
        game.start(len(command.seats), options, luck.draws(command.match, (), 0), position)
    first: Created[Any, Any] = Created(
        ply=1,
        at=now,
        match=command.match,
        game=game.slug,
        rules_version=game.rules_version,
        components=game.components_digest,
        options=options,
        position=position,
        seats=tuple(SeatPlan(wish.kind, wish.private) for wish in command.seats),
        creator=command.creator,
        commitment=luck.commitment(),
        given=luck.given,
        facts=plan.facts if plan else (),
        fork=plan.fork if plan else UNSET,
    )
    match = born(first)
    events: list[AnyEvent] = [first]
    for seat, wish in enumerate(command.seats):
        if wish.kind != "open":
            require_client_seed(wish.client_seed)
            taken: AnyEvent = SeatTaken(
                ply=match.ply + 1,
                seat=seat,
                at=now,
                first_fact=match.facts,
                player=wish.player,
                level=wish.level,
                client_seed=wish.client_seed,
            )
            match, events = evolve(match, taken), [*events, taken]
    return seal([*events, *start_if_full(match, now, luck)], GENESIS, luck)


def decide(match: AnyMatch, command: Command, now: datetime, luck: Luck, past: Past | None = None) -> list[AnyEvent]:
    """The events of a command. Raises Refused (IllegalMove, MatchRefused); then nothing has happened.

    `past` is asked only for a ruling that names a ply. Raises ValueError where it is missing then.
    """
    now = max(now, match.at)
    match command:
        case TakeSeat():
            events = take_seat(match, command, now, luck)
        case LeaveSeat(seat):
            events = leave_seat(match, seat, now)
        case Cancel(player):
            events = cancel(match, player, now, luck)
        case Play(seat, move):
            events = play(match, seat, move, now, luck)
        case RaiseDispute():
            events = raise_dispute(match, command, now)
        case RecordVerdict():
            events = record_verdict(match, command, now)
        case Resolve():
            events = resolve(match, command, now, then_of(match, command.to_ply, past))
    return seal(events, match.head, luck)


def take_seat(match: AnyMatch, command: TakeSeat, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Somebody sits down; the last one to do so starts the match."""
    require_open(match)
    require_seat(match, command.seat)
    if match.seats[command.seat].kind != "open":
        raise MatchRefused("seat_taken", f"Seat {command.seat} is taken already.")
    require_client_seed(command.client_seed)
    taken: AnyEvent = SeatTaken(
        ply=match.ply + 1,
        seat=command.seat,
        at=now,
        first_fact=match.facts,
        player=command.player,
        level=None,
        client_seed=command.client_seed,
    )
    return [taken, *start_if_full(evolve(match, taken), now, luck)]


def start_if_full(match: AnyMatch, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The start, once nobody is missing. A position may be over as soon as it is set."""
    if match.open_seats:
        return []
    client_seeds = client_seeds_of(match)
    started: AnyEvent
    if match.fork is not None:
        # It was set up in another match; nothing is drawn.
        started = Started(ply=match.ply + 1, at=now, first_fact=match.facts, client_seeds=client_seeds)
        return [started]
    facts = match.rules.start(len(match.seats), match.options, draws_of(match, luck, 0), match.position)
    started = Started(ply=match.ply + 1, at=now, facts=tuple(facts), draw=0, first_fact=0, client_seeds=client_seeds)
    return [started, *end_if_over(evolve(match, started), now, luck)]


def client_seeds_of(match: AnyMatch) -> tuple[str, ...]:
    """The players' shares of the luck in seat order."""
    return tuple(seat.client_seed or NO_CLIENT_SEED for seat in match.seats)


def draws_of(match: AnyMatch, luck: Luck, n: int) -> Chance:
    """The draws of game event n. A fork with the same luck has those of the match that it comes from."""
    if match.fork is not None and match.fork.luck == "same":
        return luck.draws(match.fork.origin, match.fork.client_seeds, n)
    return luck.draws(match.id, client_seeds_of(match), n)


def then_of(match: AnyMatch, ply: int | None, past: Past | None) -> AnyMatch | None:
    """The match behind an earlier ply; None where none is named or it is not there. Raises ValueError."""
    if ply is None or not 1 <= ply <= match.ply:
        return None
    if past is None:
        raise ValueError("a ruling that names a ply is decided on the match as it stood there")
    return past(ply)


def leave_seat(match: AnyMatch, seat: Seat, now: datetime) -> list[AnyEvent]:
    """Somebody gets up before the start."""
    require_open(match)
    require_seat(match, seat)
    if match.seats[seat].kind == "open":
        raise MatchRefused("seat_open", f"Nobody sits at seat {seat}.")
    return [SeatLeft(ply=match.ply + 1, seat=seat, at=now, first_fact=match.facts)]


def cancel(match: AnyMatch, player: str, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The creator calls the match off before the start."""
    require_open(match)
    if player != match.creator:
        raise MatchRefused("not_creator", "Only the player who created a match may cancel it.")
    return [
        Cancelled(ply=match.ply + 1, at=now, first_fact=match.facts),
        SeedRevealed(ply=match.ply + 2, at=now, first_fact=match.facts, seed=luck.reveal()),
    ]


def require_open(match: AnyMatch) -> None:
    """Refuse what can only be done before the start."""
    if match.status != "open":
        raise MatchRefused("already_started", "The match has started; its seats are fixed.")


def require_client_seed(text: str) -> None:
    """Refuse a share of luck that would not stand as one line beside the others (see `Seed.key`)."""
    if not 1 <= len(text) <= LONGEST_CLIENT_SEED or not text.isprintable():
        raise MatchRefused(
            "bad_client_seed", f"A client seed is 1 to {LONGEST_CLIENT_SEED} printable characters, or left out."
        )


def require_seat(match: AnyMatch, seat: Seat) -> None:
    """Refuse a seat that the match does not have."""
    if not 0 <= seat < len(match.seats):
        raise MatchRefused("no_such_seat", f"This match has the seats 0 to {len(match.seats) - 1}.")


def play(match: AnyMatch, seat: Seat, document: Any, now: datetime, luck: Luck) -> list[AnyEvent]:
    """A move and, if it was the last one, the end."""
    if match.status == "open":
        raise MatchRefused("not_started", "The match has not started: not every seat is taken.")
    require_seat(match, seat)
    game = match.rules
    move = game.read_move(document)
    if match.annulled:
        raise MatchRefused("match_annulled", "The match was annulled.")
    if match.status == "over" and match.outcome is None:
        raise MatchRefused("match_cancelled", "The match was cancelled.")
    facts = game.decide(match.state, seat, move, draws_of(match, luck, match.draws))
    moved: AnyEvent = Moved(
        ply=match.ply + 1,
        seat=seat,
        at=now,
        move=move,
        facts=tuple(facts),
        draw=match.draws,
        first_fact=match.facts,
    )
    return [moved, *end_if_over(evolve(match, moved), now, luck)]


def end_if_over(match: AnyMatch, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The end and the seed, once the game has an outcome."""
    outcome = match.rules.outcome(match.state)
    if outcome is None:
        return []
    return [
        Ended(ply=match.ply + 1, at=now, outcome=outcome, first_fact=match.facts),
        SeedRevealed(ply=match.ply + 2, at=now, seed=luck.reveal(), first_fact=match.facts),
    ]


# -- folding ------------------------------------------------------------------------------------------------------


def born(event: Created[Any, Any]) -> AnyMatch:
    """The match that a first event makes."""
    game = find_game(event.game, event.rules_version)
    fork = None if event.fork is UNSET else event.fork
    return Match(
        id=event.match,
        game=event.game,
        rules_version=event.rules_version,
        options=event.options,
        position=event.position,
        creator=event.creator,
        commitment=event.commitment,
        given=event.given,
        created_at=event.at,
        seats=tuple(SeatState("open", plan.private) for plan in event.seats),
        status="open",
        ply=event.ply,
        head=event.hash or GENESIS,
        at=event.at,
        draws=fork.draws if fork else 0,
        facts=len(event.facts),
        state=game.fold(event.facts),
        outcome=None,
        seed=None,
        fork=fork,
    )


def evolve(match: AnyMatch, event: AnyEvent, past: Past | None = None) -> AnyMatch:
    """The match after one event. Total: it never refuses. `past` is asked only when a ruling rolls the match back."""
    stepped = replace(match, ply=event.ply, head=event.hash or match.head, at=event.at)
    match event:
        case SeatTaken():
            kind: Literal["human", "bot"] = "bot" if event.player is None else "human"
            plan = match.seats[event.seat or 0]
            seat = SeatState(kind, plan.private, event.player, event.level, event.client_seed)
            return replace(stepped, seats=with_seat(match, event.seat or 0, seat))
        case SeatLeft():
            seat = SeatState("open", match.seats[event.seat or 0].private)
            return replace(stepped, seats=with_seat(match, event.seat or 0, seat))
        case Started() | Moved():
            return replace(
                stepped,
                status="playing",
                state=match.rules.fold(event.facts, match.state),
                draws=match.draws if event.draw is None else event.draw + 1,
                facts=event.first_fact + len(event.facts),
            )
        case Ended():
            return replace(stepped, status="over", outcome=event.outcome)
        case Cancelled():
            return replace(stepped, status="over")
        case SeedRevealed():
            return replace(stepped, seed=event.seed)
        case Disputed():
            return replace(stepped, disputes=with_dispute(match.disputes, event))
        case Audited():
            flawed = match.flawed or not event.holds
            return replace(stepped, disputes=with_dispute(match.disputes, event), flawed=flawed)
        case Resolved():
            return ruled(replace(stepped, disputes=with_dispute(match.disputes, event)), event, past)
        case _:
            return stepped


def ruled(match: AnyMatch, event: Resolved[Any, Any], past: Past | None) -> AnyMatch:
    """The match after a ruling. Draws go on counting: luck that was seen does not come again."""
    match event.ruling:
        case "rolled_back":
            then = then_of(match, event.to_ply, past)
            if then is None:
                return match
            taken_back = Retracted(then.ply + 1, event.ply - 1)
            return replace(match, state=then.state, facts=then.facts, retracted=(*match.retracted, taken_back))
        case "result_of":
            return replace(match, outcome=event.outcome)
        case "annulled":
            return replace(match, outcome=None, annulled=True)
        case _:
            return match


def with_seat(match: AnyMatch, number: Seat, seat: SeatState) -> tuple[SeatState, ...]:
    """The seats with one of them replaced."""
    return (*match.seats[:number], seat, *match.seats[number + 1 :])


def fold(events: Iterable[AnyEvent], match: AnyMatch | None = None, past: Past | None = None) -> AnyMatch:
    """The match after these events, from `match` or from its first event. Raises ValueError without any.

    Events that begin in the middle of a match need its `past` to be rolled back; all of them together do not.
    """
    seen: list[AnyEvent] = []
    if match is None and past is None:

        def past(ply: int) -> AnyMatch:
            return fold(seen[:ply])

    for event in events:
        seen.append(event)
        match = born(event) if isinstance(event, Created) else evolve(match, event, past) if match else None
    if match is None:
        raise ValueError("a match begins with its `created` event")
    return match


@cache
def snapshot_decoder(game: AnyGame) -> msgspec.json.Decoder[AnyMatch]:
    """Reads a match of this game as `msgspec.json.encode` wrote it."""
    return msgspec.json.Decoder(Match[game.state_type])  # type: ignore[name-defined]
