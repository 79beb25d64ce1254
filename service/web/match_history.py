"""The log of a match in words: what the game tells of its facts, and the life of the match around them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
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
    Started,
    TakenBack,
    VacationTaken,
)
from domain.kernel.game import Seat
from domain.kernel.text import capital
from domain.match.commands import NO_CLIENT_SEED
from domain.match.durations import DAY, format_duration
from domain.match.proposals import proposal_from_event
from domain.match.state import AnyMatch, Proposal
from service.web.seating import SeatInfo, bot_name, join_words

FORMER_PLAYER = "somebody"
"""Who got up again."""
CANCELLED_TEXT = "The match was cancelled."
ABANDONED_TEXT = "Nobody came for two weeks: the match is called off."


class HistoryEntry(msgspec.Struct, frozen=True):
    """One event in words. `who` is the seat's name, None for the match itself; `undone`: it was taken back."""

    ply: int
    at: datetime
    seat_name: str | None
    lines: tuple[str, ...]
    is_retracted: bool = False


def history_entries(match: AnyMatch, events: Iterable[AnyEvent], table: Sequence[SeatInfo]) -> list[HistoryEntry]:
    """The events, as their reader sees them, in words. An event without words is left out."""
    entries = (
        HistoryEntry(
            ply=event.ply,
            at=event.at,
            seat_name=None if event.seat is None or is_before_seat_draw(match, event) else table[event.seat].name,
            lines=tuple(event_lines(match, event, table)),
            is_retracted=isinstance(event, Moved)
            and any(s.first <= event.ply <= s.last for s in match.retracted_spans),
        )
        for event in events
    )
    return [entry for entry in entries if entry.lines]


def event_lines(match: AnyMatch, event: AnyEvent, table: Sequence[SeatInfo]) -> list[str]:
    """One event in words."""
    told = match.rules.tell(event.facts)
    match event:
        case Created():
            if event.fork is not UNSET:
                return [f"The match goes on from ply {event.fork.ply} of match {event.fork.match}."]
            luck = "a given seed (practice: never rated)" if event.given else "a secret seed, sealed now"
            kind = " It is rated." if event.rated is True else ""
            drawn = " Who sits where is drawn at the start." if event.seating is not UNSET else ""
            return [f"The match is set up, with {luck}.{kind}{drawn}"]
        case SeatTaken():
            return [describe_seat_taken(match, event, table)]
        case SeatLeft():
            return [
                "Somebody gets up."
                if match.by_chance
                else f"{capital(event_seat_name(event.seat, table))} is free again."
            ]
        case Started():
            return [
                *([describe_seat_draw(table)] if event.order is not UNSET else []),
                *(told or ["The match begins."]),
            ]
        case Moved():
            return [
                *(told or [f"{capital(event_seat_name(event.seat, table))} has moved."]),
                *order_note(event, table),
            ]
        case Ended() | Cancelled() | SeedRevealed():
            return [describe_end(event)]
        case Disputed() | Audited() | Resolved():
            return [describe_dispute_event(event, table)]
        case SeatOffered() | OfferWithdrawn() | HandedOver():
            return [describe_handover(match, event, table)]
        case SeatEvent():
            return [describe_clock_event(event, table)]
        case _:
            return []


def order_note(event: Moved[Any, Any], table: Sequence[SeatInfo]) -> list[str]:
    """That a move was made by a standing order, if the reader may know it."""
    if event.cause is UNSET:
        return []
    whose = "your" if table[event.seat].is_you else "a"
    why = ": nothing else was possible" if event.cause.kind == "forced" else ""
    return [f"(Made by {whose} standing order{why}.)"]


def describe_end(event: AnyEvent) -> str:
    """The end of a match."""
    match event:
        case Cancelled():
            return CANCELLED_TEXT if event.reason is UNSET else ABANDONED_TEXT
        case SeedRevealed():
            return "The seed is revealed: every die can be checked now."
        case _:
            return "The match is over."


def describe_clock_event(event: SeatEvent[Any, Any], table: Sequence[SeatInfo]) -> str:
    """A clock that ran out, a question, an answer, and what came of it."""
    who = capital(event_seat_name(event.seat, table))
    match event:
        case Expired():
            return f"The time of {event_seat_name(event.seat, table)} is up: {EXPIRY_CONSEQUENCES[event.consequence]}."
        case Proposed():
            return f"{who} asks {describe_proposal(proposal_from_event(event), table)}."
        case Answered(agrees=True):
            return f"{who} agrees."
        case Answered():
            return f"{who} does not agree."
        case Paused():
            return "The match is paused: all clocks stand."
        case Resumed():
            return f"{who} lets the clocks run again."
        case Extended():
            return f"{who} has {format_duration(event.seconds)} more."
        case VacationTaken():
            return f"{who} takes {format_duration(event.days * DAY)} of vacation."
        case TakenBack():
            plies = f"the plies behind {event.to_ply} do not count"
            return f"{who} takes a move back: {plies}{'' if event.rated else ', and the match is not rated'}."
        case _:
            raise TypeError(type(event).__name__)


def describe_handover(match: AnyMatch, event: SeatEvent[Any, Any], table: Sequence[SeatInfo]) -> str:
    """A seat that is offered, kept, or somebody else's from now on."""
    who = capital(event_seat_name(event.seat, table))
    match event:
        case SeatOffered(proposal=None):
            return f"{who} looks for somebody who takes the seat over."
        case SeatOffered():
            return f"All others look for somebody who takes {event_seat_name(event.seat, table)} over."
        case OfferWithdrawn():
            return f"{who} ends the offer of a seat."
        case HandedOver(player=None):
            return f"{bot_name(event.level)} plays {event_seat_name(event.seat, table)} from now on."
        case HandedOver():
            still_there = match.seats[event.seat].player == event.player
            who = table[event.seat].occupant if still_there else FORMER_PLAYER
            return f"{capital(who)} takes {event_seat_name(event.seat, table)} over."
        case _:
            raise TypeError(type(event).__name__)


EXPIRY_CONSEQUENCES = {
    "resigns": "it resigns",
    "bot_moves": "a bot makes this move",
    "bot_takes_over": "a bot takes the seat over",
}
"""What happens when the time of a seat is up, in words."""


def describe_proposal(asked: Proposal, table: Sequence[SeatInfo]) -> str:
    """What a proposal asks for, as it continues after `asks`."""
    match asked:
        case Proposal(kind="pause"):
            return "for a pause"
        case Proposal(kind="extend", seconds=int(seconds)):
            return f"for {format_duration(seconds)} more"
        case Proposal(kind="takeback"):
            return f"to go back to ply {asked.to_ply}"
        case Proposal(kind="hand_over", target_seat=int(seat)):
            to = "somebody else" if asked.level is None else f"the {bot_name(asked.level)}"
            return f"to hand {table[seat].name} over to {to}"
        case _:
            raise TypeError(f"a proposal of kind {asked.kind} without its details")


def describe_dispute_event(event: AnyEvent, table: Sequence[SeatInfo]) -> str:
    """A dispute, a verdict or a ruling."""
    match event:
        case Disputed():
            who = "An arbiter" if event.seat is None else capital(event_seat_name(event.seat, table))
            return f"{who} disputes ply {event.target}."
        case Audited(holds=True):
            return "The audit finds that the match holds."
        case Audited():
            place = f" at ply {event.at_ply}" if event.at_ply else ""
            return f"THE AUDIT FINDS THAT THE MATCH DOES NOT HOLD: {event.layer}{place}, rule {event.rule}."
        case Resolved():
            return describe_ruling(event)
        case _:
            raise TypeError(type(event).__name__)


def describe_ruling(event: Resolved[Any, Any]) -> str:
    """An arbiter's ruling."""
    match event.ruling:
        case "goes_on":
            return "An arbiter rules: the match goes on."
        case "rolled_back":
            return f"An arbiter rules: back to ply {event.to_ply}. What came after it does not count."
        case "stands":
            return "An arbiter rules: the result stands."
        case "result_of":
            return f"An arbiter rules: the result is the score at ply {event.to_ply}."
        case _:
            return "An arbiter rules: the match is annulled."


def describe_seat_draw(table: Sequence[SeatInfo]) -> str:
    """Who sits where, by chance."""
    return f"The seats are drawn: {join_words([f'{sitting.occupant} is {sitting.name}' for sitting in table])}."


def is_before_seat_draw(match: AnyMatch, event: AnyEvent) -> bool:
    """Whether the seat of an event is one before the draw, and its name says nothing yet."""
    return match.by_chance and isinstance(event, SeatTaken | SeatLeft)


def describe_seat_taken(match: AnyMatch, event: SeatTaken[Any, Any], table: Sequence[SeatInfo]) -> str:
    """Who sat down; names are looked up now, the log holds none."""
    seats = [seat for seat, each in enumerate(match.seats) if event.player and each.player == event.player]
    who = bot_name(event.level) if event.player is None else table[seats[0]].occupant if seats else FORMER_PLAYER
    place = "" if match.by_chance else f" as {table[event.seat].name}"
    share = "" if event.client_seed == NO_CLIENT_SEED else ", with a seed of their own"
    return f"{capital(who)} sits down{place}{share}."


def event_seat_name(seat: Seat, table: Sequence[SeatInfo]) -> str:
    """The seat's name."""
    return table[seat].name
