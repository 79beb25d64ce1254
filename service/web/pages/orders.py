"""Standing orders: moves that the server makes for a seat."""

from typing import Any

import msgspec
from flask import redirect, request, url_for
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, Forbidden
from werkzeug.wrappers import Response

from domain.kernel.refusals import Refused
from domain.match.state import AnyMatch
from service.app_context import services
from service.matches.standing_orders import (
    SeatOrders,
    StaleOrders,
    StandingOrder,
    change_orders,
    make_order,
    with_forced_moves,
    with_moves,
)
from service.web.blueprint import web
from service.web.forms import posted_form_key, posted_seat
from service.web.pages.match import Refusal, table_page
from service.web.visitor import require_seated_player


@web.post("/matches/<match>/orders")
def give_orders(match: str) -> Response | tuple[str, int]:
    """Add, cancel or change standing orders."""
    posted_form_key()
    head, seat, player = services().matches.repository.load(match), posted_seat(), require_seated_player().id
    if seat not in head.seats_of(player):
        raise Forbidden("Only the player in this seat can give orders for it.")
    try:
        order = posted_order(head) if request.form.get("what") == "add" else None
        change_orders(
            services().matches.standing_orders,
            head,
            seat,
            player,
            None,
            lambda orders: apply_posted_change(orders, order),
        )
    except Refused as refusal:
        return table_page(head, {}, Refusal(refusal.message, refusal.rule)), 422
    except StaleOrders:
        return table_page(head, {}, Refusal("Your orders have changed in the meantime. Try again.")), 409
    return redirect(url_for("web.match", match=match, seat=seat, orders=1) + "#orders", 303)


def apply_posted_change(orders: SeatOrders, order: StandingOrder | None) -> SeatOrders:
    """Return the orders as changed by the posted form. Raises BadRequest."""
    match request.form.get("what"):
        case "add" if order is not None:
            return with_moves(orders, (*orders.moves, order))
        case "forced" | "by_hand" as choice:
            return with_forced_moves(orders, choice == "forced")
        case "cancel":
            cancelled = request.form.get("order")
            return replace(orders, moves=tuple(each for each in orders.moves if each.id != cancelled))
        case "read":
            return replace(orders, dropped=())
        case _:
            raise BadRequest("This form is incomplete. Reload the page and try again.")


def posted_order(head: AnyMatch) -> StandingOrder:
    """Return an order for the move that was chosen or typed in. Raises Refused."""
    text = request.form.get("written", "").strip() or request.form.get("move", "")
    try:
        move = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        move = {}
    return make_order(head, move)
