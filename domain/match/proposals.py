"""What a seat may have only if everybody agrees: a pause, more time, a move taken back, a vanished one replaced.

Asking, answering and what comes of it are events. Who has to agree: every other person at the table. Where there is
nobody else to ask (bots only), asking is having; but a match in which a known result was taken back so is not rated.
"""

from datetime import datetime
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import (
    Answered,
    AnyEvent,
    Expired,
    Extended,
    HandedOver,
    Moved,
    Paused,
    Proposed,
    Resolved,
    Resumed,
    SeatOffered,
    TakenBack,
)
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.clock import MAX_EXTENSION_SECONDS, MIN_EXTENSION_SECONDS
from domain.match.commands import AnswerProposal, Propose, Resume
from domain.match.guards import is_retracted, require_duration_in_range, require_playing, require_request_limit
from domain.match.handover import bot_takeover_event, offer_event, require_timed_out_seat
from domain.match.state import AnyMatch, Proposal

# -- what may be done ---------------------------------------------------------------------------------------------


def find_proposal(match: AnyMatch, number: int) -> Proposal:
    """The open proposal of this number. Raises MatchRefused `no_such_proposal`."""
    for proposal in match.proposals:
        if proposal.number == number:
            return proposal
    raise MatchRefused("no_such_proposal", f"Nobody waits for an answer to proposal {number} any more.")


def seats_to_answer(match: AnyMatch, proposal: Proposal) -> list[Seat]:
    """The seats whose answer a proposal waits for. A player with several seats answers once.

    Who is to be replaced is not waited for.
    """
    absent = [] if proposal.target_seat is None else [match.seats[proposal.target_seat].player]
    answered = {*absent} | {match.seats[seat].player for seat in (proposal.seat, *proposal.agreed_seats)}
    return [n for n, seat in enumerate(match.seats) if seat.kind == "human" and seat.player not in answered]


def require_proposable(match: AnyMatch, command: Propose) -> None:
    """Refuse to ask for what cannot be had now, or is asked for already."""
    require_playing(match)
    seat, what, seconds, to_ply = command.seat, command.what, command.seconds, command.to_ply
    if any((each.seat, each.kind) == (seat, what) for each in match.proposals):
        raise MatchRefused("asked_already", "You have asked for this already; the others have not all answered yet.")
    require_request_limit(match, seat)
    fields = ((seconds, "extend"), (to_ply, "takeback"), (command.of, "hand_over"))
    if any((value is not None) != (what == owner) for value, owner in fields):
        raise MatchRefused(
            "bad_proposal", "More time has `seconds`, a takeback `to_ply`, a hand-over `of`, and a pause none of them."
        )
    if command.level is not None and what != "hand_over":
        raise MatchRefused("bad_proposal", "Only a hand-over may have a `level`.")
    if what in ("pause", "extend") and match.time_control is None:
        raise MatchRefused("no_clock", "This match has no clock: everybody may take the time they need.")
    if what == "pause" and match.paused:
        raise MatchRefused("paused_already", "The match is paused.")
    if seconds is not None:
        require_duration_in_range("More time", seconds, MIN_EXTENSION_SECONDS, MAX_EXTENSION_SECONDS)
    if to_ply is not None:
        require_valid_takeback_ply(match, to_ply)
    if command.of is not None:
        require_timed_out_seat(match, seat, command.of, command.level)


def require_valid_takeback_ply(match: AnyMatch, to_ply: int) -> None:
    """Refuse a ply that is not before the last one, or was itself taken back."""
    if not 1 <= to_ply < match.ply:
        raise MatchRefused("no_such_ply", f"One can go back to one of the plies 1 to {match.ply - 1}.")
    if is_retracted(match, to_ply):
        raise MatchRefused("ply_retracted", f"Ply {to_ply} was taken back before.")


# -- events -------------------------------------------------------------------------------------------------------


def propose(match: AnyMatch, command: Propose, now: datetime) -> list[AnyEvent]:
    """The question and, where nobody has to be asked, what it asks for. A free takeback needs no question."""
    require_proposable(match, command)
    if command.what == "takeback" and command.free:
        return [takeback_event(match, match.ply + 1, command.seat, command.to_ply or 0, None, now)]
    asked: AnyEvent = Proposed(
        ply=match.ply + 1,
        seat=command.seat,
        at=now,
        first_fact=match.fact_count,
        what=command.what,
        seconds=command.seconds,
        to_ply=command.to_ply,
        of=UNSET if command.of is None else command.of,
        level=UNSET if command.level is None else command.level,
    )
    return [asked, *events_if_all_agreed(match, proposal_from_event(asked), match.ply + 2, now)]


def answer(match: AnyMatch, command: AnswerProposal, now: datetime) -> list[AnyEvent]:
    """The answer and, if it was the last one needed, what was asked for."""
    require_playing(match)
    proposal = find_proposal(match, command.proposal)
    withdrawn = not command.agrees and command.seat in (proposal.seat, proposal.target_seat)
    if not withdrawn and command.seat not in seats_to_answer(match, proposal):
        raise MatchRefused("not_asked", "Nobody waits for this answer of yours.")
    answered: AnyEvent = Answered(
        ply=match.ply + 1,
        seat=command.seat,
        at=now,
        first_fact=match.fact_count,
        proposal=command.proposal,
        agrees=command.agrees,
    )
    if not command.agrees:
        return [answered]
    return [answered, *events_if_all_agreed(match, add_agreement(proposal, command.seat), match.ply + 2, now)]


def events_if_all_agreed(match: AnyMatch, proposal: Proposal, ply: int, now: datetime) -> list[AnyEvent]:
    """What a proposal asks for, once nobody's answer is missing."""
    if seats_to_answer(match, proposal):
        return []
    parts: dict[str, Any] = {"ply": ply, "seat": proposal.seat, "at": now, "first_fact": match.fact_count}
    match proposal.kind:
        case "pause":
            return [Paused(**parts, proposal=proposal.number)]
        case "extend":
            return [Extended(**parts, proposal=proposal.number, seconds=proposal.seconds or 0)]
        case "takeback":
            return [takeback_event(match, ply, proposal.seat, proposal.to_ply or 0, proposal, now)]
        case "hand_over":
            return [replace_absent_player(match, ply, proposal, now)]


def replace_absent_player(match: AnyMatch, ply: int, proposal: Proposal, now: datetime) -> AnyEvent:
    """What all others have agreed to do with the seat of somebody who has vanished."""
    seat = proposal.target_seat or 0
    if proposal.level is not None:
        return bot_takeover_event(match, seat, proposal.level, proposal.number, ply, now)
    return offer_event(match, seat, proposal.seat, proposal.number, ply, now)


def takeback_event(
    match: AnyMatch, ply: int, seat: Seat, to_ply: int, proposal: Proposal | None, now: datetime
) -> AnyEvent:
    """The match goes back. It stays rated if others agreed, or if there was nothing to learn."""
    return TakenBack(
        ply=ply,
        seat=seat,
        at=now,
        first_fact=match.fact_count,
        to_ply=to_ply,
        proposal=proposal.number if proposal else None,
        rated=proposal is None or bool(proposal.agreed_seats),
    )


def resume(match: AnyMatch, command: Resume, now: datetime) -> list[AnyEvent]:
    """The clocks run again."""
    require_playing(match)
    if not match.paused:
        raise MatchRefused("not_paused", "The match is not paused.")
    return [Resumed(ply=match.ply + 1, seat=command.seat, at=now, first_fact=match.fact_count)]


# -- folding ------------------------------------------------------------------------------------------------------


def proposal_from_event(event: AnyEvent) -> Proposal:
    """The proposal that an event has made."""
    assert isinstance(event, Proposed)
    return Proposal(
        number=event.ply,
        seat=event.seat,
        kind=event.what,
        seconds=event.seconds,
        to_ply=event.to_ply,
        target_seat=None if event.of is UNSET else event.of,
        level=None if event.level is UNSET else event.level,
    )


def add_agreement(proposal: Proposal, seat: Seat) -> Proposal:
    """The proposal with one more agreement."""
    return replace(proposal, agreed_seats=(*proposal.agreed_seats, seat))


def proposals_after(match: AnyMatch, event: AnyEvent) -> tuple[Proposal, ...]:
    """The open proposals behind an event. Whoever moves on lets questions about earlier moves lapse."""
    open_ones = match.proposals
    match event:
        case Proposed():
            return (*open_ones, proposal_from_event(event))
        case Answered(agrees=True):
            return tuple(add_agreement(p, event.seat) if p.number == event.proposal else p for p in open_ones)
        case Answered():
            return remove_proposal(open_ones, event.proposal)
        case Paused() | Extended() | SeatOffered(proposal=int()):
            return remove_proposal(open_ones, event.proposal or 0)
        case Expired(consequence="bot_takes_over") | HandedOver():
            return ()  # who had to agree has changed
        case Moved():
            here = event.seat if match.seats[event.seat].acting_bot_level is None else None
            return tuple(
                each for each in open_ones if each.kind != "takeback" and (here is None or each.target_seat != here)
            )
        case TakenBack() | Resolved():
            return tuple(each for each in open_ones if each.kind != "takeback")
        case _:
            return open_ones


def remove_proposal(proposals: tuple[Proposal, ...], number: int) -> tuple[Proposal, ...]:
    """The proposals but this one."""
    return tuple(each for each in proposals if each.number != number)
