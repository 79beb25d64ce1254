"""Rule `clocks.absence` of the layer `clocks`: players count as absent only after their time for a first move.

Needs to know whose turn it was, so it is not checked in the public part of a running match.
"""

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Cancelled, Expired, Proposed
from domain.kernel.refusals import MatchRefused
from domain.match.absence import absent_seats, require_replaceable
from domain.match.commands import ClaimLoss
from domain.match.early_end import claimed_expiry, early_end, may_abort
from domain.match.state import AnyMatch
from replays.file import kind_of
from replays.verify.case import Case


def check_absences(case: Case) -> None:
    """Check every event that depends on a first move: aborts, ends and claims because of absence, and handovers."""
    if not case.complete or "lifecycle" in case.failed:
        return
    for event in case.each_event():
        if not depends_on_first_move(event):
            continue
        try:
            wanted = decide_again(case.match_after(event.ply - 1), event)
        except MatchRefused as refused:
            found = kind_of(event)
            raise case.diverged(event, "clocks.absence", "what the match allows", found, refused.message) from None
        if wanted is not None:
            shown = replace(event, salt=None, prev=UNSET, hash=UNSET)
            case.require(event, "clocks.absence", wanted, shown, "The event does not follow from the first moves.")


def depends_on_first_move(event: AnyEvent) -> bool:
    """Return whether an event is allowed only because a seat has not made its first move."""
    match event:
        case Expired():
            return event.by is not UNSET
        case Cancelled():
            return event.reason in ("aborted", "absent")
        case _:
            return isinstance(event, Proposed) and event.of is not UNSET


def decide_again(match: AnyMatch, event: AnyEvent) -> AnyEvent | None:
    """Return the event that the match allows, or None for a proposal that it allows. Raises MatchRefused."""
    match event:
        case Expired() if event.by is not UNSET:
            return claimed_expiry(match, ClaimLoss(event.by, event.seat), event.at)
        case Cancelled() if event.seat is not None:
            absent = absent_seats(match, event.at, event.seat)
            if not absent and not may_abort(match, event.seat):
                raise MatchRefused("moved_already", "The seat had moved, so its player could not abort the match.")
            return early_end(match, event.seat, event.at, absent)
        case Proposed() if event.of is not UNSET:
            require_replaceable(match, event.of, event.at)
    return None
