"""Carries out standing orders by making the moves that a player has ordered in advance."""

from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import Cause, Moved
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove, MatchRefused, Refused
from domain.match.commands import Play
from domain.match.information import forced_move
from domain.match.state import AnyMatch
from service.event_store.errors import CommandReused
from service.matches.command_handler import MatchCommandHandler
from service.matches.errors import NotSeated, NotYourTurn, StalePly
from service.matches.repository import MatchRepository
from service.matches.results import IdempotencyKey
from service.matches.standing_orders import (
    MAX_DROPPED_SHOWN,
    DroppedOrder,
    SeatOrders,
    StaleOrders,
    StandingOrder,
    StandingOrders,
)


class TurnAttempt(NamedTuple):
    """A seat's remaining orders after a turn, and whether the match may have moved on."""

    orders: SeatOrders
    has_moved: bool


class StandingOrderExecutor:
    """Carries out the standing orders of a match."""

    def __init__(self, orders: StandingOrders, repository: MatchRepository, commands: MatchCommandHandler) -> None:
        self._orders = orders
        self._repository = repository
        self._commands = commands

    def execute(self, match: str, ply: int) -> None:
        """Carry out the orders for the current turn, which is after this ply or a later one.

        Safe to repeat, delay or interrupt at any point. Raises the errors of `MatchCommandHandler.submit`.
        """
        head = self._repository.load(match)
        if head.status == "over":
            self._orders.delete(match)
            return
        if head.ply < ply or head.has_changed_components:
            return
        book = self._orders.load(match)
        left = {
            seat: self._without_completed(head, seat, orders, book.checked_ply) for seat, orders in book.seats.items()
        }
        moved = False
        for seat in sorted(head.to_move & left.keys()):
            if left[seat].player == head.seats[seat].player and head.seats[seat].acting_bot_level is None:
                try:
                    left[seat], moved = self._try_turn(head, seat, left[seat])
                except StaleOrders:
                    return  # a later run checks the changed orders
            if moved:
                break  # the next ply's hint triggers the other seats
        changed = {seat: orders for seat, orders in left.items() if orders != book.seats[seat]}
        self._orders.update(match, changed, book.revision, book.checked_ply if moved else head.ply)

    def _without_completed(self, head: AnyMatch, seat: Seat, orders: SeatOrders, looked: int) -> SeatOrders:
        """Return the orders without those already carried out according to the log."""
        if not orders.moves:
            return orders
        events = self._repository.visible_events(head, seat, looked)
        done = {event.cause.order for event in events if isinstance(event, Moved) and event.cause is not UNSET}
        return replace(orders, moves=tuple(order for order in orders.moves if order.id not in done))

    def _try_turn(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> TurnAttempt:
        """Carry out the orders of a seat whose turn it is."""
        try:
            return self._play_forced(head, seat, orders) or self._play_listed(head, seat, orders)
        except (StalePly, NotYourTurn, NotSeated, MatchRefused):
            return TurnAttempt(orders, True)  # the match has moved on meanwhile

    def _play_forced(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> TurnAttempt | None:
        """Play the forced move, if any, and return the remaining orders. If it is also listed, it is removed there."""
        found = forced_move(head, seat, self._repository.known_facts(head, None)) if orders.forced else None
        if found is None:
            return None
        move = msgspec.to_builtins(found)
        listed = next((order for order in orders.moves if canonical_json(order.move) == canonical_json(move)), None)
        if listed and self._submit(head, seat, listed.move, Cause(order=listed.id, kind="move"), orders.revision):
            return TurnAttempt(without_order(orders, listed), True)
        self._submit(head, seat, move, Cause(order=orders.forced or "", kind="forced"), orders.revision)
        return TurnAttempt(orders, True)

    def _play_listed(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> TurnAttempt:
        """Play the first legal move of the list, drop those before it, and return the remaining orders."""
        for order in orders.moves:
            try:
                made = self._submit(head, seat, order.move, Cause(order=order.id, kind="move"), orders.revision)
            except IllegalMove as refusal:
                dropped = (*orders.dropped, make_dropped(order, head.ply, refusal))
                orders = replace(without_order(orders, order), dropped=dropped[-MAX_DROPPED_SHOWN:])
                continue
            orders = without_order(orders, order)
            if made:
                return TurnAttempt(orders, True)
        return TurnAttempt(orders, False)

    def _submit(self, head: AnyMatch, seat: Seat, move: dict[str, Any], cause: Cause, revision: int) -> bool:
        """Make the move as the seat's player. Return False if this order was already carried out.

        Raises StaleOrders if the orders have changed since this revision, because the order may have been cancelled,
        and the errors of `submit`.
        """
        player = head.seats[seat].player or ""
        if self._orders.load(head.id).for_seat(seat, player).revision != revision:
            raise StaleOrders
        by = IdempotencyKey(player, f"order {cause.order}" if cause.kind == "move" else f"forced {head.ply}")
        try:
            done = self._commands.submit(head.id, Play(seat, move, cause), by, expected=head.ply)
        except CommandReused:
            return False
        return not done.is_repeat


def without_order(orders: SeatOrders, done: StandingOrder) -> SeatOrders:
    """Return the orders without this one."""
    return replace(orders, moves=tuple(order for order in orders.moves if order.id != done.id))


def make_dropped(order: StandingOrder, ply: int, refusal: Refused) -> DroppedOrder:
    """Return the notice of an order that could not be carried out, for the seat's own player."""
    return DroppedOrder(id=order.id, move=order.move, ply=ply, code=refusal.code, message=refusal.message)
