"""The seat that a request reads or acts for."""

from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from service.api.authentication import unauthorized
from service.api.problems import Problem
from service.matches.seats import first_seat_of


def viewing_seat(match: AnyMatch, player: str | None, wanted: Seat | None) -> Seat | None:
    """The seat whose view the reader gets: the one wanted, else the player's first one, else None (a spectator).

    While the match runs, players can only ask for their own seats. Raises Problem 401, 403, 404.
    """
    if wanted is None:
        return first_seat_of(match, player)
    require_seat_exists(match, wanted)
    if match.status == "over" or wanted in match.seats_of(player):
        return wanted
    if player is None:
        raise unauthorized("no_token", f"Only who sits at seat {wanted} may see the match as it does: send your token.")
    raise Problem(403, "not_your_seat", "While the match runs you may see it as your own seats do, and as a spectator.")


def seat_or_spectator(match: AnyMatch, player: str | None, seat: Seat | None) -> Seat | None:
    """The seat if the player holds it in this state of the match, or the match is over; else None (a spectator).

    Seats change hands before the start, so a player may have lost a seat since the request began.
    """
    return seat if match.status == "over" or seat in match.seats_of(player) else None


def acting_seat(match: AnyMatch, player: str, wanted: Seat | None) -> Seat:
    """The seat that a player acts for: the one wanted, else the player's only one. Raises Problem 403, 404, 422."""
    own = match.seats_of(player)
    if wanted is not None:
        require_seat_exists(match, wanted)
    if not own or (wanted is not None and wanted not in own):
        raise Problem(403, "not_your_seat", "You do not sit there. You may act for your own seats only.")
    if wanted is None and len(own) > 1:
        seats = ", ".join(map(str, own))
        raise Problem(422, "which_seat", f"You hold the seats {seats}: say for which one with ?as=.", seats=list(own))
    return own[0] if wanted is None else wanted


def require_seat_exists(match: AnyMatch, seat: Seat) -> None:
    """Raise Problem 404 for a seat that the match does not have."""
    if seat >= len(match.seats):
        raise Problem(404, "no_such_seat", f"This match has the seats 0 to {len(match.seats) - 1}.")
