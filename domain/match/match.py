"""The match as a whole: its lifecycle around a game, itself a decider.

`decide(match, command, now, luck)` returns the events of a command, sealed and chained, with the match they fold to;
`evolve(match, event)` folds an event of the log. The last seat taken also starts the match, the last move also ends it
and reveals the seed. Time and luck come in as arguments.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import accumulate, groupby, islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.kernel.chance import Chance, Luck
from domain.kernel.events import (
    GENESIS,
    AnyEvent,
    Audited,
    Cancelled,
    Cause,
    Created,
    Disputed,
    Ended,
    Expired,
    Fork,
    HandedOver,
    Moved,
    Paused,
    PlannedSeat,
    Proposed,
    Resolved,
    Resumed,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    SeedRevealed,
    Started,
    TakenBack,
    TimeControl,
    canonical_json,
    rollback_ply,
    seal_events,
)
from domain.kernel.game import AnyGame, MatchRefused, Outcome, Seat, read_position
from domain.kernel.recorder import Decision
from domain.kernel.registry import find_game
from domain.kernel.values import Value
from domain.match.clock import (
    CloseLobby,
    Expire,
    SeatClock,
    TakeVacation,
    advance_clocks,
    expiry_event,
    initial_clock,
    lobby_closing_time,
    overdue_seat,
    require_valid_time_control,
    take_vacation,
)
from domain.match.disputes import (
    Dispute,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    RetractedSpan,
    disputes_after,
    raise_dispute,
    record_verdict,
    resolve,
)
from domain.match.handover import (
    HandOver,
    OfferSeat,
    SeatOffer,
    TakeOver,
    WithdrawOffer,
    hand_over,
    offer_seat,
    offers_after,
    seat_after_hand_over,
    take_over,
    withdraw_offer,
)
from domain.match.notices import Notice, notices_after, notices_after_moves
from domain.match.proposals import AnswerProposal, Proposal, Propose, Resume, answer, proposals_after, propose, resume

StateT = TypeVar("StateT")

NO_CLIENT_SEED = "none"
MAX_CLIENT_SEED_LENGTH = 200
MatchStatus = Literal["open", "playing", "over"]
RESIGN_MOVE = {"type": "resign"}
"""The move by which a seat of any game gives up."""
MAX_FACTS_PER_EVENT = 1_000
"""So many facts one move or start may have; of the games here the longest has 100 or so. An event with more would be a
burden for ever to everybody who reads the match, and rules that make it have lost count."""
MAX_TIMES_VACATED = 50
"""So often one seat may be left before the start; each time stays in the log for ever."""
FOLD_BATCH_SIZE = 64
"""So many moves of a row are folded together; their states are held so long."""


class SeatState(Value, frozen=True):
    """Who sits at a seat: a person (`player`), a bot (`level`), or nobody yet.

    `standin` is the level of the bot that makes a person's next move, whose time was up. `left` counts how often
    somebody got up from here before the start. `lapsed`: the time was up, and no person has moved there since. `former`
    are the players who sat here before, since the start. `asked` counts what was asked or offered from here since the
    last move of anybody.
    """

    kind: Literal["human", "bot", "open"]
    private: bool = False
    player: str | None = None
    level: str | None = None
    client_seed: str | None = None
    standin: str | None = None
    times_vacated: int = 0
    has_timed_out: bool = False
    former_players: tuple[str, ...] = ()
    request_count: int = 0

    @property
    def acting_bot_level(self) -> str | None:
        """The level of the bot that makes this seat's next move; None where a person does."""
        return self.level if self.kind == "bot" else self.standin


class Match(Value, Generic[StateT], frozen=True, kw_only=True):
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
    has_given_seed: bool
    created_at: datetime
    seats: tuple[SeatState, ...]
    status: MatchStatus
    ply: int
    head_hash: str
    last_event_at: datetime
    draw_count: int
    fact_count: int
    state: StateT
    outcome: Outcome | None
    seed: str | None
    fork: Fork | None = None
    disputes: tuple[Dispute, ...] = ()
    retracted_spans: tuple[RetractedSpan, ...] = ()
    annulled: bool = False
    has_failed_audit: bool = False
    """An audit found that the log does not hold."""
    time_control: TimeControl | None = None
    clocks: tuple[SeatClock, ...] = ()
    """One for each seat, where the match has a clock."""
    paused: bool = False
    proposals: tuple[Proposal, ...] = ()
    was_created_rated: bool = False
    """Its result shall count for the ratings, unless something keeps it from that (see `is_rated`)."""
    offers: tuple[SeatOffer, ...] = ()
    """Seats that may be taken over."""
    has_lost_rating: bool = False
    """Something that was known already was taken back with nobody to ask, or a seat was handed over."""
    notices: tuple[Notice, ...] = ()
    """What the people at the table have to be told."""
    private: bool = False
    """It stands in no list, and nobody sits down uninvited: whoever has its link may watch it."""
    by_chance: bool = False
    """Who sits where is drawn at the start."""
    ended_at: datetime | None = None
    """When the game came to its end."""

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
        """Whether the match counts: that was wished, its luck was secret, it began at the beginning, between people
        who each have one seat, and no bot may play for one of them, whether or not it did: else who is losing could
        let the time run out; and if an audit found something wrong with it, an arbiter has ruled on that."""
        fair = not (self.has_given_seed or self.private) and self.fork is None and self.position is None
        bots_help = self.time_control is not None and self.time_control.expiry != "resigns"
        people = [seat.player for seat in self.seats if seat.kind == "human"]
        each_one = len(set(people)) == len(people) and all(seat.kind != "bot" for seat in self.seats)
        doubtful = self.has_failed_audit and all(dispute.is_open for dispute in self.disputes)
        return (
            self.was_created_rated
            and fair
            and each_one
            and not (bots_help or self.annulled or self.has_lost_rating or doubtful)
        )

    @property
    def deadline(self) -> datetime | None:
        """When the time of a seat is up, the earliest if there are several; None while no clock runs."""
        return min((clock.deadline for clock in self.clocks if clock.deadline is not None), default=None)

    @property
    def open_seats(self) -> tuple[Seat, ...]:
        """The seats that nobody has taken."""
        return tuple(n for n, seat in enumerate(self.seats) if seat.kind == "open")

    def seats_of(self, player: str | None) -> tuple[Seat, ...]:
        """The seats where this player sits."""
        return tuple(n for n, seat in enumerate(self.seats) if player is not None and seat.player == player)

    def has_seated(self, player: str | None) -> bool:
        """Whether this player sits at the match, or has since it started: whoever did is no stranger to it."""
        return player is not None and any(player in (seat.player, *seat.former_players) for seat in self.seats)


AnyMatch = Match[Any]


# -- commands -----------------------------------------------------------------------------------------------------


class SeatSpec(Value, frozen=True):
    """How the creator wants one seat: taken by a player, by a bot of a level, or open."""

    kind: Literal["human", "bot", "open"]
    player: str | None = None
    level: str | None = None
    private: bool = False
    client_seed: str = NO_CLIENT_SEED


class Create(Value, frozen=True, kw_only=True):
    """Create a match. `options` and `position` are plain JSON, checked by the game."""

    match: str
    game: str
    creator: str
    options: Mapping[str, Any]
    seats: tuple[SeatSpec, ...]
    position: Mapping[str, Any] | None = None
    fork: "ForkSource | None" = None
    clock: TimeControl | None = None
    rated: bool = False
    private: bool = False
    by_chance: bool = False


class ForkSource(Value, frozen=True):
    """A match to be continued from one of its plies: where, under which rules, and the facts up to there."""

    fork: Fork
    rules_version: int
    facts: tuple[Any, ...]


class TakeSeat(Value, frozen=True):
    """Sit down at an open seat."""

    seat: Seat
    player: str
    client_seed: str = NO_CLIENT_SEED


class LeaveSeat(Value, frozen=True):
    """Get up again before the start."""

    seat: Seat


class Cancel(Value, frozen=True):
    """Call the match off before the start."""

    player: str


class Play(Value, frozen=True):
    """Make a move (plain JSON); `cause` names the standing order that it comes from."""

    seat: Seat
    move: Any
    cause: Cause | UnsetType = UNSET


Command = (
    TakeSeat
    | LeaveSeat
    | Cancel
    | Play
    | RaiseDispute
    | RecordVerdict
    | ResolveDispute
    | Expire
    | Propose
    | AnswerProposal
    | Resume
    | CloseLobby
    | TakeVacation
    | OfferSeat
    | WithdrawOffer
    | HandOver
    | TakeOver
)
SideCommand = Propose | AnswerProposal | Resume | TakeVacation | OfferSeat | WithdrawOffer | HandOver | TakeOver
"""Commands around the moves."""

MatchLookup = Callable[[int], AnyMatch]
"""The match as it stood behind an earlier ply."""


class Decided(NamedTuple):
    """The events of a command, and the match they fold to."""

    events: list[AnyEvent]
    match: AnyMatch


class EventRecorder:
    """Collects the events of a command. Each event is folded when it is emitted, so `match` is always current."""

    def __init__(self, match: AnyMatch, past: MatchLookup | None = None) -> None:
        self.match = match
        self._past = past
        self._events: list[AnyEvent] = []

    def emit(self, event: AnyEvent, decision: Decision[Any, Any] | None = None) -> None:
        """Add an event and fold it. The facts of a game's `decision` are folded already."""
        self._events.append(event)
        self.match = evolve(self.match, event, self._past, decision)

    def decided(self, prev: str, luck: Luck, first: tuple[AnyEvent, ...] = ()) -> Decided:
        """Return the events, sealed and chained to the hash `prev`, with the match. `first` come before them."""
        sealed = seal_events([*first, *self._events], prev, luck)
        return Decided(sealed, replace(self.match, head_hash=sealed[-1].hash))


def create(command: Create, now: datetime, luck: Luck) -> Decided:
    """The events of a new match, and the match: created, seats taken and, if all are, started.

    Raises BadOptions, MatchRefused, UnknownGame.
    """
    plan = command.fork
    game = find_game(command.game, plan.rules_version if plan else None)
    if command.clock is not None:
        require_valid_time_control(command.clock)
    if command.by_chance and plan is not None:
        raise MatchRefused("bad_seating", "A fork goes on with the seats as they were; chance cannot decide them.")
    if command.rated:
        require_rateable(command, luck)
    position = read_position(command.position)
    options = normalize_json(game.read_options(command.options))
    if plan is None:
        # A set-up that cannot be is refused before anything exists; its draws are thrown away.
        require_fact_limit(game, game.start(len(command.seats), options, luck.draws(command.match, (), 0), position))
    first: Created[Any, Any] = Created(
        ply=1,
        at=now,
        match=command.match,
        game=game.slug,
        rules_version=game.rules_version,
        components=game.components_digest,
        options=options,
        position=normalize_json(position),
        seats=tuple(PlannedSeat(wish.kind, wish.private) for wish in command.seats),
        creator=command.creator,
        commitment=luck.commitment(),
        given=luck.given,
        facts=plan.facts if plan else (),
        fork=plan.fork if plan else UNSET,
        clock=command.clock or UNSET,
        rated=command.rated or UNSET,
        private=command.private or UNSET,
        seating="chance" if command.by_chance else UNSET,
    )
    record = EventRecorder(from_created(first))
    for seat, wish in enumerate(command.seats):
        if wish.kind != "open":
            require_valid_client_seed(wish.client_seed)
            record.emit(
                SeatTaken(
                    ply=record.match.ply + 1,
                    seat=seat,
                    at=now,
                    first_fact=record.match.fact_count,
                    player=wish.player,
                    level=wish.level,
                    client_seed=wish.client_seed,
                )
            )
    start_events_if_full(record, now, luck)
    return record.decided(GENESIS, luck, (first,))


def require_rateable(command: Create, luck: Luck) -> None:
    """Refuse to rate a match that could not be fair, or that nobody could check. Raises MatchRefused."""
    people = [wish.player for wish in command.seats if wish.kind == "human"]
    bots_help = command.clock is not None and command.clock.expiry != "resigns"
    for applies, reason in (
        (luck.given, "its seed must be secret"),
        (command.position is not None or command.fork is not None, "it must begin at the beginning"),
        (any(wish.kind == "bot" for wish in command.seats), "no bot may sit there"),
        (bots_help, "no bot may play when time is up; choose that the seat resigns"),
        (len(command.seats) < 2 or len(set(people)) < len(people), "two people or more must play, one seat each"),
        (command.private, "it must not be private, so that everybody can check the ratings"),
    ):
        if applies:
            raise MatchRefused("not_rateable", f"This match cannot be rated: {reason}.")


def decide(match: AnyMatch, command: Command, now: datetime, luck: Luck, past: MatchLookup | None = None) -> Decided:
    """The events of a command, and the match after them. Raises Refused (IllegalMove, MatchRefused); then nothing has
    happened.

    `past` is asked only for what names an earlier ply. Raises ValueError where it is missing then.
    """
    now = max(now, match.last_event_at)
    if not isinstance(command, Expire) and overdue_seat(match, now) is not None:
        raise MatchRefused("time_is_up", "The time of a seat is up; what follows from that comes first.")
    record = EventRecorder(match, past)
    match command:
        case TakeSeat():
            take_seat(record, command, now, luck)
        case Play(seat, move, cause):
            play(record, seat, move, now, luck, cause)
        case Expire(seat):
            expire(record, seat, now, luck)
        case _:
            for event in events_of(match, command, now, luck, past):
                record.emit(event)
    return record.decided(match.head_hash, luck)


def events_of(match: AnyMatch, command: Command, now: datetime, luck: Luck, past: MatchLookup | None) -> list[AnyEvent]:
    """The events of a command that leaves the game as it is, or takes it back."""
    match command:
        case LeaveSeat(seat):
            return leave_seat(match, seat, now)
        case Cancel(player):
            return cancel(match, player, now, luck)
        case RaiseDispute():
            return raise_dispute(match, command, now)
        case RecordVerdict():
            return record_verdict(match, command, now)
        case ResolveDispute():
            return resolve(match, command, now, earlier_match(match, command.to_ply, past))
        case CloseLobby():
            return close_lobby(match, now, luck)
        case TakeSeat() | Play() | Expire():
            raise AssertionError(f"{command} goes through the game")
        case _:
            return decide_side_command(match, command, now, past)


def take_seat(record: EventRecorder, command: TakeSeat, now: datetime, luck: Luck) -> None:
    """Somebody sits down; the last one to do so starts the match."""
    match = record.match
    require_open(match)
    require_existing_seat(match, command.seat)
    if match.seats[command.seat].kind != "open":
        raise MatchRefused("seat_taken", f"Seat {command.seat} is taken already.")
    if match.seats[command.seat].times_vacated >= MAX_TIMES_VACATED:
        raise MatchRefused(
            "left_too_often",
            f"This seat was taken and left {MAX_TIMES_VACATED} times, which is the most. Take another one, "
            "or start a match of "
            "your own.",
        )
    if match.was_created_rated and match.seats_of(command.player):
        raise MatchRefused("one_seat_each", "You sit at this match already, and in a rated one everybody has one seat.")
    require_valid_client_seed(command.client_seed)
    record.emit(
        SeatTaken(
            ply=match.ply + 1,
            seat=command.seat,
            at=now,
            first_fact=match.fact_count,
            player=command.player,
            level=None,
            client_seed=command.client_seed,
        )
    )
    start_events_if_full(record, now, luck)


def start_events_if_full(record: EventRecorder, now: datetime, luck: Luck) -> None:
    """The start, once nobody is missing. A position may be over as soon as it is set."""
    if record.match.open_seats:
        return
    record.emit(*started(record.match, now, luck))
    if record.match.fork is None:
        end_events_if_over(record, now, luck)


def started(match: AnyMatch, now: datetime, luck: Luck) -> tuple[AnyEvent, Decision[Any, Any]]:
    """The start of a full match, and what it does in the game."""
    if match.fork is not None:
        # It was set up in another match; nothing is drawn.
        event: AnyEvent = Started(
            ply=match.ply + 1, at=now, first_fact=match.fact_count, client_seeds=client_seeds_by_seat(match)
        )
        return event, Decision([], match.state)
    order = draw_seat_order(luck, match.id, client_seeds_by_seat(match)) if match.by_chance else UNSET
    seated = match if order is UNSET else replace(match, seats=reorder_seats(match.seats, order))
    game = match.rules
    facts = game.start(len(match.seats), match.options, chance_for_draw(seated, luck, 0), match.position)
    event = Started(
        ply=match.ply + 1,
        at=now,
        facts=require_fact_limit(game, facts),
        draw=0,
        first_fact=0,
        client_seeds=client_seeds_by_seat(seated),
        order=order,
    )
    return event, game.decision(facts, match.state)


def require_fact_limit(game: AnyGame, facts: Sequence[Any]) -> tuple[Any, ...]:
    """The facts of one decision. Raises MatchRefused `too_many_facts` where the rules have lost count."""
    if len(facts) > MAX_FACTS_PER_EVENT:
        raise MatchRefused(
            "too_many_facts",
            f"The rules of {game.title} make {len(facts)} facts of this at once, "
            f"and {MAX_FACTS_PER_EVENT} is the most. Nothing "
            "has happened; it is a fault of these rules, or of the position that the match began from.",
        )
    return tuple(facts)


def draw_seat_order(luck: Luck, match: str, shares: Sequence[str]) -> tuple[Seat, ...]:
    """Who sits where, by chance: for each seat, the one at which its player had sat down.

    A shuffle by a key of its own, to which all have given their shares of the luck, in the order of those seats; it
    takes no draw away from the game.
    """
    return tuple(luck.draws(f"{match}|seats", shares, 0).shuffle(range(len(shares))))


def reorder_seats(seats: tuple[SeatState, ...], order: Iterable[Seat]) -> tuple[SeatState, ...]:
    """The seats with their players where the order puts them; as they were where it is none."""
    places = tuple(order)
    return tuple(seats[old] for old in places) if sorted(places) == [*range(len(seats))] else seats


def client_seeds_by_seat(match: AnyMatch) -> tuple[str, ...]:
    """The players' shares of the luck in seat order."""
    return tuple(NO_CLIENT_SEED if seat.client_seed is None else seat.client_seed for seat in match.seats)


def fork_from(match: AnyMatch, luck: Literal["same", "new"]) -> Fork:
    """Where a fork of the match as it stands comes from; its luck may come from still further back."""
    inherited = match.fork if match.fork is not None and match.fork.luck == "same" else None
    return Fork(
        match=match.id,
        ply=match.ply,
        head=match.head_hash,
        luck=luck,
        draws=match.draw_count,
        origin=inherited.origin if inherited else match.id,
        client_seeds=inherited.client_seeds if inherited else client_seeds_by_seat(match),
    )


def chance_for_draw(match: AnyMatch, luck: Luck, n: int) -> Chance:
    """The draws of game event n. A fork with the same luck has those of the match that it comes from."""
    if match.fork is not None and match.fork.luck == "same":
        return luck.draws(match.fork.origin, match.fork.client_seeds, n)
    return luck.draws(match.id, client_seeds_by_seat(match), n)


def earlier_match(match: AnyMatch, ply: int | None, past: MatchLookup | None) -> AnyMatch | None:
    """The match behind a ply of its own; None where none is named or it is not there. Raises ValueError."""
    if ply is None or not 1 <= ply <= match.ply:
        return None
    if past is None:
        raise ValueError("a ruling that names a ply is decided on the match as it stood there")
    return past(ply)


def leave_seat(match: AnyMatch, seat: Seat, now: datetime) -> list[AnyEvent]:
    """Somebody gets up before the start."""
    require_open(match)
    require_existing_seat(match, seat)
    if match.seats[seat].kind == "open":
        raise MatchRefused("seat_open", f"Nobody sits at seat {seat}.")
    return [SeatLeft(ply=match.ply + 1, seat=seat, at=now, first_fact=match.fact_count)]


def cancel(match: AnyMatch, player: str, now: datetime, luck: Luck) -> list[AnyEvent]:
    """The creator calls the match off before the start."""
    require_open(match)
    if player != match.creator:
        raise MatchRefused("not_creator", "Only the player who created a match may cancel it.")
    return cancellation_events(match, Cancelled(ply=match.ply + 1, at=now, first_fact=match.fact_count), luck)


def close_lobby(match: AnyMatch, now: datetime, luck: Luck) -> list[AnyEvent]:
    """An open match to which nobody has come for too long is called off."""
    require_open(match)
    until = lobby_closing_time(match)
    if until is None or now < until:
        raise MatchRefused("not_due", "There is still time for somebody to sit down.")
    return cancellation_events(
        match, Cancelled(ply=match.ply + 1, at=now, first_fact=match.fact_count, reason="abandoned"), luck
    )


def cancellation_events(match: AnyMatch, event: AnyEvent, luck: Luck) -> list[AnyEvent]:
    """The end of a match that never started, and its seed."""
    revealed: AnyEvent = SeedRevealed(ply=match.ply + 2, at=event.at, first_fact=match.fact_count, seed=luck.reveal())
    return [event, revealed]


def require_open(match: AnyMatch) -> None:
    """Refuse what can only be done before the start."""
    require_not_cancelled(match)
    if match.status != "open":
        raise MatchRefused("already_started", "The match has started; its seats are fixed.")


def require_not_cancelled(match: AnyMatch) -> None:
    """Refuse what cannot be done any more at a match that never started."""
    if match.status == "over" and match.outcome is None and not match.annulled:
        raise MatchRefused("match_cancelled", "The match was cancelled.")


def normalize_json(value: Any) -> Any:
    """Plain JSON as the log will give it back, in the order that it has there: a match is the same before and after."""
    return msgspec.json.decode(canonical_json(value))


def require_valid_client_seed(text: str) -> None:
    """Refuse a share of luck that would not stand as one line beside the others (see `Seed.key`)."""
    if not 1 <= len(text) <= MAX_CLIENT_SEED_LENGTH or not text.isprintable():
        raise MatchRefused(
            "bad_client_seed", f"A client seed is 1 to {MAX_CLIENT_SEED_LENGTH} printable characters, or left out."
        )


def require_existing_seat(match: AnyMatch, seat: Seat) -> None:
    """Refuse a seat that the match does not have."""
    if not 0 <= seat < len(match.seats):
        raise MatchRefused("no_such_seat", f"This match has the seats 0 to {len(match.seats) - 1}.")


def play(
    record: EventRecorder, seat: Seat, document: Any, now: datetime, luck: Luck, cause: Cause | UnsetType = UNSET
) -> None:
    """A move and, if it was the last one, the end."""
    record.emit(*moved(record.match, seat, document, now, luck, cause))
    end_events_if_over(record, now, luck)


def moved(
    match: AnyMatch, seat: Seat, document: Any, now: datetime, luck: Luck, cause: Cause | UnsetType = UNSET
) -> tuple[AnyEvent, Decision[Any, Any]]:
    """The event of a move, and what the move does in the game. Raises Refused."""
    if match.status == "open":
        raise MatchRefused("not_started", "The match has not started: not every seat is taken.")
    require_existing_seat(match, seat)
    game = match.rules
    move = game.read_move(document)
    if match.annulled:
        raise MatchRefused("match_annulled", "The match was annulled.")
    require_not_cancelled(match)
    facts = game.decide(match.state, seat, move, chance_for_draw(match, luck, match.draw_count))
    event: AnyEvent = Moved(
        ply=match.ply + 1,
        seat=seat,
        at=now,
        move=move,
        facts=require_fact_limit(game, facts),
        draw=match.draw_count,
        first_fact=match.fact_count,
        cause=cause,
    )
    return event, game.decision(facts, match.state)


def decide_side_command(
    match: AnyMatch, command: SideCommand, now: datetime, past: MatchLookup | None
) -> list[AnyEvent]:
    """What is asked, answered, taken and given around the moves."""
    require_existing_seat(match, command.seat)
    match command:
        case Propose():
            require_move_after(match, command.to_ply, past)
            return propose(match, command, now)
        case AnswerProposal():
            return answer(match, command, now)
        case Resume():
            return resume(match, command, now)
        case TakeVacation():
            return [take_vacation(match, command, now)]
        case OfferSeat():
            return [offer_seat(match, command, now)]
        case WithdrawOffer():
            return [withdraw_offer(match, command, now)]
        case HandOver():
            return [hand_over(match, command, now)]
        case TakeOver():
            return [take_over(match, command, now)]


def expire(record: EventRecorder, seat: Seat, now: datetime, luck: Luck) -> None:
    """What happens when a seat's time is up: its own event and, where the seat resigns, that move. Raises MatchRefused.

    A bot's move is not made here: bots play from outside, as everybody does.
    """
    event = expiry_event(record.match, seat, now)
    record.emit(event)
    if event.consequence == "resigns":
        play(record, seat, RESIGN_MOVE, now, luck)


def require_move_after(match: AnyMatch, ply: int | None, past: MatchLookup | None) -> None:
    """Refuse a takeback to a ply that no move follows. Raises MatchRefused `no_such_move`."""
    if ply is None or not 1 <= ply < match.ply:
        return
    then, next_one = earlier_match(match, ply, past), earlier_match(match, ply + 1, past)
    assert then is not None, "the ply is there"
    assert next_one is not None, "and so is the next"
    if then.status != "playing" or next_one.draw_count == then.draw_count:
        raise MatchRefused(
            "no_such_move", f"No move follows ply {ply}: name the ply just before the move to take back."
        )


def end_events_if_over(record: EventRecorder, now: datetime, luck: Luck) -> None:
    """The end and the seed, once the game has an outcome."""
    match = record.match
    outcome = match.rules.outcome(match.state)
    if outcome is not None:
        record.emit(Ended(ply=match.ply + 1, at=now, outcome=outcome, first_fact=match.fact_count))
        record.emit(SeedRevealed(ply=match.ply + 2, at=now, seed=luck.reveal(), first_fact=match.fact_count))


# -- folding ------------------------------------------------------------------------------------------------------


def from_created(event: Created[Any, Any]) -> AnyMatch:
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
        has_given_seed=event.given,
        created_at=event.at,
        seats=tuple(SeatState("open", plan.private or event.private is True) for plan in event.seats),
        status="open",
        ply=event.ply,
        head_hash=event.hash or GENESIS,
        last_event_at=event.at,
        draw_count=fork.draws if fork else 0,
        fact_count=len(event.facts),
        state=game.fold(event.facts),
        outcome=None,
        seed=None,
        fork=fork,
        time_control=None if event.clock is UNSET else event.clock,
        clocks=() if event.clock is UNSET else (initial_clock(event.clock),) * len(event.seats),
        was_created_rated=event.rated is True,
        private=event.private is True,
        by_chance=event.seating == "chance",
    )


def evolve(
    match: AnyMatch, event: AnyEvent, past: MatchLookup | None = None, decision: Decision[Any, Any] | None = None
) -> AnyMatch:
    """The match after one event. Total: it never refuses. `past` is asked only when the match goes back to a ply.

    Whoever has just decided a start or a move passes the game's `decision`, so that its facts are not folded again.
    """
    back_to = None if isinstance(event, Moved) else rollback_ply(event)
    then = earlier_match(match, back_to, past) if back_to is not None else None
    after = (
        apply_game_event(match, event, decision)
        if isinstance(event, GAME_EVENTS)
        else apply_lifecycle_event(match, event, then)
    )
    if after.proposals or isinstance(event, Proposed):
        after = replace(after, proposals=proposals_after(match, event))
    if after.offers or isinstance(event, SeatOffered):
        after = replace(after, offers=offers_after(match, event))
    if after.time_control is not None:
        after = replace(after, clocks=advance_clocks(match, after, event, then, first_undone_at(then, event, past)))
    notices = notices_after(match, after, event)
    return replace(after, notices=notices) if notices or after.notices else after


def first_undone_at(then: AnyMatch | None, event: AnyEvent, past: MatchLookup | None) -> datetime | None:
    """When the first thing happened behind `then`, to which an event goes back; None if nothing had."""
    undone = past(then.ply + 1) if then and past and then.ply + 1 < event.ply else None
    return undone.last_event_at if undone else None


GAME_EVENTS = (Moved, Started)


def apply_game_event(match: AnyMatch, event: AnyEvent, decision: Decision[Any, Any] | None) -> AnyMatch:
    """The match after the start or a move, clocks and open questions aside."""
    state = match.rules.fold(event.facts, match.state) if decision is None else decision.state
    return replace(
        match,
        ply=event.ply,
        head_hash=event.hash or match.head_hash,
        last_event_at=event.at,
        seats=seats_after_game_event(match, event),
        status="playing",
        state=state,
        draw_count=match.draw_count if event.draw is None else event.draw + 1,
        fact_count=event.first_fact + len(event.facts),
    )


def apply_lifecycle_event(match: AnyMatch, event: AnyEvent, then: AnyMatch | None) -> AnyMatch:
    """The match after any other event, clocks and open questions aside; `then` is where it goes back to."""
    stepped = replace(match, ply=event.ply, head_hash=event.hash or match.head_hash, last_event_at=event.at)
    match event:
        case SeatTaken():
            kind: Literal["human", "bot"] = "bot" if event.player is None else "human"
            plan = match.seats[event.seat]
            seat = SeatState(
                kind, plan.private, event.player, event.level, event.client_seed, times_vacated=plan.times_vacated
            )
            return replace(stepped, seats=replace_seat(match, event.seat, seat))
        case SeatLeft():
            plan = match.seats[event.seat]
            seat = SeatState("open", plan.private, times_vacated=plan.times_vacated + 1)
            return replace(stepped, seats=replace_seat(match, event.seat, seat))
        case Ended():
            return replace(stepped, status="over", outcome=event.outcome, ended_at=event.at)
        case Cancelled():
            return replace(stepped, status="over")
        case SeedRevealed():
            return replace(stepped, seed=event.seed)
        case Disputed():
            return replace(stepped, disputes=disputes_after(match.disputes, event))
        case Audited():
            flawed = match.has_failed_audit or not event.holds
            return replace(stepped, disputes=disputes_after(match.disputes, event), has_failed_audit=flawed)
        case Resolved():
            return apply_ruling(replace(stepped, disputes=disputes_after(match.disputes, event)), event, then)
        case TakenBack():
            return roll_back(replace(stepped, has_lost_rating=match.has_lost_rating or not event.rated), then)
        case _:
            return apply_clock_or_seat_event(stepped, event)


def apply_clock_or_seat_event(match: AnyMatch, event: AnyEvent) -> AnyMatch:
    """The match after what is about its clocks, and about who sits there."""
    match event:
        case Expired():
            return replace(match, seats=replace_seat(match, event.seat, seat_after_expiry(match, event)))
        case Proposed() | SeatOffered(proposal=None):
            seat = match.seats[event.seat]
            return replace(
                match, seats=replace_seat(match, event.seat, replace(seat, request_count=seat.request_count + 1))
            )
        case Paused():
            return replace(match, paused=True)
        case Resumed():
            return replace(match, paused=False)
        case HandedOver():
            number = event.seat
            handed_over = replace_seat(match, number, seat_after_hand_over(match.seats[number], event))
            return replace(match, seats=handed_over, has_lost_rating=True)
        case _:
            return match


def seats_after_game_event(match: AnyMatch, event: AnyEvent) -> tuple[SeatState, ...]:
    """The seats behind the start or a move."""
    if isinstance(event, Started):
        return match.seats if event.order is UNSET else reorder_seats(match.seats, event.order)
    return match.seats if event.seat is None else release_substitute(match, event.seat)


def release_substitute(match: AnyMatch, number: Seat) -> tuple[SeatState, ...]:
    """The seats behind a move: whoever stood in has done so, a person who moves is there again, all may ask anew."""
    seats = match.seats
    if any(seat.request_count for seat in seats):
        seats = tuple(replace(seat, request_count=0) if seat.request_count else seat for seat in seats)
    seat = seats[number]
    if seat.standin is None and not seat.has_timed_out:
        return seats
    lapsed = seat.has_timed_out and seat.acting_bot_level is not None
    return (*seats[:number], replace(seat, standin=None, has_timed_out=lapsed), *seats[number + 1 :])


def seat_after_expiry(match: AnyMatch, event: Expired[Any, Any]) -> SeatState:
    """The seat whose time is up."""
    seat = match.seats[event.seat]
    match event.consequence:
        case "bot_moves":
            return replace(seat, standin=event.level, has_timed_out=True)
        case "bot_takes_over":
            former = (*seat.former_players, seat.player or "")
            return replace(seat, kind="bot", player=None, level=event.level, has_timed_out=True, former_players=former)
        case "resigns":
            return seat


def roll_back(match: AnyMatch, then: AnyMatch | None) -> AnyMatch:
    """The match, which has just gone on by one event, back where it stood `then`.

    Draws go on counting: luck that was seen does not come again.
    """
    if then is None:
        return match
    taken_back = RetractedSpan(then.ply + 1, match.ply - 1)
    return replace(
        match, state=then.state, fact_count=then.fact_count, retracted_spans=(*match.retracted_spans, taken_back)
    )


def apply_ruling(match: AnyMatch, event: Resolved[Any, Any], then: AnyMatch | None) -> AnyMatch:
    """The match after a ruling."""
    match event.ruling:
        case "rolled_back":
            return roll_back(match, then)
        case "result_of":
            return replace(match, outcome=event.outcome)
        case "annulled":
            return replace(match, outcome=None, annulled=True)
        case _:
            return match


def replace_seat(match: AnyMatch, number: Seat, seat: SeatState) -> tuple[SeatState, ...]:
    """The seats with one of them replaced."""
    return (*match.seats[:number], seat, *match.seats[number + 1 :])


def fold(events: Iterable[AnyEvent], match: AnyMatch | None = None, past: MatchLookup | None = None) -> AnyMatch:
    """The match after these events, from `match` or from its first event. Raises ValueError without any.

    Events that begin in the middle of a match need its `past` to be rolled back; all of them together do not.
    """
    if match is None:
        known = list(events)
        if not known:
            raise ValueError("a match begins with its `created` event")
        return History(known).at(len(known))
    return evolve_many(match, events, past)


def evolve_many(match: AnyMatch, events: Iterable[AnyEvent], past: MatchLookup | None = None) -> AnyMatch:
    """The match after these events: what `evolve` makes of one after the other, with rows of moves taken together."""
    for are_moves, row in groupby(events, lambda event: isinstance(event, Moved)):
        if are_moves and can_fold_moves_together(match):
            while moves := list(islice(row, FOLD_BATCH_SIZE)):
                match = apply_moves(match, moves)
        else:
            for event in row:
                match = evolve(match, event, past)
    return match


def can_fold_moves_together(match: AnyMatch) -> bool:
    """Whether moves change the game and whose turn it is, and nothing else: no clock runs, no question is open, and
    everybody plays their own seat and has asked for nothing since the last one."""
    waits = match.time_control is not None or match.proposals or match.offers
    return not waits and all(
        seat.standin is None and not (seat.has_timed_out or seat.request_count) for seat in match.seats
    )


def apply_moves(match: AnyMatch, moves: Sequence[AnyEvent]) -> AnyMatch:
    """An undisturbed match after a row of moves. The game is folded move by move, the match around it once.

    For a long replay the matches in between, which nobody looks at, would cost more than the game.
    """
    game, last = match.rules, moves[-1]
    states = list(accumulate(moves, lambda state, move: game.fold(move.facts, state), initial=match.state))
    return replace(
        match,
        ply=last.ply,
        head_hash=next((move.hash for move in reversed(moves) if move.hash), match.head_hash),
        last_event_at=last.at,
        status="playing",
        state=states[-1],
        draw_count=next((move.draw + 1 for move in reversed(moves) if move.draw is not None), match.draw_count),
        fact_count=last.first_fact + len(last.facts),
        notices=notices_after_moves(match, moves, states),
    )


class History:
    """All events of a match, and how it stood behind each ply: folded once, however often it goes back.

    Kept is what the events themselves name: the plies that they go back to, and the last of those that are undone.
    `events` may still grow if `all_events` says which plies will be named.

    What was taken back is kept beside the matches, once for all of them: each of many takebacks adds a span to all that
    follow, and with every match holding its own a small file would fill the memory.
    """

    def __init__(self, events: Sequence[AnyEvent], all_events: Sequence[AnyEvent] | None = None) -> None:
        self._events = events
        self._named_plies = frozenset(ply for event in all_events or events for ply in named_plies(event))
        self._sorted_named_plies = sorted(self._named_plies)
        self._matches_by_ply: dict[int, AnyMatch] = {}
        self._last: AnyMatch | None = None
        self._retracted_spans: list[RetractedSpan] = []
        self._retraction_plies: list[int] = []

    def at(self, ply: int) -> AnyMatch:
        """The match behind a ply of it. Raises ValueError where there is none."""
        if ply not in self._matches_by_ply and self._last is not None and 1 <= ply < self._last.ply:
            return History(self._events[:ply]).at(ply)
        match = self._at_without_spans(ply)
        spans = bisect_right(self._retraction_plies, match.ply)
        return replace(match, retracted_spans=tuple(self._retracted_spans[:spans])) if spans else match

    def _at_without_spans(self, ply: int) -> AnyMatch:
        """The same without what was taken back, which nothing asks of a match that another goes back to."""
        if ply in self._matches_by_ply:
            return self._matches_by_ply[ply]
        if not 1 <= ply <= len(self._events):
            raise ValueError(f"the match has no ply {ply}")
        if self._last is not None and ply < self._last.ply:
            return History(self._events[:ply])._at_without_spans(ply)
        while self._last is None or self._last.ply < ply:
            after = self._advance_from(self._last, ply)
            self._retracted_spans += after.retracted_spans
            self._retraction_plies += [span.last + 1 for span in after.retracted_spans]
            self._last = replace(after, retracted_spans=()) if after.retracted_spans else after
            if self._last.ply in self._named_plies:
                self._matches_by_ply[self._last.ply] = self._last
        return self._last

    def _advance_from(self, match: AnyMatch | None, ply: int) -> AnyMatch:
        """The match at the next ply to keep, or at `ply`."""
        if match is not None:
            further = bisect_right(self._sorted_named_plies, match.ply)
            stop = min([ply, *self._sorted_named_plies[further : further + 1]])
            after = evolve_many(match, self._events[match.ply : stop], self._at_without_spans)
            if after.ply <= match.ply:
                raise ValueError(f"behind ply {match.ply} comes ply {after.ply}")
            return after
        event = self._events[0]
        if not isinstance(event, Created):
            raise ValueError("a match begins with its `created` event")
        return from_created(event)


def named_plies(event: AnyEvent) -> tuple[int, ...]:
    """The plies whose matches are asked for because of an event."""
    to_ply: int | None = getattr(event, "to_ply", None)
    return () if to_ply is None else (to_ply, to_ply + 1, event.ply - 1)


@cache
def snapshot_decoder(game: AnyGame) -> msgspec.json.Decoder[AnyMatch]:
    """Reads a match of this game as `msgspec.json.encode` wrote it."""
    return msgspec.json.Decoder(Match[game.state_type])  # type: ignore[name-defined]
