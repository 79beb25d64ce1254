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
"""How many times one seat may be left before the start. Each time stays in the log forever."""


def create(command: Create, now: datetime, luck: Luck) -> Decided:
    """Return the events of a new match, and the match: created, seats taken and, if no seat is open, started.

    Raises BadOptions, MatchRefused, UnknownGame.
    """
    plan = command.fork
    game = find_game(command.game, plan.rules_version if plan else None)
    if command.clock is not None:
        require_valid_time_control(command.clock)
    if command.by_chance and plan is not None:
        raise MatchRefused("bad_seating", "The seats of a fork can't be drawn at random. Choose who plays each seat.")
    if command.rated:
        require_rateable(command, luck)
    position = read_position(command.position)
    options = normalize_json(game.read_options(command.options))
    if plan is None:
        # Refuse an impossible set-up before the match exists. These draws are discarded.
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
    """Refuse to rate a match that could be unfair or that nobody could check. Raise MatchRefused."""
    people = [wish.player for wish in command.seats if wish.kind == "human"]
    bots_help = command.clock is not None and command.clock.expiry != "resigns"
    for applies, reason in (
        (luck.given, "its seed must be drawn in secret"),
        (command.position is not None or command.fork is not None, "it must start from the game's normal set-up"),
        (any(wish.kind == "bot" for wish in command.seats), "bots can't take part"),
        (bots_help, "a bot can't step in when a player runs out of time; choose that the player resigns"),
        (len(command.seats) < 2 or len(set(people)) < len(people), "it needs at least two people with one seat each"),
        (command.private, "it can't be unlisted, because everyone must be able to check the ratings"),
    ):
        if applies:
            raise MatchRefused("not_rateable", f"This match can't be rated: {reason}.")


def take_seat(record: EventRecorder, command: TakeSeat, now: datetime, luck: Luck) -> None:
    """Let a player take a seat. The match starts when the last seat is taken."""
    match = record.match
    require_open(match)
    require_existing_seat(match, command.seat)
    if match.seats[command.seat].kind != "open":
        raise MatchRefused("seat_taken", "This seat is taken. Pick another seat or watch the match.")
    if match.seats[command.seat].times_vacated >= MAX_TIMES_VACATED:
        raise MatchRefused(
            "left_too_often",
            f"Players have taken and left this seat {MAX_TIMES_VACATED} times, the maximum. "
            "Pick another seat or start your own match.",
        )
    if match.was_created_rated and match.seats_of(command.player):
        raise MatchRefused(
            "one_seat_each", "You already have a seat in this match. In a rated match you can only have one."
        )
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
    """Start the match if all seats are taken. A position may be over as soon as it is set up."""
    if record.match.open_seats:
        return
    record.emit(*started(record.match, now, luck))
    if record.match.fork is None:
        end_events_if_over(record, now, luck)


def started(match: AnyMatch, now: datetime, luck: Luck) -> tuple[AnyEvent, Decision[Any, Any]]:
    """Return the start event of a full match, and what the start does in the game."""
    if match.fork is not None:
        # A fork was set up in another match, so nothing is drawn.
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
    """Return the event by which a player leaves a seat before the start."""
    require_open(match)
    require_existing_seat(match, seat)
    if match.seats[seat].kind == "open":
        raise MatchRefused("seat_open", "This seat is already open.")
    return [SeatLeft(ply=match.ply + 1, seat=seat, at=now, first_fact=match.fact_count)]


def cancel(match: AnyMatch, player: str, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Return the events by which the creator cancels the match before the start."""
    require_open(match)
    if player != match.creator:
        raise MatchRefused("not_creator", "Only the player who created a match can cancel it.")
    return cancellation_events(match, Cancelled(ply=match.ply + 1, at=now, first_fact=match.fact_count), luck)


def close_lobby(match: AnyMatch, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Return the events that cancel an open match that nobody has joined for too long."""
    require_open(match)
    until = lobby_closing_time(match)
    if until is None or now < until:
        raise MatchRefused("not_due", "Players can still join this match.")
    return cancellation_events(
        match, Cancelled(ply=match.ply + 1, at=now, first_fact=match.fact_count, reason="abandoned"), luck
    )


def cancellation_events(match: AnyMatch, event: AnyEvent, luck: Luck) -> list[AnyEvent]:
    """Return the end of a match that never started, and its seed."""
    revealed: AnyEvent = SeedRevealed(ply=match.ply + 2, at=event.at, first_fact=match.fact_count, seed=luck.reveal())
    return [event, revealed]


def normalize_json(value: Any) -> Any:
    """Return plain JSON exactly as it will be read back from the log, in the same order.

    The match is then the same before and after it is stored.
    """
    return msgspec.json.decode(canonical_json(value))
