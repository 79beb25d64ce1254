"""Standing orders: moves that the server makes for a seat."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from flask import Response
from marshmallow import fields
from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.kernel.game import Seat
from service.api.authentication import require_player
from service.api.blueprint import TOKEN_REQUIRED, ApiBlueprint
from service.api.fields import IfMatchHeader, StrictBoolean
from service.api.moves import MoveIn
from service.api.responses import etag_header, json_response
from service.api.schemas import InputSchema, SeatQuery
from service.api.seats import acting_seat
from service.app_context import services
from service.matches.standing_orders import (
    DroppedOrder,
    SeatOrders,
    StandingOrder,
    change_orders,
    make_order,
    with_forced_moves,
    with_moves,
)

blp = ApiBlueprint("orders", "Standing orders: moves that the server makes for you.")


class OrdersHeaders(InputSchema):
    """The version of the orders that you expect."""

    revision = IfMatchHeader(
        data_key="If-Match",
        metadata={"description": "The `revision` you expect, in quotes. If it has changed, the request gets a 409."},
    )


class OrdersIn(InputSchema):
    """All orders of your seat. They replace the previous ones."""

    forced = StrictBoolean(
        load_default=False,
        metadata={"description": "Make your move automatically if public information shows that it is the only one."},
    )
    moves = fields.List(
        fields.Nested(MoveIn), load_default=list, metadata={"description": "Tried in this order at each of your turns."}
    )


class OrdersOut(Struct, frozen=True, kw_only=True):
    """Your orders. No one else can see them, or whether you have any."""

    seat: Seat
    revision: Annotated[int, Meta(description="The version of the orders; also the ETag.")]
    forced: bool
    moves: Sequence[StandingOrder]
    dropped: Annotated[Sequence[DroppedOrder], Meta(description="The most recently dropped orders, oldest first.")]


@blp.route("/matches/<match>/orders")
@blp.arguments(SeatQuery, location="query")
@blp.response(200, OrdersOut)
@blp.doc(operationId="getOrders", security=TOKEN_REQUIRED)
def show(query: dict[str, Any], match: str) -> Response:
    """Get the standing orders of your seat."""
    player = require_player()
    now = services().matches.repository.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    return orders_response(services().matches.standing_orders.load(now.id).for_seat(seat, player), seat)


@blp.route("/matches/<match>/orders", methods=["PUT"])
@blp.arguments(OrdersIn)
@blp.arguments(SeatQuery, location="query")
@blp.arguments(OrdersHeaders, location="headers")
@blp.response(200, OrdersOut)
@blp.doc(operationId="giveOrders", security=TOKEN_REQUIRED)
def give(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Set the standing orders of your seat.

    Moves must be well-formed. Whether they are legal is checked at your turn.
    """
    player = require_player()
    now = services().matches.repository.load(match)
    wanted = [make_order(now, move) for move in body["moves"]]
    return update_orders(
        match, player, query, headers, lambda orders: with_moves(with_forced_moves(orders, body["forced"]), wanted)
    )


@blp.route("/matches/<match>/orders", methods=["DELETE"])
@blp.arguments(SeatQuery, location="query")
@blp.arguments(OrdersHeaders, location="headers")
@blp.response(200, OrdersOut)
@blp.doc(operationId="cancelOrders", security=TOKEN_REQUIRED)
def cancel(query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Cancel all your orders, and clear the list of dropped ones."""
    player = require_player()
    return update_orders(match, player, query, headers, clear_orders)


def clear_orders(orders: SeatOrders) -> SeatOrders:
    """Return the orders without any order or dropped order."""
    return replace(orders, forced=None, moves=(), dropped=())


def update_orders(
    match: str,
    player: str,
    query: dict[str, Any],
    headers: dict[str, Any],
    how: Callable[[SeatOrders], SeatOrders],
) -> Response:
    """Change the orders of a seat and return the answer."""
    now = services().matches.repository.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    return orders_response(
        change_orders(services().matches.standing_orders, now, seat, player, headers.get("revision"), how), seat
    )


def orders_response(orders: SeatOrders, seat: Seat) -> Response:
    """Return the answer with the orders of a seat."""
    document = OrdersOut(
        seat=seat,
        revision=orders.revision,
        forced=orders.forced is not None,
        moves=orders.moves,
        dropped=orders.dropped,
    )
    return json_response(document, headers=etag_header(orders.revision))
