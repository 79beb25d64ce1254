"""The layer `lifecycle`: every event is allowed where it is, and has only the fields of its kind.

From the game, this layer uses only the options and the numbers of seats. `shape` checks seats and fields; `agreements`
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
    ShareOpened,
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
from replays.verify.shape import check_cancellation, check_fields, check_seat, check_seat_order

DISPUTE_EVENTS = (Disputed, Audited, Resolved)
"""The events that are allowed between moves and after the end."""
HANDOVER_EVENTS = (SeatOffered, OfferWithdrawn, HandedOver)


def check_lifecycle(case: Case) -> list[Layer]:
    """Fold the match without its game, and check each event against the match before it."""
    match, last = case.new_lifecycle(), case.events[0]
    check_created(case, case.created)
    for event in case.each_event():
        if event is not case.created:
            kinds = allowed(match, last)
            names = " or ".join(tag_of(kind) for kind in kinds) or "the closing line"
            if not isinstance(event, kinds):
                sentence = "This event is not allowed at this point."
                raise case.diverged(event, "lifecycle.order", names, kind_of(event), sentence)
            check_seat(case, match, event)
            check_cancellation(case, match, event)
            check_dispute(case, match, event)
            check_agreement(case, match, last, event)
            check_seat_order(case, event)
            match, last = evolve(match, without_game(event), case.lifecycle_after), event
        check_fields(case, event)
    if len(due := allowed(match, last)) == 1:
        wanted, sentence = f"{tag_of(due[0])} next", "The next event is missing."
        raise case.diverged(last, "lifecycle.order", wanted, "the closing line", sentence)
    return [Layer("lifecycle", "ok", f"{len(match.seats)} seats, {len(case.events)} events in order.")]


def allowed(match: AnyMatch, last: AnyEvent) -> tuple[type[AnyEvent], ...]:
    """Return the kinds of event that may come next. If there is only one, it must come next, in the same append."""
    if match.seed is not None:
        return DISPUTE_EVENTS
    if match.status == "over":
        return (SeedRevealed,)
    if isinstance(last, Expired) and last.consequence == "resigns":
        return (Moved,)
    if any(not seats_to_answer(match, proposal) for proposal in match.proposals):
        return (Paused, Extended, TakenBack, SeatOffered, HandedOver)
    if match.status == "opening":
        return (ShareOpened, Cancelled)
    if match.status == "playing":
        playing = (Moved, Ended, Expired, Cancelled, Proposed, Answered, Resumed, TakenBack, VacationTaken)
        return (*playing, *HANDOVER_EVENTS, *DISPUTE_EVENTS)
    return (SeatTaken, SeatLeft, Cancelled) if match.open_seats else (Started,)


def tag_of(kind: type[AnyEvent]) -> str:
    """Return the `kind` field of events of this type."""
    return str(kind.__struct_config__.tag)


def check_created(case: Case, created: Created[Any, Any]) -> None:
    """Check that the game has this number of seats and these options, and that the clock is valid."""
    if created.clock is not UNSET:
        try:
            require_valid_time_control(created.clock)
        except MatchRefused as refused:
            found, wanted = canonical_json(created.clock).decode(), "a valid clock"
            raise case.diverged(created, "lifecycle.clock", wanted, found, refused.message) from None
    counts = case.game.seat_counts
    if len(created.seats) not in counts:
        wanted, sentence = " or ".join(map(str, counts)), "The game cannot be played with this number of seats."
        raise case.diverged(created, "lifecycle.seats", wanted, len(created.seats), sentence)
    try:
        options = case.game.read_options(created.options)
    except BadOptions as error:
        wanted, sentence = "options of the game", "The game does not accept these options."
        raise case.diverged(created, error.rule, wanted, created.options, sentence) from None
    read, written = canonical_json(options).decode(), canonical_json(created.options).decode()
    case.require(
        created, "lifecycle.options", read, written, "The options are not written in the game's complete form."
    )
