"""The match as a whole: its lifecycle around a game, itself a decider.

`decide(match, command, now, luck)` gives the events of a command, sealed and chained; `evolve(match, event)` folds
them. The last seat taken also starts the match, the last move also ends it and reveals the seed. Time and luck come in
as arguments.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from domain.chance import Luck
from domain.events import (
    GENESIS,
    AnyEvent,
    Cancelled,
    Created,
    Ended,
    Moved,
    SeatLeft,
    SeatPlan,
    SeatTaken,
    SeedRevealed,
    Started,
    seal,
)
from domain.game import AnyGame, Outcome, Refused, Seat, read_position
from domain.registry import find_game

StateT = TypeVar("StateT")

NO_CLIENT_SEED = "none"
LONGEST_CLIENT_SEED = 200
Status = Literal["open", "playing", "over"]


class MatchRefused(Refused):
    """A command that the match as it stands does not allow. The rule is the lifecycle's own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, "match", message)


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
    `state` is the game's; before the start it is the game's initial one.
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

    @property
    def rules(self) -> AnyGame:
        """The game at the rules version that this match is pinned to. Raises UnknownGame."""
        return find_game(self.game, self.rules_version)

    @property
    def to_move(self) -> frozenset[Seat]:
        """The seats that owe a move now."""
        return self.rules.to_move(self.state) if self.status == "playing" else frozenset()

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


Command = TakeSeat | LeaveSeat | Cancel | Play


def create(command: Create, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The events of a new match: created, seats taken and, if all are, started.

    Raises BadOptions, MatchRefused, UnknownGame.
    """
    game = find_game(command.game)
    position = read_position(command.position)
    options = msgspec.to_builtins(game.read_options(command.options))
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
    )
    match = born(first)
    events: list[AnyEvent] = [first]
    for seat, wish in enumerate(command.seats):
        if wish.kind != "open":
            require_client_seed(wish.client_seed)
            taken: AnyEvent = SeatTaken(
                ply=match.ply + 1, seat=seat, at=now, player=wish.player, level=wish.level, client_seed=wish.client_seed
            )
            match, events = evolve(match, taken), [*events, taken]
    return seal([*events, *start_if_full(match, now, luck)], GENESIS, luck)


def decide(match: AnyMatch, command: Command, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The events of a command. Raises Refused (IllegalMove, MatchRefused); then nothing has happened."""
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
    return seal(events, match.head, luck)


def take_seat(match: AnyMatch, command: TakeSeat, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Somebody sits down; the last one to do so starts the match."""
    require_open(match)
    require_seat(match, command.seat)
    if match.seats[command.seat].kind != "open":
        raise MatchRefused("seat_taken", f"Seat {command.seat} is taken already.")
    require_client_seed(command.client_seed)
    taken: AnyEvent = SeatTaken(
        ply=match.ply + 1, seat=command.seat, at=now, player=command.player, level=None, client_seed=command.client_seed
    )
    return [taken, *start_if_full(evolve(match, taken), now, luck)]


def start_if_full(match: AnyMatch, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The start, once nobody is missing. A position may be over as soon as it is set."""
    if match.open_seats:
        return []
    client_seeds = tuple(seat.client_seed or NO_CLIENT_SEED for seat in match.seats)
    chance = luck.draws(match.id, client_seeds, 0)
    facts = match.rules.start(len(match.seats), match.options, chance, match.position)
    started: AnyEvent = Started(
        ply=match.ply + 1, at=now, facts=tuple(facts), draw=0, first_fact=0, client_seeds=client_seeds
    )
    return [started, *end_if_over(evolve(match, started), now, luck)]


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
    return [Cancelled(ply=match.ply + 1, at=now), SeedRevealed(ply=match.ply + 2, at=now, seed=luck.reveal())]


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
    client_seeds = tuple(taken.client_seed or NO_CLIENT_SEED for taken in match.seats)
    if match.status == "over" and match.outcome is None:
        raise MatchRefused("match_cancelled", "The match was cancelled.")
    facts = game.decide(match.state, seat, move, luck.draws(match.id, client_seeds, match.draws))
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
        draws=0,
        facts=0,
        state=find_game(event.game, event.rules_version).initial,
        outcome=None,
        seed=None,
    )


def evolve(match: AnyMatch, event: AnyEvent) -> AnyMatch:
    """The match after one event. Total: it never refuses."""
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
                draws=(event.draw or 0) + 1,
                facts=event.first_fact + len(event.facts),
            )
        case Ended():
            return replace(stepped, status="over", outcome=event.outcome)
        case Cancelled():
            return replace(stepped, status="over")
        case SeedRevealed():
            return replace(stepped, seed=event.seed)
        case _:
            return stepped


def with_seat(match: AnyMatch, number: Seat, seat: SeatState) -> tuple[SeatState, ...]:
    """The seats with one of them replaced."""
    return (*match.seats[:number], seat, *match.seats[number + 1 :])


def fold(events: Iterable[AnyEvent], match: AnyMatch | None = None) -> AnyMatch:
    """The match after these events, from `match` or from its first event. Raises ValueError without any."""
    for event in events:
        match = born(event) if isinstance(event, Created) else evolve(match, event) if match else None
    if match is None:
        raise ValueError("a match begins with its `created` event")
    return match


@cache
def snapshot_decoder(game: AnyGame) -> msgspec.json.Decoder[AnyMatch]:
    """Reads a match of this game as `msgspec.json.encode` wrote it."""
    return msgspec.json.Decoder(Match[game.state_type])  # type: ignore[name-defined]
