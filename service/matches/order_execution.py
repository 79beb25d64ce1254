"""Carries out standing orders: makes the moves that a seat has ordered for its turn."""

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
    """What is left of a seat's orders behind a turn, and whether the match may have moved on by them."""

    orders: SeatOrders
    has_moved: bool


class StandingOrderExecutor:
    """Carries out what seats have ordered."""

    def __init__(self, orders: StandingOrders, repository: MatchRepository, commands: MatchCommandHandler) -> None:
        self._orders = orders
        self._repository = repository
        self._commands = commands

    def execute(self, match: str, ply: int) -> None:
        """Do what is ordered for the turn behind this ply. When the match has gone on, there is nothing to do.

        May be done twice, late, or broken off anywhere. Raises what `Matches.submit` raises, LogUnavailable above all.
        """
        head = self._repository.load(match)
        if head.status == "over":
            self._orders.delete(match)
            return
        if head.ply != ply:
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
                    return  # they wait to be looked at anew
            if moved:
                break  # the next ply's own hint takes care of the other seats
        changed = {seat: orders for seat, orders in left.items() if orders != book.seats[seat]}
        self._orders.update(match, changed, book.revision, book.checked_ply if moved else ply)

    def _without_completed(self, head: AnyMatch, seat: Seat, orders: SeatOrders, looked: int) -> SeatOrders:
        """The orders without those that the log shows as carried out."""
        if not orders.moves:
            return orders
        events = self._repository.visible_events(head, seat, looked)
        done = {event.cause.order for event in events if isinstance(event, Moved) and event.cause is not UNSET}
        return replace(orders, moves=tuple(order for order in orders.moves if order.id not in done))

    def _try_turn(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> TurnAttempt:
        """Do what a seat has ordered for its turn, which it is."""
        try:
            return self._play_forced(head, seat, orders) or self._play_listed(head, seat, orders)
        except (StalePly, NotYourTurn, NotSeated, MatchRefused):
            return TurnAttempt(orders, True)  # the match has gone on meanwhile

    def _play_forced(self, head: AnyMatch, seat: Seat, orders: SeatOrders) -> TurnAttempt | None:
        """The forced move, if there is one; one that is listed as well counts as ordered, and no other is tried."""
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
        """The first move of the list that is legal; those before it are dropped."""
        for order in orders.moves:
            try:
                made = self._submit(head, seat, order.move, Cause(order=order.id, kind="move"), orders.revision)
            except IllegalMove as refusal:
                told = (*orders.dropped, make_dropped(order, head.ply, refusal))
                orders = replace(without_order(orders, order), dropped=told[-MAX_DROPPED_SHOWN:])
                continue
            orders = without_order(orders, order)
            if made:
                return TurnAttempt(orders, True)
        return TurnAttempt(orders, False)

    def _submit(self, head: AnyMatch, seat: Seat, move: dict[str, Any], cause: Cause, revision: int) -> bool:
        """Make the move as the player of the seat; False if this order was carried out before.

        Raises StaleOrders if the seat's orders are not at this revision any more, which may have cancelled this one,
        and what `submit` raises.
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
    """The orders but this one."""
    return replace(orders, moves=tuple(order for order in orders.moves if order.id != done.id))


def make_dropped(order: StandingOrder, ply: int, refusal: Refused) -> DroppedOrder:
    """The notice of an order that could not be carried out, as its own seat may read it."""
    return DroppedOrder(id=order.id, move=order.move, ply=ply, code=refusal.code, message=refusal.message)
