"""Cards that leave the Pantry (rules, T8): the Trash is shuffled into it before and behind, when it is empty."""

from collections.abc import Callable
from typing import Literal

from domain.games.pie_contest.rules.model import CardDrawn, DrawMissed, Fact, PantryRestocked
from domain.games.pie_contest.rules.turn_log import TurnLog
from domain.kernel.game import Seat


def restock(entry: TurnLog) -> None:
    """T8 An empty Pantry takes the whole Trash, shuffled (C4)."""
    if entry.state.pantry or not entry.state.trash:
        return
    order = tuple(entry.chance.shuffle(entry.state.trash))
    entry.emit(PantryRestocked(order=order, count=len(order)))


def take_top(entry: TurnLog, fact_of: Callable[[int], Fact]) -> bool:
    """The top card goes where the fact says. False if there is no card anywhere."""
    restock(entry)
    if not entry.state.pantry:
        return False
    entry.emit(fact_of(entry.state.pantry[0]))
    restock(entry)
    return True


def draw(entry: TurnLog, seat: Seat, why: Literal["turn", "effect"]) -> None:
    """One card to a hand; R24 if there is none, the draw is missed."""
    if not take_top(entry, lambda card: CardDrawn(seat=seat, card=card, why=why)):
        entry.emit(DrawMissed(seat))
