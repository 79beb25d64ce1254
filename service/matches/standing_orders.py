"""Standing orders: moves that players give in advance.

There are two kinds. *Forced*: play my move when public information leaves only one legal move. *Moves*: a list that is
tried from the top on the player's turn. The first legal move is played, the illegal ones above it are dropped with a
notice, and those below it wait for the next turn.

Orders are private and are stored outside the log, in one key of the match. Only their seat can see them, or that they
exist. A worker carries them out as ordinary commands, exactly once: the command id is derived from the order's id, or
from the ply of a forced move, and the log remembers it forever. Completed orders are read from the log, so a worker may
crash at any point.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from redis import Redis

from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import MatchRefused
from domain.match.guards import require_playing
from domain.match.play import RESIGN_MOVE
from domain.match.state import AnyMatch
from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.keys import SHARDS, ordered_matches_key, orders_key, shard_of
from service.matches.errors import NotSeated

MAX_ORDERS = 20
MAX_MOVE_BYTES = 4096
"""Maximum size of one move as JSON."""
MAX_DROPPED_SHOWN = 10
"""Maximum number of dropped orders shown to a seat, newest last."""
MATCHES_PER_SWEEP = 50
"""Maximum number of matches of a shard in one sweep."""
CHANGE_SCRIPT = files("service.matches").joinpath("standing_orders.lua").read_text(encoding="utf-8")


class StandingOrder(msgspec.Struct, frozen=True):
    """A move that waits for the player's turn."""

    id: str
    move: dict[str, Any]


class DroppedOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order that was dropped because its move was illegal on the player's turn after `ply`."""

    id: str
    move: dict[str, Any]
    ply: int
    code: str
    message: str


class SeatOrders(msgspec.Struct, frozen=True, kw_only=True):
    """A player's orders for a seat. `forced` is the id of the order to play forced moves, if given.

    `revision` counts the changes of this seat's orders only, so it reveals nothing about other seats.
    """

    player: str
    revision: int = 0
    forced: str | None = None
    moves: tuple[StandingOrder, ...] = ()
    dropped: tuple[DroppedOrder, ...] = ()


class MatchOrders(NamedTuple):
    """All orders of a match at a revision. A worker has checked them up to the ply `checked_ply`."""

    revision: int
    checked_ply: int
    seats: dict[Seat, SeatOrders]

    def for_seat(self, seat: Seat, player: str) -> SeatOrders:
        """Return the player's orders for a seat. Orders of an earlier holder of the seat are ignored."""
        found = self.seats.get(seat)
        return found if found and found.player == player else SeatOrders(player=player)

    def seats_of(self, player: str) -> list[Seat]:
        """Return the seats for which this player has orders or notices."""
        return [
            seat
            for seat, orders in self.seats.items()
            if orders.player == player and (orders.forced or orders.moves or orders.dropped)
        ]


class OrderedMatch(NamedTuple):
    """A match with orders, and the ply up to which a worker has checked it."""

    match: str
    checked_ply: int


class StaleOrders(Exception):
    """The orders have changed since they were read."""


_seat_orders_decoder = msgspec.json.Decoder(SeatOrders)


def decode_match_orders(found: dict[bytes, bytes]) -> MatchOrders:
    """Decode the orders of a match from their Redis hash."""
    seats = {int(name): _seat_orders_decoder.decode(raw) for name, raw in found.items() if name.isdigit()}
    return MatchOrders(int(found.get(b"revision", 0)), int(found.get(b"looked", 0)), seats)


class StandingOrders:
    """The orders of all matches. Every method raises LogUnavailable when the server fails."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis
        self._change_script = redis.register_script(CHANGE_SCRIPT)

    def load(self, match: str) -> MatchOrders:
        """Return the orders of a match."""
        with redis_errors_as_unavailable():
            return decode_match_orders(self._redis.hgetall(orders_key(match)))

    def erase_player(self, player: str) -> None:
        """Delete a player's orders in all matches. May be repeated.

        Checks every match with orders, because the lists of players lag behind the log and do not cover seats that
        were handed over.
        """
        for shard in range(SHARDS):
            for match, book in self._load_shard(shard).items():
                done = self._clear_player(match, book, player)
                while not done:
                    done = self._clear_player(match, self.load(match), player)

    def _clear_player(self, match: str, book: MatchOrders, player: str) -> bool:
        """Clear the player's orders in this match. Return False if the orders have changed since they were read."""
        nothing = dict.fromkeys(book.seats_of(player), SeatOrders(player=player))
        return not nothing or self.update(match, nothing, book.revision) is not None

    def _load_shard(self, shard: int) -> dict[str, MatchOrders]:
        with redis_errors_as_unavailable(), self._redis.pipeline(transaction=False) as pipeline:
            matches = [match.decode() for match in self._redis.zrange(ordered_matches_key(shard), 0, -1)]
            for match in matches:
                pipeline.hgetall(orders_key(match))
            return dict(zip(matches, map(decode_match_orders, pipeline.execute()), strict=True))

    def update(
        self, match: str, seats: dict[Seat, SeatOrders], revision: int | None = None, looked: int = 0
    ) -> int | None:
        """Set the orders of these seats and return the new revision, or None if `revision` is outdated."""
        written = {seat: replace(orders, revision=orders.revision + 1) for seat, orders in seats.items()}
        pairs = [part for seat, orders in written.items() for part in (str(seat), msgspec.json.encode(orders))]
        keys = [orders_key(match), ordered_matches_key(shard_of(match))]
        expected = "" if revision is None else str(revision)
        with redis_errors_as_unavailable():
            answer: int | None = self._change_script(keys=keys, args=[match, expected, looked, *pairs])
        return answer

    def delete(self, match: str) -> None:
        """Delete the orders of a match that is over."""
        with redis_errors_as_unavailable(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.delete(orders_key(match))
            pipeline.zrem(ordered_matches_key(shard_of(match)), match)
            pipeline.execute()

    def having_orders(self, matches: Sequence[str]) -> set[str]:
        """Return which of these matches have orders."""
        if not matches:
            return set()
        with redis_errors_as_unavailable(), self._redis.pipeline(transaction=False) as pipeline:
            for match in matches:
                pipeline.zscore(ordered_matches_key(shard_of(match)), match)
            found = pipeline.execute()
        return {match for match, score in zip(matches, found, strict=True) if score is not None}

    def sweep(self, sweep: int) -> list[OrderedMatch]:
        """Return some matches with orders of each shard. Consecutive sweeps cover all of them."""
        with redis_errors_as_unavailable(), self._redis.pipeline(transaction=False) as pipeline:
            for shard in range(SHARDS):
                pipeline.zcard(ordered_matches_key(shard))
            counts = pipeline.execute()
            for shard, count in enumerate(counts):
                start = MATCHES_PER_SWEEP * (sweep % max(1, -(-count // MATCHES_PER_SWEEP)))
                pipeline.zrange(ordered_matches_key(shard), start, start + MATCHES_PER_SWEEP - 1, withscores=True)
            found = pipeline.execute()
        return [OrderedMatch(match.decode(), int(score)) for entries in found for match, score in entries]


# -- giving orders ------------------------------------------------------------------------------------------------


def require_may_order(match: AnyMatch, seat: Seat, player: str) -> None:
    """Refuse orders for a seat that is not the player's, or in a match that is not being played.

    Raises NotSeated, MatchRefused.
    """
    if not 0 <= seat < len(match.seats) or match.seats[seat].player != player:
        raise NotSeated("another player holds this seat")
    require_playing(match)


def make_order(match: AnyMatch, move: dict[str, Any]) -> StandingOrder:
    """Return an order for a well-formed move. Raises IllegalMove `bad_move`, MatchRefused `bad_order`."""
    if len(canonical_json(move)) > MAX_MOVE_BYTES:
        raise MatchRefused(
            "bad_order", f"This move is too long. A move given in advance may have up to {MAX_MOVE_BYTES} bytes."
        )
    read = match.rules.read_move(move)
    if move.get("type") == RESIGN_MOVE["type"]:
        raise MatchRefused("bad_order", "You can't resign in advance. Resign now or keep playing.")
    return StandingOrder(secrets.token_hex(6), msgspec.to_builtins(read))


def with_forced_moves(orders: SeatOrders, on: bool) -> SeatOrders:
    """Return the orders with forced moves switched on or off."""
    return replace(orders, forced=(orders.forced or secrets.token_hex(6)) if on else None)


def with_moves(orders: SeatOrders, moves: Iterable[StandingOrder]) -> SeatOrders:
    """Return the orders with these moves. Raises MatchRefused `bad_order` if there are too many."""
    kept = tuple(moves)
    if len(kept) > MAX_ORDERS:
        raise MatchRefused("bad_order", f"You can give up to {MAX_ORDERS} moves in advance. Remove one first.")
    return replace(orders, moves=kept)


def change_orders(
    orders: StandingOrders,
    match: AnyMatch,
    seat: Seat,
    player: str,
    revision: int | None,
    how: Callable[[SeatOrders], SeatOrders],
) -> SeatOrders:
    """Change a seat's orders and return the new ones.

    `revision` is the one that the player has seen, or None to accept any. Raises NotSeated, MatchRefused, StaleOrders,
    and the errors of `how`.
    """
    require_may_order(match, seat, player)
    for _ in range(MAX_ORDERS):
        book = orders.load(match.id)
        if revision is not None and revision != book.for_seat(seat, player).revision:
            raise StaleOrders
        if orders.update(match.id, {seat: how(book.for_seat(seat, player))}, book.revision) is not None:
            return orders.load(match.id).for_seat(seat, player)
    raise StaleOrders
