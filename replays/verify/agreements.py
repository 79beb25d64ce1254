"""Part of the layer `lifecycle`: the match allowed each dispute, proposal and handover at that time."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import (
    Answered,
    AnyEvent,
    Audited,
    Disputed,
    Extended,
    HandedOver,
    OfferWithdrawn,
    Paused,
    Proposed,
    Resolved,
    Resumed,
    SeatEvent,
    SeatOffered,
    TakenBack,
)
from domain.kernel.refusals import MatchRefused
from domain.match.absence import NOT_LAPSED, end_of_wait
from domain.match.commands import (
    AnswerProposal,
    HandOver,
    OfferSeat,
    Propose,
    RaiseDispute,
    RecordVerdict,
    Resume,
    TakeOver,
    WithdrawOffer,
)
from domain.match.disputes import check_ruling, raise_dispute, record_verdict, require_game_in_progress
from domain.match.guards import require_move_after
from domain.match.handover import hand_over, offer_seat, take_over, withdraw_offer
from domain.match.proposals import (
    answer,
    events_if_all_agreed,
    find_proposal,
    proposal_from_event,
    require_proposable,
    resume,
    seats_to_answer,
    takeback_event,
)
from domain.match.state import AnyMatch
from replays.file import kind_of
from replays.verify.case import Case


def check_dispute(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """Check that the match allowed the dispute, audit or ruling."""
    try:
        decide_dispute(case, match, event)
    except MatchRefused as refused:
        wanted = "what the match allows"
        raise case.diverged(event, "lifecycle.court", wanted, kind_of(event), refused.message) from None


def decide_dispute(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """Re-execute the decision that the event records. Raises MatchRefused if the match does not allow it."""
    match event:
        case Disputed():
            claim = RaiseDispute(event.seat, event.target, event.ground, event.claim, event.arbiter)
            raise_dispute(match, claim, event.at)
        case Audited():
            record_verdict(match, RecordVerdict(event.dispute, event.holds), event.at)
        case Resolved():
            check_ruling(match, event)
            if event.to_ply is not None:
                require_game_in_progress(case.lifecycle_after(event.to_ply))


def check_agreement(case: Case, match: AnyMatch, last: AnyEvent, event: AnyEvent) -> None:
    """Check that the proposal, answer, grant or handover is the event that the match makes for its command."""
    try:
        wanted = decide_agreement(case, match, last, event)
    except MatchRefused as refused:
        found = kind_of(event)
        raise case.diverged(event, "lifecycle.consent", "what the match allows", found, refused.message) from None
    if wanted is not None:
        shown = replace(event, salt=None, prev=UNSET, hash=UNSET, first_fact=wanted.first_fact)
        if isinstance(event, HandedOver) and isinstance(wanted, HandedOver):
            wanted = replace(wanted, bot=event.bot)  # the version that the bot had then
        case.require(event, "lifecycle.consent", wanted, shown, "This is not what was proposed and agreed.")


def decide_agreement(case: Case, match: AnyMatch, last: AnyEvent, event: AnyEvent) -> AnyEvent | None:
    """Decide the event again and return it, or None for a proposal (which only has to be allowed) and other kinds.

    Raises MatchRefused if the match does not allow it.
    """
    clocked = replace(match, time_control=None if case.created.clock is UNSET else case.created.clock)
    match event:
        case Proposed():
            asked = proposal_from_event(event)
            wish = Propose(
                seat=asked.seat,
                what=asked.kind,
                seconds=asked.seconds,
                to_ply=asked.to_ply,
                of=asked.target_seat,
                level=asked.level,
            )
            require_proposable(clocked, wish)
            require_move_after(match, event.to_ply, case.lifecycle_after)
            require_time_for_first_move_over(clocked, event)
        case Answered():
            return answer(match, AnswerProposal(event.seat, event.proposal, event.agrees), event.at)[0]
        case Resumed():
            return resume(match, Resume(event.seat), event.at)[0]
        case TakenBack(proposal=None):
            require_proposable(clocked, Propose(seat=event.seat, what="takeback", to_ply=event.to_ply))
            require_move_after(match, event.to_ply, case.lifecycle_after)
            return takeback_event(match, event.ply, event.seat, event.to_ply, None, event.at)
        case SeatOffered(proposal=None) | OfferWithdrawn() | HandedOver(proposal=None):
            return decide_handover(match, event)
        case Paused() | Extended() | TakenBack() | SeatOffered() | HandedOver():
            proposal = find_proposal(match, event.proposal or 0)
            if seats_to_answer(match, proposal):
                raise MatchRefused("not_agreed", "Not everyone has agreed.")
            return events_if_all_agreed(match, proposal, event.ply, last.at)[0]
    return None


def require_time_for_first_move_over(match: AnyMatch, event: Proposed[Any, Any]) -> None:
    """Refuse to ask for a seat that has neither run out of time nor had the time for a first move.

    Without the game, this doesn't know whose turn it was. The layer `clocks` checks that (`clocks.absence`).
    """
    if event.of is UNSET or match.seats[event.of].has_timed_out:
        return
    over = end_of_wait(match)
    if over is None or over > event.at:
        raise MatchRefused("not_lapsed", NOT_LAPSED)


def decide_handover(match: AnyMatch, event: SeatEvent[Any, Any]) -> AnyEvent:
    """Return the event that records that a seat's owner offers it, keeps it or hands it over. Raises MatchRefused."""
    seat = event.seat
    match event:
        case OfferWithdrawn():
            return withdraw_offer(match, WithdrawOffer(seat, event.offer), event.at)
        case HandedOver(offer=int(number)):
            return take_over(match, TakeOver(seat, event.player or "", number), event.at)
        case HandedOver():
            return hand_over(match, HandOver(seat, event.level or ""), event.at)
        case _:
            return offer_seat(match, OfferSeat(seat), event.at)
