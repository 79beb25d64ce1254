"""Helpers that return a changed state, such as moving cards from one zone to another."""

from typing import Any

from msgspec.structs import replace

from domain.games.pie_contest.rules.components import INGREDIENTS, PILE_CARDS
from domain.games.pie_contest.rules.model import (
    Baker,
    Deed,
    Slot,
    State,
)
from domain.games.pie_contest.rules.parts import Cards
from domain.kernel.game import Seat


def remove_cards(cards: Cards, *gone: int) -> Cards:
    """Return the cards without these."""
    return tuple([card for card in cards if card not in gone])


def with_baker(state: State, seat: Seat, **changes: Any) -> State:
    """Return the state with one seat changed, or unchanged if there is no such seat."""
    if not 0 <= seat < len(state.seats):
        return state
    baker = replace(state.seats[seat], **changes)
    return replace(state, seats=(*state.seats[:seat], baker, *state.seats[seat + 1 :]))


def baker_of(state: State, seat: Seat) -> Baker:
    """Return a seat's cards and Pies, empty if there is no such seat."""
    return state.seats[seat] if 0 <= seat < len(state.seats) else Baker()


def into_hand(state: State, seat: Seat, *cards: int) -> State:
    """Return the state with cards added to a hand, which stays in ascending order."""
    return with_baker(state, seat, hand=tuple(sorted({*baker_of(state, seat).hand, *cards})))


def out_of_hand(state: State, seat: Seat, *cards: int) -> State:
    """Return the state with cards removed from a hand."""
    return with_baker(state, seat, hand=remove_cards(baker_of(state, seat).hand, *cards))


def into_kitchen(state: State, seat: Seat, card: int) -> State:
    """Return the state with an Ingredient at the end of a Kitchen. Other cards are ignored."""
    if card not in INGREDIENTS:
        return state
    return with_baker(state, seat, kitchen=(*remove_cards(baker_of(state, seat).kitchen, card), card))


def out_of_kitchen(state: State, seat: Seat, *cards: int) -> State:
    """Return the state with cards removed from a Kitchen."""
    return with_baker(state, seat, kitchen=remove_cards(baker_of(state, seat).kitchen, *cards))


def to_trash(state: State, *cards: int) -> State:
    """Return the state with cards at the newest end of the Trash, and Achievements under the pile (T9)."""
    trashed = tuple([card for card in cards if card not in PILE_CARDS])
    state = replace(state, trash=(*state.trash, *trashed))
    return under_pile(state, *[card for card in cards if card in PILE_CARDS])


def under_pile(state: State, *cards: int) -> State:
    """Return the state with Achievements at the bottom of the pile, no longer turned."""
    if not cards:
        return state
    turned = {key: seat for key, seat in state.turned.items() if int(key) not in cards}
    return replace(state, pile=(*remove_cards(state.pile, *cards), *cards), turned=turned)


def with_deed(state: State, deed: Deed) -> State:
    """Return the state with one more deed this turn."""
    return replace(state, deeds=(*state.deeds, deed))


def with_slot(state: State, number: int, slot: Slot) -> State:
    """Return the state with one slot of the row changed."""
    return replace(state, row=tuple(slot if n == number else old for n, old in enumerate(state.row)))


def count_act(state: State, seat: Seat, deed: Deed) -> State:
    """Return the state after a play or a dive, which uses up one play (T2)."""
    spent = replace(state, stage="acted", plays_left=state.plays_left - 1, acts_made=state.acts_made + 1)
    return with_deed(spent, deed)
