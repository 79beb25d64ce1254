"""The luck of a match: the players' contributions, the draw of the seats, and the chance for each game event.

A match whose first event has `luck` terms follows luck protocol 2 (`domain/kernel/luck.py`), all others protocol 1.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from domain.kernel.chance import SEED_BYTES, Chance, DrawContext, Luck, Seed
from domain.kernel.events import (
    AnyEvent,
    Fork,
    LuckLevel,
    LuckTerms,
    Moved,
    SeedRevealed,
    Started,
    TimeControl,
    Uses,
)
from domain.kernel.game import AnyGame, Seat
from domain.kernel.luck import SEATS_PURPOSE, SHARE_DIGITS, MatchSecrets, Share, is_share
from domain.kernel.refusals import MatchRefused
from domain.match.commands import NO_CLIENT_SEED, TakeSeat
from domain.match.durations import DAY
from domain.match.state import AnyMatch, SeatState

MAX_CLIENT_SEED_LENGTH = 200
OPENING_SECONDS = 3 * DAY
"""How long players have to open their shares if the clock has no time per move."""


# -- secrets ------------------------------------------------------------------------------------------------------


def new_secrets(game: AnyGame, match: str, seed: bytes, salts: bytes, *, given: bool = False) -> Luck:
    """Return the secrets of a new match, under the luck protocol of the game's rules version."""
    if game.luck_protocol == 1:
        return Seed(seed, given=given)
    return MatchSecrets(match, seed, salts, given=given)


def stored_secrets(luck: Luck) -> bytes:
    """Return the secrets of a match as the service stores them: salts, if there are any, and seed."""
    secrets = luck.reveal()
    return bytes.fromhex((secrets.salts or "") + secrets.seed)


def load_secrets(match: AnyMatch, stored: bytes) -> Luck:
    """Return the secrets of a match from their stored form. Raise ValueError if they are damaged."""
    if match.luck is None:
        return Seed(stored, given=match.has_given_seed)
    return MatchSecrets(luck_origin(match), stored[SEED_BYTES:], stored[:SEED_BYTES], given=match.has_given_seed)


def with_new_salts(match: AnyMatch, luck: Luck, salts: bytes) -> Luck:
    """Return the secrets of a fork with the same luck: the seed of its match, and under protocol 2 salts of its own."""
    if match.luck is None:
        return luck
    return load_secrets(match, salts + bytes.fromhex(luck.reveal().seed))


def luck_origin(match: AnyMatch) -> str:
    """Return the id of the match whose luck this match has: its own, or that of the match it was forked from."""
    fork = match.fork
    return fork.origin if fork is not None and fork.luck == "same" and fork.origin is not UNSET else match.id


def revealed_secrets(match: AnyMatch, event: SeedRevealed[Any, Any]) -> Luck:
    """Return the secrets of a match from the event that revealed them. Raise ValueError if they are malformed."""
    seed = bytes.fromhex(event.seed)
    if match.luck is None:
        return Seed(seed, given=match.has_given_seed)
    salts = b"" if event.salts is UNSET else bytes.fromhex(event.salts)
    return MatchSecrets(luck_origin(match), seed, salts, given=match.has_given_seed)


def revelation(match: AnyMatch, ply: int, now: datetime, luck: Luck) -> AnyEvent:
    """Return the event that reveals the secrets of a match."""
    secrets = luck.reveal()
    salts = UNSET if secrets.salts is None else secrets.salts
    return SeedRevealed(ply=ply, at=now, first_fact=match.fact_count, seed=secrets.seed, salts=salts)


# -- terms --------------------------------------------------------------------------------------------------------


def luck_terms(level: LuckLevel, clock: TimeControl | None) -> LuckTerms:
    """Return the terms of a match at this level."""
    return LuckTerms(level=level, opening_seconds=opening_seconds(clock) if level == "sealed" else None)


def opening_seconds(clock: TimeControl | None) -> int:
    """Return how long players have to open their shares: as long as for a move, if the clock says how long that is."""
    return clock.seconds if clock is not None and clock.kind == "per_move" else OPENING_SECONDS


def takes_shares(match: AnyMatch) -> bool:
    """Return whether players contribute to the luck. They don't if the seed is given or the luck is another match's."""
    if match.luck is None or match.luck.level == "given":
        return False
    return match.fork is None or match.fork.luck == "new"


def require_contribution(match: AnyMatch, command: TakeSeat) -> None:
    """Refuse a share or seal that does not belong to this match, its level or its form. Raise MatchRefused."""
    share, seal = command.share, command.seal
    contributes = share is not UNSET or seal is not UNSET
    if command.commitment != match.commitment and (contributes or command.commitment is not UNSET):
        raise MatchRefused(
            "commitment_differs",
            "Your share was made for a different commitment. Load the match again, and check that its commitment is "
            "the one you stored.",
        )
    malformed = (share is not UNSET and not is_share(share)) or (seal is not UNSET and not SHARE_DIGITS.match(seal))
    if malformed or (share is not UNSET and seal is not UNSET):
        raise MatchRefused(
            "bad_share", "Send either a share or a seal: 64 lower-case hex digits. A share can't be all zeros."
        )
    if contributes and not takes_shares(match):
        raise MatchRefused("wrong_level", "Players add no shares in this match. Sit down without one.")
    sealed = match.luck is not None and match.luck.level == "sealed"
    if contributes and sealed != (seal is not UNSET):
        wanted = "a seal, and open their share once the table is full" if sealed else "a share, without a seal"
        raise MatchRefused("wrong_level", f"In this match, players send {wanted}.")


def require_valid_client_seed(text: str) -> None:
    """Refuse a client seed that is not a single printable line (see `Seed.key`)."""
    if not 1 <= len(text) <= MAX_CLIENT_SEED_LENGTH or not text.isprintable():
        raise MatchRefused(
            "bad_client_seed",
            f"A client seed must have 1 to {MAX_CLIENT_SEED_LENGTH} printable characters. You can also leave it out.",
        )


def unopened_seats(match: AnyMatch) -> tuple[Seat, ...]:
    """Return the seats with a seal whose share is not open."""
    return tuple(number for number, seat in enumerate(match.seats) if seat.seal is not None and seat.share is None)


# -- draws --------------------------------------------------------------------------------------------------------


def table_seats(match: AnyMatch) -> tuple[SeatState, ...]:
    """Return the seats in the order in which players took them, before the seats of the game were drawn at random."""
    if not match.seat_order:
        return match.seats
    return tuple(seat for _, seat in sorted(zip(match.seat_order, match.seats, strict=True), key=lambda pair: pair[0]))


def standing_shares(seats: Iterable[SeatState]) -> tuple[Share, ...]:
    """Return the shares of all seats before the start, in table-seat order."""
    return tuple(seat.share for seat in seats)


def client_seeds_by_seat(match: AnyMatch) -> tuple[str, ...]:
    """Return the players' client seeds in seat order (protocol 1)."""
    return tuple(NO_CLIENT_SEED if seat.client_seed is None else seat.client_seed for seat in match.seats)


def draw_context(match: AnyMatch) -> DrawContext:
    """Return what determines the next draws. A fork with the same luck draws like the original match."""
    fork = match.fork if match.fork is not None and match.fork.luck == "same" else None
    origin = luck_origin(match)
    if match.luck is None:
        seeds = client_seeds_by_seat(match) if fork is None or fork.client_seeds is UNSET else fork.client_seeds
        return DrawContext(origin, seeds, number=match.draw_count)
    own = match.shares if match.status == "playing" else standing_shares(match.seats)
    shares = own if fork is None or fork.shares is UNSET else fork.shares
    return DrawContext(origin, shares, uses=match.uses)


def next_chance(match: AnyMatch, luck: Luck) -> Chance:
    """Return the draws of the next game event."""
    return luck.chance(draw_context(match))


def uses_of(chance: Chance) -> Uses | UnsetType:
    """Return how often an event used each purpose, for the event's `draws`; unset under protocol 1."""
    return UNSET if chance.used is None else dict(chance.used)


def luck_after(match: AnyMatch, events: Sequence[AnyEvent]) -> dict[str, Any]:
    """Return the changed fields of a match after its start or after moves: shares, uses and numbers of moves.

    No field changes under protocol 1. A redacted event does not show its uses, so it adds none. The uses are sorted as
    in the log, so a match that was just decided has the same snapshot, byte for byte, as one that was read.
    """
    if match.luck is None:
        return {}
    changed: dict[str, Any] = {}
    uses, moves = dict(match.uses), [*match.move_counts]
    for event in events:
        if isinstance(event, Moved):
            if event.seat in range(len(moves)):
                moves[event.seat] += 1
        elif isinstance(event, Started):
            order = () if event.order is UNSET or not is_seat_order(event.order, match.seats) else event.order
            changed = {"shares": () if event.shares is UNSET else event.shares, "seat_order": order}
        else:
            continue
        for purpose, used in (event.draws or {}).items():
            uses[purpose] = uses.get(purpose, 0) + used
    if len(uses) > len(match.uses):
        uses = dict(sorted(uses.items()))
    return {**changed, "uses": uses, "move_counts": tuple(moves)}


def draw_seat_order(chance: Chance, seats: int) -> tuple[Seat, ...]:
    """Return a random seating: for each seat, the seat that its player had taken before."""
    return tuple(chance.use(SEATS_PURPOSE).shuffle(range(seats)))


def seating_chance(luck: Luck, match: str, client_seeds: Sequence[str]) -> Chance:
    """Return the draws of the seating under protocol 1, which have their own key and use none of the game's draws.

    The key depends on every player's client seed in the order of the original seats.
    """
    return luck.chance(DrawContext(f"{match}|seats", client_seeds))


def reorder_seats(seats: tuple[SeatState, ...], order: Sequence[Seat]) -> tuple[SeatState, ...]:
    """Return the seats with their players reordered, or unchanged if `order` is not a permutation."""
    return tuple(seats[old] for old in order) if is_seat_order(order, seats) else seats


def is_seat_order(order: Sequence[Seat], seats: Sequence[SeatState]) -> bool:
    """Return whether this order has every seat once."""
    return sorted(order) == [*range(len(seats))]


# -- forks --------------------------------------------------------------------------------------------------------


def fork_from(match: AnyMatch, luck: Literal["same", "new"]) -> Fork:
    """Return the source for a fork of the match at its current ply. Its luck may come from an earlier match."""
    inherited = match.fork if match.fork is not None and match.fork.luck == "same" else None
    if match.luck is None:
        return Fork(
            match=match.id,
            ply=match.ply,
            head=match.head_hash,
            luck=luck,
            draws=match.draw_count,
            origin=inherited.origin if inherited else match.id,
            client_seeds=inherited.client_seeds if inherited else client_seeds_by_seat(match),
        )
    if luck == "new":
        return Fork(match=match.id, ply=match.ply, head=match.head_hash, luck="new")
    return Fork(
        match=match.id,
        ply=match.ply,
        head=match.head_hash,
        luck="same",
        origin=luck_origin(match),
        commitment=match.commitment,
        shares=inherited.shares if inherited else match.shares,
        uses=dict(match.uses),
    )
