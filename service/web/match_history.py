"""Turns the events of a match into text: the moves as the game narrates them, and all other events."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET

from domain.kernel.events import (
    Answered,
    AnyEvent,
    Audited,
    Cancelled,
    Created,
    Disputed,
    Ended,
    Expired,
    Extended,
    HandedOver,
    Moved,
    OfferWithdrawn,
    Paused,
    Proposed,
    Resolved,
    Resumed,
    SeatEvent,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    SeedRevealed,
    ShareOpened,
    Started,
    TakenBack,
    VacationTaken,
)
from domain.kernel.game import Seat
from domain.kernel.text import capital
from domain.match.commands import NO_CLIENT_SEED
from domain.match.durations import DAY, format_duration
from domain.match.luck import takes_shares
from domain.match.proposals import proposal_from_event
from domain.match.state import AnyMatch, Proposal
from service.app_context import services
from service.web.seating import SeatInfo, bot_name, join_words

FORMER_PLAYER = "a former player"
"""Replaces the name of a player who has left their seat."""
CANCELLED_TEXT = "The match was cancelled."
ABANDONED_TEXT = "The match was cancelled because not enough players joined in time."
EventLookup = Callable[[int], AnyEvent]
"""Returns the event at a ply of the match."""


class HistoryEntry(msgspec.Struct, frozen=True):
    """One event as text. `seat_name` is None for the match itself; `is_retracted` marks a move that was undone."""

    ply: int
    at: datetime
    seat_name: str | None
    lines: tuple[str, ...]
    is_retracted: bool = False


def history_entries(match: AnyMatch, events: Iterable[AnyEvent], table: Sequence[SeatInfo]) -> list[HistoryEntry]:
    """Return history entries for events that are already redacted for the reader. Events without text are left out."""
    entries = (
        HistoryEntry(
            ply=event.ply,
            at=event.at,
            seat_name=None if event.seat is None or is_before_seat_draw(match, event) else table[event.seat].name,
            lines=tuple(event_lines(match, event, table, stored_events(match))),
            is_retracted=isinstance(event, Moved)
            and any(s.first <= event.ply <= s.last for s in match.retracted_spans),
        )
        for event in events
    )
    return [entry for entry in entries if entry.lines]


def event_lines(match: AnyMatch, event: AnyEvent, table: Sequence[SeatInfo], event_at: EventLookup) -> list[str]:
    """Return the lines of text that describe one event. An answer is described with the request that it answers."""
    narration = match.rules.tell(event.facts)
    match event:
        case Created():
            return [describe_creation(event)]
        case SeatTaken() | SeatLeft() | ShareOpened():
            return [describe_seating(match, event, table)]
        case Started():
            return [
                *([describe_seat_draw(table)] if event.order is not UNSET else []),
                *(narration or ["The match begins."]),
            ]
        case Moved():
            return [
                *(narration or [f"{capital(event_seat_name(event.seat, table))} makes a move."]),
                *order_note(event, table),
            ]
        case Ended() | Cancelled() | SeedRevealed():
            return [describe_end(event, table)]
        case Disputed() | Audited() | Resolved():
            return [describe_dispute_event(event, table)]
        case SeatOffered() | OfferWithdrawn() | HandedOver():
            return [describe_handover(match, event, table)]
        case Answered():
            return [describe_answer(event, event_at(event.proposal), table)]
        case SeatEvent():
            return [describe_clock_event(event, table)]
        case _:
            return []


def stored_events(match: AnyMatch) -> EventLookup:
    """Return a function that reads an event of the match from the log."""
    return partial(services().matches.repository.event_at, match)


def order_note(event: Moved[Any, Any], table: Sequence[SeatInfo]) -> list[str]:
    """Return a note that a standing order made the move, if the reader may know it."""
    if event.cause is UNSET:
        return []
    whose = "your" if table[event.seat].is_you else "a"
    why = ", because no other move was legal" if event.cause.kind == "forced" else ""
    return [f"(Made by {whose} standing order{why}.)"]


def describe_creation(event: Created[Any, Any]) -> str:
    """Return the text for the creation of a match."""
    if event.fork is not UNSET:
        return f"The match continues from move {event.fork.ply} of match {event.fork.match}."
    luck = "a chosen seed (practice, never rated)" if event.given else "a secret seed, committed in advance"
    kind = " It is rated." if event.rated is True else ""
    drawn = " Seats are drawn at random when it starts." if event.seating is not UNSET else ""
    return f"The match is created with {luck}.{kind}{drawn}{describe_luck_level(event)}"


def describe_luck_level(event: Created[Any, Any]) -> str:
    """Return a sentence on when players show their shares of the luck."""
    if event.luck is UNSET or event.luck.level == "given":
        return ""
    if event.luck.level == "open":
        return " Players can add a share of the luck as they sit down."
    return " Players can seal a share of the luck as they sit down, and open it once all seats are taken."


def table_seat_occupant(match: AnyMatch, seat: Seat, table: Sequence[SeatInfo]) -> str:
    """Return who sat down in a seat, which may have another number since the seats were drawn."""
    now = match.seat_order.index(seat) if match.seat_order else seat
    return FORMER_PLAYER if match.seats[now].former_players else table[now].occupant


def describe_end(event: AnyEvent, table: Sequence[SeatInfo]) -> str:
    """Return the text for the end of a match."""
    match event:
        case Cancelled():
            return describe_cancellation(event, table)
        case SeedRevealed():
            return "The seed is revealed. Anyone can now check every random draw."
        case _:
            return "The match is over."


def describe_answer(event: Answered[Any, Any], asked: AnyEvent, table: Sequence[SeatInfo]) -> str:
    """Return the text for the answer to a proposal. The seat that asked can only withdraw its request."""
    verb = "accepts" if event.agrees else "withdraws" if event.seat == asked.seat else "declines"
    request = describe_proposal(proposal_from_event(asked), table)
    return f"{capital(event_seat_name(event.seat, table))} {verb} the request {request}."


def describe_cancellation(event: Cancelled[Any, Any], table: Sequence[SeatInfo]) -> str:
    """Return why a match was cancelled."""
    who = "" if event.seats is UNSET else join_words(list(dict.fromkeys(table[seat].occupant for seat in event.seats)))
    match event.reason:
        case "abandoned":
            return ABANDONED_TEXT
        case "not_opened":
            return f"{capital(who)} did not open their share in time, so the match was cancelled."
        case "lost":
            return f"{capital(who)} lost their share, so the match was cancelled."
        case "absent":
            return f"{capital(who)} did not make a first move in time, so the match was ended."
        case "aborted" if event.seat is not None:
            return f"{capital(table[event.seat].occupant)} aborted the match before their first move."
        case _:
            return CANCELLED_TEXT


def describe_clock_event(event: SeatEvent[Any, Any], table: Sequence[SeatInfo]) -> str:
    """Return the text for a timeout, or for a proposal and its effects."""
    who = capital(event_seat_name(event.seat, table))
    match event:
        case Expired() if event.by is not UNSET:
            claimant = capital(event_seat_name(event.by, table))
            return f"{who} did not make a first move in time, and {claimant} claims the loss."
        case Expired():
            return f"{who} ran out of time: {EXPIRY_CONSEQUENCES[event.consequence]}."
        case Proposed():
            return f"{who} asks {describe_proposal(proposal_from_event(event), table)}."
        case Paused():
            return "The match is paused. All clocks are stopped."
        case Resumed():
            return f"{who} resumes the match. The clocks are running again."
        case Extended():
            return f"{who} gets {format_duration(event.seconds)} of extra time."
        case VacationTaken():
            return f"{who} takes {format_duration(event.days * DAY)} of vacation."
        case TakenBack():
            undone = f"Moves after move {event.to_ply} no longer count"
            return f"{who} undoes a move. {undone}{'' if event.rated else ', and the match is unrated'}."
        case _:
            raise TypeError(type(event).__name__)


def describe_handover(match: AnyMatch, event: SeatEvent[Any, Any], table: Sequence[SeatInfo]) -> str:
    """Return the text for a seat that is offered, kept or handed over."""
    who = capital(event_seat_name(event.seat, table))
    match event:
        case SeatOffered(proposal=None):
            return f"{who} is looking for someone to take over the seat."
        case SeatOffered():
            return f"The other players are looking for someone to take over {event_seat_name(event.seat, table)}."
        case OfferWithdrawn():
            return f"{who} withdraws the offer to hand over a seat."
        case HandedOver(player=None):
            return f"{bot_name(event.level)} takes over {event_seat_name(event.seat, table)}."
        case HandedOver():
            still_there = match.seats[event.seat].player == event.player
            who = table[event.seat].occupant if still_there else FORMER_PLAYER
            return f"{capital(who)} takes over {event_seat_name(event.seat, table)}."
        case _:
            raise TypeError(type(event).__name__)


EXPIRY_CONSEQUENCES = {
    "resigns": "the player resigns",
    "bot_moves": "a bot makes this move",
    "bot_takes_over": "a bot takes over the seat",
}
"""The consequence of running out of time, by kind."""


def describe_proposal(asked: Proposal, table: Sequence[SeatInfo]) -> str:
    """Return what a proposal asks for, as a phrase that follows "asks"."""
    match asked:
        case Proposal(kind="pause"):
            return "for a pause"
        case Proposal(kind="extend", seconds=int(seconds)):
            return f"for {format_duration(seconds)} of extra time"
        case Proposal(kind="takeback"):
            return f"to undo everything after move {asked.to_ply}"
        case Proposal(kind="hand_over", target_seat=int(seat)):
            to = "another player" if asked.level is None else f"the {bot_name(asked.level)}"
            return f"to hand over {table[seat].name} to {to}"
        case _:
            raise TypeError(f"proposal of kind {asked.kind} lacks its details")


def describe_dispute_event(event: AnyEvent, table: Sequence[SeatInfo]) -> str:
    """Return the text for a dispute, a verdict or a ruling."""
    match event:
        case Disputed():
            who = "An arbiter" if event.seat is None else capital(event_seat_name(event.seat, table))
            return f"{who} disputes move {event.target}."
        case Audited(holds=True):
            return "The audit found no fault in the match."
        case Audited():
            place = f" at move {event.at_ply}" if event.at_ply else ""
            return f"The audit found a fault: the {event.layer} check failed{place} (rule {event.rule})."
        case Resolved():
            return describe_ruling(event)
        case _:
            raise TypeError(type(event).__name__)


def describe_ruling(event: Resolved[Any, Any]) -> str:
    """Return the text for a ruling of an arbiter or the server."""
    who = (
        "An arbiter rules" if event.cause is UNSET else "No arbiter ruled within 14 days, so the audit's verdict counts"
    )
    match event.ruling:
        case "goes_on":
            return f"{who}: the match continues."
        case "rolled_back":
            return f"{who}: the match goes back to move {event.to_ply}. Later moves no longer count."
        case "stands":
            return f"{who}: the result is upheld."
        case "result_of":
            return f"{who}: the result is the score at move {event.to_ply}."
        case _:
            return f"{who}: the match is annulled."


def describe_seat_draw(table: Sequence[SeatInfo]) -> str:
    """Return the text for seats drawn at random."""
    return f"The seats are drawn: {join_words([f'{sitting.occupant} is {sitting.name}' for sitting in table])}."


def is_before_seat_draw(match: AnyMatch, event: AnyEvent) -> bool:
    """Return whether the event names a seat from before the random draw, so its name has no meaning yet."""
    return match.by_chance and isinstance(event, SeatTaken | SeatLeft | ShareOpened)


def describe_seating(match: AnyMatch, event: AnyEvent, table: Sequence[SeatInfo]) -> str:
    """Return the text for a seat that is taken or left, or for a share that is opened."""
    match event:
        case SeatTaken():
            return describe_seat_taken(match, event, table)
        case ShareOpened():
            return f"{capital(table_seat_occupant(match, event.seat, table))} opens their share of the luck."
        case SeatLeft() if event.removed is True:
            kept = " The seat is kept for the creator." if event.kept is True else ""
            return f"The creator removes a player.{kept}"
        case SeatLeft() if match.by_chance:
            return "A player leaves."
        case SeatLeft():
            return f"{capital(event_seat_name(event.seat, table))} is open again."
        case _:
            raise TypeError(type(event).__name__)


def describe_seat_taken(match: AnyMatch, event: SeatTaken[Any, Any], table: Sequence[SeatInfo]) -> str:
    """Return the text for a seat taken. Uses current names because the log has none."""
    seats = [seat for seat, each in enumerate(match.seats) if event.player and each.player == event.player]
    who = bot_name(event.level) if event.player is None else table[seats[0]].occupant if seats else FORMER_PLAYER
    place = "" if match.by_chance else f" as {table[event.seat].name}"
    return f"{capital(who)} joins{place}{describe_contribution(match, event)}."


def describe_contribution(match: AnyMatch, event: SeatTaken[Any, Any]) -> str:
    """Return what a player added to the luck, as the end of a sentence."""
    if match.luck is None:
        return "" if event.client_seed in (NO_CLIENT_SEED, UNSET) else ", with their own seed"
    if event.player is None or not takes_shares(match):
        return ""
    if event.seal:
        return ", with a sealed share of the luck"
    return ", with a share of the luck" if event.share else ", without a share of the luck"


def event_seat_name(seat: Seat, table: Sequence[SeatInfo]) -> str:
    """Return the name of a seat."""
    return table[seat].name
