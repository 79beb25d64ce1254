"""The state of a match: what its events fold to. Data only; the rules are in the modules around it."""

from datetime import datetime, timedelta
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from domain.kernel.events import Fork, Ground, Ruling, TimeControl
from domain.kernel.game import AnyGame, Outcome, Seat
from domain.kernel.registry import find_game
from domain.kernel.values import Value

StateT = TypeVar("StateT")
MatchStatus = Literal["open", "playing", "over"]


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


class SeatClock(Value, frozen=True):
    """A seat's clock: `left` milliseconds, counted from `since` while it runs (None: it stands).

    `away` is when the seat's vacation ends or ended; before it no time is counted. `days` it may still take.
    `granted` are the milliseconds that it was given by consent so far, spent or not.
    """

    remaining_ms: int
    running_since: datetime | None = None
    vacation_until: datetime | None = None
    vacation_days_left: int = 0
    granted_ms: int = 0

    @property
    def deadline(self) -> datetime | None:
        """When the time is up, None while the clock stands."""
        return None if self.running_since is None else self.running_since + timedelta(milliseconds=self.remaining_ms)

    def stop(self, at: datetime) -> "SeatClock":
        """The clock standing from `at` on."""
        if self.running_since is None:
            return self
        gone = max(0, (at - self.running_since) // timedelta(milliseconds=1))
        return replace(self, remaining_ms=max(0, self.remaining_ms - gone), running_since=None)

    def start(self, at: datetime) -> "SeatClock":
        """The clock running from `at` on, or from the end of a vacation."""
        return replace(self, running_since=at if self.vacation_until is None else max(at, self.vacation_until))


ProposalKind = Literal["pause", "extend", "takeback", "hand_over"]
"""What needs everybody's consent."""


class Dispute(Value, frozen=True, kw_only=True):
    """A dispute as it stands. Its number is the ply of the event that raised it; see the events for the fields."""

    number: int
    seat: Seat | None
    arbiter: str | None
    disputed_ply: int
    ground: Ground
    claim_digest: str
    audit_holds: bool | None = None
    layer: str | None = None
    at_ply: int | None = None
    rule: str | None = None
    ruling: Ruling | None = None
    to_ply: int | None = None
    resolved_by: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether nobody has resolved it yet."""
        return self.ruling is None

    @property
    def has_verdict(self) -> bool:
        """Whether the audit has given its verdict."""
        return self.audit_holds is not None


class RetractedSpan(Value, frozen=True):
    """Plies that a ruling has taken back, both included. They stay in the log; their facts no longer count."""

    first: int
    last: int


class SeatOffer(Value, frozen=True):
    """A seat that waits for who brings its invitation; `by` is the seat that offers it, the same one or another."""

    number: int
    seat: Seat
    by: Seat


class Proposal(Value, frozen=True, kw_only=True):
    """What a seat has asked for and not everybody has answered. Its number is the ply of the asking."""

    number: int
    seat: Seat
    kind: ProposalKind
    seconds: int | None
    to_ply: int | None
    target_seat: Seat | None = None
    level: str | None = None
    agreed_seats: tuple[Seat, ...] = ()


NoticeKind = Literal["turn", "asked", "expired", "over", "verdict", "ruling"]


class Notice(Value, frozen=True):
    """The player at this seat is to be told; `ply` and `at` are those of the event that brought it."""

    kind: NoticeKind
    seat: Seat
    player: str
    ply: int
    at: datetime


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


@cache
def snapshot_decoder(game: AnyGame) -> msgspec.json.Decoder[AnyMatch]:
    """Reads a match of this game as `msgspec.json.encode` wrote it."""
    return msgspec.json.Decoder(Match[game.state_type])  # type: ignore[name-defined]
