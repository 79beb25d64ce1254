"""Moves that draw Specials or take them from the Pantry."""

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
    list_names,
    sorted_names,
)
from domain.games.bakers_brawl.rules.reducer import Recorder, remove_first
from domain.games.bakers_brawl.rules.turns import end_turn
from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove


def cards_to_draw(state: State) -> int:
    """Return how many cards can still be drawn, including the discard pile (R13)."""
    return len(state.special_deck) + len(state.discard)


def draw_specials(recorder: Recorder, seat: Seat) -> None:
    """Draw two cards to choose from, or put the only card left in the hand (M1, R12)."""
    check_hand_room(recorder.state.seats[seat])
    check_deck(recorder.state)
    recorder.emit(SpecialDrawn(seat, reveal_top_card(recorder)))
    if cards_to_draw(recorder.state):
        recorder.emit(SpecialDrawn(seat, reveal_top_card(recorder)))
        return
    recorder.emit(SpecialKept(seat, recorder.state.drawn[0]))
    end_turn(recorder, seat)


def reveal_top_card(recorder: Recorder) -> Special:
    """Return the top card of the deck, after shuffling the discard pile into a new deck if needed (section 6)."""
    state = recorder.state
    if state.special_deck:
        return state.special_deck[0]
    order = tuple(recorder.chance.use("specials").shuffle(sorted_names(state.discard)))
    recorder.emit(SpecialDeckReshuffled(len(order), order))
    return order[0]


def check_hand_room(baker: Baker) -> None:
    """Raise IllegalMove if the hand is full (R7)."""
    if len(baker.hand) >= HAND_LIMIT:
        raise IllegalMove(
            "hand_full", "R7", f"Your hand is full. Place one of your {HAND_LIMIT} Specials before you get more."
        )


def check_deck(state: State) -> None:
    """Raise IllegalMove if no card can be drawn (R12, R13)."""
    if not cards_to_draw(state):
        raise IllegalMove(
            "nothing_to_draw", "R13", "The Special deck and the discard pile are empty. Choose another action."
        )


def keep_card(recorder: Recorder, seat: Seat, keep: Special, out: Special | None) -> None:
    """Keep one card; the other goes to the Pantry or, if that is full, one card is discarded (M2)."""
    state = recorder.state
    if keep not in state.drawn:
        raise IllegalMove(
            "not_drawn", "M2", f"You didn't draw {list_names([keep])}. Keep one of these: {list_names(state.drawn)}."
        )
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
    """Raise IllegalMove unless the Pantry is full and has this card (R10)."""
    if len(state.pantry) < PANTRY_LIMIT:
        raise IllegalMove(
            "pantry_not_full",
            "R10",
            f"The Pantry has room. You can discard from it only when it holds {PANTRY_LIMIT} cards.",
        )
    check_pantry(state, out)


def check_pantry(state: State, card: Special) -> None:
    """Raise IllegalMove unless the Pantry has a card of this type."""
    if card not in state.pantry:
        held = list_names(sorted_names(state.pantry), "nothing")
        raise IllegalMove(
            "not_in_pantry",
            "M3",
            f"There is no {list_names([card])} in the Pantry. It holds: {held}.",
        )


def take_from_pantry(recorder: Recorder, seat: Seat, card: Special) -> None:
    """Take a card from the Pantry into the hand (M3)."""
    check_hand_room(recorder.state.seats[seat])
    check_pantry(recorder.state, card)
    recorder.emit(PantryTaken(seat, card))
    end_turn(recorder, seat)
