"""The luck of a match: the players' client seeds, the draw of the seats, and the chance for each game event."""

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
    """Return a random seating: for each seat, the seat that its player had taken before.

    It is a shuffle with its own key, which depends on every player's client seed in the order of the original seats.
    It uses none of the game's draws.
    """
    return tuple(luck.draws(f"{match}|seats", shares, 0).shuffle(range(len(shares))))


def reorder_seats(seats: tuple[SeatState, ...], order: Iterable[Seat]) -> tuple[SeatState, ...]:
    """Return the seats with their players reordered, or unchanged if `order` is not a permutation."""
    places = tuple(order)
    return tuple(seats[old] for old in places) if sorted(places) == [*range(len(seats))] else seats


def client_seeds_by_seat(match: AnyMatch) -> tuple[str, ...]:
    """Return the players' client seeds in seat order."""
    return tuple(NO_CLIENT_SEED if seat.client_seed is None else seat.client_seed for seat in match.seats)


def fork_from(match: AnyMatch, luck: Literal["same", "new"]) -> Fork:
    """Return the source for a fork of the match at its current ply. Its luck may come from an earlier match."""
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
    """Return the draws of game event n. A fork with the same luck has those of the original match."""
    if match.fork is not None and match.fork.luck == "same":
        return luck.draws(match.fork.origin, match.fork.client_seeds, n)
    return luck.draws(match.id, client_seeds_by_seat(match), n)


def require_valid_client_seed(text: str) -> None:
    """Refuse a client seed that is not a single printable line (see `Seed.key`)."""
    if not 1 <= len(text) <= MAX_CLIENT_SEED_LENGTH or not text.isprintable():
        raise MatchRefused(
            "bad_client_seed",
            f"A client seed must have 1 to {MAX_CLIENT_SEED_LENGTH} printable characters. You can also leave it out.",
        )
