"""Finds the seat that a request reads as or acts for."""

from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from service.api.authentication import unauthorized
from service.api.problems import Problem
from service.matches.seats import first_seat_of


def viewing_seat(match: AnyMatch, player: str | None, wanted: Seat | None) -> Seat | None:
    """Return the seat whose view the reader gets: the requested one, the player's first, or None for a spectator.

    Until the match is over, players can only request their own seats. Raises Problem 401, 403, 404.
    """
    if wanted is None:
        return first_seat_of(match, player)
    require_seat_exists(match, wanted)
    if match.status == "over" or wanted in match.seats_of(player):
        return wanted
    if player is None:
        raise unauthorized("no_token", f"Only the player of seat {wanted} can see its view. Send your token.")
    raise Problem(
        403,
        "not_your_seat",
        "You can't see this seat's view until the match is over. Use one of your own seats, or leave out `as`.",
    )


def seat_or_spectator(match: AnyMatch, player: str | None, seat: Seat | None) -> Seat | None:
    """Return the seat if the player holds it in this state or the match is over, else None (a spectator).

    Seats change hands, so the player may have lost the seat since the request began.
    """
    return seat if match.status == "over" or seat in match.seats_of(player) else None


def acting_seat(match: AnyMatch, player: str, wanted: Seat | None) -> Seat:
    """Return the seat that a player acts for: the requested one or the only one. Raises Problem 403, 404, 422."""
    own = match.seats_of(player)
    if wanted is not None:
        require_seat_exists(match, wanted)
    if not own or (wanted is not None and wanted not in own):
        raise Problem(403, "not_your_seat", "This is not your seat. You can only act for your own seats.")
    if wanted is None and len(own) > 1:
        seats = ", ".join(map(str, own))
        raise Problem(422, "which_seat", f"You have seats {seats}. Choose one with `?as=`.", seats=list(own))
    return own[0] if wanted is None else wanted


def require_seat_exists(match: AnyMatch, seat: Seat) -> None:
    """Raise Problem 404 for a seat that the match does not have."""
    if seat >= len(match.seats):
        raise Problem(404, "no_such_seat", f"There is no such seat. This match has seats 0 to {len(match.seats) - 1}.")
