"""Folding facts into state (rules, 5.4). Accepts any fact in any state, and makes no draws.

References to things that the state doesn't hold are ignored.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import astuple, replace

from domain.games.take_the_cake.rules.facts import (
    BakerMoved,
    BakersPlaced,
    BakerTurned,
    BoardLaid,
    CardsDealt,
    CardsDiscarded,
    CardsDrawn,
    CardsSwapped,
    DeckReplenished,
    Fact,
    FeaturedDeckReplenished,
    FeaturedDeckShuffled,
    FeaturedItemDrawn,
    FirstPlayerChosen,
    GameEnded,
    IngredientCollected,
    PastryBaked,
    PlacementAccepted,
    PlacementProposed,
    PlacementRejected,
    PlayerDeckShuffled,
    PositionSet,
    ProgramLaid,
    RecipeDrawn,
    SeatResigned,
    TokensPlaced,
    TurnStarted,
)
from domain.games.take_the_cake.rules.model import Baker, Result, State, Talks
from domain.games.take_the_cake.rules.moves import Options
from domain.games.take_the_cake.rules.parts import QUADRANTS, Card, Laid
from domain.kernel.game import Seat
from domain.kernel.recorder import FactRecorder

T = TypeVar("T")
Hand = tuple[Card, ...]

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each of them."""


def evolve(state: State, fact: Fact) -> State:
    """Return the state after one fact."""
    row = APPLY_BY_FACT.get(type(fact))
    return row(state, fact) if row else state


# -- decks and hands --------------------------------------------------------------------------------------------------


def apply_featured_item_drawn(state: State, fact: FeaturedItemDrawn) -> State:
    """Take the item from the top of its deck and discard the previous one."""
    card, deck, discard = fact.card, state.featured_deck, state.featured_discard
    if deck[:1] == (card,):
        deck = deck[1:]
    if fact.replaced is not None:
        discard = (*discard, fact.replaced)
    return replace(state, featured=card, featured_deck=deck, featured_discard=discard)


def apply_cards_from_deck(state: State, fact: CardsDealt | CardsDrawn) -> State:
    """Move cards from the deck to the end of a hand."""
    deck, cards = state.deck, fact.cards
    if cards is UNSET:
        return state
    left = deck[len(cards) :] if deck[: len(cards)] == cards else remove_cards(deck, cards)
    return replace(with_hand(state, fact.seat, (), cards), deck=left)


def apply_program_laid(state: State, fact: ProgramLaid) -> State:
    """Move the cards of a program from the hand to the table."""
    cards = tuple(step.card for step in fact.steps)
    return replace(with_hand(state, fact.seat, cards, ()), laid=cards)


def apply_cards_discarded(state: State, fact: CardsDiscarded) -> State:
    """Move cards from the table to the discard pile."""
    return replace(state, laid=remove_cards(state.laid, fact.cards), discard=(*state.discard, *fact.cards))


def apply_cards_swapped(state: State, fact: CardsSwapped) -> State:
    """Move cards from the hand to the discard pile. The new cards are in a separate fact."""
    return replace(with_hand(state, fact.seat, fact.cards, ()), discard=(*state.discard, *fact.cards))


def known_or(value: T | UnsetType, instead: T) -> T:
    """Return the value, or `instead` if it is hidden from this reader."""
    return instead if value is UNSET else value


def remove_cards(cards: Hand, gone: Hand) -> Hand:
    """Return the cards without those in `gone`."""
    return tuple([card for card in cards if card not in gone]) if gone else cards


def with_hand(state: State, seat: Seat, gone: Hand, come: Hand) -> State:
    """Return the state with some cards removed from a hand and others added at its end."""
    if not 0 <= seat < len(state.hands):
        return state
    hands = list(state.hands)
    hands[seat] = (*remove_cards(hands[seat], gone), *come)
    return replace(state, hands=tuple(hands))


# -- bakers -----------------------------------------------------------------------------------------------------------


def apply_bakers_placed(state: State, fact: BakersPlaced) -> State:
    """Create a baker and an empty hand for each seat."""
    bakers = tuple(Baker(one.at, one.facing) for one in fact.bakers)
    return replace(state, seats=len(bakers), bakers=bakers, hands=((),) * len(bakers))


def apply_ingredient_collected(state: State, fact: IngredientCollected) -> State:
    """Tick an ingredient and record the turn, which breaks ties."""
    if not 0 <= fact.seat < len(state.bakers):
        return state
    collected = (*state.bakers[fact.seat].collected, fact.ingredient)
    return with_baker(state, fact.seat, collected=collected, last=state.turn)


def with_baker(state: State, seat: Seat, **changes: Any) -> State:
    """Return the state with changes to one baker."""
    if not 0 <= seat < len(state.bakers):
        return state
    bakers = list(state.bakers)
    bakers[seat] = replace(bakers[seat], **changes)
    return replace(state, bakers=tuple(bakers))


def apply_seat_resigned(state: State, fact: SeatResigned) -> State:
    """Remove the baker, discard its hand and, during the placement, drop its acceptance (E4)."""
    seat, cards = fact.seat, fact.cards
    off = with_baker(with_hand(state, seat, cards, ()), seat, at=None, facing=None)
    left = replace(off, out=(*off.out, seat), discard=(*off.discard, *cards))
    talks = left.talks
    if talks is None:
        return left
    accepted = tuple(one for one in talks.accepted if one != seat)
    still = replace(talks, accepted=accepted)
    asked = next_to_ask(left, still, seat) if talks.asked == seat else talks.asked
    return replace(left, talks=replace(still, asked=asked))


# -- the placement ----------------------------------------------------------------------------------------------------


def apply_placement_proposed(state: State, fact: PlacementProposed) -> State:
    """Set the current proposal, accepted only by its proposer. The dealt one opens the negotiation."""
    tokens, seat = fact.tokens, fact.seat
    if seat is None:
        opened = Talks(dealt=tokens, standing=tokens, by=None, accepted=(), proposed=(), asked=state.first)
        return replace(state, phase="placement", talks=opened)
    if state.talks is None:
        return state
    talks = replace(state.talks, standing=tokens, by=seat, accepted=(seat,), proposed=(*state.talks.proposed, seat))
    return replace(state, talks=replace(talks, asked=next_to_ask(state, talks, seat)))


def apply_placement_accepted(state: State, fact: PlacementAccepted) -> State:
    """Record the acceptance and ask the next seat."""
    if state.talks is None:
        return state
    talks = replace(state.talks, accepted=(*state.talks.accepted, fact.seat))
    return replace(state, talks=replace(talks, asked=next_to_ask(state, talks, fact.seat)))


def apply_placement_rejected(state: State, fact: PlacementRejected) -> State:
    """End the negotiation: no seat is asked."""
    return state if state.talks is None else replace(state, talks=replace(state.talks, asked=None))


def next_to_ask(state: State, talks: Talks, seat: Seat) -> Seat | None:
    """Return the next remaining seat clockwise that has not accepted, or None."""
    around = ((seat + n) % state.seats for n in range(1, state.seats)) if state.seats else iter(())
    return next((one for one in around if one not in state.out and one not in talks.accepted), None)


# -- a position -------------------------------------------------------------------------------------------------------


def apply_position_set(state: State, fact: PositionSet) -> State:
    """Return the state of a position document; fields hidden from this reader stay empty."""
    bakers = tuple(
        Baker(one.at, one.facing, one.collected, one.last) for one in fact.bakers.values() if one is not UNSET
    )
    hands = fact.hands.values()[: fact.seats]
    layout = tuple(Laid(place, *laid) for place, laid in zip(QUADRANTS, fact.layout, strict=False))
    return State(
        options=Options() if fact.options is UNSET else fact.options,
        seats=fact.seats,
        first=fact.first,
        acting=fact.acting,
        round=fact.round,
        turn=fact.turn,
        layout=layout,
        recipe=fact.recipe,
        tokens=fact.tokens,
        bakers=bakers,
        out=fact.out,
        hands=tuple(() if hand is UNSET else hand for hand in hands),
        deck=() if fact.deck is UNSET else fact.deck,
        discard=fact.discard,
        featured=fact.featured,
        featured_deck=() if fact.featured_deck is UNSET else fact.featured_deck,
        featured_discard=fact.featured_discard,
    )


APPLY_BY_FACT: dict[type, Callable[[State, Any], State]] = {
    FirstPlayerChosen: lambda state, fact: replace(state, first=fact.seat, options=known_or(fact.options, Options())),
    BoardLaid: lambda state, fact: replace(state, layout=fact.layout),
    BakersPlaced: apply_bakers_placed,
    RecipeDrawn: lambda state, fact: replace(state, recipe=fact.recipe),
    PlacementProposed: apply_placement_proposed,
    PlacementAccepted: apply_placement_accepted,
    PlacementRejected: apply_placement_rejected,
    TokensPlaced: lambda state, fact: replace(state, tokens=fact.tokens, talks=None),
    FeaturedDeckShuffled: lambda state, fact: replace(state, featured_deck=known_or(fact.order, ())),
    FeaturedItemDrawn: apply_featured_item_drawn,
    FeaturedDeckReplenished: lambda state, fact: replace(
        state, featured_deck=known_or(fact.order, ()), featured_discard=()
    ),
    PlayerDeckShuffled: lambda state, fact: replace(state, deck=known_or(fact.order, ())),
    DeckReplenished: lambda state, fact: replace(state, deck=known_or(fact.order, ()), discard=()),
    CardsDealt: apply_cards_from_deck,
    CardsDrawn: apply_cards_from_deck,
    PositionSet: apply_position_set,
    TurnStarted: lambda state, fact: replace(state, phase="turn", acting=fact.seat, turn=fact.turn, round=fact.round),
    ProgramLaid: apply_program_laid,
    CardsDiscarded: apply_cards_discarded,
    CardsSwapped: apply_cards_swapped,
    BakerMoved: lambda state, fact: with_baker(state, fact.seat, at=fact.to),
    BakerTurned: lambda state, fact: with_baker(state, fact.seat, facing=fact.facing),
    IngredientCollected: apply_ingredient_collected,
    PastryBaked: lambda state, fact: with_baker(state, fact.seat, baked=True),
    SeatResigned: apply_seat_resigned,
    GameEnded: lambda state, fact: replace(
        state, phase="finished", acting=None, talks=None, result=Result(*astuple(fact))
    ),
}
"""The effect of each fact on the state. Facts not listed change nothing (rules, 5.4)."""
