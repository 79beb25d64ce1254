"""The layer `authorship`: each event comes from a seat that may cause it and that someone held at that time."""

import re
from typing import Any

import msgspec
from msgspec import UNSET

from domain.kernel.events import Expired, HandedOver, Moved, SeatTaken
from domain.match.evolve import evolve
from domain.match.state import AnyMatch
from replays.report import Layer
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case, number, without_game

ORDER_ID = re.compile(r"[0-9a-f]{12}", re.ASCII)
"""The id of a standing order."""


def check_authorship(case: Case) -> list[Layer]:
    """Check that players and bots sit where they may, and that each move was due."""
    if "lifecycle" in case.failed:
        return [Layer("authorship", "not_checked", LIFECYCLE_FAILED)]
    match = case.new_lifecycle()
    moves_of: dict[str, int] = {}
    used_orders: set[str] = set()
    for event in case.each_event():
        if isinstance(event, SeatTaken):
            check_sitter(case, event)
        if isinstance(event, Expired | HandedOver):
            check_bot_version(case, event)
        if isinstance(event, Moved):
            check_turn(case, event)
            check_bot_move(case, match, event)
            check_standing_order(case, match, event, used_orders)
            name = author_of(match, event)
            moves_of[name] = moves_of.get(name, 0) + 1
        if event is not case.created:
            match = evolve(match, without_game(event), case.lifecycle_after)
    authors = ", ".join(f"{name} ({number(count, 'move')})" for name, count in moves_of.items()) or "nobody moved"
    if not case.complete:
        return [Layer("authorship", "partly", f"So far: {authors}; {SEALED}.")]
    return [Layer("authorship", "ok", f"Everyone acted from their own seat: {authors}.")]


def check_sitter(case: Case, event: SeatTaken[Any, Any]) -> None:
    """Check that either a player takes the seat, or a bot if the seat was set up for one."""
    if (event.player is None) == (event.level is None):
        found = {"player": event.player, "level": event.level}
        wanted, sentence = "either a player or a bot level", "The event must name either a player or a bot."
        raise case.diverged(event, "authorship.seat", wanted, found, sentence)
    planned = case.created.seats[event.seat].kind
    if event.level is not None and planned != "bot":
        wanted, sentence = f"a player ({planned} seat)", "A bot takes a seat that was not set up for a bot."
        raise case.diverged(event, "authorship.seat", wanted, event.level, sentence)
    check_bot_version(case, event)


def check_bot_version(case: Case, event: SeatTaken[Any, Any] | Expired[Any, Any] | HandedOver[Any, Any]) -> None:
    """Check that an event names the version of a bot that sits down (luck protocol 2), and none for a person."""
    named = None if event.bot is UNSET else event.bot
    if event.level is None or case.created.luck is UNSET:
        case.require(event, "authorship.bot", None, named, "The event must not name a bot's version.")
    elif named is None or not re.fullmatch(f"{re.escape(event.level)}/[1-9][0-9]*", named, re.ASCII):
        wanted = f"{event.level}/ and a number"
        raise case.diverged(event, "authorship.bot", wanted, named, "The event must name the bot's version.")


def check_bot_move(case: Case, match: AnyMatch, event: Moved[Any, Any]) -> None:
    """Check that a bot's move, and no other, says which ply the bot saw (luck protocol 2)."""
    resigned = move_type(event) == "resign"
    is_bots = case.created.luck is not UNSET and match.seats[event.seat].acting_bot_level is not None
    hidden = not case.complete and event.seen is UNSET
    if event.fallback is False or (event.seen is UNSET and event.fallback is not UNSET):
        found, sentence = event.fallback, "Only a bot's move may have `fallback`, and only if it is true."
        raise case.diverged(event, "authorship.bot", "nothing", found, sentence)
    if event.seen is not UNSET and not (is_bots and 1 <= event.seen < event.ply):
        wanted = f"a ply from 1 to {event.ply - 1}" if is_bots else "nothing"
        raise case.diverged(event, "authorship.bot", wanted, event.seen, "The bot cannot have seen this ply.")
    if is_bots and event.seen is UNSET and not (hidden or resigned):
        wanted, sentence = "the ply that the bot saw", "A bot's move must say which ply the bot saw."
        raise case.diverged(event, "authorship.bot", wanted, "nothing", sentence)


def move_type(event: Moved[Any, Any]) -> str | None:
    """Return the type of a move; None if the file hides the move."""
    move: Any = msgspec.to_builtins(event.move)
    return str(move.get("type")) if isinstance(move, dict) else None


def check_turn(case: Case, event: Moved[Any, Any]) -> None:
    """Check that it was the turn of the seat that moves. Any seat may resign at any time.

    Files with hidden facts do not show whose turn it is, so their moves are accepted.
    """
    owed = case.to_move.get(event.ply)
    if owed is None or event.seat in owed:
        return
    if move_type(event) == "resign":
        return
    due = " or ".join(f"seat {seat}" for seat in sorted(owed)) or "nobody"
    raise case.diverged(event, "authorship.turn", f"a move by {due}", event.seat, "It was not this seat's turn.")


def check_standing_order(case: Case, match: AnyMatch, event: Moved[Any, Any], used: set[str]) -> None:
    """Check that a standing order is a person's and has a valid id, and that a one-move order is used once."""
    if event.cause is UNSET:
        return
    rule = "authorship.order"
    if match.seats[event.seat].acting_bot_level is not None:
        raise case.diverged(event, rule, "a move of its own", "a standing order", "Bots cannot have standing orders.")
    order = event.cause.order
    if not ORDER_ID.fullmatch(order):
        wanted, sentence = "12 lower-case hexadecimal digits", "This is not a valid standing order id."
        raise case.diverged(event, rule, wanted, order, sentence)
    if event.cause.kind == "move" and order in used:
        raise case.diverged(
            event, rule, "an order that was not used before", order, "This order was already carried out."
        )
    used.add(order)


def author_of(match: AnyMatch, event: Moved[Any, Any]) -> str:
    """Return who made a move: the player's id or the bot's level."""
    sitter = match.seats[event.seat]
    return f"the {sitter.acting_bot_level} bot" if sitter.acting_bot_level else str(sitter.player)
