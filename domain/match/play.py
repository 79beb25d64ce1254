"""Making moves: those of players, those caused by a timeout, and the end of the game."""

from datetime import datetime
from typing import Any

from msgspec import UNSET

from domain.kernel.chance import Luck
from domain.kernel.events import Ended, Moved
from domain.kernel.game import Seat
from domain.kernel.recorder import Decision
from domain.kernel.refusals import MatchRefused
from domain.match.clock import expiry_event
from domain.match.commands import Play
from domain.match.event_recorder import EventRecorder
from domain.match.guards import require_existing_seat, require_fact_limit, require_not_cancelled, require_not_opening
from domain.match.luck import next_chance, revelation, uses_of
from domain.match.state import AnyMatch

RESIGN_MOVE = {"type": "resign"}
"""The move that resigns, the same in every game."""


def play(record: EventRecorder, command: Play, now: datetime, luck: Luck) -> None:
    """Make a move and, if it was the last one, end the match."""
    record.emit(*moved(record.match, command, now, luck))
    end_events_if_over(record, now, luck)


def moved(match: AnyMatch, command: Play, now: datetime, luck: Luck) -> tuple[Moved[Any, Any], Decision[Any, Any]]:
    """Return the event of a move, and what the move does in the game. Raise Refused."""
    if match.status == "open":
        raise MatchRefused("not_started", "The match has not started yet because a seat is still open.")
    require_not_opening(match)
    seat, game = command.seat, match.rules
    require_existing_seat(match, seat)
    move = game.read_move(command.move)
    if match.annulled:
        raise MatchRefused("match_annulled", "The match was annulled.")
    require_not_cancelled(match)
    chance = next_chance(match, luck)
    facts = game.decide(match.state, seat, move, chance)
    event: Moved[Any, Any] = Moved(
        ply=match.ply + 1,
        seat=seat,
        at=now,
        move=move,
        facts=require_fact_limit(game, facts),
        draw=match.draw_count,
        first_fact=match.fact_count,
        cause=command.cause,
        draws=uses_of(chance),
        seen=UNSET if match.luck is None else command.seen,
        fallback=UNSET if match.luck is None else command.fallback,
    )
    return event, game.decision(facts, match.state)


def expire(record: EventRecorder, seat: Seat, now: datetime, luck: Luck) -> None:
    """Apply a seat's timeout and, if the seat resigns, make that move. Raise MatchRefused.

    A substitute bot's move is not made here; bots submit their moves like players.
    """
    event = expiry_event(record.match, seat, now)
    record.emit(event)
    if event.consequence == "resigns":
        resign(record, seat, now, luck)


def resign(record: EventRecorder, seat: Seat, now: datetime, luck: Luck) -> None:
    """Let a seat resign and, if that ends the game, end the match."""
    play(record, Play(seat, RESIGN_MOVE), now, luck)


def end_events_if_over(record: EventRecorder, now: datetime, luck: Luck) -> None:
    """End the match and reveal the seed once the game has an outcome."""
    match = record.match
    outcome = match.rules.outcome(match.state)
    if outcome is not None:
        record.emit(Ended(ply=match.ply + 1, at=now, outcome=outcome, first_fact=match.fact_count))
        record.emit(revelation(match, match.ply + 2, now, luck))
