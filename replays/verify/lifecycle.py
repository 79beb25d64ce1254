"""The layer `lifecycle`: every event is allowed where it is, and has only the fields of its kind.

This layer knows nothing of the game but its options and numbers of seats. `shape` checks seats and fields; `agreements`
checks disputes, proposals and handovers.
"""

from typing import Any

from msgspec import UNSET

from domain.kernel.events import (
    Answered,
    AnyEvent,
    Audited,
    Cancelled,
    Created,
    Disputed,
    Ended,
    Expired,
    Extended,
    HandedOver,
    Moved,
    OfferWithdrawn,
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
    VacationTaken,
)
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import BadOptions, MatchRefused
from domain.match.clock import require_valid_time_control
from domain.match.evolve import evolve
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch
from replays.file import kind_of
from replays.report import Layer
from replays.verify.agreements import check_agreement, check_dispute
from replays.verify.case import Case, without_game
from replays.verify.shape import check_fields, check_seat, check_seat_order

DISPUTE_EVENTS = (Disputed, Audited, Resolved)
"""The events that are allowed between moves and after the end."""
HANDOVER_EVENTS = (SeatOffered, OfferWithdrawn, HandedOver)


def check_lifecycle(case: Case) -> list[Layer]:
    """Folds the match without its game, and checks each event against the match before it."""
    match, last = case.new_lifecycle(), case.events[0]
    check_created(case, case.created)
    for event in case.each_event():
        if event is not case.created:
            kinds = allowed(match, last)
            names = " or ".join(tag_of(kind) for kind in kinds) or "the closing line"
            if not isinstance(event, kinds):
                sentence = "This event may not stand here."
                raise case.diverged(event, "lifecycle.order", names, kind_of(event), sentence)
            check_seat(case, match, event)
            check_dispute(case, match, event)
            check_agreement(case, match, last, event)
            check_seat_order(case, event)
            match, last = evolve(match, without_game(event), case.lifecycle_after), event
        check_fields(case, event)
    if len(due := allowed(match, last)) == 1:
        wanted, sentence = f"{tag_of(due[0])} next", "The event that follows is missing."
        raise case.diverged(last, "lifecycle.order", wanted, "the closing line", sentence)
    return [Layer("lifecycle", "ok", f"{len(match.seats)} seats, {len(case.events)} events in order.")]


def allowed(match: AnyMatch, last: AnyEvent) -> tuple[type[AnyEvent], ...]:
    """The kinds of event that may come next. A single kind must come next: it belongs to the same append."""
    if match.seed is not None:
        return DISPUTE_EVENTS
    if match.status == "over":
        return (SeedRevealed,)
    if isinstance(last, Expired) and last.consequence == "resigns":
        return (Moved,)
    if any(not seats_to_answer(match, proposal) for proposal in match.proposals):
        return (Paused, Extended, TakenBack, SeatOffered, HandedOver)
    if match.status == "playing":
        playing = (Moved, Ended, Expired, Proposed, Answered, Resumed, TakenBack, VacationTaken)
        return (*playing, *HANDOVER_EVENTS, *DISPUTE_EVENTS)
    return (SeatTaken, SeatLeft, Cancelled) if match.open_seats else (Started,)


def tag_of(kind: type[AnyEvent]) -> str:
    """The `kind` field of events of this type."""
    return str(kind.__struct_config__.tag)


def check_created(case: Case, created: Created[Any, Any]) -> None:
    """Checks that the game has this number of seats and these options, and that the clock is valid."""
    if created.clock is not UNSET:
        try:
            require_valid_time_control(created.clock)
        except MatchRefused as refused:
            found, wanted = canonical_json(created.clock).decode(), "a clock that there is"
            raise case.diverged(created, "lifecycle.clock", wanted, found, refused.message) from None
    counts = case.game.seat_counts
    if len(created.seats) not in counts:
        wanted, sentence = " or ".join(map(str, counts)), "The game is not played by so many."
        raise case.diverged(created, "lifecycle.seats", wanted, len(created.seats), sentence)
    try:
        options = case.game.read_options(created.options)
    except BadOptions as error:
        wanted, sentence = "options of the game", "The game has no such options."
        raise case.diverged(created, error.rule, wanted, created.options, sentence) from None
    read, written = canonical_json(options).decode(), canonical_json(created.options).decode()
    case.require(created, "lifecycle.options", read, written, "The options are not written out as the game reads them.")
