"""The reader's standing orders in a match as text, and suggested moves for new orders."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
from flask import request

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.match.state import AnyMatch
from service.app_context import services
from service.matches.standing_orders import SeatOrders

SAMPLED_WORLDS = 4
"""Number of possible hidden states sampled to predict the seat's next turn."""
MAX_SIMULATED_PLIES = 24
"""Maximum number of random moves by opponents that are simulated in each sample."""
MAX_SAMPLED_MOVES = 200
MAX_OFFERED_MOVES = 60
"""Maximum number of suggested moves. Players can type in any other move."""


class OrderLine(msgspec.Struct, frozen=True):
    """An order as text. `reason` says why it was dropped, if it was."""

    id: str
    text: str
    reason: str = ""


class OrdersPanel(msgspec.Struct, frozen=True):
    """The orders of a seat as shown on the page, and the suggested moves while the reader adds an order."""

    forced: bool
    moves: tuple[OrderLine, ...]
    dropped: tuple[OrderLine, ...]
    offered: tuple[tuple[str, str], ...]
    choosing: bool


def orders_panel(head: AnyMatch, seat: Seat | None, player: str | None) -> OrdersPanel | None:
    """Return the orders of the reader's seat, or None if the reader can't give any."""
    if seat is None or player is None or head.status != "playing" or head.seats[seat].player != player:
        return None
    orders: SeatOrders = services().matches.standing_orders.load(head.id).for_seat(seat, player)
    choosing = request.args.get("orders") == "1"
    return OrdersPanel(
        forced=orders.forced is not None,
        moves=tuple(OrderLine(order.id, describe_move(head, seat, order.move)) for order in orders.moves),
        dropped=tuple(
            OrderLine(order.id, describe_move(head, seat, order.move), order.message) for order in orders.dropped
        ),
        offered=offered_moves(head, seat) if choosing else (),
        choosing=choosing,
    )


def describe_move(head: AnyMatch, seat: Seat, move: dict[str, Any]) -> str:
    """Return an ordered move in the words of its game."""
    return head.rules.describe_move(head.rules.view(head.state, seat), seat, head.rules.read_move(move))


def offered_moves(head: AnyMatch, seat: Seat) -> tuple[tuple[str, str], ...]:
    """Return the suggested moves as JSON and as text. Of moves that differ only in equal cards, returns the first."""
    found: dict[str, str] = {}
    for move in suggested_moves(head, seat):
        found.setdefault(describe_move(head, seat, move), canonical_json(move).decode())
    return tuple((move, words) for words, move in found.items())


def suggested_moves(head: AnyMatch, seat: Seat) -> list[dict[str, Any]]:
    """Return legal moves of the seat now or, if it is not its turn, moves likely to be legal on its next turn.

    Predicts the next turn by simulating random moves from states that look the same to the seat as the real one.
    """
    game = head.rules
    if seat in head.to_move:
        return [msgspec.to_builtins(move) for move in islice(game.legal_moves(head.state, seat), MAX_OFFERED_MOVES)]
    known = services().matches.repository.known_facts(head, seat)
    found: dict[bytes, dict[str, Any]] = {}
    for world in range(SAMPLED_WORLDS):
        chance = Fast(f"orders {head.id} {head.ply} {world}")
        state = game.determinize(game.view(head.state, seat), known, seat, chance)
        for move in islice(moves_at_next_turn(game, state, seat, chance), MAX_OFFERED_MOVES):
            found.setdefault(canonical_json(move), msgspec.to_builtins(move))
    return list(found.values())[:MAX_OFFERED_MOVES]


def moves_at_next_turn(game: AnyGame, state: Any, seat: Seat, chance: Chance) -> Iterator[Any]:
    """Yield the legal moves of the seat on its next turn, or none if that is too many moves away."""
    for _ in range(MAX_SIMULATED_PLIES):
        owing = sorted(game.to_move(state))
        if seat in owing or not owing:
            break
        mover = chance.pick(owing)
        move = chance.pick(list(islice(game.legal_moves(state, mover), MAX_SAMPLED_MOVES)))
        state = game.decided(state, mover, move, chance).state
    return iter(game.legal_moves(state, seat)) if seat in game.to_move(state) else iter(())
