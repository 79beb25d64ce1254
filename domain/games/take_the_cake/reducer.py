"""How facts fold into state (rules, 5.4). Total: it never refuses, never draws.

A fact that does not fit the state folds as far as it can: what it names and the state does not hold is left alone.
"""

from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import astuple, replace

from domain.game import Seat
from domain.games.take_the_cake.model import (
    QUADRANTS,
    Baker,
    BakerMoved,
    BakersPlaced,
    BakerTurned,
    BoardLaid,
    Card,
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
    Laid,
    Options,
    PastryBaked,
    PlacementAccepted,
    PlacementProposed,
    PlacementRejected,
    PlayerDeckShuffled,
    PositionSet,
    ProgramLaid,
    RecipeDrawn,
    Result,
    SeatResigned,
    State,
    Talks,
    TokensPlaced,
    TurnStarted,
)

Hand = tuple[Card, ...]


def evolve(state: State, fact: Fact) -> State:  # noqa: PLR0912 -- one row for each fact
    """The state after one fact."""
    match fact:
        case FirstPlayerChosen(seat, options):
            return replace(state, first=seat, options=Options() if options is UNSET else options)
        case BoardLaid(layout):
            return replace(state, layout=layout)
        case BakersPlaced(placed):
            bakers = tuple(Baker(one.at, one.facing) for one in placed)
            return replace(state, seats=len(bakers), bakers=bakers, hands=((),) * len(bakers))
        case RecipeDrawn(recipe, _):
            return replace(state, recipe=recipe)
        case PlacementProposed() | PlacementAccepted() | PlacementRejected():
            return talk(state, fact)
        case TokensPlaced(tokens, _):
            return replace(state, tokens=tokens, talks=None)
        case FeaturedDeckShuffled(_, order):
            return replace(state, featured_deck=() if order is UNSET else order)
        case FeaturedItemDrawn(card, replaced):
            deck = state.featured_deck[1:] if state.featured_deck[:1] == (card,) else state.featured_deck
            discard = state.featured_discard if replaced is None else (*state.featured_discard, replaced)
            return replace(state, featured=card, featured_deck=deck, featured_discard=discard)
        case FeaturedDeckReplenished(_, order):
            return replace(state, featured_deck=() if order is UNSET else order, featured_discard=())
        case PlayerDeckShuffled(_, order):
            return replace(state, deck=() if order is UNSET else order)
        case DeckReplenished(_, order):
            return replace(state, deck=() if order is UNSET else order, discard=())
        case CardsDealt(seat, _, cards) | CardsDrawn(seat, _, cards):
            return state if cards is UNSET else draw(state, seat, cards)
        case PositionSet():
            return set_position(fact)
        case TurnStarted(seat, turn, number):
            return replace(state, phase="turn", acting=seat, turn=turn, round=number)
        case ProgramLaid(seat, steps):
            cards = tuple(step.card for step in steps)
            return replace(with_hand(state, seat, cards, ()), laid=cards)
        case CardsDiscarded(_, cards):
            return replace(state, laid=without(state.laid, cards), discard=(*state.discard, *cards))
        case CardsSwapped(seat, cards):
            return replace(with_hand(state, seat, cards, ()), discard=(*state.discard, *cards))
        case BakerMoved(seat=seat, to=to):
            return with_baker(state, seat, lambda baker: replace(baker, at=to))
        case BakerTurned(seat=seat, facing=facing):
            return with_baker(state, seat, lambda baker: replace(baker, facing=facing))
        case IngredientCollected(seat, ingredient, _, _):
            ticked = (ingredient,)
            return with_baker(
                state, seat, lambda baker: replace(baker, collected=baker.collected + ticked, last=state.turn)
            )
        case PastryBaked(seat, _):
            return with_baker(state, seat, lambda baker: replace(baker, baked=True))
        case SeatResigned(seat, cards):
            return resign(state, seat, cards)
        case GameEnded():
            return replace(state, phase="finished", acting=None, talks=None, result=Result(*astuple(fact)))
        case _:
            return state


def without(cards: Hand, gone: Hand) -> Hand:
    """Cards without those that are gone."""
    return tuple(card for card in cards if card not in gone)


def with_hand(state: State, seat: Seat, gone: Hand, come: Hand) -> State:
    """A hand without some cards, and with others at its end."""
    hands = tuple((*without(hand, gone), *come) if n == seat else hand for n, hand in enumerate(state.hands))
    return replace(state, hands=hands)


def draw(state: State, seat: Seat, cards: Hand) -> State:
    """Cards from the deck to the end of a hand."""
    return replace(with_hand(state, seat, (), cards), deck=without(state.deck, cards))


def with_baker(state: State, seat: Seat, change: Callable[[Baker], Baker]) -> State:
    """One baker changed."""
    return replace(state, bakers=tuple(change(one) if n == seat else one for n, one in enumerate(state.bakers)))


def resign(state: State, seat: Seat, cards: Hand) -> State:
    """E4 The baker leaves the board, the hand goes to the discard pile; in the placement its acceptance vanishes."""
    off = with_baker(with_hand(state, seat, cards, ()), seat, lambda baker: replace(baker, at=None, facing=None))
    left = replace(off, out=(*off.out, seat), discard=(*off.discard, *cards))
    talks = left.talks
    if talks is None:
        return left
    accepted = tuple(one for one in talks.accepted if one != seat)
    still = replace(talks, accepted=accepted)
    asked = next_to_ask(left, still, seat) if talks.asked == seat else talks.asked
    return replace(left, talks=replace(still, asked=asked))


# -- the placement ----------------------------------------------------------------------------------------------------


def talk(state: State, fact: PlacementProposed | PlacementAccepted | PlacementRejected) -> State:
    """Section 4: the standing proposal, who accepts it, who is asked."""
    match fact:
        case PlacementProposed(None, tokens):
            opened = Talks(dealt=tokens, standing=tokens, by=None, accepted=(), proposed=(), asked=state.first)
            return replace(state, phase="placement", talks=opened)
        case _ if state.talks is None:
            return state
        case PlacementProposed(seat, tokens):
            assert seat is not None
            talks = replace(
                state.talks, standing=tokens, by=seat, accepted=(seat,), proposed=(*state.talks.proposed, seat)
            )
            return replace(state, talks=replace(talks, asked=next_to_ask(state, talks, seat)))
        case PlacementAccepted(seat):
            talks = replace(state.talks, accepted=(*state.talks.accepted, seat))
            return replace(state, talks=replace(talks, asked=next_to_ask(state, talks, seat)))
        case _:
            return replace(state, talks=replace(state.talks, asked=None))


def next_to_ask(state: State, talks: Talks, seat: Seat) -> Seat | None:
    """The next seat clockwise that is still in and has not accepted; None when all have."""
    around = ((seat + n) % state.seats for n in range(1, state.seats)) if state.seats else iter(())
    return next((one for one in around if one not in state.out and one not in talks.accepted), None)


# -- a position -------------------------------------------------------------------------------------------------------


def set_position(fact: PositionSet) -> State:
    """The state that a position document describes; what this reader may not see stays empty."""
    bakers = tuple(Baker(one.at, one.facing, one.collected, one.last) for one in fact.bakers.each() if one is not UNSET)
    hands = fact.hands.each()[: fact.seats]
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
