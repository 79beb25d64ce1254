"""Open proposals of a match as text, and what the viewer may propose or answer."""

from datetime import datetime

import msgspec

from domain.kernel.events import Moved
from domain.kernel.game import Seat
from domain.kernel.table import TableContext
from domain.kernel.text import capital
from domain.match.absence import absent_seats
from domain.match.durations import DAY, HOUR, format_duration
from domain.match.early_end import is_abort_costly, may_abort
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, Proposal
from service.web.match_history import describe_proposal
from service.web.seating import SeatInfo

EXTENSIONS = (12 * HOUR, DAY, 3 * DAY, 7 * DAY)
"""Amounts of extra time offered on the page, in seconds."""


class ProposalView(msgspec.Struct, frozen=True):
    """A proposal as text, and whether the viewer may answer or withdraw it."""

    number: int
    text: str
    can_answer: bool
    can_withdraw: bool


def proposal_views(head: AnyMatch, seat: Seat | None, table: list[SeatInfo]) -> list[ProposalView]:
    """Return the open proposals of a match."""
    return [proposal_view(head, proposal, seat, table) for proposal in head.proposals]


def proposal_view(head: AnyMatch, proposal: Proposal, seat: Seat | None, table: list[SeatInfo]) -> ProposalView:
    """Return one proposal as the viewer sees it."""
    mine = table[proposal.seat].is_you
    who = "You ask" if mine else f"{capital(table[proposal.seat].label)} asks"
    request = describe_proposal(proposal, table)
    return ProposalView(
        number=proposal.number,
        text=f"{who} {request}.{takeback_note(head) if proposal.kind == 'takeback' else ''}",
        can_answer=seat in seats_to_answer(head, proposal),
        can_withdraw=seat is not None and seat in (proposal.seat, proposal.target_seat),
    )


def takeback_note(head: AnyMatch) -> str:
    """Return what a takeback does to the luck."""
    if head.luck is None:
        return " Later dice and cards are drawn again."
    return " Dice are rolled again. A shuffled deck keeps its order, and cards you have seen stay known."


def available_requests(head: AnyMatch, seat: Seat | None, context: TableContext, now: datetime) -> dict[str, object]:
    """Return what the viewer may ask for or do now, leaving out requests that are already open.

    `absent` are the seats of other players who have not made a first move in time.
    """
    if seat is None or head.status != "playing":
        return {}
    asked = {each.kind for each in head.proposals if each.seat == seat}
    timed = head.time_control is not None
    return {
        "takeback": "takeback" not in asked and any(isinstance(e, Moved) and e.seat == seat for e in context.events),
        "alone": not any(taken.kind == "human" and taken.player != head.seats[seat].player for taken in head.seats),
        "pause": timed and not head.paused and "pause" not in asked,
        "resume": head.paused,
        "vacation": vacation_days_left(head, seat),
        "vanished": [] if "hand_over" in asked else replaceable_seats(head, seat, now),
        "absent": absent_seats(head, now, seat),
        "abort": may_abort(head, seat),
        "abort_counts": is_abort_costly(head, seat),
        "extensions": [(n, format_duration(n)) for n in EXTENSIONS] if timed and "extend" not in asked else [],
    }


def vacation_days_left(head: AnyMatch, seat: Seat) -> int:
    """Return the days of vacation that the seat has left."""
    return head.clocks[seat].vacation_days_left if head.clocks and head.seats[seat].kind == "human" else 0


def replaceable_seats(head: AnyMatch, seat: Seat, now: datetime) -> list[Seat]:
    """Return the seats of other players who ran out of time or are absent: they can be handed over if all agree."""
    mine, absent = head.seats[seat].player, absent_seats(head, now, seat)
    return [
        number
        for number, each in enumerate(head.seats)
        if (each.has_timed_out or number in absent) and each.player != mine
    ]


def is_answer_awaited(head: AnyMatch, seat: Seat | None) -> bool:
    """Return whether a proposal is waiting for this seat's answer."""
    return any(seat in seats_to_answer(head, proposal) for proposal in head.proposals)
