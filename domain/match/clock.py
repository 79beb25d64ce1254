"""Clocks: how long a seat may take to move, and what happens when it runs out of time.

Only seats held by people have a clock. It runs while the seat owes a move and the match is not paused. All durations
are whole milliseconds, all times UTC. Deadlines are computed from the events.
"""

from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import (
    AnyEvent,
    Expired,
    Extended,
    HandedOver,
    Moved,
    TimeControl,
    VacationTaken,
    is_free_takeback,
)
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.bots import recorded_bot_version
from domain.match.commands import TakeVacation
from domain.match.durations import DAY, HOUR
from domain.match.guards import require_duration_in_range, require_playing
from domain.match.state import AnyMatch, SeatClock

MIN_MOVE_SECONDS, MAX_MOVE_SECONDS = 12 * HOUR, 14 * DAY
"""The range of seconds per move, with a deadline for every move."""
MIN_BANK_SECONDS, MAX_BANK_SECONDS = HOUR, 60 * DAY
"""The range of seconds in a time bank at the start."""
MAX_INCREMENT_SECONDS = 3 * DAY
"""The most seconds that a time bank can gain with each move."""
MIN_EXTENSION_SECONDS, MAX_EXTENSION_SECONDS = HOUR, 14 * DAY
"""The range of seconds that a seat may ask for in one request."""
MAX_VACATION_DAYS = 60
"""The most vacation days that a seat can have in a match."""

LOBBY_TIMEOUT = timedelta(days=14)
"""How long a match waits for players to join."""


def lobby_closing_time(match: AnyMatch) -> datetime | None:
    """Return when a match will be cancelled unless someone joins or opens a share; None once it has started."""
    if match.status == "opening":
        return opening_deadline(match)
    return match.last_event_at + LOBBY_TIMEOUT if match.status == "open" else None


def opening_deadline(match: AnyMatch) -> datetime | None:
    """Return the deadline for opening all shares, or None if the table was never full with a seal."""
    if match.luck is None or match.full_since is None:
        return None
    return match.full_since + timedelta(seconds=match.luck.opening_seconds or 0)


def is_opening_overdue(match: AnyMatch, now: datetime) -> bool:
    """Return whether the time for opening shares is over. A share exactly at the deadline is too late."""
    until = lobby_closing_time(match)
    return match.status == "opening" and until is not None and until <= max(now, match.last_event_at)


# -- settings -----------------------------------------------------------------------------------------------------


def require_valid_time_control(plan: TimeControl) -> None:
    """Raise MatchRefused `bad_clock` if the clock's times are out of range."""
    if plan.vacation is not UNSET and not 1 <= plan.vacation <= MAX_VACATION_DAYS:
        raise MatchRefused("bad_clock", f"Choose 1 to {MAX_VACATION_DAYS} days of vacation per seat, or none.")
    if plan.kind == "per_move":
        if plan.increment:
            raise MatchRefused(
                "bad_clock", "Only a time bank can have an increment. Choose a time bank or remove the increment."
            )
        require_duration_in_range("The time per move", plan.seconds, MIN_MOVE_SECONDS, MAX_MOVE_SECONDS)
        return
    require_duration_in_range("The time bank", plan.seconds, MIN_BANK_SECONDS, MAX_BANK_SECONDS)
    require_duration_in_range("The increment", plan.increment, 0, MAX_INCREMENT_SECONDS)


def initial_milliseconds(plan: TimeControl) -> int:
    """Return the milliseconds on a clock at the start."""
    return plan.seconds * 1000


def initial_clock(plan: TimeControl) -> SeatClock:
    """Return a clock as it is before the match starts."""
    return SeatClock(initial_milliseconds(plan), vacation_days_left=0 if plan.vacation is UNSET else plan.vacation)


# -- running ------------------------------------------------------------------------------------------------------


def seats_on_the_clock(match: AnyMatch) -> frozenset[Seat]:
    """Return the seats whose clock runs: those that owe a move and are played by a person."""
    if match.paused:
        return frozenset()
    return frozenset(seat for seat in match.to_move if match.seats[seat].acting_bot_level is None)


def deadlines(match: AnyMatch) -> list[tuple[datetime, Seat]]:
    """Return the deadlines and their seats, the earliest first."""
    return sorted([(end, seat) for seat, clock in enumerate(match.clocks) if (end := clock.deadline) is not None])


def overdue_seat(match: AnyMatch, now: datetime) -> Seat | None:
    """Return the seat that has been overdue for longest, or None. A move exactly at the deadline is too late."""
    ends = deadlines(match)
    return ends[0][1] if ends and ends[0][0] <= max(now, match.last_event_at) else None


def advance_clocks(
    before: AnyMatch, after: AnyMatch, event: AnyEvent, then: AnyMatch | None, undone: datetime | None
) -> tuple[SeatClock, ...]:
    """Return the clocks after an event.

    If the event takes the match back, `then` is the match it goes back to, and `undone` is when the first undone event
    happened.
    """
    was, runs, turns = seats_on_the_clock(before), seats_on_the_clock(after), seats_ending_turn(before, after, event)
    clocks = []
    for seat, clock in enumerate(before.clocks):
        if then is not None and (event.seat == seat or not is_free_takeback(event)):
            old = roll_back_clock(before, then, seat, undone or event.at).stop(event.at)
            clocks.append(old.start(event.at) if seat in runs else old)
        else:
            clocks.append(advance_clock(after, event, seat, clock, seat in was, seat in runs, seat in turns))
    return tuple(clocks)


def seats_ending_turn(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> frozenset[Seat]:
    """Return the seats whose turn an event ends: the mover's, and those that no longer owe a move."""
    if not isinstance(event, Moved):
        return frozenset()
    return (before.to_move - after.to_move) | {event.seat}


def advance_clock(
    after: AnyMatch, event: AnyEvent, seat: Seat, clock: SeatClock, was: bool, runs: bool, over: bool
) -> SeatClock:
    """Return one seat's clock after an event.

    `was`: it ran before. `runs`: it runs now. `over`: the event ends the seat's turn.
    """
    plan = after.time_control
    assert plan is not None, "a match without a clock has no clocks"
    if isinstance(event, Expired) and event.seat == seat:
        return replace(clock, remaining_ms=0, running_since=None)
    if isinstance(event, Extended) and event.seat == seat:
        more = event.seconds * 1000
        clock = replace(clock, remaining_ms=clock.remaining_ms + more, granted_ms=clock.granted_ms + more)
    if isinstance(event, HandedOver) and event.seat == seat and event.fresh:
        clock, was = (
            SeatClock(
                initial_milliseconds(plan), vacation_days_left=clock.vacation_days_left, granted_ms=clock.granted_ms
            ),
            False,
        )
    if isinstance(event, VacationTaken) and event.seat == seat:
        clock, was = extend_vacation(clock.stop(event.at), event), False
    if over:
        clock, was = prepare_next_turn(plan, clock.stop(event.at), moved=event.seat == seat), False
    if not runs:
        return clock.stop(event.at)
    return clock if was else clock.start(event.at)


def prepare_next_turn(plan: TimeControl, clock: SeatClock, *, moved: bool) -> SeatClock:
    """Return a stopped clock, set for the seat's next turn. An extension may still be added to it."""
    if plan.kind == "per_move":
        return replace(clock, remaining_ms=initial_milliseconds(plan))
    return replace(clock, remaining_ms=clock.remaining_ms + plan.increment * 1000) if moved else clock


def roll_back_clock(before: AnyMatch, then: AnyMatch, seat: Seat, at: datetime) -> SeatClock:
    """Return a seat's clock when the match goes back to `then`, where the first undone move was made `at`.

    The time spent on that move stays spent, otherwise repeated takebacks would gain time. Vacation days and extra time
    granted since then are kept, and so is the clock of a player who has taken over the seat since. A seat that had run
    out of time gets the time for one move.
    """
    now, old = before.clocks[seat], then.clocks[seat].stop(at)
    plan = before.time_control
    assert plan is not None, "a match without a clock has no clocks"
    if before.seats[seat].player != then.seats[seat].player:
        return now
    left = old.remaining_ms + now.granted_ms - old.granted_ms
    return replace(now, remaining_ms=left or milliseconds_for_one_move(plan), running_since=None)


def milliseconds_for_one_move(plan: TimeControl) -> int:
    """Return how many milliseconds a seat with no time left gets to make an undone move again."""
    return initial_milliseconds(plan) if plan.kind == "per_move" else max(plan.increment, HOUR) * 1000


def extend_vacation(clock: SeatClock, event: VacationTaken[Any, Any]) -> SeatClock:
    """Return a stopped clock with more vacation. A day always has 86,400 seconds."""
    begins = event.at if clock.vacation_until is None else max(event.at, clock.vacation_until)
    return replace(clock, vacation_until=begins + timedelta(days=event.days), vacation_days_left=event.left)


# -- vacation -----------------------------------------------------------------------------------------------------


def take_vacation(match: AnyMatch, command: TakeVacation, now: datetime) -> VacationTaken[Any, Any]:
    """Return the event of a vacation.

    Raises MatchRefused `not_playing`, `no_clock`, `no_vacation` or `bad_vacation`.
    """
    require_playing(match)
    if match.time_control is None or match.seats[command.seat].kind != "human":
        raise MatchRefused(
            "no_clock", "You have no clock in this match, so you don't need vacation. Take as much time as you need."
        )
    left = match.clocks[command.seat].vacation_days_left
    if not left:
        raise MatchRefused("no_vacation", "You have no vacation days left in this match.")
    if not 1 <= command.days <= left:
        raise MatchRefused("bad_vacation", f"You can take 1 to {left} days of vacation.")
    return VacationTaken(
        ply=match.ply + 1,
        seat=command.seat,
        at=now,
        first_fact=match.fact_count,
        days=command.days,
        left=left - command.days,
    )


# -- expiry -------------------------------------------------------------------------------------------------------


def require_deadline_passed(match: AnyMatch, seat: Seat, now: datetime) -> datetime:
    """Return the deadline that has passed. Raise MatchRefused `not_due`."""
    deadline = match.clocks[seat].deadline if seat < len(match.clocks) else None
    if deadline is None or deadline > now:
        raise MatchRefused("not_due", "This seat still has time to move.")
    return deadline


def expiry_event(match: AnyMatch, seat: Seat, now: datetime) -> Expired[Any, Any]:
    """Return the timeout event with the consequence chosen for the match. Raise MatchRefused `not_due`."""
    deadline = require_deadline_passed(match, seat, now)
    plan = match.time_control
    assert plan is not None, "only a match with a time control can have a deadline"
    level = None if plan.expiry == "resigns" else plan.level
    return Expired(
        ply=match.ply + 1,
        seat=seat,
        at=now,
        first_fact=match.fact_count,
        deadline=deadline,
        consequence=plan.expiry,
        level=level,
        bot=recorded_bot_version(match, level),
    )
