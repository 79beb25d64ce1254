"""Views and redaction (rules, section 7), and determinization for bots."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.games.take_the_cake.rules.components import CARDS, FEATURED
from domain.games.take_the_cake.rules.decider import can_program, min_swapped, to_move
from domain.games.take_the_cake.rules.facts import (
    CardsDealt,
    CardsDrawn,
    DeckReplenished,
    Fact,
    FeaturedDeckReplenished,
    FeaturedDeckShuffled,
    PlayerDeckShuffled,
    PositionSet,
)
from domain.games.take_the_cake.rules.model import HandSeen, LegalMoves, Pile, State, SwapRange, View
from domain.games.take_the_cake.rules.parts import MAX_SWAPPED, BySeat, Card
from domain.games.take_the_cake.rules.scoring import points
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """Return the view of this seat, or of a spectator for None."""
    return View(
        phase=state.phase,
        round=state.round,
        turn=state.turn,
        options=state.options,
        seats=state.seats,
        first=state.first,
        acting=state.acting,
        layout=state.layout,
        recipe=state.recipe,
        tokens=state.tokens,
        talks=state.talks,
        bakers=state.bakers,
        out=state.out,
        hands=tuple(
            HandSeen(len(hand), hand if sees_hand(state, owner, seat) else UNSET)
            for owner, hand in enumerate(state.hands)
        ),
        laid=state.laid,
        deck=visible_pile(state, state.deck),
        discard=state.discard,
        featured=state.featured,
        featured_deck=visible_pile(state, state.featured_deck),
        featured_discard=state.featured_discard,
        legal_moves=summarize_moves(state, seat),
        result=state.result,
        to_move=tuple(sorted(to_move(state))),
        scores=tuple(map(points, state.bakers)),
    )


def sees_hand(state: State, owner: Seat, reader: Seat | None) -> bool:
    """Return whether this reader can see the hand of that seat."""
    return owner == reader or state.options.open_hands or state.phase == "finished"


def visible_pile(state: State, deck: tuple[str, ...]) -> Pile:
    """Return a deck, whose order is hidden from everyone until the end."""
    return Pile(len(deck), deck if state.phase == "finished" else UNSET)


def summarize_moves(state: State, seat: Seat | None) -> LegalMoves:
    """Return the summary of this seat's moves (section 5.5), which reveals nothing hidden."""
    if seat is None or not 0 <= seat < state.seats or seat in state.out or state.phase == "finished":
        return LegalMoves()
    if seat not in to_move(state):
        return LegalMoves(resign=True)
    if state.talks is not None:
        done = seat in state.talks.proposed
        return LegalMoves(accept_placement=True, propose_placement=not done, reject_placement=done, resign=True)
    swap = SwapRange(min_swapped(state.options), MAX_SWAPPED)
    return LegalMoves(run_program=can_program(state.hands[seat]), swap_cards=swap, resign=True)


# -- facts ------------------------------------------------------------------------------------------------------------


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """Return the fact as this seat can see it now. After the end everything is visible."""
    if state.phase == "finished":
        return fact
    match fact:
        case FeaturedDeckShuffled() | FeaturedDeckReplenished() | PlayerDeckShuffled() | DeckReplenished():
            return replace(fact, order=UNSET)
        case CardsDealt(owner) | CardsDrawn(owner) if not sees_hand(state, owner, seat):
            return replace(fact, cards=UNSET)
        case PositionSet(hands=hands):
            seen: list[tuple[Card, ...] | UnsetType] = [
                hand if sees_hand(state, owner, seat) else UNSET for owner, hand in enumerate(hands.values())
            ]
            return replace(fact, hands=BySeat.from_list(seen), deck=UNSET, featured_deck=UNSET)
        case _:
            return fact


# -- determinization --------------------------------------------------------------------------------------------------


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """Return a full state that this seat can't distinguish from the real one.

    Unseen cards are dealt to the hidden hands and the deck at random, and the featured deck is shuffled.
    """
    known = [card for hand in view.hands if hand.cards is not UNSET for card in hand.cards]
    unseen = chance.shuffle(unseen_cards(CARDS, [*known, *view.laid, *view.discard]))
    hands: list[tuple[Card, ...]] = []
    for hand in view.hands:
        if hand.cards is not UNSET:
            hands.append(hand.cards)
        else:
            hands.append(tuple(unseen[: hand.count]))
            unseen = unseen[hand.count :]
    items = chance.shuffle(unseen_cards(FEATURED, [*view.featured_discard, *filter(None, [view.featured])]))
    return State(
        phase=view.phase,
        options=view.options,
        seats=view.seats,
        first=view.first,
        acting=view.acting,
        round=view.round,
        turn=view.turn,
        layout=view.layout,
        recipe=view.recipe,
        tokens=view.tokens,
        talks=view.talks,
        bakers=view.bakers,
        out=view.out,
        hands=tuple(hands),
        laid=view.laid,
        deck=seen_or_unseen(view.deck, unseen),
        discard=view.discard,
        featured=view.featured,
        featured_deck=seen_or_unseen(view.featured_deck, items),
        featured_discard=view.featured_discard,
        result=view.result,
    )


def unseen_cards(known: Iterable[str], seen: Sequence[str]) -> list[str]:
    """Return the cards that have not been seen, in canonical order."""
    return [card for card in known if card not in seen]


def seen_or_unseen(deck: Pile, unseen: Sequence[str]) -> tuple[str, ...]:
    """Return the visible order of a deck, or a deck of unseen cards."""
    return tuple(unseen[: deck.count]) if deck.order is UNSET else deck.order
