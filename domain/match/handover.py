"""A seat passes to another player or to a bot while the match is played.

Its owner may give it to a bot at once, or offer it: whoever brings the invitation that belongs to the offer takes it.
Where the time of a seat was up and its person has not moved since, the others may do the same by consent. An offer has
the ply of its event as its number, so an invitation is good for one offer: taken or withdrawn, it is good for nothing.
"""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Expired, HandedOver, Moved, OfferWithdrawn, SeatOffered
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.commands import HandOver, OfferSeat, TakeOver, WithdrawOffer
from domain.match.guards import require_playing, require_request_limit
from domain.match.state import AnyMatch, SeatOffer, SeatState

# -- what may be done ---------------------------------------------------------------------------------------------


def require_transferable_seat(match: AnyMatch, seat: Seat) -> None:
    """Refuse what only a person can do with the own seat while the match is played. Raises MatchRefused."""
    require_playing(match)
    if match.seats[seat].kind != "human":
        raise MatchRefused("seat_of_a_bot", "A bot sits there: only all others together can hand its seat over.")
    if match.is_rated:
        reason = "else who is losing could hand the loss on. Play on, or resign"
        raise MatchRefused("rated", f"In a rated match nobody hands the own seat over; {reason}.")


def require_timed_out_seat(match: AnyMatch, asking: Seat, seat: Seat, level: str | None) -> None:
    """Refuse to ask for a seat whose person is still there. Raises MatchRefused `no_such_seat`, `not_lapsed`."""
    if not 0 <= seat < len(match.seats):
        raise MatchRefused("no_such_seat", f"This match has the seats 0 to {len(match.seats) - 1}.")
    wanted = match.seats[seat]
    if wanted.player is not None and wanted.player == match.seats[asking].player:
        raise MatchRefused("own_seat", "This seat is your own: hand it over without asking.")
    if not wanted.has_timed_out:
        raise MatchRefused("not_lapsed", f"Only who sits at seat {seat} may hand it over: its time was not up.")
    if wanted.kind == "bot" and level is not None:
        raise MatchRefused("seat_of_a_bot", f"A bot plays seat {seat} already.")


def find_offer(match: AnyMatch, seat: Seat, number: int) -> SeatOffer:
    """The open offer of this seat. Raises MatchRefused `offer_gone`."""
    require_playing(match)
    for offer in match.offers:
        if (offer.number, offer.seat) == (number, seat):
            return offer
    raise MatchRefused("offer_gone", "This invitation was used already, or withdrawn. Ask for a new one.")


def require_newcomer(match: AnyMatch, seat: Seat, player: str) -> None:
    """Refuse who knows the hand of another seat of this match, or holds this one. Raises MatchRefused `seated_here`."""
    if match.seats[seat].player == player:
        raise MatchRefused("seated_here", "You hold this seat already.")
    others = (state for number, state in enumerate(match.seats) if number != seat)
    if any(player == state.player or player in state.former_players for state in others):
        raise MatchRefused("seated_here", "Who sits or sat at another seat of this match cannot take this one over.")


# -- events -------------------------------------------------------------------------------------------------------


def offer_seat(match: AnyMatch, command: OfferSeat, now: datetime) -> AnyEvent:
    """The offer of the own seat. Raises MatchRefused."""
    require_transferable_seat(match, command.seat)
    if any((offer.seat, offer.by) == (command.seat, command.seat) for offer in match.offers):
        raise MatchRefused("offered_already", "You offer this seat already. Withdraw that offer to make another one.")
    require_request_limit(match, command.seat)
    return offer_event(match, command.seat, command.seat, None, match.ply + 1, now)


def offer_event(match: AnyMatch, seat: Seat, by: Seat, proposal: int | None, ply: int, now: datetime) -> AnyEvent:
    """The event of an offer: the owner's, or one that all others have agreed to."""
    return SeatOffered(ply=ply, seat=seat, at=now, first_fact=match.fact_count, by=by, proposal=proposal)


def withdraw_offer(match: AnyMatch, command: WithdrawOffer, now: datetime) -> AnyEvent:
    """The end of an offer. Raises MatchRefused `offer_gone`, `not_yours`."""
    offer = next((each for each in match.offers if each.number == command.offer), None)
    if offer is None:
        raise MatchRefused("offer_gone", "There is no such offer any more.")
    if command.seat not in (offer.seat, offer.by):
        raise MatchRefused("not_yours", "Only who made an offer, or who sits there, can withdraw it.")
    return OfferWithdrawn(
        ply=match.ply + 1, seat=command.seat, at=now, first_fact=match.fact_count, offer=command.offer
    )


def hand_over(match: AnyMatch, command: HandOver, now: datetime) -> AnyEvent:
    """A bot takes the owner's place. Raises MatchRefused."""
    require_transferable_seat(match, command.seat)
    return bot_takeover_event(match, command.seat, command.level, None, match.ply + 1, now)


def bot_takeover_event(
    match: AnyMatch, seat: Seat, level: str, proposal: int | None, ply: int, now: datetime
) -> AnyEvent:
    """The event by which a bot takes a seat over."""
    return HandedOver(
        ply=ply,
        seat=seat,
        at=now,
        first_fact=match.fact_count,
        player=None,
        level=level,
        offer=None,
        proposal=proposal,
        fresh=False,
    )


def take_over(match: AnyMatch, command: TakeOver, now: datetime) -> AnyEvent:
    """A player takes the place that is offered. Raises MatchRefused.

    From the owner one has the time that was left to the owner; by the others' consent, a clock that begins anew.
    """
    offer = find_offer(match, command.seat, command.offer)
    require_newcomer(match, command.seat, command.player)
    return HandedOver(
        ply=match.ply + 1,
        seat=command.seat,
        at=now,
        first_fact=match.fact_count,
        player=command.player,
        level=None,
        offer=offer.number,
        proposal=None,
        fresh=offer.by != offer.seat,
    )


# -- folding ------------------------------------------------------------------------------------------------------


def offers_after(match: AnyMatch, event: AnyEvent) -> tuple[SeatOffer, ...]:
    """The open offers behind an event. Who comes back and moves keeps the seat that the others have offered."""
    seat = event.seat
    match event:
        case SeatOffered():
            others = tuple(offer for offer in match.offers if offer.seat != seat)
            return (*others, SeatOffer(event.ply, event.seat, event.by))
        case OfferWithdrawn():
            return tuple(offer for offer in match.offers if offer.number != event.offer)
        case HandedOver():
            return tuple(offer for offer in match.offers if seat not in (offer.seat, offer.by))
        case Expired(consequence="bot_takes_over"):
            return tuple(offer for offer in match.offers if seat not in (offer.seat, offer.by))
        case Moved() if seat is not None and match.seats[seat].acting_bot_level is None:
            return tuple(offer for offer in match.offers if offer.seat != seat or offer.by == seat)
        case _:
            return match.offers


def seat_after_hand_over(seat: SeatState, event: HandedOver[Any, Any]) -> SeatState:
    """The seat behind a hand-over. A bot that stands in for the owner makes its move before the new one comes in."""
    former = seat.former_players if seat.player is None else (*seat.former_players, seat.player)
    return replace(
        seat,
        kind="bot" if event.player is None else "human",
        player=event.player,
        level=event.level,
        standin=None if event.player is None else seat.standin,
        has_timed_out=False,
        former_players=former,
    )
