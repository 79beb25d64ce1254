"""Standing orders: what the server shall do in a seat's place."""

from collections.abc import Callable
from typing import Any

from flask import Response
from marshmallow import fields
from msgspec.structs import replace

from domain.kernel.game import Seat
from service.api.fields import IfMatchHeader, QueryInteger, StrictBoolean
from service.api.moves import MoveIn
from service.api.request_context import (
    TOKEN_REQUIRED,
    ApiBlueprint,
    acting_seat,
    etag_header,
    json_response,
    require_player,
    services,
)
from service.api.schemas import InputSchema, Move, OutputSchema
from service.matches.standing_orders import SeatOrders, change_orders, make_order, with_forced_moves, with_moves

blp = ApiBlueprint("orders", "Standing orders: moves that the server makes in your place.")


class SeatQuery(InputSchema):
    """For which seat."""

    as_ = QueryInteger(data_key="as", metadata={"description": "For this seat, if you hold several."})


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


class OrderOut(OutputSchema):
    """A move that waits for your turn."""

    id = fields.String()
    move = fields.Nested(Move)


class DroppedOut(OrderOut):
    """An order that was dropped since its move was illegal at your turn behind `ply`."""

    ply = fields.Integer()
    code = fields.String()
    message = fields.String()


class OrdersOut(OutputSchema):
    """Your orders. Nobody else is shown them, or that there are any."""

    seat = fields.Integer()
    revision = fields.Integer(metadata={"description": "Also the ETag."})
    forced = fields.Boolean()
    moves = fields.List(fields.Nested(OrderOut))
    dropped = fields.List(fields.Nested(DroppedOut), metadata={"description": "The newest, the oldest of them first."})


@blp.route("/matches/<match>/orders")
@blp.arguments(SeatQuery, location="query")
@blp.response(200, OrdersOut)
@blp.doc(operationId="getOrders", security=TOKEN_REQUIRED)
def show(query: dict[str, Any], match: str) -> Response:
    """The standing orders of your seat."""
    player = require_player()
    now = services().matches.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    return orders_response(services().standing_orders.load(now.id).for_seat(seat, player), seat)


@blp.route("/matches/<match>/orders", methods=["PUT"])
@blp.arguments(OrdersIn)
@blp.arguments(SeatQuery, location="query")
@blp.arguments(OrdersHeaders, location="headers")
@blp.response(200, OrdersOut)
@blp.doc(operationId="giveOrders", security=TOKEN_REQUIRED)
def give(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Say what shall be done in your place. Moves must be well-formed; whether they are legal is seen at your turn."""
    player = require_player()
    now = services().matches.load(match)
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
    now = services().matches.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    return orders_response(
        change_orders(services().standing_orders, now, seat, player, headers.get("revision"), how), seat
    )


def orders_response(orders: SeatOrders, seat: Seat) -> Response:
    """The orders of a seat."""
    document = {
        "seat": seat,
        "revision": orders.revision,
        "forced": orders.forced is not None,
        "moves": orders.moves,
        "dropped": orders.dropped,
    }
    return json_response(document, headers=etag_header(orders.revision))
