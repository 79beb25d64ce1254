"""The luck of a match: the players' shares, the draw of the seats, and the chance behind each game event."""

from collections.abc import Iterable, Sequence
from typing import Literal

from domain.kernel.chance import Chance, Luck
from domain.kernel.events import Fork
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.commands import NO_CLIENT_SEED
from domain.match.state import AnyMatch, SeatState

MAX_CLIENT_SEED_LENGTH = 200


def draw_seat_order(luck: Luck, match: str, shares: Sequence[str]) -> tuple[Seat, ...]:
    """Who sits where, by chance: for each seat, the one at which its player had sat down.

    A shuffle by a key of its own, to which all have given their shares of the luck, in the order of those seats; it
    takes no draw away from the game.
    """
    return tuple(luck.draws(f"{match}|seats", shares, 0).shuffle(range(len(shares))))


def reorder_seats(seats: tuple[SeatState, ...], order: Iterable[Seat]) -> tuple[SeatState, ...]:
    """The seats with their players where the order puts them; as they were where it is none."""
    places = tuple(order)
    return tuple(seats[old] for old in places) if sorted(places) == [*range(len(seats))] else seats


def client_seeds_by_seat(match: AnyMatch) -> tuple[str, ...]:
    """The players' shares of the luck in seat order."""
    return tuple(NO_CLIENT_SEED if seat.client_seed is None else seat.client_seed for seat in match.seats)


def fork_from(match: AnyMatch, luck: Literal["same", "new"]) -> Fork:
    """Where a fork of the match as it stands comes from; its luck may come from still further back."""
    inherited = match.fork if match.fork is not None and match.fork.luck == "same" else None
    return Fork(
        match=match.id,
        ply=match.ply,
        head=match.head_hash,
        luck=luck,
        draws=match.draw_count,
        origin=inherited.origin if inherited else match.id,
        client_seeds=inherited.client_seeds if inherited else client_seeds_by_seat(match),
    )


def chance_for_draw(match: AnyMatch, luck: Luck, n: int) -> Chance:
    """The draws of game event n. A fork with the same luck has those of the match that it comes from."""
    if match.fork is not None and match.fork.luck == "same":
        return luck.draws(match.fork.origin, match.fork.client_seeds, n)
    return luck.draws(match.id, client_seeds_by_seat(match), n)


def require_valid_client_seed(text: str) -> None:
    """Refuse a share of luck that would not stand as one line beside the others (see `Seed.key`)."""
    if not 1 <= len(text) <= MAX_CLIENT_SEED_LENGTH or not text.isprintable():
        raise MatchRefused(
            "bad_client_seed", f"A client seed is 1 to {MAX_CLIENT_SEED_LENGTH} printable characters, or left out."
        )
