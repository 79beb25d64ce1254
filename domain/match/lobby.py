"""Before the start: creating a match, taking and leaving seats, and cancelling."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.kernel.chance import DrawContext, Luck
from domain.kernel.events import (
    AnyEvent,
    Cancelled,
    Created,
    LuckLevel,
    LuckTerms,
    PlannedSeat,
    SeatLeft,
    SeatTaken,
    TimeControl,
)
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import GENESIS, canonical_json
from domain.kernel.json_input import read_position
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.bots import recorded_bot_version
from domain.match.clock import lobby_closing_time, require_valid_time_control
from domain.match.commands import NO_CLIENT_SEED, Create, RemovePlayer, TakeSeat
from domain.match.durations import DAY
from domain.match.event_recorder import Decided, EventRecorder
from domain.match.evolve import from_created
from domain.match.guards import require_existing_seat, require_fact_limit, require_open
from domain.match.luck import luck_terms, require_contribution, require_valid_client_seed, takes_shares
from domain.match.opening import cancellation_events
from domain.match.start import start_events_if_full
from domain.match.state import AnyMatch

RATED_TIME_CONTROL = TimeControl(kind="per_move", seconds=3 * DAY, expiry="resigns")
"""The clock of a rated match that was requested without one. Otherwise nobody would have to finish a lost match."""
SHARE_BEFORE_COMMITMENT = (
    "Create the match first, and sit down with your share after you have stored the match's commitment. "
    "Otherwise the server could choose its seed to fit your share."
)


def create(command: Create, now: datetime, luck: Luck) -> Decided:
    """Return the events of a new match, and the match: created, seats taken and, if no seat is open, started.

    A fork keeps the rules version of its match; other matches have the newest one. A rated match without a clock gets
    one. Raises BadOptions, MatchRefused, UnknownGame.
    """
    game = find_game(command.game, command.fork.rules_version if command.fork else None)
    if command.rated and command.clock is None:
        command = replace(command, clock=RATED_TIME_CONTROL)
    return create_under_rules(game, command, now, luck)


def create_under_rules(game: AnyGame, command: Create, now: datetime, luck: Luck) -> Decided:
    """Return the events of a new match at the rules version of this game, and the match.

    Raises BadOptions, MatchRefused.
    """
    plan = command.fork
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
        discarded = luck.chance(DrawContext(command.match, ()))
        require_fact_limit(game, game.start(len(command.seats), options, discarded, position))
    terms = choose_luck_terms(command, game, luck)
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
        luck=terms,
        facts=plan.facts if plan else (),
        fork=plan.fork if plan else UNSET,
        clock=command.clock or UNSET,
        rated=command.rated or UNSET,
        private=command.private or UNSET,
        seating="chance" if command.by_chance else UNSET,
    )
    record = EventRecorder(from_created(first))
    seats_people_at_once = command.level is UNSET or not takes_shares(record.match)
    for seat, wish in enumerate(command.seats):
        if wish.kind == "bot" or (wish.kind == "human" and seats_people_at_once):
            require_valid_client_seed(wish.client_seed)
            sitting = TakeSeat(seat, wish.player or "", wish.client_seed)
            record.emit(seat_taken(record.match, sitting, now, wish.player, wish.level))
    start_events_if_full(record, now, luck)
    return record.decided(GENESIS, luck, (first,))


def choose_luck_terms(command: Create, game: AnyGame, luck: Luck) -> LuckTerms | UnsetType:
    """Return the luck terms of a new match; unset under protocol 1. Raise MatchRefused."""
    if game.luck_protocol == 1:
        if command.level is not UNSET:
            raise MatchRefused("wrong_level", f"{game.title} uses luck protocol 1, which has no levels.")
        return UNSET
    if any(wish.client_seed != NO_CLIENT_SEED for wish in command.seats):
        raise MatchRefused("share_before_commitment", SHARE_BEFORE_COMMITMENT)
    if luck.given:
        if command.level is not UNSET and command.fork is None:
            raise MatchRefused(
                "wrong_level", "A match with a given seed accepts no shares. Leave out `luck`, or the seed."
            )
        return luck_terms("given", command.clock)
    usual: LuckLevel = "sealed" if command.rated else "open"
    level = usual if command.level is UNSET else command.level
    if level == "given" or (command.rated and level != "sealed"):
        raise MatchRefused("wrong_level", "A rated match must be sealed, and only a match with a seed is `given`.")
    return luck_terms(level, command.clock)


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
    if command.player in match.removed_players:
        raise MatchRefused("removed", "The creator of this match has removed you. Pick another match.")
    require_not_reserved(match, command.seat, command.player)
    if match.was_created_rated and match.seats_of(command.player):
        raise MatchRefused(
            "one_seat_each", "You already have a seat in this match. In a rated match you can only have one."
        )
    if match.luck is None:
        require_valid_client_seed(command.client_seed)
    require_contribution(match, command)
    record.emit(seat_taken(match, command, now, command.player, None))
    start_events_if_full(record, now, luck)


def require_not_reserved(match: AnyMatch, seat: Seat, player: str | None) -> None:
    """Refuse a seat that is kept for the creator of the match, who sits down after the creation."""
    if match.seats[seat].reserved_for not in (None, player):
        raise MatchRefused("seat_taken", "This seat is kept for the player who created the match. Pick another seat.")
    kept = any(each.kind == "open" and each.reserved_for == player for each in match.seats)
    if match.was_created_rated and kept and match.seats[seat].reserved_for is None:
        raise MatchRefused("one_seat_each", "Another seat is kept for you. In a rated match you can have only one.")


def seat_taken(match: AnyMatch, command: TakeSeat, now: datetime, player: str | None, level: str | None) -> AnyEvent:
    """Return the event that seats a player or a bot, with its contribution to the luck."""
    event: SeatTaken[Any, Any] = SeatTaken(
        ply=match.ply + 1,
        seat=command.seat,
        at=now,
        first_fact=match.fact_count,
        player=player,
        level=level,
    )
    if match.luck is None:
        return replace(event, client_seed=command.client_seed)
    share, seal = (None if value is UNSET else value for value in (command.share, command.seal))
    return replace(event, share=share, seal=seal, bot=recorded_bot_version(match, level))


def leave_seat(match: AnyMatch, seat: Seat, now: datetime) -> list[AnyEvent]:
    """Return the event that frees a seat when its player leaves before the start."""
    require_open(match)
    require_existing_seat(match, seat)
    if match.seats[seat].kind == "open":
        raise MatchRefused("seat_open", "This seat is already open.")
    return [SeatLeft(ply=match.ply + 1, seat=seat, at=now, first_fact=match.fact_count)]


def remove_player(match: AnyMatch, command: RemovePlayer, now: datetime) -> list[AnyEvent]:
    """Return the event that frees a seat because the creator removes its player before the start.

    Raises MatchRefused `not_creator`, `own_seat`, `seat_open` or `seat_of_a_bot`.
    """
    require_open(match)
    require_existing_seat(match, command.seat)
    if command.player != match.creator:
        raise MatchRefused("not_creator", "Only the player who created a match can remove other players from it.")
    seat = match.seats[command.seat]
    if seat.kind == "open":
        raise MatchRefused("seat_open", "This seat is already open.")
    if seat.kind == "bot":
        raise MatchRefused("seat_of_a_bot", "A bot plays this seat. You can only remove people.")
    if seat.player == command.player:
        raise MatchRefused("own_seat", "This is your own seat. You can leave it.")
    event: SeatLeft[Any, Any] = SeatLeft(
        ply=match.ply + 1, seat=command.seat, at=now, first_fact=match.fact_count, removed=True
    )
    return [replace(event, kept=True) if command.keep else event]


def cancel(match: AnyMatch, player: str, now: datetime, luck: Luck) -> list[AnyEvent]:
    """Return the events that cancel the match before the start, at the creator's request."""
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


def normalize_json(value: Any) -> Any:
    """Return plain JSON exactly as it will be read back from the log, in the same order.

    The match is then the same before and after it is stored.
    """
    return msgspec.json.decode(canonical_json(value))
