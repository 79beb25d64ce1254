"""Proposals that all others must agree to: a pause, more time, a takeback, or handing over an absent player's seat.

Requests, answers and results are events. Every other person in the match must agree. If there is nobody to ask (only
bots), the proposal takes effect immediately; a takeback that undoes a known result makes such a match unrated.
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
from domain.match.absence import require_replaceable
from domain.match.clock import MAX_EXTENSION_SECONDS, MIN_EXTENSION_SECONDS
from domain.match.commands import AnswerProposal, Propose, Resume
from domain.match.guards import is_retracted, require_duration_in_range, require_playing, require_request_limit
from domain.match.handover import bot_takeover_event, offer_event, require_other_seat
from domain.match.state import AnyMatch, Proposal

# -- what may be done ---------------------------------------------------------------------------------------------


def find_proposal(match: AnyMatch, number: int) -> Proposal:
    """Return the open proposal with this number. Raise MatchRefused `no_such_proposal`."""
    for proposal in match.proposals:
        if proposal.number == number:
            return proposal
    raise MatchRefused("no_such_proposal", "This request is no longer open.")


def seats_to_answer(match: AnyMatch, proposal: Proposal) -> list[Seat]:
    """Return the seats whose answers are missing. A player with several seats answers once.

    The player who would be replaced is not asked.
    """
    absent = [] if proposal.target_seat is None else [match.seats[proposal.target_seat].player]
    answered = {*absent} | {match.seats[seat].player for seat in (proposal.seat, *proposal.agreed_seats)}
    return [n for n, seat in enumerate(match.seats) if seat.kind == "human" and seat.player not in answered]


def require_proposable(match: AnyMatch, command: Propose) -> None:
    """Refuse a proposal that is not possible now, or that is already open."""
    require_playing(match)
    seat, what, seconds, to_ply = command.seat, command.what, command.seconds, command.to_ply
    if any((each.seat, each.kind) == (seat, what) for each in match.proposals):
        raise MatchRefused("asked_already", "You have already asked for this. Wait until everyone has answered.")
    require_request_limit(match, seat)
    fields = ((seconds, "extend"), (to_ply, "takeback"), (command.of, "hand_over"))
    if any((value is not None) != (what == owner) for value, owner in fields):
        raise MatchRefused(
            "bad_proposal",
            "Set `seconds` for more time, `to_ply` for a takeback, `of` for a handover, and nothing for a pause.",
        )
    if command.level is not None and what != "hand_over":
        raise MatchRefused("bad_proposal", "Only a handover can have a `level`.")
    if what in ("pause", "extend") and match.time_control is None:
        raise MatchRefused("no_clock", "This match has no clock, so everyone can take as much time as they need.")
    if what == "pause" and match.paused:
        raise MatchRefused("paused_already", "The match is already paused.")
    if seconds is not None:
        require_duration_in_range("The extra time", seconds, MIN_EXTENSION_SECONDS, MAX_EXTENSION_SECONDS)
    if to_ply is not None:
        require_valid_takeback_ply(match, to_ply)
    if command.of is not None:
        require_other_seat(match, seat, command.of, command.level)


def require_valid_takeback_ply(match: AnyMatch, to_ply: int) -> None:
    """Refuse a ply that is not before the last one or that was taken back."""
    if not 1 <= to_ply < match.ply:
        raise MatchRefused("no_such_ply", f"There is no such move. You can go back to moves 1 to {match.ply - 1}.")
    if is_retracted(match, to_ply):
        raise MatchRefused("ply_retracted", f"Move {to_ply} was already undone. Choose another move.")


# -- events -------------------------------------------------------------------------------------------------------


def propose(match: AnyMatch, command: Propose, now: datetime) -> list[AnyEvent]:
    """Return the proposal event and, if nobody has to be asked, its result. A free takeback needs no proposal."""
    require_proposable(match, command)
    if command.of is not None:
        require_replaceable(match, command.of, now)
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
    """Return the answer event and, if it was the last one needed, the result of the proposal."""
    require_playing(match)
    proposal = find_proposal(match, command.proposal)
    withdrawn = not command.agrees and command.seat in (proposal.seat, proposal.target_seat)
    if not withdrawn and command.seat not in seats_to_answer(match, proposal):
        raise MatchRefused("not_asked", "Your answer is not needed: you were not asked, or you have already answered.")
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
    """Return the events that carry out a proposal, or none while answers are missing."""
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
    """Return the event that all others have agreed to for the seat of an absent player."""
    seat = proposal.target_seat or 0
    if proposal.level is not None:
        return bot_takeover_event(match, seat, proposal.level, proposal.number, ply, now)
    return offer_event(match, seat, proposal.seat, proposal.number, ply, now)


def takeback_event(
    match: AnyMatch, ply: int, seat: Seat, to_ply: int, proposal: Proposal | None, now: datetime
) -> AnyEvent:
    """Return the event that takes the match back. It stays rated if others agreed or nothing was learned."""
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
    """Return the event that lets the clocks run again. Raise MatchRefused `not_paused`."""
    require_playing(match)
    if not match.paused:
        raise MatchRefused("not_paused", "The match is not paused.")
    return [Resumed(ply=match.ply + 1, seat=command.seat, at=now, first_fact=match.fact_count)]


# -- folding ------------------------------------------------------------------------------------------------------


def proposal_from_event(event: AnyEvent) -> Proposal:
    """Return the proposal that an event makes."""
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
    """Return the proposal with one more agreement."""
    return replace(proposal, agreed_seats=(*proposal.agreed_seats, seat))


def proposals_after(match: AnyMatch, event: AnyEvent) -> tuple[Proposal, ...]:
    """Return the open proposals after an event.

    A move cancels requests to take back an earlier one. If a person makes it, it also cancels requests for their seat.
    """
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
            return ()  # the players who had to agree have changed
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
    """Return the proposals without this one."""
    return tuple(each for each in proposals if each.number != number)
