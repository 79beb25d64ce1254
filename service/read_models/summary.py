"""The summary of a match shown in lists, and the lists that contain it.

A shard's index is one sorted set of texts, each of which names a list and a place in it:
`list:mice_cake:open:<time>:<match>`. The server keeps them in order, so each page begins after the last entry of the
previous one, whatever has been added since.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from domain.kernel.game import Outcome, Seat
from domain.match.clock import lobby_closing_time
from domain.match.disputes import next_ruling_at
from domain.match.luck import unopened_seats
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, MatchStatus
from service.runtime.clock import to_milliseconds


class SeatSummary(msgspec.Struct, frozen=True):
    """A seat in a list of matches."""

    kind: Literal["human", "bot", "open"]
    player: str | None
    level: str | None
    private: bool
    deadline: datetime | None = None
    standin: str | None = None
    reserved_for: Annotated[str | None, Meta(description="The only player who can take it.")] = None


class MatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A match in a list. It contains only public information."""

    id: str
    game: str
    status: MatchStatus
    ply: int
    to_move: tuple[Seat, ...]
    seats: tuple[SeatSummary, ...]
    creator: str
    created_at: datetime
    at: datetime
    outcome: Outcome | None
    unheard: Annotated[tuple[int, ...], Meta(description="Disputes waiting for the audit's verdict.")] = ()
    disputes: Annotated[int, Meta(description="Number of unresolved disputes.")] = 0
    annulled: bool = False
    rated: bool = False
    paused: bool = False
    closes_at: Annotated[datetime | None, Meta(description="When an open match is cancelled if no one joins.")] = None
    asked: Annotated[tuple[Seat, ...], Meta(description="Seats that have not answered a proposal yet.")] = ()
    clock: Literal["per_move", "bank"] | None = None
    private: Annotated[bool, Meta(description="The match is unlisted; only its players find it in their lists.")] = (
        False
    )
    by_chance: Annotated[bool, Meta(description="Seats are assigned at random at the start.")] = False
    archived: Annotated[
        bool, Meta(description="The match was imported from a file and does not count towards records or ratings.")
    ] = False
    ended_at: datetime | None = None
    """When the game ended."""
    unopened: Annotated[tuple[Seat, ...], Meta(description="Seats whose share must be opened before the start.")] = ()
    was_rated: Annotated[bool, Meta(description="The match was created rated.")] = False
    discarded_by: Annotated[
        tuple[str, ...],
        Meta(description="Players who did not open their share or aborted the match, so it was cancelled."),
    ] = ()
    without_game: Annotated[
        bool, Meta(description="The match's game can't be used on this server, so nobody can move.")
    ] = False
    idle: Annotated[tuple[Seat, ...], Meta(description="Seats of a finished match whose player never moved.")] = ()
    lapsed: Annotated[
        tuple[str, ...], Meta(description="Players who are out because they ran out of time or never made a move.")
    ] = ()

    ruling_due: Annotated[
        datetime | None, Meta(description="When the server resolves the oldest dispute if no arbiter does.")
    ] = None

    @property
    def free_seat(self) -> Seat | None:
        """The first seat that anyone may take."""
        return next((n for n, seat in enumerate(self.seats) if seat.kind == "open" and not seat.private), None)

    @property
    def is_bot_to_move(self) -> bool:
        """Whether a bot must move."""
        return any(self.seats[seat].kind == "bot" or self.seats[seat].standin for seat in self.to_move)

    @property
    def deadline(self) -> datetime | None:
        """The earliest deadline of all seats."""
        return min((seat.deadline for seat in self.seats if seat.deadline), default=None)

    @property
    def next_deadline(self) -> datetime | None:
        """When the server has to act next: on a clock that runs out, an abandoned lobby, or an unresolved dispute."""
        ends = (self.deadline or self.closes_at, None if self.archived else self.ruling_due)
        return min((end for end in ends if end is not None), default=None)

    def is_waiting_for(self, player: str) -> bool:
        """Return whether the player must move, answer a proposal or open a share."""
        owing = (self.seats[seat] for seat in {*self.to_move, *self.asked, *self.unopened})
        return any(seat.player == player and not seat.standin for seat in owing)

    def deadline_of(self, player: str) -> datetime | None:
        """Return the player's earliest deadline."""
        return min((seat.deadline for seat in self.seats if seat.player == player and seat.deadline), default=None)


class RatedResult(msgspec.Struct, frozen=True):
    """A result for the ratings: the players, their places, and the winning seats.

    The `idle` seats never moved; results stored by earlier releases name none.
    """

    match: str
    game: str
    ended_at: datetime
    players: tuple[str, ...]
    places: tuple[int, ...]
    winners: tuple[Seat, ...]
    idle: tuple[Seat, ...] = ()

    @property
    def order_key(self) -> str:
        """The sort key of results: time of end, then match id."""
        return f"{to_milliseconds(self.ended_at):013}:{self.match}"


class Tally(NamedTuple):
    """How many matches a player has won, drawn and lost."""

    won: int
    drawn: int
    lost: int


def summarize_match(match: AnyMatch) -> MatchSummary:
    """Return the summary of a match."""
    return MatchSummary(
        id=match.id,
        game=match.game,
        status=match.status,
        ply=match.ply,
        to_move=tuple(sorted(match.to_move)),
        seats=tuple(summarize_seat(match, number) for number in range(len(match.seats))),
        creator=match.creator,
        created_at=match.created_at,
        at=match.last_event_at,
        outcome=match.outcome,
        unheard=tuple(dispute.number for dispute in match.disputes if not dispute.has_verdict),
        disputes=sum(dispute.is_open for dispute in match.disputes),
        annulled=match.annulled,
        rated=match.is_rated,
        paused=match.paused,
        closes_at=lobby_closing_time(match),
        asked=tuple(sorted({seat for proposal in match.proposals for seat in seats_to_answer(match, proposal)})),
        clock=match.time_control.kind if match.time_control else None,
        private=match.private,
        by_chance=match.by_chance,
        ended_at=match.ended_at,
        unopened=unopened_seats(match) if match.status == "opening" else (),
        was_rated=match.was_created_rated,
        ruling_due=next_ruling_at(match),
        discarded_by=match.discarded_by,
        idle=match.idle_seats if match.status == "over" and match.outcome else (),
        without_game=match.without_game,
        lapsed=match.lapsed_players,
    )


def summarize_seat(match: AnyMatch, number: Seat) -> SeatSummary:
    """Return the summary of a seat."""
    seat = match.seats[number]
    deadline = match.clocks[number].deadline if match.clocks else None
    return SeatSummary(seat.kind, seat.player, seat.level, seat.private, deadline, seat.standin, seat.reserved_for)


def rated_result(row: MatchSummary) -> RatedResult | None:
    """Return the match's result for the ratings, or None if it does not count."""
    players = tuple(seat.player for seat in row.seats if seat.player)
    if not row.rated or row.archived or row.outcome is None or row.ended_at is None or len(players) < len(row.seats):
        return None
    return RatedResult(row.id, row.game, row.ended_at, players, row.outcome.places, row.outcome.winners, row.idle)


def tally_entries(row: MatchSummary) -> Iterator[tuple[str, str]]:
    """Yield each player of a finished, listed match with `won`, `drawn` or `lost`.

    Skips archived matches and players with more than one seat.
    """
    people = [seat.player for seat in row.seats]
    if row.outcome is None or row.private or row.archived:
        return
    for number, player in enumerate(people):
        if player is not None and people.count(player) == 1:
            won, drawn = number in row.outcome.winners, not row.outcome.winners
            yield player, "won" if won else "drawn" if drawn else "lost"


def reliability_entries(row: MatchSummary) -> Iterator[tuple[str, str]]:
    """Yield each player of a finished match between people with `lapsed` or `kept` (see `lapses.py`)."""
    people = {seat.player for seat in row.seats if seat.player} | set(row.lapsed)
    if row.status != "over" or row.archived or len(people) < 2:
        return
    for player in sorted(row.lapsed):
        yield player, "lapsed"
    for number, seat in enumerate(row.seats):
        if seat.player and seat.player not in row.lapsed and number not in row.idle and row.outcome:
            yield seat.player, "kept"


def index_entries(row: MatchSummary) -> list[str]:
    """Return the entries of a match in the index."""
    created, now = f"{to_milliseconds(row.created_at):013}:{row.id}", f"{to_milliseconds(row.at):013}:{row.id}"
    players = {row.creator, *(seat.player for seat in row.seats if seat.player)}
    waiting = {player for seat in row.seats if (player := seat.player) and row.is_waiting_for(player)}
    result = rated_result(row)
    ended = f"{to_milliseconds(row.ended_at or row.at):013}:{row.id}"
    name = "private" if row.private else "list"
    return sorted(
        [
            *(f"{name}:{game}:{status}:{created}" for game in ("*", row.game) for status in ("*", row.status)),
            *(f"mine:{player}:{created}" for player in players),
            *(f"turn:{player}:{now}" for player in waiting),
            *([f"court:{now}"] if row.disputes else []),
            *([f"rated:{row.game}:{result.order_key}"] if result else []),
            *(f"tally:{player}:{row.game}:{word}:{created}" for player, word in tally_entries(row)),
            *(f"{word}:{player}:{ended}" for player, word in reliability_entries(row)),
            *(f"unopened:{player}:{now}" for player in row.discarded_by),
            *(f"unopened-rated:{player}:{now}" for player in row.discarded_by if row.was_rated),
            *([f"busy:{row.creator}:{created}"] if row.status != "over" else []),
        ]
    )
