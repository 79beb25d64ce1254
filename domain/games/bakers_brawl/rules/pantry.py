"""Drawing Specials and taking them from the Pantry."""

from domain.games.bakers_brawl.rules.components import (
    Special,
)
from domain.games.bakers_brawl.rules.facts import (
    PantryDiscarded,
    PantryStocked,
    PantryTaken,
    SpecialDeckReshuffled,
    SpecialDiscarded,
    SpecialDrawn,
    SpecialKept,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.parts import (
    HAND_LIMIT,
    PANTRY_LIMIT,
    Baker,
    sorted_names,
)
from domain.games.bakers_brawl.rules.reducer import Recorder, remove_first
from domain.games.bakers_brawl.rules.turns import end_turn
from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove


def cards_to_draw(state: State) -> int:
    """R13 The cards that can still come from the deck."""
    return len(state.special_deck) + len(state.discard)


def draw_specials(recorder: Recorder, seat: Seat) -> None:
    """M1 Two cards to choose from; the last card of all goes straight to the hand (R12)."""
    check_hand_room(recorder.state.seats[seat])
    check_deck(recorder.state)
    recorder.emit(SpecialDrawn(seat, reveal_top_card(recorder)))
    if cards_to_draw(recorder.state):
        recorder.emit(SpecialDrawn(seat, reveal_top_card(recorder)))
        return
    recorder.emit(SpecialKept(seat, recorder.state.drawn[0]))
    end_turn(recorder, seat)


def reveal_top_card(recorder: Recorder) -> Special:
    """The top card of the deck; if there is none, the discard pile is shuffled into a new deck first (section 6)."""
    state = recorder.state
    if state.special_deck:
        return state.special_deck[0]
    order = tuple(recorder.chance.shuffle(sorted_names(state.discard)))
    recorder.emit(SpecialDeckReshuffled(len(order), order))
    return order[0]


def check_hand_room(baker: Baker) -> None:
    """R7"""
    if len(baker.hand) >= HAND_LIMIT:
        raise IllegalMove("hand_full", "R7", f"You hold {HAND_LIMIT} Specials already; play one before you take more.")


def check_deck(state: State) -> None:
    """R12, R13"""
    if not cards_to_draw(state):
        raise IllegalMove("nothing_to_draw", "R13", "The Special deck and the discard pile are both empty.")


def keep_card(recorder: Recorder, seat: Seat, keep: Special, out: Special | None) -> None:
    """M2 One card to the hand; the other to the Pantry, or to the discard pile when the Pantry is full."""
    state = recorder.state
    if keep not in state.drawn:
        raise IllegalMove("not_drawn", "M2", f"You drew {' and '.join(state.drawn)}; keep one of these, not {keep}.")
    if out is not None:
        check_pantry_discard(state, out)
    (other,) = remove_first(state.drawn, keep)
    recorder.emit(SpecialKept(seat, keep))
    if len(state.pantry) < PANTRY_LIMIT:
        recorder.emit(PantryStocked(seat, other))
    elif out is None:
        recorder.emit(SpecialDiscarded(seat, other))
    else:
        recorder.emit(PantryDiscarded(seat, out), PantryStocked(seat, other))
    end_turn(recorder, seat)


def check_pantry_discard(state: State, out: Special) -> None:
    """R10"""
    if len(state.pantry) < PANTRY_LIMIT:
        raise IllegalMove(
            "pantry_not_full", "R10", f"The Pantry has room: discard nothing from it before it holds {PANTRY_LIMIT}."
        )
    check_pantry(state, out)


def check_pantry(state: State, card: Special) -> None:
    """The Pantry has a card of this type."""
    if card not in state.pantry:
        has = ", ".join(sorted_names(state.pantry)) or "nothing"
        raise IllegalMove("not_in_pantry", "M3", f"There is no {card} in the Pantry; it holds {has}.")


def take_from_pantry(recorder: Recorder, seat: Seat, card: Special) -> None:
    """M3 A card from the Pantry to the hand."""
    check_hand_room(recorder.state.seats[seat])
    check_pantry(recorder.state, card)
    recorder.emit(PantryTaken(seat, card))
    end_turn(recorder, seat)
