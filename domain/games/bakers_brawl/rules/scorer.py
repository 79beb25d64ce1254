"""The independent scorer. It uses none of the sums and results computed by the engine.

It keeps its own board, computes the labor, majority and contributors of each Order from the cards on its cells, and
scores the agendas from the card data (rules, section 8).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from domain.games.bakers_brawl.rules.facts import (
    Fact,
    GameEnded,
    GameSetUp,
    IngredientPlaced,
    OrderCompleted,
    PositionSet,
    SeatResigned,
)
from domain.kernel.game import ScoreLine, ScoreSheet

CARDS: dict[str, list[dict[str, Any]]] = msgspec.json.decode(Path(__file__).with_name("components.json").read_bytes())
ORDER_CARDS = {card["id"]: card for card in CARDS["orders"]}
AGENDA_CARDS = {card["id"]: card for card in CARDS["agendas"]}
SPECIAL_TYPES = {card["id"] for card in CARDS["ingredients"] if card["class"] == "special"}
LABOR = {"basic": 1, "hand": 2, "blind": 1}  # M4 to M6


@dataclass
class PlacedCard:
    """A card on the board."""

    kind: str
    owner: int
    labor: int


@dataclass
class Account:
    """A seat's points with their source facts, agenda, free cubes, Orders helped and Orders completed."""

    agenda: str
    cubes: int = 15
    points: int = 0
    sources: list[int] = field(default_factory=list)
    helped: list[str] = field(default_factory=list)
    helped_in: list[int] = field(default_factory=list)
    completed: int = 0
    active: bool = True


@dataclass
class Ledger:
    """The accounts and the board after the facts read so far."""

    accounts: list[Account] = field(default_factory=list)
    board: dict[str, PlacedCard] = field(default_factory=dict)
    ladder: bool = False
    over: bool = False


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """Return the score, computed again from placements and completions."""
    ledger = Ledger()
    for number, fact in enumerate(facts):
        read_fact(ledger, number, fact)
    lines = [line for seat, account in enumerate(ledger.accounts) for line in seat_lines(seat, account)]
    totals = tuple(sum(line.points for line in lines if line.seat == seat) for seat in range(len(ledger.accounts)))
    return ScoreSheet(tuple(lines), totals, find_winners(ledger, totals))


def read_fact(ledger: Ledger, number: int, fact: Fact) -> None:
    """Update the ledger with one fact."""
    match fact:
        case GameSetUp(agendas=agendas, options=options):
            ledger.accounts = [Account(agenda or "") for agenda in agendas]
            ledger.ladder = options.final_tie == "ladder"
        case PositionSet():
            start_from_position(ledger, number, fact)
        case IngredientPlaced(seat, source, kind, cell):
            ledger.board[cell] = PlacedCard(kind, seat, LABOR[source])
            ledger.accounts[seat].cubes -= LABOR[source]
        case OrderCompleted(seat, order_id, cells):
            complete_order(
                ledger, number, seat, order_id, [ledger.board.pop(cell) for cell in cells if cell in ledger.board]
            )
        case SeatResigned(seat):
            ledger.accounts[seat].active = False
        case GameEnded():
            ledger.over = True
        case _:
            pass


def start_from_position(ledger: Ledger, number: int, fact: PositionSet) -> None:
    """Start the ledger from a custom position."""
    ledger.ladder = fact.options.final_tie == "ladder"
    ledger.board = {cell: PlacedCard(tile.ingredient, tile.owner, tile.labor) for cell, tile in fact.board.items()}
    ledger.accounts = [
        Account(baker.agenda or "", baker.cubes, baker.points, [number], active=baker.active) for baker in fact.seats
    ]
    for done in fact.completed:
        ledger.accounts[done.by].completed += 1
        for seat in done.contributors:
            ledger.accounts[seat].helped.append(done.order_id)
            ledger.accounts[seat].helped_in.append(number)


def complete_order(ledger: Ledger, number: int, seat: int, order_id: str, used: list[PlacedCard]) -> None:
    """Score an Order completed with these cards. Cubes return, and each contributor puts one on the Order."""
    card = ORDER_CARDS[order_id]
    ledger.accounts[seat].completed += 1
    add_points(ledger.accounts[seat], number, card["top"])
    shares = {owner: majority_key(used, owner) for owner in sorted({placed.owner for placed in used})}
    for owner, own in shares.items():
        account = ledger.accounts[owner]
        if all(own >= other for other in shares.values()):
            add_points(account, number, card["bottom"])
        account.cubes += own[0] - 1
        account.helped.append(order_id)
        account.helped_in.append(number)


def add_points(account: Account, number: int, points: int) -> None:
    """Add points and the number of the fact that they come from."""
    account.points += points
    account.sources.append(number)


def majority_key(used: list[PlacedCard], owner: int) -> tuple[int, int, int]:
    """Return what decides the majority: cubes, then cards, then Specials."""
    own = [card for card in used if card.owner == owner]
    return sum(card.labor for card in own), len(own), len([card for card in own if card.kind in SPECIAL_TYPES])


# -- the end ------------------------------------------------------------------------------------------------------


def seat_lines(seat: int, account: Account) -> list[ScoreLine]:
    """Return the three lines of a seat: Orders, agenda, help bonus."""
    effect = AGENDA_CARDS[account.agenda]["effect"] if account.agenda in AGENDA_CARDS else {}
    counted = [order_id for order_id in account.helped if agenda_counts(effect, ORDER_CARDS[order_id])]
    bonus = sum(3 for n in range(len(account.helped)) if n % 2)  # every second Order helped
    helped_in = tuple(account.helped_in)
    return [
        ScoreLine(seat, "8.1", "points for Orders", account.points, tuple(account.sources)),
        ScoreLine(
            seat,
            "12.3",
            f"{account.agenda}: {', '.join(counted) or 'no Order'}",
            agenda_points(effect, counted),
            helped_in,
        ),
        ScoreLine(seat, "8.2", f"Orders helped: {len(account.helped)}", bonus, helped_in),
    ]


def agenda_counts(effect: dict[str, Any], order: dict[str, Any]) -> bool:
    """Return whether an agenda counts an Order."""
    match effect:
        case {"kind": "distinct_category"}:
            return True
        case {"condition": {"has_any": required}}:
            return any(kind in order["need"] for kind in required)
        case {"condition": {"has_all": required}}:
            return all(kind in order["need"] for kind in required)
        case {"condition": {"category_in": required}}:
            return order["category"] in required
        case {"condition": {"size_between": [low, high]}}:
            return len(order["need"]) in range(low, high + 1)
        case _:
            return False


def agenda_points(effect: dict[str, Any], counted: list[str]) -> int:
    """Return the points of an agenda for the Orders that it counts."""
    match effect:
        case {"table": table}:
            return int(table[len({ORDER_CARDS[order_id]["category"] for order_id in counted})])
        case {"points": points}:
            return int(points) * len(counted)
        case _:
            return 0


def find_winners(ledger: Ledger, totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the active seats with the highest total. With the ladder, help, Orders and cubes break ties."""
    if not ledger.over:
        return ()
    best = [seat for seat, account in enumerate(ledger.accounts) if account.active]
    accounts = ledger.accounts
    rungs: list[list[int]] = [list(totals)]
    if ledger.ladder:
        rungs += [[len(a.helped) for a in accounts], [a.completed for a in accounts], [a.cubes for a in accounts]]
    for rung in rungs:
        highest = max((rung[seat] for seat in best), default=0)
        best = [seat for seat in best if rung[seat] == highest]
    return tuple(best)
