"""Part of the layer `lifecycle`: the seat of an event, and the fields of its kind."""

from msgspec import UNSET

from domain.kernel.events import (
    Answered,
    AnyEvent,
    Cancelled,
    Disputed,
    Expired,
    Extended,
    HandedOver,
    Moved,
    OfferWithdrawn,
    Paused,
    Proposed,
    Resumed,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    ShareOpened,
    Started,
    TakenBack,
    VacationTaken,
)
from domain.match.state import AnyMatch
from replays.file import kind_of
from replays.verify.case import Case

SEAT_EVENTS = (
    SeatTaken, SeatLeft, ShareOpened, Moved, Expired, Proposed, Answered, Paused, Resumed, Extended, TakenBack,
    VacationTaken, SeatOffered, OfferWithdrawn, HandedOver,
)  # fmt: skip
"""The events that have a seat."""


SEAT_LEFT_FIELDS = ((UNSET, UNSET), (True, UNSET), (True, True))
"""The values of `removed` and `kept` that occur."""


def check_seat(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """Check that the seat exists, that a seat being taken is open, and that a seat being left is taken."""
    if not isinstance(event, SEAT_EVENTS) and event.seat is None:
        return
    rule = "lifecycle.seats"
    if event.seat not in range(len(match.seats)):
        wanted = f"a seat from 0 to {len(match.seats) - 1}"
        raise case.diverged(event, rule, wanted, event.seat, "There is no such seat.")
    if isinstance(event, VacationTaken) and match.seats[event.seat].kind != "human":
        raise case.diverged(event, rule, "a seat held by a person", event.seat, "Bots have no vacation.")
    is_open = event.seat in match.open_seats
    if isinstance(event, SeatLeft) and is_open:
        raise case.diverged(event, rule, "a taken seat", event.seat, "The seat is empty.")
    if isinstance(event, SeatTaken) and not is_open:
        raise case.diverged(event, rule, "an open seat", event.seat, "The seat is already taken.")


EARLY_ENDS = ("aborted", "absent")
"""The reasons to cancel a match after its start."""


def check_cancellation(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """Check that a match that is being played is cancelled only for a reason that exists for unrated matches."""
    if not isinstance(event, Cancelled):
        return
    playing, early = match.status == "playing", event.reason in EARLY_ENDS
    absent = event.reason == "absent"
    if playing is early and not (early and case.created.rated is True) and (not playing or absent is bool(event.seats)):
        return
    found = "nothing" if event.reason is UNSET else event.reason
    wanted = "aborted, or absent with seats, in an unrated match" if playing else "a reason before the start"
    sentence = "The match cannot be cancelled for this reason here."
    raise case.diverged(event, "lifecycle.order", wanted, found, sentence)


def check_seat_order(case: Case, event: AnyEvent) -> None:
    """Check that the start lists each seat once if seats are assigned at random, and otherwise no order."""
    if not isinstance(event, Started):
        return
    drawn = case.created.seating is not UNSET
    order = None if event.order is UNSET else list(event.order)
    if drawn is (order is not None) and (order is None or sorted(order) == [*range(len(case.created.seats))]):
        return
    wanted = "each seat once" if drawn else "no order"
    raise case.diverged(event, "lifecycle.seating", wanted, order, "The players cannot be seated in this order.")


def check_fields(case: Case, event: AnyEvent) -> None:
    """Check that the event has a seat, move, draw and facts if, and only if, its kind has them."""
    forked = case.created.fork is not UNSET
    moves = isinstance(event, Moved)
    decides = moves or (isinstance(event, Started) and not forked)
    early = isinstance(event, Cancelled) and event.reason in EARLY_ENDS
    has_seat = early or isinstance(event, SEAT_EVENTS) or (isinstance(event, Disputed) and event.arbiter is None)
    for name, wanted, present in (
        ("seat", has_seat, event.seat is not None),
        ("move", moves, event.move is not None),
        ("draw", decides, event.draw is not None),
    ):
        # The public part of a running match hides the moves.
        hidden = name == "move" and wanted and not case.complete
        if wanted != present and not hidden:
            expected, sentence = f"{'a' if wanted else 'no'} {name}", f"`{kind_of(event)}` has the wrong fields."
            raise case.diverged(event, "lifecycle.shape", expected, getattr(event, name), sentence)
    if isinstance(event, SeatLeft) and (event.removed, event.kept) not in SEAT_LEFT_FIELDS:
        due, found = "`removed` and `kept`, `removed`, or neither", [event.removed or None, event.kept or None]
        raise case.diverged(event, "lifecycle.shape", due, found, "`seat_left` has the wrong fields.")
    if event.facts and not (decides or (forked and event is case.created)):
        sentence = f"`{kind_of(event)}` cannot change the game."
        raise case.diverged(event, "lifecycle.shape", "no facts", event.facts, sentence)
