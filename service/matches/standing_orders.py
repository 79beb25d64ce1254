"""Standing orders: what a seat has told the server to do in its place.

Two kinds. *Forced*: make my move where public knowledge leaves me only one. *Moves*, a list: at my turn they are tried
from the top; the first legal one is made, those above it, which were not legal, are dropped with a notice, and those
below it wait for the next turn.

Orders are private and stand beside the log, in one key of the match: nobody but their seat is shown them, or that there
are any. A worker carries them out through the application service like a move by hand. Exactly once: the id of an order
is its command id, which the log remembers for ever; that of a forced move is its ply. What was carried out is read from
the log, so it does not matter where a worker dies.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace
from redis import Redis

from domain.kernel.events import Cause, Moved, canonical
from domain.kernel.game import IllegalMove, MatchRefused, Refused, Seat
from domain.match.clock import require_playing
from domain.match.information import forced_move
from domain.match.match import RESIGN, AnyMatch, Play
from service.event_store.errors import in_words
from service.event_store.keys import SHARDS, shard_of, tag
from service.event_store.log import CommandReused
from service.matches.command_handler import CommandId, Matches, NotSeated, NotYourTurn, StalePly

MOST_ORDERS = 20
MOST_BYTES = 4096
"""Of one move as JSON."""
NOTICES = 10
"""How many dropped orders a seat is told of, the newest."""
AT_ONCE = 50
"""How many matches of a shard are looked at in one sweep."""
CHANGE = files("service.matches").joinpath("standing_orders.lua").read_text(encoding="utf-8")


class Order(msgspec.Struct, frozen=True):
    """A move (plain JSON) that shall be made when it can."""

    id: str
    move: dict[str, Any]


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """An order that was dropped, and why: at the turn behind `ply` its move was illegal."""

    id: str
    move: dict[str, Any]
    ply: int
    code: str
    message: str


class SeatOrders(msgspec.Struct, frozen=True, kw_only=True):
    """What a player has ordered for a seat; `forced` is the id of that order, if it is given.

    `revision` counts the changes of this seat's orders; that of the whole book would tell of those of others.
    """

    player: str
    revision: int = 0
    forced: str | None = None
    moves: tuple[Order, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Book(NamedTuple):
    """All orders of a match, as they are at a revision; a worker has looked at them up to the ply `looked`."""

    revision: int
    looked: int
    seats: dict[Seat, SeatOrders]

    def of(self, seat: Seat, player: str) -> SeatOrders:
        """The orders of a player for a seat; those of who sat there before are nobody's."""
        found = self.seats.get(seat)
        return found if found and found.player == player else SeatOrders(player=player)

    def given_by(self, player: str) -> list[Seat]:
        """The seats for which orders or notices of this player stand here."""
        return [
            seat
            for seat, orders in self.seats.items()
            if orders.player == player and (orders.forced or orders.moves or orders.dropped)
        ]


class Waiting(NamedTuple):
    """A match with orders, and the ply up to which a worker has looked at it."""

    match: str
    looked: int


class StaleOrders(Exception):
    """The orders have been changed since they were read."""


_orders = msgspec.json.Decoder(SeatOrders)


def read_book(found: dict[bytes, bytes]) -> Book:
    """The orders of a match from their hash."""
    seats = {int(name): _orders.decode(raw) for name, raw in found.items() if name.isdigit()}
    return Book(int(found.get(b"revision", 0)), int(found.get(b"looked", 0)), seats)


class Orders:
    """The orders of all matches. Every method raises LogUnavailable when the server does not do its part."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis
        self._change = redis.register_script(CHANGE)

    def book(self, match: str) -> Book:
        """The orders of a match."""
        with in_words():
            return read_book(self._redis.hgetall(orders_key(match)))

    def erase(self, player: str) -> None:
        """Forget what a player has ordered, at whatever match. May be done twice.

        All matches with orders are looked at: lists of who sits where are behind the log, and say nothing of seats
        that were handed over.
        """
        for shard in range(SHARDS):
            for match, book in self._books(shard).items():
                done = self._emptied(match, book, player)
                while not done:
                    done = self._emptied(match, self.book(match), player)

    def _emptied(self, match: str, book: Book, player: str) -> bool:
        """Empty the player's orders in this book of the match; False when it has been changed since."""
        nothing = dict.fromkeys(book.given_by(player), SeatOrders(player=player))
        return not nothing or self.change(match, nothing, book.revision) is not None

    def _books(self, shard: int) -> dict[str, Book]:
        with in_words(), self._redis.pipeline(transaction=False) as pipeline:
            matches = [match.decode() for match in self._redis.zrange(waiting_key(shard), 0, -1)]
            for match in matches:
                pipeline.hgetall(orders_key(match))
            return dict(zip(matches, map(read_book, pipeline.execute()), strict=True))

    def change(
        self, match: str, seats: dict[Seat, SeatOrders], revision: int | None = None, looked: int = 0
    ) -> int | None:
        """Set the orders of these seats; gives the new revision. None, and nothing has changed, at another revision."""
        written = {seat: replace(orders, revision=orders.revision + 1) for seat, orders in seats.items()}
        pairs = [part for seat, orders in written.items() for part in (str(seat), msgspec.json.encode(orders))]
        keys = [orders_key(match), waiting_key(shard_of(match))]
        expected = "" if revision is None else str(revision)
        with in_words():
            answer: int | None = self._change(keys=keys, args=[match, expected, looked, *pairs])
        return answer

    def forget(self, match: str) -> None:
        """The match is over."""
        with in_words(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.delete(orders_key(match))
            pipeline.zrem(waiting_key(shard_of(match)), match)
            pipeline.execute()

    def among(self, matches: Sequence[str]) -> set[str]:
        """Those of these matches that have orders."""
        if not matches:
            return set()
        with in_words(), self._redis.pipeline(transaction=False) as pipeline:
            for match in matches:
                pipeline.zscore(waiting_key(shard_of(match)), match)
            found = pipeline.execute()
        return {match for match, score in zip(matches, found, strict=True) if score is not None}

    def waiting(self, sweep: int) -> list[Waiting]:
        """Matches with orders, some of each shard: consecutive sweeps look at all of them in turn."""
        with in_words(), self._redis.pipeline(transaction=False) as pipeline:
            for shard in range(SHARDS):
                pipeline.zcard(waiting_key(shard))
            counts = pipeline.execute()
            for shard, count in enumerate(counts):
                start = AT_ONCE * (sweep % max(1, -(-count // AT_ONCE)))
                pipeline.zrange(waiting_key(shard), start, start + AT_ONCE - 1, withscores=True)
            found = pipeline.execute()
        return [Waiting(match.decode(), int(score)) for entries in found for match, score in entries]


def orders_key(match: str) -> str:
    """The hash of a match's orders: seat to orders, and their revision."""
    return f"{tag(shard_of(match))}:orders:{match}"


def waiting_key(shard: int) -> str:
    """The matches of a shard that have orders, each with the ply up to which a worker has looked."""
    return f"{tag(shard)}:ordered"


# -- giving orders ------------------------------------------------------------------------------------------------


def require_holder(match: AnyMatch, seat: Seat, player: str) -> None:
    """Refuse orders for a seat that is not the player's, or in a match that is not played.

    Raises NotSeated, MatchRefused.
    """
    if not 0 <= seat < len(match.seats) or match.seats[seat].player != player:
        raise NotSeated("somebody else sits there")
    require_playing(match)


def ordered(match: AnyMatch, move: dict[str, Any]) -> Order:
    """An order for a move, which has to be well-formed. Raises IllegalMove `bad_move`, MatchRefused `bad_order`."""
    if len(canonical(move)) > MOST_BYTES:
        raise MatchRefused("bad_order", f"A move in an order has at most {MOST_BYTES} bytes.")
    read = match.rules.read_move(move)
    if move.get("type") == RESIGN["type"]:
        raise MatchRefused("bad_order", "Nobody can order to resign: resign at once, or play.")
    return Order(secrets.token_hex(6), msgspec.to_builtins(read))


def with_forced(orders: SeatOrders, on: bool) -> SeatOrders:
    """The orders with forced moves made by the server, or not."""
    return replace(orders, forced=(orders.forced or secrets.token_hex(6)) if on else None)


def with_moves(orders: SeatOrders, moves: Iterable[Order]) -> SeatOrders:
    """The orders with these moves. Raises MatchRefused `bad_order` for too many."""
    kept = tuple(moves)
    if len(kept) > MOST_ORDERS:
        raise MatchRefused("bad_order", f"A seat may order up to {MOST_ORDERS} moves.")
    return replace(orders, moves=kept)


# -- carrying them out --------------------------------------------------------------------------------------------


class Tried(NamedTuple):
    """What is left of a seat's orders behind a turn, and whether the match may have moved on by them."""

    orders: SeatOrders
    moved: bool


class Standing:
    """Carries out what seats have ordered."""

    def __init__(self, orders: Orders, matches: Matches) -> None:
        self._orders = orders
        self._matches = matches

    def follow(self, match: str, ply: int) -> None:
        """Do what is ordered for the turn behind this ply. When the match has gone on, there is nothing to do.

        May be done twice, late, or broken off anywhere. Raises what `Matches.submit` raises, LogUnavailable above all.
        """
        head = self._matches.load(match)
        if head.status == "over":
            self._orders.forget(match)
            return
        if head.ply != ply:
            return
        book = self._orders.book(match)
        left = {seat: self._without_done(head, seat, orders, book.looked) for seat, orders in book.seats.items()}
        moved = False
        for seat in sorted(head.to_move & left.keys()):
            if left[seat].player == head.seats[seat].player and head.seats[seat].plays is None:
                try:
                    left[seat], moved = self._try(head, seat, left[seat])
                except StaleOrders:
                    return  # they wait to be looked at anew
            if moved:
                break  # the next ply's own hint takes care of the other seats
        changed = {seat: orders for seat, orders in left.items() if orders != book.seats[seat]}
        self._orders.change(match, changed, book.revision, book.looked if moved else ply)

    def _without_done(self, head: AnyMatch, seat: Seat, orders: SeatOrders, looked: int) -> SeatOrders:
        """The orders without those that the log shows as carried out."""
        if not orders.moves:
            return orders
        events = self._matches.events(head, seat, looked)
        done = {event.cause.order for event in events if isinstance(event, Moved) and event.cause is not UNSET}
        return replace(orders, moves=tuple(order for order in orders.moves if order.id not in done))

    def _try(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> Tried:
        """Do what a seat has ordered for its turn, which it is."""
        try:
            return self._forced(head, seat, orders) or self._listed(head, seat, orders)
        except (StalePly, NotYourTurn, NotSeated, MatchRefused):
            return Tried(orders, True)  # the match has gone on meanwhile

    def _forced(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> Tried | None:
        """The forced move, if there is one; one that is listed as well counts as ordered, and no other is tried."""
        found = forced_move(head, seat, self._matches.known(head, None)) if orders.forced else None
        if found is None:
            return None
        move = msgspec.to_builtins(found)
        listed = next((order for order in orders.moves if canonical(order.move) == canonical(move)), None)
        if listed and self._make(head, seat, listed.move, Cause(order=listed.id, kind="move"), orders.revision):
            return Tried(without(orders, listed), True)
        self._make(head, seat, move, Cause(order=orders.forced or "", kind="forced"), orders.revision)
        return Tried(orders, True)

    def _listed(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> Tried:
        """The first move of the list that is legal; those before it are dropped."""
        for order in orders.moves:
            try:
                made = self._make(head, seat, order.move, Cause(order=order.id, kind="move"), orders.revision)
            except IllegalMove as refusal:
                told = (*orders.dropped, dropped(order, head.ply, refusal))
                orders = replace(without(orders, order), dropped=told[-NOTICES:])
                continue
            orders = without(orders, order)
            if made:
                return Tried(orders, True)
        return Tried(orders, False)

    def _make(self, head: AnyMatch, seat: Seat, move: dict[str, Any], cause: Cause, revision: int) -> bool:
        """Make the move as the player of the seat; False if this order was carried out before.

        Raises StaleOrders if the seat's orders are not at this revision any more, which may have cancelled this one,
        and what `submit` raises.
        """
        player = head.seats[seat].player or ""
        if self._orders.book(head.id).of(seat, player).revision != revision:
            raise StaleOrders
        by = CommandId(player, f"order {cause.order}" if cause.kind == "move" else f"forced {head.ply}")
        try:
            done = self._matches.submit(head.id, Play(seat, move, cause), by, expected=head.ply)
        except CommandReused:
            return False
        return not done.repeated


def without(orders: SeatOrders, done: Order) -> SeatOrders:
    """The orders but this one."""
    return replace(orders, moves=tuple(order for order in orders.moves if order.id != done.id))


def dropped(order: Order, ply: int, refusal: Refused) -> Dropped:
    """The notice of an order that could not be carried out, as its own seat may read it."""
    return Dropped(id=order.id, move=order.move, ply=ply, code=refusal.code, message=refusal.message)


def changed(
    orders: Orders,
    match: AnyMatch,
    seat: Seat,
    player: str,
    revision: int | None,
    how: Callable[[SeatOrders], SeatOrders],
) -> SeatOrders:
    """Change a seat's orders, from the revision that the player has seen, or whatever they are; gives the new ones.

    Raises NotSeated, MatchRefused, StaleOrders, and what `how` raises.
    """
    require_holder(match, seat, player)
    for _ in range(MOST_ORDERS):
        book = orders.book(match.id)
        if revision is not None and revision != book.of(seat, player).revision:
            raise StaleOrders
        if orders.change(match.id, {seat: how(book.of(seat, player))}, book.revision) is not None:
            return orders.book(match.id).of(seat, player)
    raise StaleOrders
