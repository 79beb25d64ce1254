"""Folds the events before the start: seats are planned, taken and left, and shares are opened."""

from typing import Any, Literal

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Cancelled, Created, PlannedSeat, SeatLeft, SeatTaken, ShareOpened
from domain.kernel.game import Seat
from domain.match.luck import unopened_seats
from domain.match.state import AnyMatch, SeatState


def planned_seat(event: Created[Any, Any], plan: PlannedSeat) -> SeatState:
    """Return a seat as it is before anyone has taken it. The creator's seats are kept for the creator."""
    mine = event.luck is not UNSET and plan.kind == "human"
    return SeatState(
        "open", plan.private or mine or event.private is True, reserved_for=event.creator if mine else None
    )


def apply_seating_event(match: AnyMatch, event: AnyEvent) -> AnyMatch:
    """Return the match after an event before the start."""
    match event:
        case SeatTaken():
            taken = replace(match, seats=replace_seat(match, event.seat, taken_seat(match, event)))
            return begin_opening_if_full(taken)
        case SeatLeft():
            return replace(match, **after_seat_left(match, event))
        case ShareOpened():
            return open_seat_share(match, event)
        case Cancelled():
            return replace(
                match,
                status="over",
                discarded_by=players_who_discarded(match, event),
                lapsed_players=(*match.lapsed_players, *players_who_stayed_away(match, event)),
            )
        case _:
            return match


def after_seat_left(match: AnyMatch, event: SeatLeft[Any, Any]) -> dict[str, Any]:
    """Return what changes when a player leaves or is removed. If the creator keeps the seat, only they can take it."""
    plan, kept = match.seats[event.seat], event.kept is True
    seat = SeatState(
        "open",
        plan.private or kept,
        reserved_for=match.creator if kept else None,
        times_vacated=plan.times_vacated + 1,
    )
    removed = (plan.player,) if event.removed is True and plan.player else ()
    return {
        "seats": replace_seat(match, event.seat, seat),
        "removed_players": (*match.removed_players, *(p for p in removed if p not in match.removed_players)),
    }


def taken_seat(match: AnyMatch, event: SeatTaken[Any, Any]) -> SeatState:
    """Return the seat of a player or a bot who has sat down.

    If the creator leaves a seat that was kept for them, it becomes a normal seat.
    """
    plan = match.seats[event.seat]
    kind: Literal["human", "bot"] = "bot" if event.player is None else "human"
    return SeatState(
        kind,
        plan.private if plan.reserved_for is None else match.private,
        event.player,
        event.level,
        client_seed=None if event.client_seed is UNSET else event.client_seed,
        share=None if event.share is UNSET else event.share,
        seal=None if event.seal is UNSET else event.seal,
        times_vacated=plan.times_vacated,
        bot=None if event.bot is UNSET else event.bot,
    )


def begin_opening_if_full(match: AnyMatch) -> AnyMatch:
    """Return the match after a seat was taken. If that was the last one and there are seals, the opening begins."""
    if match.open_seats or all(seat.seal is None for seat in match.seats):
        return match
    return replace(match, status="opening", full_since=match.last_event_at)


def open_seat_share(match: AnyMatch, event: ShareOpened[Any, Any]) -> AnyMatch:
    """Return the match after a share was opened. With the last one, the match is ready to start."""
    opened = replace(match, seats=replace_seat(match, event.seat, replace(match.seats[event.seat], share=event.share)))
    return opened if unopened_seats(opened) else replace(opened, status="open")


def players_who_stayed_away(match: AnyMatch, event: Cancelled[Any, Any]) -> tuple[str, ...]:
    """Return the players whose missing first move was the reason for ending a match."""
    if event.reason != "absent" or event.seats is UNSET:
        return ()
    return tuple(player for seat in event.seats if seat < len(match.seats) and (player := match.seats[seat].player))


def players_who_discarded(match: AnyMatch, event: Cancelled[Any, Any]) -> tuple[str, ...]:
    """Return the players who discarded the luck of a match: whose shares were not opened, or who aborted it.

    An abort counts only if other people were playing.
    """
    if event.reason == "absent":
        return ()
    if event.reason == "aborted":
        player = None if event.seat is None else match.seats[event.seat].player
        alone = {seat.player for seat in match.seats if seat.kind == "human"} <= {player}
        return () if alone or player is None else (player,)
    seats = () if event.seats is UNSET else event.seats
    return tuple(sorted({match.seats[seat].player or "" for seat in seats if seat < len(match.seats)}))


def replace_seat(match: AnyMatch, number: Seat, seat: SeatState) -> tuple[SeatState, ...]:
    """Return the seats with one of them replaced."""
    return (*match.seats[:number], seat, *match.seats[number + 1 :])
