"""Before the start: creating a match, taking and leaving seats, cancelling, and the start itself."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent, Cancelled, Created, PlannedSeat, SeatLeft, SeatTaken, SeedRevealed, Started
from domain.kernel.game import Seat
from domain.kernel.hash_chain import GENESIS, canonical_json
from domain.kernel.json_input import read_position
from domain.kernel.recorder import Decision
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.clock import lobby_closing_time, require_valid_time_control
from domain.match.commands import Create, TakeSeat
from domain.match.event_recorder import Decided, EventRecorder
from domain.match.evolve import from_created
from domain.match.guards import require_existing_seat, require_fact_limit, require_open
from domain.match.luck import (
    chance_for_draw,
    client_seeds_by_seat,
    draw_seat_order,
    reorder_seats,
    require_valid_client_seed,
)
from domain.match.play import end_events_if_over
from domain.match.state import AnyMatch

MAX_TIMES_VACATED = 50
"""So often one seat may be left before the start; each time stays in the log for ever."""


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


def normalize_json(value: Any) -> Any:
    """Plain JSON as the log will give it back, in the order that it has there: a match is the same before and after."""
    return msgspec.json.decode(canonical_json(value))
