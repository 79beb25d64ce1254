"""Cards that leave the Pantry (rules, T8): the Trash is shuffled into it before and behind, when it is empty."""

from collections.abc import Callable
from typing import Literal

from domain.games.pie_contest.rules.facts import CardDrawn, DrawMissed, Fact, PantryRestocked
from domain.games.pie_contest.rules.reducer import Recorder
from domain.kernel.game import Seat


def restock(recorder: Recorder) -> None:
    """T8 An empty Pantry takes the whole Trash, shuffled (C4)."""
    if recorder.state.pantry or not recorder.state.trash:
        return
    order = tuple(recorder.chance.shuffle(recorder.state.trash))
    recorder.emit(PantryRestocked(order=order, count=len(order)))


def take_top(recorder: Recorder, fact_of: Callable[[int], Fact]) -> bool:
    """The top card goes where the fact says. False if there is no card anywhere."""
    restock(recorder)
    if not recorder.state.pantry:
        return False
    recorder.emit(fact_of(recorder.state.pantry[0]))
    restock(recorder)
    return True


def draw(recorder: Recorder, seat: Seat, why: Literal["turn", "effect"]) -> None:
    """One card to a hand; R24 if there is none, the draw is missed."""
    if not take_top(recorder, lambda card: CardDrawn(seat=seat, card=card, why=why)):
        recorder.emit(DrawMissed(seat))
