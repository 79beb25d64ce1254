"""Clocks: how long a seat may take to move, and what happens when its time is up.

A clock belongs to a seat that a person holds; bots have none. It runs while the seat owes a move and the match is not
paused. All times are whole milliseconds or UTC; when an event says when a turn began, everything else follows.
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
from domain.match.commands import TakeVacation
from domain.match.durations import DAY, HOUR
from domain.match.guards import require_duration_in_range, require_playing
from domain.match.state import AnyMatch, SeatClock

MIN_MOVE_SECONDS, MAX_MOVE_SECONDS = 12 * HOUR, 14 * DAY
"""Seconds for a move where every move has its own deadline."""
MIN_BANK_SECONDS, MAX_BANK_SECONDS = HOUR, 60 * DAY
"""Seconds in a time bank at the start."""
MAX_INCREMENT_SECONDS = 3 * DAY
"""Seconds that a time bank may gain with each move."""
MIN_EXTENSION_SECONDS, MAX_EXTENSION_SECONDS = HOUR, 14 * DAY
"""Seconds that a seat may ask for in one go."""
MAX_VACATION_DAYS = 60
"""Days that a seat may have off in a match."""

LOBBY_TIMEOUT = timedelta(days=14)
"""How long a match waits for somebody to sit down."""


def lobby_closing_time(match: AnyMatch) -> datetime | None:
    """When an open match is called off if nothing happens before; None for one that has started."""
    return match.last_event_at + LOBBY_TIMEOUT if match.status == "open" else None


# -- the plan -----------------------------------------------------------------------------------------------------


def require_valid_time_control(plan: TimeControl) -> None:
    """Refuse a clock whose times lie outside of what there is. Raises MatchRefused `bad_clock`."""
    if plan.vacation is not UNSET and not 1 <= plan.vacation <= MAX_VACATION_DAYS:
        raise MatchRefused("bad_clock", f"A seat has 1 to {MAX_VACATION_DAYS} days of vacation, or none at all.")
    if plan.kind == "per_move":
        if plan.increment:
            raise MatchRefused("bad_clock", "Only a time bank has an increment; a deadline per move starts anew.")
        require_duration_in_range("A deadline per move", plan.seconds, MIN_MOVE_SECONDS, MAX_MOVE_SECONDS)
        return
    require_duration_in_range("A time bank", plan.seconds, MIN_BANK_SECONDS, MAX_BANK_SECONDS)
    require_duration_in_range("An increment", plan.increment, 0, MAX_INCREMENT_SECONDS)


def initial_milliseconds(plan: TimeControl) -> int:
    """The milliseconds on a clock at the start."""
    return plan.seconds * 1000


def initial_clock(plan: TimeControl) -> SeatClock:
    """A clock as it is before the match begins."""
    return SeatClock(initial_milliseconds(plan), vacation_days_left=0 if plan.vacation is UNSET else plan.vacation)


# -- running ------------------------------------------------------------------------------------------------------


def seats_on_the_clock(match: AnyMatch) -> frozenset[Seat]:
    """The seats whose clock runs: those that owe a move and are a person's to play."""
    if match.paused:
        return frozenset()
    return frozenset(seat for seat in match.to_move if match.seats[seat].acting_bot_level is None)


def deadlines(match: AnyMatch) -> list[tuple[datetime, Seat]]:
    """When the time of which seat is up, the earliest first."""
    ends = ((clock.deadline, seat) for seat, clock in enumerate(match.clocks))
    return sorted((end, seat) for end, seat in ends if end is not None)


def overdue_seat(match: AnyMatch, now: datetime) -> Seat | None:
    """The seat whose time has been up for longest, None if there is time. The moment of the deadline is too late."""
    ends = deadlines(match)
    return ends[0][1] if ends and ends[0][0] <= max(now, match.last_event_at) else None


def advance_clocks(
    before: AnyMatch, after: AnyMatch, event: AnyEvent, then: AnyMatch | None, undone: datetime | None
) -> tuple[SeatClock, ...]:
    """The clocks behind an event. `then` is what the match has gone back to by it, `undone` when it was left."""
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
    """The seats whose turn ends by an event: the mover's, and those that owe no move any more because of its move."""
    if not isinstance(event, Moved):
        return frozenset()
    return (before.to_move - after.to_move) | {event.seat}


def advance_clock(
    after: AnyMatch, event: AnyEvent, seat: Seat, clock: SeatClock, was: bool, runs: bool, over: bool
) -> SeatClock:
    """One seat's clock behind an event; it ran before or not, runs now or not, and its turn may be over."""
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
    """A standing clock behind a turn of its seat: set up for the next one, to which an extension may still be added."""
    if plan.kind == "per_move":
        return replace(clock, remaining_ms=initial_milliseconds(plan))
    return replace(clock, remaining_ms=clock.remaining_ms + plan.increment * 1000) if moved else clock


def roll_back_clock(before: AnyMatch, then: AnyMatch, seat: Seat, at: datetime) -> SeatClock:
    """A seat's clock when the match goes back to `then`: as it stood when the first move was made that is undone, `at`.

    The time for thinking about that move stays spent, lest taking back for ever be a way to gain time. Vacations are
    days of the calendar: what was taken stays taken. What was granted since stays granted, and whoever has come to the
    seat since keeps the clock that they have. A seat whose time was up has the time of one move.
    """
    now, old = before.clocks[seat], then.clocks[seat].stop(at)
    plan = before.time_control
    assert plan is not None, "a match without a clock has no clocks"
    if before.seats[seat].player != then.seats[seat].player:
        return now
    left = old.remaining_ms + now.granted_ms - old.granted_ms
    return replace(now, remaining_ms=left or milliseconds_for_one_move(plan), running_since=None)


def milliseconds_for_one_move(plan: TimeControl) -> int:
    """The milliseconds for a move that is to be made anew, by a seat that has no time left."""
    return initial_milliseconds(plan) if plan.kind == "per_move" else max(plan.increment, HOUR) * 1000


def extend_vacation(clock: SeatClock, event: VacationTaken[Any, Any]) -> SeatClock:
    """A standing clock whose seat has taken days off; a day has 86,400 seconds, whatever the calendar does."""
    begins = event.at if clock.vacation_until is None else max(event.at, clock.vacation_until)
    return replace(clock, vacation_until=begins + timedelta(days=event.days), vacation_days_left=event.left)


# -- vacation -----------------------------------------------------------------------------------------------------


def take_vacation(match: AnyMatch, command: TakeVacation, now: datetime) -> VacationTaken[Any, Any]:
    """The vacation of a seat. Raises MatchRefused `not_playing`, `no_clock`, `no_vacation`, `bad_vacation`."""
    require_playing(match)
    if match.time_control is None or match.seats[command.seat].kind != "human":
        raise MatchRefused("no_clock", "No clock of yours runs in this match: you may take the time you need.")
    left = match.clocks[command.seat].vacation_days_left
    if not left:
        raise MatchRefused("no_vacation", "You have no days of vacation left in this match.")
    if not 1 <= command.days <= left:
        raise MatchRefused("bad_vacation", f"You may take 1 to {left} whole days.")
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
    """The deadline that has passed. Raises MatchRefused `not_due`."""
    deadline = match.clocks[seat].deadline if seat < len(match.clocks) else None
    if deadline is None or deadline > now:
        raise MatchRefused("not_due", f"The time of seat {seat} is not up.")
    return deadline


def expiry_event(match: AnyMatch, seat: Seat, now: datetime) -> Expired[Any, Any]:
    """The expiry as the match chose it at its creation. Raises MatchRefused `not_due`."""
    deadline = require_deadline_passed(match, seat, now)
    plan = match.time_control
    assert plan is not None, "a clock that has run out belongs to a plan"
    level = None if plan.expiry == "resigns" else plan.level
    return Expired(
        ply=match.ply + 1,
        seat=seat,
        at=now,
        first_fact=match.fact_count,
        deadline=deadline,
        consequence=plan.expiry,
        level=level,
    )
