"""Rules of the layer `seed` about the table: the order of seats, openings and start, and what players have shown.

`luck.order`, `luck.table`, `luck.seal`, `luck.shares` and `luck.deadline`, under luck protocol 2. None needs the seed.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import UNSET

from domain.kernel.events import (
    AnyEvent,
    Cancelled,
    Created,
    Ended,
    SeatLeft,
    SeatTaken,
    SeedRevealed,
    ShareOpened,
    Started,
)
from domain.kernel.game import Seat
from domain.kernel.luck import Share, is_share, share_seal, table_hash
from replays.file import kind_of
from replays.verify.case import Case

# -- luck.order -----------------------------------------------------------------------------------------------------


@dataclass
class Table:
    """The seats of a match before its start, as the events fill and leave them.

    `taken` is how each seat was last taken; None if it is free.
    """

    taken: list[SeatTaken[Any, Any] | None]
    openings: list[ShareOpened[Any, Any]] = field(default_factory=list)
    full: AnyEvent | None = None
    started: Started[Any, Any] | None = None
    cancelled: Cancelled[Any, Any] | None = None
    state: str = "open"

    @property
    def seals(self) -> list[Share]:
        """The seals of all seats; None where there is none."""
        return [None if seat is None or seat.seal is UNSET else seat.seal for seat in self.taken]

    @property
    def unopened(self) -> tuple[Seat, ...]:
        """The seats with a seal whose share is not open."""
        opened = {event.seat for event in self.openings}
        return tuple(seat for seat, seal in enumerate(self.seals) if seal is not None and seat not in opened)


NEXT: dict[str, tuple[type[AnyEvent], ...]] = {
    "open": (SeatTaken, SeatLeft, Cancelled),
    "opening": (ShareOpened, Cancelled),
    "full": (Started,),
    "cancelled": (SeedRevealed,),
    "ended": (SeedRevealed,),
}
"""The events that may come next, by state of the table. The layer `lifecycle` checks the other states."""
BEFORE_START = (Created, SeatTaken, SeatLeft, ShareOpened, Started, Cancelled, SeedRevealed)
"""The events that may not come while the match is played."""


def follow_table(case: Case) -> Table:
    """Check that seats, openings, start and end come in order. Return the table."""
    table, rule = Table([None] * len(case.created.seats)), "luck.order"
    for event in case.each_event():
        if event is case.created:
            continue
        kinds = NEXT.get(table.state)
        ends_early = table.state == "playing" and isinstance(event, Cancelled)
        if not isinstance(event, kinds) if kinds else isinstance(event, BEFORE_START) and not ends_early:
            wanted = " or ".join(str(kind.__struct_config__.tag) for kind in kinds or ()) or "another event"
            raise case.diverged(event, rule, wanted, kind_of(event), "This event must not come here.")
        advance_table(case, table, event)
    if table.state in ("full", "cancelled", "ended"):
        due = str(NEXT[table.state][0].__struct_config__.tag)
        raise case.diverged(case.current, rule, f"{due} next", "the closing line", "The next event is missing.")
    return table


def advance_table(case: Case, table: Table, event: AnyEvent) -> None:
    """Apply an event to the table."""
    match event:
        case SeatTaken() | SeatLeft():
            require_seat(case, table, event)
            table.taken[event.seat] = event if isinstance(event, SeatTaken) else None
            if None not in table.taken:
                table.full = event
                table.state = "opening" if table.unopened else "full"
        case ShareOpened():
            table.openings.append(event)
            table.state = "opening" if table.unopened else "full"
        case Started():
            table.started = event
            table.state = "playing"
        case Cancelled():
            check_cancellation(case, table, event)
            table.cancelled = event
            table.state = "cancelled"
        case Ended():
            table.state = "ended"
        case SeedRevealed():
            table.state = "over"


def require_seat(case: Case, table: Table, event: SeatTaken[Any, Any] | SeatLeft[Any, Any]) -> None:
    """Check that a seat exists, and that it is free if a player takes it and taken if a player leaves it."""
    if event.seat not in range(len(table.taken)) or (table.taken[event.seat] is None) != isinstance(event, SeatTaken):
        wanted = "a free seat" if isinstance(event, SeatTaken) else "a taken seat"
        raise case.diverged(event, "luck.order", wanted, event.seat, "The seat cannot be taken or left here.")


OPEN_REASONS = (UNSET, "abandoned")
OPENING_REASONS = ("lost", "not_opened")
PLAYING_REASONS = ("aborted", "absent")
"""Why a match may be cancelled, by the state of its table. Rated matches are never cancelled after the start."""
REASONS_WITH_SEATS = ("lost", "not_opened", "absent")


def check_cancellation(case: Case, table: Table, event: Cancelled[Any, Any]) -> None:
    """Check why a match was cancelled, and whether the event names seats."""
    rule, found = "luck.order", "nothing" if event.reason is UNSET else event.reason
    by_state: dict[str, tuple[Any, ...]] = {"opening": OPENING_REASONS, "playing": PLAYING_REASONS}
    allowed = by_state.get(table.state, OPEN_REASONS)
    named, rated = event.reason in REASONS_WITH_SEATS, table.state == "playing" and case.created.rated is True
    if event.reason not in allowed or (event.seats is not UNSET) != named or rated:
        sentence = "The match cannot be cancelled for this reason here."
        wanted = " or ".join("no reason" if reason is UNSET else reason for reason in allowed)
        wanted = f"{wanted}, with seats only for {', '.join(REASONS_WITH_SEATS)}"
        raise case.diverged(event, rule, wanted, found, sentence)
    if event.reason == "absent" and not event.seats:
        sentence = "`seats` must name the seats that were absent."
        raise case.diverged(event, rule, "at least one seat", [], sentence)
    if event.reason == "lost" and event.seats is not UNSET:
        gave_up = {seat.player for n in event.seats if n in table.unopened and (seat := table.taken[n]) is not None}
        listed = tuple(seat for seat in table.unopened if seat in event.seats)
        if not event.seats or len(gave_up) > 1 or listed != event.seats:
            sentence = "`seats` must name the seats of one player who had not opened."
            raise case.diverged(event, rule, list(table.unopened), list(event.seats), sentence)


# -- luck.table, luck.seal, luck.shares, luck.deadline --------------------------------------------------------------


def check_table_hashes(case: Case, table: Table) -> None:
    """Check that every player who opened a share saw the seals of this table."""
    wanted = table_hash(case.created.match, case.created.commitment, table.seals)
    for event in table.openings:
        case.require(event, "luck.table", wanted, event.table, "The share was opened for another table.")


def check_seals(case: Case, table: Table) -> None:
    """Check that each sealed seat opens once, with the share that its seal was made from."""
    created, opened, rule = case.created, set[Seat](), "luck.seal"
    for event in table.openings:
        seal = table.seals[event.seat] if event.seat in range(len(table.seals)) else None
        if seal is None or event.seat in opened:
            raise case.diverged(
                event, rule, "a seat with a share to open", event.seat, "The seat has no share to open."
            )
        opened.add(event.seat)
        found = "not a share"
        if is_share(event.share):
            found = share_seal(created.match, event.seat, created.commitment, event.share)
        case.require(event, rule, seal, found, "The share does not match the seal of its seat.")


def check_shares(case: Case, table: Table) -> None:
    """Check that the start lists the shares that the players have shown."""
    if table.started is None:
        return
    shares: list[Any] = [None if seat is None else seat.share for seat in table.taken]
    for event in table.openings:
        shares[event.seat] = event.share
    found = list(table.started.shares or ())
    case.require(table.started, "luck.shares", shares, found, "The shares are not those that the players have shown.")


def check_deadline(case: Case, table: Table) -> None:
    """Check that shares were opened in time, or that the match was cancelled for those who did not open."""
    terms, rule = case.created.luck, "luck.deadline"
    if terms is UNSET or terms.opening_seconds is None or table.full is None:
        return
    deadline = later(table.full.at, terms.opening_seconds)
    for event in table.openings:
        if event.at >= deadline:
            wanted = f"before {deadline.isoformat()}"
            raise case.diverged(event, rule, wanted, event.at.isoformat(), "The share was opened too late.")
    cancelled = table.cancelled
    if cancelled is not None and cancelled.reason == "lost" and cancelled.at >= deadline:
        wanted, sentence = f"before {deadline.isoformat()}", "The time for opening was over, so no share could be lost."
        raise case.diverged(cancelled, rule, wanted, cancelled.at.isoformat(), sentence)
    if cancelled is None or cancelled.reason != "not_opened":
        return
    if cancelled.at < deadline:
        sentence = "The match was cancelled before the time for opening was over."
        raise case.diverged(cancelled, rule, deadline.isoformat(), cancelled.at.isoformat(), sentence)
    sentence = "These are not the seats that had not opened."
    case.require(cancelled, rule, list(table.unopened), list(cancelled.seats or ()), sentence)


def later(at: datetime, seconds: int) -> datetime:
    """Return the time this many seconds later, or the last one that can be written."""
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
