"""The layer `authorship`: each event comes from a seat that may cause it, held by a player or a bot at that time."""

import re
from typing import Any

import msgspec
from msgspec import UNSET

from domain.kernel.events import Moved, SeatTaken
from domain.match.evolve import evolve
from domain.match.state import AnyMatch
from replays.report import Layer
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case, number, without_game

ORDER_ID = re.compile(r"[0-9a-f]{12}", re.ASCII)
"""The id of a standing order."""


def check_authorship(case: Case) -> list[Layer]:
    """Checks who sits down, that bots sit where they were planned, and that who moves owes a move."""
    if "lifecycle" in case.failed:
        return [Layer("authorship", "not_checked", LIFECYCLE_FAILED)]
    match = case.new_lifecycle()
    moves_of: dict[str, int] = {}
    used_orders: set[str] = set()
    for event in case.each_event():
        if isinstance(event, SeatTaken):
            check_sitter(case, event)
        if isinstance(event, Moved):
            check_turn(case, event)
            check_standing_order(case, match, event, used_orders)
            name = author_of(match, event)
            moves_of[name] = moves_of.get(name, 0) + 1
        if event is not case.created:
            match = evolve(match, without_game(event), case.lifecycle_after)
    authors = ", ".join(f"{name} ({number(count, 'move')})" for name, count in moves_of.items()) or "nobody moved"
    if not case.complete:
        return [Layer("authorship", "partly", f"Moves so far: {authors}; {SEALED}.")]
    return [Layer("authorship", "ok", f"Everybody acted from a seat of their own: {authors}.")]


def check_sitter(case: Case, event: SeatTaken[Any, Any]) -> None:
    """Checks that either a player sits down, or a bot where one was planned."""
    if (event.player is None) == (event.level is None):
        found = {"player": event.player, "level": event.level}
        wanted, sentence = "a player or a bot's level", "It is not said who sits down."
        raise case.diverged(event, "authorship.seat", wanted, found, sentence)
    planned = case.created.seats[event.seat].kind
    if event.level is not None and planned != "bot":
        wanted, sentence = f"a player ({planned} seat)", "A bot sits where none was planned."
        raise case.diverged(event, "authorship.seat", wanted, event.level, sentence)


def check_turn(case: Case, event: Moved[Any, Any]) -> None:
    """Checks that who moves owes a move; anyone may resign at any time.

    Files with hidden facts do not show whose turn it is. Their moves pass.
    """
    owed = case.to_move.get(event.ply)
    if owed is None or event.seat in owed:
        return
    move: Any = msgspec.to_builtins(event.move)
    if isinstance(move, dict) and move.get("type") == "resign":
        return
    due = " or ".join(f"seat {seat}" for seat in sorted(owed)) or "nobody"
    raise case.diverged(event, "authorship.turn", f"a move by {due}", event.seat, "This seat owed no move.")


def check_standing_order(case: Case, match: AnyMatch, event: Moved[Any, Any], used: set[str]) -> None:
    """Checks that a standing order is a person's and has a valid id, and that an order for one move is used once."""
    if event.cause is UNSET:
        return
    rule = "authorship.order"
    if match.seats[event.seat].acting_bot_level is not None:
        raise case.diverged(event, rule, "a move of its own", "an order", "Bots give no standing orders.")
    order = event.cause.order
    if not ORDER_ID.fullmatch(order):
        wanted, sentence = "12 lower-case hexadecimal digits", "This is no name of a standing order."
        raise case.diverged(event, rule, wanted, order, sentence)
    if event.cause.kind == "move" and order in used:
        raise case.diverged(event, rule, "another order", order, "This order was carried out before.")
    used.add(order)


def author_of(match: AnyMatch, event: Moved[Any, Any]) -> str:
    """Who made a move: the player's id or the bot's level."""
    sitter = match.seats[event.seat]
    return f"the {sitter.acting_bot_level} bot" if sitter.acting_bot_level else str(sitter.player)
