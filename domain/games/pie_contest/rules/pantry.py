"""Taking cards from the Pantry (rules, T8). Whenever it is empty, the Trash is shuffled into it."""

from collections.abc import Callable
from typing import Literal

from domain.games.pie_contest.rules.facts import CardDrawn, DrawMissed, Fact, PantryRestocked
from domain.games.pie_contest.rules.reducer import Recorder
from domain.kernel.game import Seat


def restock(recorder: Recorder) -> None:
    """Shuffle the whole Trash into the Pantry if the Pantry is empty (T8, C4)."""
    if recorder.state.pantry or not recorder.state.trash:
        return
    order = tuple(recorder.chance.use("pantry").shuffle(recorder.state.trash))
    recorder.emit(PantryRestocked(order=order, count=len(order)))


def take_top(recorder: Recorder, fact_of: Callable[[int], Fact]) -> bool:
    """Take the top card and emit its fact. Return False if Pantry and Trash are both empty."""
    restock(recorder)
    if not recorder.state.pantry:
        return False
    recorder.emit(fact_of(recorder.state.pantry[0]))
    restock(recorder)
    return True


def draw(recorder: Recorder, seat: Seat, why: Literal["turn", "effect"]) -> None:
    """Draw one card. If there is none, the draw is missed (R24)."""
    if not take_top(recorder, lambda card: CardDrawn(seat=seat, card=card, why=why)):
        recorder.emit(DrawMissed(seat))
