"""Folding: the match after an event. Total: it never refuses."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import accumulate, groupby, islice
from typing import Any, Literal

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import (
    AnyEvent,
    Audited,
    Cancelled,
    Created,
    Disputed,
    Ended,
    Expired,
    HandedOver,
    Moved,
    Paused,
    Proposed,
    Resolved,
    Resumed,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    SeedRevealed,
    Started,
    TakenBack,
    rollback_ply,
)
from domain.kernel.game import Seat
from domain.kernel.hash_chain import GENESIS
from domain.kernel.recorder import Decision
from domain.kernel.registry import find_game
from domain.match.clock import advance_clocks, initial_clock
from domain.match.disputes import disputes_after
from domain.match.guards import MatchLookup, earlier_match
from domain.match.handover import offers_after, seat_after_hand_over
from domain.match.luck import reorder_seats
from domain.match.notices import notices_after, notices_after_moves
from domain.match.proposals import proposals_after
from domain.match.state import AnyMatch, Match, RetractedSpan, SeatState

FOLD_BATCH_SIZE = 64
"""So many moves of a row are folded together; their states are held so long."""


def from_created(event: Created[Any, Any]) -> AnyMatch:
    """The match that a first event makes."""
    game = find_game(event.game, event.rules_version)
    fork = None if event.fork is UNSET else event.fork
    return Match(
        id=event.match,
        game=event.game,
        rules_version=event.rules_version,
        options=event.options,
        position=event.position,
        creator=event.creator,
        commitment=event.commitment,
        has_given_seed=event.given,
        created_at=event.at,
        seats=tuple(SeatState("open", plan.private or event.private is True) for plan in event.seats),
        status="open",
        ply=event.ply,
        head_hash=event.hash or GENESIS,
        last_event_at=event.at,
        draw_count=fork.draws if fork else 0,
        fact_count=len(event.facts),
        state=game.fold(event.facts),
        outcome=None,
        seed=None,
        fork=fork,
        time_control=None if event.clock is UNSET else event.clock,
        clocks=() if event.clock is UNSET else (initial_clock(event.clock),) * len(event.seats),
        was_created_rated=event.rated is True,
        private=event.private is True,
        by_chance=event.seating == "chance",
    )


def evolve(
    match: AnyMatch, event: AnyEvent, past: MatchLookup | None = None, decision: Decision[Any, Any] | None = None
) -> AnyMatch:
    """The match after one event. Total: it never refuses. `past` is asked only when the match goes back to a ply.

    Whoever has just decided a start or a move passes the game's `decision`, so that its facts are not folded again.
    """
    back_to = None if isinstance(event, Moved) else rollback_ply(event)
    then = earlier_match(match, back_to, past) if back_to is not None else None
    after = (
        apply_game_event(match, event, decision)
        if isinstance(event, GAME_EVENTS)
        else apply_lifecycle_event(match, event, then)
    )
    if after.proposals or isinstance(event, Proposed):
        after = replace(after, proposals=proposals_after(match, event))
    if after.offers or isinstance(event, SeatOffered):
        after = replace(after, offers=offers_after(match, event))
    if after.time_control is not None:
        after = replace(after, clocks=advance_clocks(match, after, event, then, first_undone_at(then, event, past)))
    notices = notices_after(match, after, event)
    return replace(after, notices=notices) if notices or after.notices else after


def first_undone_at(then: AnyMatch | None, event: AnyEvent, past: MatchLookup | None) -> datetime | None:
    """When the first thing happened behind `then`, to which an event goes back; None if nothing had."""
    undone = past(then.ply + 1) if then and past and then.ply + 1 < event.ply else None
    return undone.last_event_at if undone else None


GAME_EVENTS = (Moved, Started)


def apply_game_event(match: AnyMatch, event: AnyEvent, decision: Decision[Any, Any] | None) -> AnyMatch:
    """The match after the start or a move, clocks and open questions aside."""
    state = match.rules.fold(event.facts, match.state) if decision is None else decision.state
    return replace(
        match,
        ply=event.ply,
        head_hash=event.hash or match.head_hash,
        last_event_at=event.at,
        seats=seats_after_game_event(match, event),
        status="playing",
        state=state,
        draw_count=match.draw_count if event.draw is None else event.draw + 1,
        fact_count=event.first_fact + len(event.facts),
    )


def apply_lifecycle_event(match: AnyMatch, event: AnyEvent, then: AnyMatch | None) -> AnyMatch:
    """The match after any other event, clocks and open questions aside; `then` is where it goes back to."""
    stepped = replace(match, ply=event.ply, head_hash=event.hash or match.head_hash, last_event_at=event.at)
    match event:
        case SeatTaken():
            kind: Literal["human", "bot"] = "bot" if event.player is None else "human"
            plan = match.seats[event.seat]
            seat = SeatState(
                kind, plan.private, event.player, event.level, event.client_seed, times_vacated=plan.times_vacated
            )
            return replace(stepped, seats=replace_seat(match, event.seat, seat))
        case SeatLeft():
            plan = match.seats[event.seat]
            seat = SeatState("open", plan.private, times_vacated=plan.times_vacated + 1)
            return replace(stepped, seats=replace_seat(match, event.seat, seat))
        case Ended():
            return replace(stepped, status="over", outcome=event.outcome, ended_at=event.at)
        case Cancelled():
            return replace(stepped, status="over")
        case SeedRevealed():
            return replace(stepped, seed=event.seed)
        case Disputed():
            return replace(stepped, disputes=disputes_after(match.disputes, event))
        case Audited():
            flawed = match.has_failed_audit or not event.holds
            return replace(stepped, disputes=disputes_after(match.disputes, event), has_failed_audit=flawed)
        case Resolved():
            return apply_ruling(replace(stepped, disputes=disputes_after(match.disputes, event)), event, then)
        case TakenBack():
            return roll_back(replace(stepped, has_lost_rating=match.has_lost_rating or not event.rated), then)
        case _:
            return apply_clock_or_seat_event(stepped, event)


def apply_clock_or_seat_event(match: AnyMatch, event: AnyEvent) -> AnyMatch:
    """The match after what is about its clocks, and about who sits there."""
    match event:
        case Expired():
            return replace(match, seats=replace_seat(match, event.seat, seat_after_expiry(match, event)))
        case Proposed() | SeatOffered(proposal=None):
            seat = match.seats[event.seat]
            return replace(
                match, seats=replace_seat(match, event.seat, replace(seat, request_count=seat.request_count + 1))
            )
        case Paused():
            return replace(match, paused=True)
        case Resumed():
            return replace(match, paused=False)
        case HandedOver():
            number = event.seat
            handed_over = replace_seat(match, number, seat_after_hand_over(match.seats[number], event))
            return replace(match, seats=handed_over, has_lost_rating=True)
        case _:
            return match


def seats_after_game_event(match: AnyMatch, event: AnyEvent) -> tuple[SeatState, ...]:
    """The seats behind the start or a move."""
    if isinstance(event, Started):
        return match.seats if event.order is UNSET else reorder_seats(match.seats, event.order)
    return match.seats if event.seat is None else release_substitute(match, event.seat)


def release_substitute(match: AnyMatch, number: Seat) -> tuple[SeatState, ...]:
    """The seats behind a move: whoever stood in has done so, a person who moves is there again, all may ask anew."""
    seats = match.seats
    if any(seat.request_count for seat in seats):
        seats = tuple(replace(seat, request_count=0) if seat.request_count else seat for seat in seats)
    seat = seats[number]
    if seat.standin is None and not seat.has_timed_out:
        return seats
    lapsed = seat.has_timed_out and seat.acting_bot_level is not None
    return (*seats[:number], replace(seat, standin=None, has_timed_out=lapsed), *seats[number + 1 :])


def seat_after_expiry(match: AnyMatch, event: Expired[Any, Any]) -> SeatState:
    """The seat whose time is up."""
    seat = match.seats[event.seat]
    match event.consequence:
        case "bot_moves":
            return replace(seat, standin=event.level, has_timed_out=True)
        case "bot_takes_over":
            former = (*seat.former_players, seat.player or "")
            return replace(seat, kind="bot", player=None, level=event.level, has_timed_out=True, former_players=former)
        case "resigns":
            return seat


def roll_back(match: AnyMatch, then: AnyMatch | None) -> AnyMatch:
    """The match, which has just gone on by one event, back where it stood `then`.

    Draws go on counting: luck that was seen does not come again.
    """
    if then is None:
        return match
    taken_back = RetractedSpan(then.ply + 1, match.ply - 1)
    return replace(
        match, state=then.state, fact_count=then.fact_count, retracted_spans=(*match.retracted_spans, taken_back)
    )


def apply_ruling(match: AnyMatch, event: Resolved[Any, Any], then: AnyMatch | None) -> AnyMatch:
    """The match after a ruling."""
    match event.ruling:
        case "rolled_back":
            return roll_back(match, then)
        case "result_of":
            return replace(match, outcome=event.outcome)
        case "annulled":
            return replace(match, outcome=None, annulled=True)
        case _:
            return match


def replace_seat(match: AnyMatch, number: Seat, seat: SeatState) -> tuple[SeatState, ...]:
    """The seats with one of them replaced."""
    return (*match.seats[:number], seat, *match.seats[number + 1 :])


def evolve_many(match: AnyMatch, events: Iterable[AnyEvent], past: MatchLookup | None = None) -> AnyMatch:
    """Return the match after these events, the same as `evolve` event by event.

    Rows of moves are folded together. What it gains: a fold of a whole match takes 0.46 to 0.78 of the time, depending
    on the game. What it costs: `apply_moves` and `notices_after_moves` say again what `evolve` says of a move; a test
    holds them equal. When to remove it: when the gain falls below 15 %.
    """
    for are_moves, row in groupby(events, lambda event: isinstance(event, Moved)):
        if are_moves and can_fold_moves_together(match):
            while moves := list(islice(row, FOLD_BATCH_SIZE)):
                match = apply_moves(match, moves)
        else:
            for event in row:
                match = evolve(match, event, past)
    return match


def can_fold_moves_together(match: AnyMatch) -> bool:
    """Whether moves change the game and whose turn it is, and nothing else: no clock runs, no question is open, and
    everybody plays their own seat and has asked for nothing since the last one."""
    waits = match.time_control is not None or match.proposals or match.offers
    return not waits and all(
        seat.standin is None and not (seat.has_timed_out or seat.request_count) for seat in match.seats
    )


def apply_moves(match: AnyMatch, moves: Sequence[AnyEvent]) -> AnyMatch:
    """An undisturbed match after a row of moves. The game is folded move by move, the match around it once.

    For a long replay the matches in between, which nobody looks at, would cost more than the game.
    """
    game, last = match.rules, moves[-1]
    states = list(accumulate(moves, lambda state, move: game.fold(move.facts, state), initial=match.state))
    return replace(
        match,
        ply=last.ply,
        head_hash=next((move.hash for move in reversed(moves) if move.hash), match.head_hash),
        last_event_at=last.at,
        status="playing",
        state=states[-1],
        draw_count=next((move.draw + 1 for move in reversed(moves) if move.draw is not None), match.draw_count),
        fact_count=last.first_fact + len(last.facts),
        notices=notices_after_moves(match, moves, states),
    )
