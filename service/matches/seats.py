"""The seat from which a player sees a match by default."""

from domain.kernel.game import Seat
from domain.match.state import AnyMatch


def first_seat_of(match: AnyMatch, player: str | None) -> Seat | None:
    """Return the player's first seat, or None for a spectator."""
    return next(iter(match.seats_of(player)), None)


def seat_to_play(match: AnyMatch, player: str | None) -> Seat | None:
    """Return the player's first seat to move, or else their first seat. None for a spectator."""
    own = match.seats_of(player)
    return next((seat for seat in own if seat in match.to_move), first_seat_of(match, player))
