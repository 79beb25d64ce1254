"""The layer `clocks`: time never goes back, automatic events have the time of their cause, deadlines are kept."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Cancelled, Ended, Expired, SeedRevealed, Started, VacationTaken
from domain.kernel.refusals import MatchRefused
from domain.match.clock import LOBBY_TIMEOUT, expiry_event
from domain.match.evolve import evolve, from_created
from domain.match.state import AnyMatch
from replays.file import kind_of
from replays.report import Layer
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case


def check_clocks(case: Case) -> list[Layer]:
    """Checks the times of all events and, in a match with a clock, vacations and deadlines."""
    previous: AnyEvent = case.created
    for event in case.each_event():
        if event.at < previous.at:
            wanted = f"{previous.at} or later"
            raise case.diverged(event, "clocks.order", wanted, str(event.at), "The event goes back in time.")
        if isinstance(event, Started) or same_append(previous, event):
            sentence = f"`{kind_of(event)}` belongs to the event before it, at the same time."
            case.require(event, "clocks.append", str(previous.at), str(event.at), sentence)
        if isinstance(event, Cancelled) and event.reason is not UNSET and event.at < previous.at + LOBBY_TIMEOUT:
            wanted = f"{previous.at + LOBBY_TIMEOUT} or later"
            raise case.diverged(event, "clocks.lobby", wanted, str(event.at), "The match was closed before its time.")
        previous = event
    check_vacations(case)
    if case.created.clock is not UNSET:
        return [check_deadlines(case)]
    return [Layer("clocks", "ok", f"{times_text(case)}.")]


def same_append(previous: AnyEvent, event: AnyEvent) -> bool:
    """Whether the event was appended together with the one before it, once the match is playing."""
    resigns = isinstance(previous, Expired) and previous.consequence == "resigns"
    return resigns or isinstance(event, Ended | SeedRevealed)


def times_text(case: Case) -> str:
    """How many times are in order and how long the match took, for the report."""
    return f"{len(case.events)} times in order, over {case.events[-1].at - case.created.at}"


def check_vacations(case: Case) -> None:
    """Checks that no seat took more days off than the clock gives. This needs no knowledge of the game."""
    plan = case.created.clock
    given = 0 if plan is UNSET or plan.vacation is UNSET else plan.vacation
    left = dict.fromkeys(range(len(case.created.seats)), given)
    for event in case.each_event():
        if not isinstance(event, VacationTaken):
            continue
        seat = event.seat
        if not 1 <= event.days <= left.get(seat, 0):
            wanted, sentence = f"1 to {left.get(seat, 0)} days", "The seat had no such vacation left."
            raise case.diverged(event, "clocks.vacation", wanted, event.days, sentence)
        left[seat] -= event.days
        case.require(event, "clocks.vacation", left[seat], event.left, "The seat has another number of days left.")


def check_deadlines(case: Case) -> Layer:
    """Checks that each expiry was due and did what the match chose, and that nothing else came after a deadline."""
    if "lifecycle" in case.failed:
        return Layer("clocks", "not_checked", LIFECYCLE_FAILED)
    if not case.complete:
        return Layer("clocks", "partly", f"The times are in order; whose clock ran when is told later: {SEALED}.")
    match, expiries, previous = from_created(case.created), 0, case.events[0]
    for event in case.each_event():
        if isinstance(event, Expired):
            expiries += 1
            check_expiry(case, match, event)
        elif match.deadline is not None and match.deadline <= event.at and not same_append(previous, event):
            wanted, found = f"the expiry of {match.deadline}", f"{kind_of(event)} at {event.at}"
            raise case.diverged(event, "clocks.deadline", wanted, found, "A deadline had passed before this event.")
        if event is not case.created:
            match = evolve(match, event, case.match_after)
        previous = event
    return Layer("clocks", "ok", f"{times_text(case)}; deadlines that passed: {expiries}.")


def check_expiry(case: Case, match: AnyMatch, event: Expired[Any, Any]) -> None:
    """Checks that the expiry is the one that was due."""
    try:
        wanted = expiry_event(match, event.seat, event.at)
    except MatchRefused as refused:
        found = str(event.deadline)
        raise case.diverged(event, "clocks.expiry", "no expiry", found, refused.message) from None
    shown = replace(event, salt=None, prev=UNSET, hash=UNSET)
    case.require(event, "clocks.expiry", wanted, shown, "This is not what the match chose for when time is up.")
