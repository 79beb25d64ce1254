"""The state of a match: what its events fold to. This module has only data; the other modules have the rules."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from domain.kernel.events import Fork, Ground, LuckTerms, Ruling, TimeControl
from domain.kernel.game import AnyGame, Outcome, Seat
from domain.kernel.placeholder import placeholder_game
from domain.kernel.registry import find_pinned_game
from domain.kernel.values import Value

StateT = TypeVar("StateT")
MatchStatus = Literal["open", "opening", "playing", "over"]
"""`opening`: all seats are taken, and the players open their shares (luck protocol 2)."""


UnratedReason = Literal[
    "not_chosen", "no_time_limit", "given_seed", "unusual_start", "unlisted", "bots", "several_seats", "annulled",
    "changed", "failed_audit", "not_played",
]  # fmt: skip
"""Why a result doesn't count. `changed`: a seat was handed over, or a move was undone without consent."""


class SeatState(Value, frozen=True):
    """The occupant of a seat: a person (`player`), a bot (`level`), or nobody yet.

    `standin` is the level of the bot that makes the next move for a person who ran out of time. `bot` and `standin_bot`
    are the versions of their strategies, such as `greedy/3` (luck protocol 2). `times_vacated` counts how often the
    seat was left before the start. `has_timed_out`: the seat ran out of time and no person has moved there since.
    `former_players` are those who had the seat earlier, since the start. `request_count` counts the seat's proposals
    and offers since anyone's last move. `seal` and `share` are the player's contribution to the luck under protocol 2,
    `client_seed` under protocol 1. A seat that is `reserved_for` a player waits for them to sit down. `has_moved`: the
    person at the seat has made a move other than resigning, even if it was undone. `has_resigned`: the seat has
    resigned.
    """

    kind: Literal["human", "bot", "open"]
    private: bool = False
    player: str | None = None
    level: str | None = None
    client_seed: str | None = None
    share: str | None = None
    seal: str | None = None
    reserved_for: str | None = None
    standin: str | None = None
    times_vacated: int = 0
    has_timed_out: bool = False
    former_players: tuple[str, ...] = ()
    request_count: int = 0
    bot: str | None = None
    standin_bot: str | None = None
    has_moved: bool = False
    has_resigned: bool = False

    @property
    def acting_bot_level(self) -> str | None:
        """Return the level of the bot that makes this seat's next move, or None if a person does."""
        return self.level if self.kind == "bot" else self.standin

    @property
    def acting_bot_version(self) -> str | None:
        """Return the recorded strategy version of that bot; None for a person, and under luck protocol 1."""
        return self.bot if self.kind == "bot" else self.standin_bot


class SeatClock(Value, frozen=True):
    """A seat's clock: `remaining_ms` milliseconds, counted from `running_since` (None: it is stopped).

    `vacation_until` is when the seat's vacation ends or ended; no time is counted before it. `vacation_days_left` is
    the number of days it may still take. `granted_ms` is all extra time that the others have agreed to, spent or not.
    """

    remaining_ms: int
    running_since: datetime | None = None
    vacation_until: datetime | None = None
    vacation_days_left: int = 0
    granted_ms: int = 0

    @property
    def deadline(self) -> datetime | None:
        """Return when the seat runs out of time, or None while the clock is stopped."""
        return None if self.running_since is None else self.running_since + timedelta(milliseconds=self.remaining_ms)

    def stop(self, at: datetime) -> "SeatClock":
        """Return the clock, stopped at `at`."""
        if self.running_since is None:
            return self
        gone = max(0, (at - self.running_since) // timedelta(milliseconds=1))
        return replace(self, remaining_ms=max(0, self.remaining_ms - gone), running_since=None)

    def start(self, at: datetime) -> "SeatClock":
        """Return the clock, running from `at` or from the end of a vacation."""
        return replace(self, running_since=at if self.vacation_until is None else max(at, self.vacation_until))


ProposalKind = Literal["pause", "extend", "takeback", "hand_over"]
"""Requests that everybody must agree to."""


class Dispute(Value, frozen=True, kw_only=True):
    """A dispute and its status. Its number is the ply of the event that raised it; see the events for the fields."""

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
    raised_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Return whether nobody has resolved it yet."""
        return self.ruling is None

    @property
    def has_verdict(self) -> bool:
        """Return whether the audit has given its verdict."""
        return self.audit_holds is not None


class RetractedSpan(Value, frozen=True):
    """Plies that were taken back, from first to last inclusive. They stay in the log; their facts don't count."""

    first: int
    last: int


class SeatOffer(Value, frozen=True):
    """A seat that anyone with the invitation can take over. `by` is the seat that offers it, the same or another."""

    number: int
    seat: Seat
    by: Seat


class Proposal(Value, frozen=True, kw_only=True):
    """A request of a seat that not everyone has answered. Its number is the ply of the event that made it."""

    number: int
    seat: Seat
    kind: ProposalKind
    seconds: int | None
    to_ply: int | None
    target_seat: Seat | None = None
    level: str | None = None
    agreed_seats: tuple[Seat, ...] = ()


NoticeKind = Literal["turn", "asked", "opening", "expired", "over", "verdict", "ruling"]


class Notice(Value, frozen=True):
    """A notification due to the player at this seat; `ply` and `at` are those of the event that caused it."""

    kind: NoticeKind
    seat: Seat
    player: str
    ply: int
    at: datetime


class Match(Value, Generic[StateT], frozen=True, kw_only=True):
    """A match at one ply: what its events fold to.

    `head_hash` is the hash of its last event, `draw_count` the number of game events so far, `fact_count` the number
    of facts. `state` is the game's; before the start it is the game's initial state, or that of a fork. `outcome` is
    the current result: the game's or, after a ruling, the arbiter's. A cancelled or `annulled` match has none.
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
    luck: LuckTerms | None = None
    """How the match gets its luck under protocol 2; None under protocol 1."""
    shares: tuple[str | None, ...] = ()
    """The shares in table-seat order, since the start (protocol 2)."""
    uses: Mapping[str, int] = {}
    """How often each purpose was used by draws (protocol 2). A takeback doesn't lower these counts."""
    move_counts: tuple[int, ...] = ()
    """How many moves each seat has made, including those that were taken back (protocol 2)."""
    seat_order: tuple[Seat, ...] = ()
    """For each seat, the seat that its player originally took, if seats were drawn at random (protocol 2)."""
    discarded_by: tuple[str, ...] = ()
    """The players who discarded luck that was known: by not opening their shares, or by aborting the match."""
    lapsed_players: tuple[str, ...] = ()
    """The players who lost their seat, or the whole match, because they ran out of time or never made a first move."""
    removed_players: tuple[str, ...] = ()
    """The players whom the creator removed before the start. They can't sit down again."""
    waiting_since: datetime | None = None
    """When players last began to wait for a move: at the start, a move, an undo, a handover, or the end of a pause."""
    full_since: datetime | None = None
    """When the last seat was taken, if shares are to be opened."""
    fork: Fork | None = None
    disputes: tuple[Dispute, ...] = ()
    retracted_spans: tuple[RetractedSpan, ...] = ()
    annulled: bool = False
    has_failed_audit: bool = False
    """An audit found an error in the log."""
    time_control: TimeControl | None = None
    clocks: tuple[SeatClock, ...] = ()
    """One for each seat if the match has a clock."""
    paused: bool = False
    proposals: tuple[Proposal, ...] = ()
    was_created_rated: bool = False
    """The creator asked for a rated match. Whether its result counts is `is_rated`."""
    offers: tuple[SeatOffer, ...] = ()
    """Seats that can be taken over."""
    has_lost_rating: bool = False
    """A move that had revealed something was taken back with nobody to ask, or a seat was handed over."""
    notices: tuple[Notice, ...] = ()
    """The notifications that are due to the players."""
    private: bool = False
    """The match is unlisted: anyone with the link can watch, and players can join only by invitation."""
    by_chance: bool = False
    """The seating is drawn at the start."""
    ended_at: datetime | None = None
    """When the game ended."""
    components: str = ""
    """The digest of the component data, as recorded in the first event."""
    without_game: bool = False
    """The match was folded without its game, which can't be used. It has no position, and no seat owes a move."""

    @property
    def rules(self) -> AnyGame:
        """Return the game at this match's rules version. Raise GameNotInstalled.

        A match that was folded without its game has a placeholder instead.
        """
        if self.without_game:
            return placeholder_game(self.game, self.rules_version)
        return find_pinned_game(self.game, self.rules_version)

    @property
    def has_changed_components(self) -> bool:
        """Return whether the game's component data differs from that recorded in the first event. Raise UnknownGame."""
        return not self.without_game and self.components != self.rules.components_digest

    @property
    def to_move(self) -> frozenset[Seat]:
        """Return the seats that owe a move now."""
        return self.rules.to_move(self.state) if self.status == "playing" else frozenset()

    @property
    def is_rated(self) -> bool:
        """Return whether the result counts towards the ratings: whether nothing makes the match unrated."""
        return self.unrated_reason is None

    @property
    def unrated_reason(self) -> UnratedReason | None:
        """Return why the result doesn't count towards the ratings, or None if it does.

        It counts if the match was created rated and listed, with a time limit and a secret seed, from the normal
        set-up, and if each player is a person with one seat. No bot may step in for a player, even if none has: a
        losing player could then just run out of time. If an audit failed, an arbiter must have ruled on it. In a
        finished match, at least two seats must have moved. Rated matches under luck protocol 1 need no time limit:
        earlier releases created them, and they keep their terms.
        """
        people = [seat.player for seat in self.seats if seat.kind == "human"]
        reasons: tuple[tuple[bool, UnratedReason], ...] = (
            (not self.was_created_rated, "not_chosen"),
            (self.time_control is None and self.luck is not None, "no_time_limit"),
            (self.has_given_seed, "given_seed"),
            (self.fork is not None or self.position is not None, "unusual_start"),
            (self.private, "unlisted"),
            (any(seat.kind == "bot" for seat in self.seats), "bots"),
            (self.time_control is not None and self.time_control.expiry != "resigns", "bots"),
            (len(set(people)) < len(people), "several_seats"),
            (self.annulled, "annulled"),
            (self.has_lost_rating, "changed"),
            (self.has_failed_audit and all(dispute.is_open for dispute in self.disputes), "failed_audit"),
            (self.outcome is not None and len(self.seats) - len(self.idle_seats) < 2, "not_played"),
        )
        return next((reason for applies, reason in reasons if applies), None)

    @property
    def idle_seats(self) -> tuple[Seat, ...]:
        """Return the seats whose player has not made a move, other than resigning."""
        return tuple(n for n, seat in enumerate(self.seats) if not seat.has_moved)

    @property
    def deadline(self) -> datetime | None:
        """Return the earliest deadline of any seat, or None while no clock runs."""
        return min((clock.deadline for clock in self.clocks if clock.deadline is not None), default=None)

    @property
    def open_seats(self) -> tuple[Seat, ...]:
        """Return the seats that nobody has taken."""
        return tuple(n for n, seat in enumerate(self.seats) if seat.kind == "open")

    def seats_of(self, player: str | None) -> tuple[Seat, ...]:
        """Return the seats of this player."""
        if player is None:
            return ()
        return tuple([n for n, seat in enumerate(self.seats) if seat.player == player])

    def has_seated(self, player: str | None) -> bool:
        """Return whether this player has a seat in the match, or has had one since it started."""
        return player is not None and any(player in (seat.player, *seat.former_players) for seat in self.seats)


AnyMatch = Match[Any]


@cache
def snapshot_decoder(game: AnyGame) -> msgspec.json.Decoder[AnyMatch]:
    """Return a decoder for matches of this game that `msgspec.json.encode` wrote."""
    return msgspec.json.Decoder(Match[game.state_type])  # type: ignore[name-defined]
