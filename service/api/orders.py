"""Standing orders: what the server shall do in a seat's place."""

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

blp = ApiBlueprint("orders", "Standing orders: moves that the server makes in your place.")


class OrdersHeaders(InputSchema):
    """Which orders you have seen."""

    revision = IfMatchHeader(
        data_key="If-Match",
        metadata={"description": "The `revision` that you have seen, in quotes; at any other: 409."},
    )


class OrdersIn(InputSchema):
    """All orders of your seat; they take the place of those before."""

    forced = StrictBoolean(
        load_default=False, metadata={"description": "Make my move where public knowledge leaves me only one."}
    )
    moves = fields.List(
        fields.Nested(MoveIn), load_default=list, metadata={"description": "Tried from the top at each of my turns."}
    )


class OrdersOut(Struct, frozen=True, kw_only=True):
    """Your orders. Nobody else is shown them, or that there are any."""

    seat: Seat
    revision: Annotated[int, Meta(description="Also the ETag.")]
    forced: bool
    moves: Sequence[StandingOrder]
    dropped: Annotated[Sequence[DroppedOrder], Meta(description="The newest, the oldest of them first.")]


@blp.route("/matches/<match>/orders")
@blp.arguments(SeatQuery, location="query")
@blp.response(200, OrdersOut)
@blp.doc(operationId="getOrders", security=TOKEN_REQUIRED)
def show(query: dict[str, Any], match: str) -> Response:
    """The standing orders of your seat."""
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
    """Say what shall be done in your place. Moves must be well-formed; whether they are legal is seen at your turn."""
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
    """Cancel all your orders, and read no more of those that were dropped."""
    player = require_player()
    return update_orders(match, player, query, headers, clear_orders)


def clear_orders(orders: SeatOrders) -> SeatOrders:
    """No orders any more."""
    return replace(orders, forced=None, moves=(), dropped=())


def update_orders(
    match: str,
    player: str,
    query: dict[str, Any],
    headers: dict[str, Any],
    how: Callable[[SeatOrders], SeatOrders],
) -> Response:
    """Change the orders of a seat."""
    now = services().matches.repository.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    return orders_response(
        change_orders(services().matches.standing_orders, now, seat, player, headers.get("revision"), how), seat
    )


def orders_response(orders: SeatOrders, seat: Seat) -> Response:
    """The orders of a seat."""
    document = OrdersOut(
        seat=seat,
        revision=orders.revision,
        forced=orders.forced is not None,
        moves=orders.moves,
        dropped=orders.dropped,
    )
    return json_response(document, headers=etag_header(orders.revision))
