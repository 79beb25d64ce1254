"""The start of a match: seats are drawn if the creator chose random seating, and the game is set up."""

from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.events import Started
from domain.kernel.game import Seat
from domain.kernel.recorder import Decision
from domain.match.event_recorder import EventRecorder
from domain.match.guards import require_fact_limit
from domain.match.luck import (
    client_seeds_by_seat,
    draw_seat_order,
    next_chance,
    reorder_seats,
    seating_chance,
    standing_shares,
    uses_of,
)
from domain.match.play import end_events_if_over
from domain.match.state import AnyMatch


def start_events_if_full(record: EventRecorder, now: datetime, luck: Luck) -> None:
    """Start the match if all seats are taken and all shares open. A position may be over as soon as it is set up."""
    if record.match.open_seats or record.match.status == "opening":
        return
    record.emit(*started(record.match, now, luck))
    if record.match.fork is None:
        end_events_if_over(record, now, luck)


def started(match: AnyMatch, now: datetime, luck: Luck) -> tuple[Started[Any, Any], Decision[Any, Any]]:
    """Return the start event of a full match, and what the start does in the game."""
    return started_by_protocol_1(match, now, luck) if match.luck is None else started_by_protocol_2(match, now, luck)


def started_by_protocol_1(match: AnyMatch, now: datetime, luck: Luck) -> tuple[Started[Any, Any], Decision[Any, Any]]:
    """Return the start under luck protocol 1, with the client seeds in seat order."""
    if match.fork is not None:
        # A fork was set up in another match, so nothing is drawn.
        event: Started[Any, Any] = Started(
            ply=match.ply + 1, at=now, first_fact=match.fact_count, client_seeds=client_seeds_by_seat(match)
        )
        return event, Decision([], match.state)
    order: tuple[Seat, ...] | UnsetType = UNSET
    if match.by_chance:
        order = draw_seat_order(seating_chance(luck, match.id, client_seeds_by_seat(match)), len(match.seats))
    seated = match if order is UNSET else replace(match, seats=reorder_seats(match.seats, order))
    game = match.rules
    facts = game.start(len(match.seats), match.options, next_chance(seated, luck), match.position)
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


def started_by_protocol_2(match: AnyMatch, now: datetime, luck: Luck) -> tuple[Started[Any, Any], Decision[Any, Any]]:
    """Return the start under luck protocol 2, with the shares in table-seat order and the uses of all draws."""
    shares = standing_shares(match.seats)
    if match.fork is not None:
        event: Started[Any, Any] = Started(
            ply=match.ply + 1, at=now, first_fact=match.fact_count, shares=shares, draws={}
        )
        return event, Decision([], match.state)
    chance, game = next_chance(match, luck), match.rules
    order = draw_seat_order(chance, len(match.seats)) if match.by_chance else UNSET
    facts = game.start(len(match.seats), match.options, chance, match.position)
    event = Started(
        ply=match.ply + 1,
        at=now,
        facts=require_fact_limit(game, facts),
        draw=0,
        first_fact=0,
        shares=shares,
        draws=uses_of(chance),
        order=order,
    )
    return event, game.decision(facts, match.state)
