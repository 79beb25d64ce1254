"""The reader's standing orders at a table, in words, and moves that may be worth ordering."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
from flask import request

from domain.kernel.chance import Chance, Fast
from domain.kernel.events import canonical
from domain.kernel.game import AnyGame, Seat
from domain.match.match import AnyMatch
from service.matches.standing_orders import SeatOrders
from service.web.blueprint import services
from service.web.generic_table import by_fields

WORLDS = 4
"""In how many made-up worlds the seat's next turn is looked for."""
PLIES = 24
"""How many moves of others are made up until then."""
LOOKED_AT = 200
LISTED = 60
"""How many moves are offered; any other one can be written."""


class Ordered(msgspec.Struct, frozen=True):
    """An order in words; `why` it was dropped, if it was."""

    id: str
    words: str
    why: str = ""


class OrdersShown(msgspec.Struct, frozen=True):
    """What the page tells a seat of its orders, and the moves that it offers if the reader chooses one."""

    forced: bool
    moves: tuple[Ordered, ...]
    dropped: tuple[Ordered, ...]
    offered: tuple[tuple[str, str], ...]
    choosing: bool


def orders_shown(head: AnyMatch, seat: Seat | None, player: str | None) -> OrdersShown | None:
    """The orders of the reader's own seat; None where there can be none."""
    if seat is None or player is None or head.status != "playing" or head.seats[seat].player != player:
        return None
    orders: SeatOrders = services().orders.book(head.id).of(seat, player)
    choosing = request.args.get("orders") == "1"
    offered = likely(head, seat) if choosing else []
    return OrdersShown(
        forced=orders.forced is not None,
        moves=tuple(Ordered(order.id, in_words(order.move)) for order in orders.moves),
        dropped=tuple(Ordered(order.id, in_words(order.move), order.message) for order in orders.dropped),
        offered=tuple((canonical(move).decode(), in_words(move)) for move in offered),
        choosing=choosing,
    )


def in_words(move: dict[str, Any]) -> str:
    """A move by its name and fields."""
    return by_fields(str(move["type"]), {name: value for name, value in move.items() if name != "type"})


def likely(head: AnyMatch, seat: Seat) -> list[dict[str, Any]]:
    """Moves that the seat may make now or, if it is not its turn, may have at its next one.

    The next turn is looked for in worlds that the seat cannot tell from the real one, with any moves of the others.
    """
    game = head.rules
    if seat in head.to_move:
        return [msgspec.to_builtins(move) for move in islice(game.legal_moves(head.state, seat), LISTED)]
    known = services().matches.known(head, seat)
    found: dict[bytes, dict[str, Any]] = {}
    for world in range(WORLDS):
        chance = Fast(f"orders {head.id} {head.ply} {world}")
        state = game.determinize(game.view(head.state, seat), known, seat, chance)
        for move in islice(at_next_turn(game, state, seat, chance), LISTED):
            found.setdefault(canonical(move), msgspec.to_builtins(move))
    return list(found.values())[:LISTED]


def at_next_turn(game: AnyGame, state: Any, seat: Seat, chance: Chance) -> Iterator[Any]:
    """The legal moves of the seat when it is its turn again; none if that is too far off."""
    for _ in range(PLIES):
        owing = sorted(game.to_move(state))
        if seat in owing or not owing:
            break
        mover = chance.pick(owing)
        move = chance.pick(list(islice(game.legal_moves(state, mover), LOOKED_AT)))
        state = game.fold(game.decide(state, mover, move, chance), state)
    return iter(game.legal_moves(state, seat)) if seat in game.to_move(state) else iter(())
