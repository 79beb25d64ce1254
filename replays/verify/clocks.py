"""The layer `clocks`: time never goes back, automatic events have the time of their cause, deadlines are kept."""

from datetime import timedelta
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
from replays.verify.absence import check_absences
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case


def check_clocks(case: Case) -> list[Layer]:
    """Check the times of all events and, in a match with a clock, vacations and deadlines."""
    previous: AnyEvent = case.created
    for event in case.each_event():
        if event.at < previous.at:
            wanted = f"{previous.at} or later"
            raise case.diverged(
                event, "clocks.order", wanted, str(event.at), "The event is earlier than the one before it."
            )
        if isinstance(event, Started) or same_append(previous, event):
            sentence = f"`{kind_of(event)}` must have the same time as the event before it."
            case.require(event, "clocks.append", str(previous.at), str(event.at), sentence)
        if isinstance(event, Cancelled) and event.reason == "abandoned" and event.at < previous.at + LOBBY_TIMEOUT:
            wanted = f"{previous.at + LOBBY_TIMEOUT} or later"
            raise case.diverged(event, "clocks.lobby", wanted, str(event.at), "The match was closed too early.")
        previous = event
    check_vacations(case)
    check_absences(case)
    if case.created.clock is not UNSET:
        return [check_deadlines(case)]
    return [Layer("clocks", "ok", f"{times_text(case)}.")]


def same_append(previous: AnyEvent, event: AnyEvent) -> bool:
    """Return whether the event was appended together with the one before it, in a match that has started."""
    resigns = isinstance(previous, Expired) and previous.consequence == "resigns"
    return resigns or isinstance(event, Ended | SeedRevealed)


def times_text(case: Case) -> str:
    """Return how many times are in order and how long the match took, for the report."""
    length = timedelta(seconds=round((case.events[-1].at - case.created.at).total_seconds()))
    return f"{len(case.events)} times in order, spanning {length}"


def check_vacations(case: Case) -> None:
    """Check that no seat took more vacation than the clock allows. This works without the game's facts."""
    plan = case.created.clock
    given = 0 if plan is UNSET or plan.vacation is UNSET else plan.vacation
    left = dict.fromkeys(range(len(case.created.seats)), given)
    for event in case.each_event():
        if not isinstance(event, VacationTaken):
            continue
        seat = event.seat
        if not 1 <= event.days <= left.get(seat, 0):
            wanted, sentence = f"1 to {left.get(seat, 0)} days", "The seat did not have this many vacation days left."
            raise case.diverged(event, "clocks.vacation", wanted, event.days, sentence)
        left[seat] -= event.days
        case.require(event, "clocks.vacation", left[seat], event.left, "The number of vacation days left is wrong.")


def check_deadlines(case: Case) -> Layer:
    """Check that each timeout was due and had the chosen consequence, and that no deadline was ignored."""
    if "lifecycle" in case.failed:
        return Layer("clocks", "not_checked", LIFECYCLE_FAILED)
    if not case.complete:
        return Layer("clocks", "partly", f"The times are in order. Deadlines cannot be checked yet: {SEALED}.")
    match, expiries, previous = from_created(case.created), 0, case.events[0]
    for event in case.each_event():
        if isinstance(event, Expired):
            expiries += 1
            if event.by is UNSET:
                check_expiry(case, match, event)
        elif match.deadline is not None and match.deadline <= event.at and not same_append(previous, event):
            wanted, found = f"the timeout at {match.deadline}", f"{kind_of(event)} at {event.at}"
            raise case.diverged(event, "clocks.deadline", wanted, found, "A deadline had passed before this event.")
        if event is not case.created:
            match = evolve(match, event, case.match_after)
        previous = event
    return Layer("clocks", "ok", f"{times_text(case)}; deadlines passed: {expiries}.")


def check_expiry(case: Case, match: AnyMatch, event: Expired[Any, Any]) -> None:
    """Check that the timeout is the one that was due."""
    try:
        wanted = expiry_event(match, event.seat, event.at)
    except MatchRefused as refused:
        found = str(event.deadline)
        raise case.diverged(event, "clocks.expiry", "no timeout", found, refused.message) from None
    shown = replace(event, salt=None, prev=UNSET, hash=UNSET)
    wanted = replace(wanted, bot=event.bot)  # the version that the bot had then
    case.require(event, "clocks.expiry", wanted, shown, "The timeout does not follow the settings of the match.")
