"""Handing over a seat to another player or to a bot while the match is played.

A seat's player may give it to a bot or offer it to anyone with the offer's invitation. If a seat has run out of time
and its player has not moved since, the others may do the same by consent. An offer's number is the ply of its event, so
every invitation belongs to one offer. It becomes invalid when that offer is used or withdrawn.
"""

from datetime import datetime
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Expired, HandedOver, Moved, OfferWithdrawn, SeatOffered
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.absence import NOT_LAPSED
from domain.match.bots import recorded_bot_version
from domain.match.commands import HandOver, OfferSeat, TakeOver, WithdrawOffer
from domain.match.guards import require_playing, require_request_limit
from domain.match.state import AnyMatch, SeatOffer, SeatState

# -- what may be done ---------------------------------------------------------------------------------------------


def require_transferable_seat(match: AnyMatch, seat: Seat) -> None:
    """Refuse a seat whose player cannot hand it over now. Raise MatchRefused."""
    require_playing(match)
    if match.seats[seat].kind != "human":
        raise MatchRefused("seat_of_a_bot", "A bot plays this seat. Only the other players together can hand it over.")
    if match.is_rated:
        raise MatchRefused("rated", "You can't hand over your seat in a rated match. Keep playing or resign.")


def require_other_seat(match: AnyMatch, asking: Seat, seat: Seat, level: str | None) -> None:
    """Refuse a request for a seat that the others can't hand over. Raise MatchRefused.

    The codes are `no_such_seat`, `own_seat`, `not_lapsed` (the player has moved and not run out of time) and
    `seat_of_a_bot`.
    """
    if not 0 <= seat < len(match.seats):
        raise MatchRefused("no_such_seat", f"There is no such seat. This match has seats 0 to {len(match.seats) - 1}.")
    wanted = match.seats[seat]
    if wanted.player is not None and wanted.player == match.seats[asking].player:
        raise MatchRefused("own_seat", "This is your own seat. You can hand it over without asking.")
    if not wanted.has_timed_out and (wanted.has_moved or wanted.kind == "bot"):
        raise MatchRefused("not_lapsed", NOT_LAPSED)
    if wanted.kind == "bot" and level is not None:
        raise MatchRefused("seat_of_a_bot", "A bot already plays this seat.")


def find_offer(match: AnyMatch, seat: Seat, number: int) -> SeatOffer:
    """Return the open offer of this seat. Raise MatchRefused `offer_gone`."""
    require_playing(match)
    for offer in match.offers:
        if (offer.number, offer.seat) == (number, seat):
            return offer
    raise MatchRefused("offer_gone", "This invitation has already been used or withdrawn. Ask for a new one.")


def require_newcomer(match: AnyMatch, seat: Seat, player: str) -> None:
    """Refuse a player who may know the hand of another seat of this match, or who already has this seat.

    Raises MatchRefused `seated_here`.
    """
    if match.seats[seat].player == player:
        raise MatchRefused("seated_here", "You already have this seat.")
    others = (state for number, state in enumerate(match.seats) if number != seat)
    if any(player == state.player or player in state.former_players for state in others):
        raise MatchRefused(
            "seated_here", "You can't take over this seat because you play or have played another one in this match."
        )


# -- events -------------------------------------------------------------------------------------------------------


def offer_seat(match: AnyMatch, command: OfferSeat, now: datetime) -> AnyEvent:
    """Return the event that offers a player's own seat. Raise MatchRefused."""
    require_transferable_seat(match, command.seat)
    if any((offer.seat, offer.by) == (command.seat, command.seat) for offer in match.offers):
        raise MatchRefused(
            "offered_already", "You are already offering this seat. Withdraw that offer before you make another one."
        )
    require_request_limit(match, command.seat)
    return offer_event(match, command.seat, command.seat, None, match.ply + 1, now)


def offer_event(match: AnyMatch, seat: Seat, by: Seat, proposal: int | None, ply: int, now: datetime) -> AnyEvent:
    """Return the event of an offer: the player's own, or one that all others have agreed to."""
    return SeatOffered(ply=ply, seat=seat, at=now, first_fact=match.fact_count, by=by, proposal=proposal)


def withdraw_offer(match: AnyMatch, command: WithdrawOffer, now: datetime) -> AnyEvent:
    """Return the event that withdraws an offer. Raise MatchRefused `offer_gone` or `not_yours`."""
    offer = next((each for each in match.offers if each.number == command.offer), None)
    if offer is None:
        raise MatchRefused("offer_gone", "This offer is no longer open.")
    if command.seat not in (offer.seat, offer.by):
        raise MatchRefused(
            "not_yours", "Only the player who made the offer or the player at that seat can withdraw it."
        )
    return OfferWithdrawn(
        ply=match.ply + 1, seat=command.seat, at=now, first_fact=match.fact_count, offer=command.offer
    )


def hand_over(match: AnyMatch, command: HandOver, now: datetime) -> AnyEvent:
    """Return the event that hands a player's own seat to a bot. Raise MatchRefused."""
    require_transferable_seat(match, command.seat)
    return bot_takeover_event(match, command.seat, command.level, None, match.ply + 1, now)


def bot_takeover_event(
    match: AnyMatch, seat: Seat, level: str, proposal: int | None, ply: int, now: datetime
) -> AnyEvent:
    """Return the event that hands a seat to a bot."""
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
        bot=recorded_bot_version(match, level),
    )


def take_over(match: AnyMatch, command: TakeOver, now: datetime) -> AnyEvent:
    """Return the event that hands an offered seat to a player. Raise MatchRefused.

    If the previous player offered the seat, the clock keeps its time; if the others did, it is reset.
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
    """Return the open offers after an event. A player who moves again keeps the seat that the others offered."""
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
    """Return the seat after it was handed over. A substitute bot still makes the move it is due to make.

    Its new player has not moved yet.
    """
    former = seat.former_players if seat.player is None else (*seat.former_players, seat.player)
    return replace(
        seat,
        kind="bot" if event.player is None else "human",
        player=event.player,
        level=event.level,
        bot=None if event.bot is UNSET else event.bot,
        standin=None if event.player is None else seat.standin,
        standin_bot=None if event.player is None else seat.standin_bot,
        has_timed_out=False,
        has_moved=False,
        former_players=former,
    )
