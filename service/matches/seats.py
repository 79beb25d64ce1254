"""The seat of a player whose view a page or an answer shows, where the player has not chosen one."""

from domain.kernel.game import Seat
from domain.match.state import AnyMatch


def first_seat_of(match: AnyMatch, player: str | None) -> Seat | None:
    """The player's first seat; None for a spectator."""
    return next(iter(match.seats_of(player)), None)


def seat_to_play(match: AnyMatch, player: str | None) -> Seat | None:
    """The player's first seat that owes a move, else the player's first seat; None for a spectator."""
    own = match.seats_of(player)
    return next((seat for seat in own if seat in match.to_move), first_seat_of(match, player))
