"""Chef sets: what the cards turned over may still become (rules H8), and which sets a last chance allows (L1)."""

from collections.abc import Sequence

from domain.games.battle_of_the_bakeries.rules.components import CHEF_CARDS
from domain.games.battle_of_the_bakeries.rules.moves import Options
from domain.games.battle_of_the_bakeries.rules.parts import SET_SIZE, SETS, Card

LESSER_SETS_OF_BOOK = {6: (5, 4, 3, 2), 5: (3, 2), 4: (3, 2), 3: (2,), 2: ()}  # L1


def is_chef(card: Card) -> bool:
    """Whether the card is one of the five chefs."""
    return CHEF_CARDS[card].effect == "chef"


def is_wild(card: Card) -> bool:
    """Whether the card stands for a component of two sets."""
    return CHEF_CARDS[card].effect == "wild"


def fits_set(card: Card, multiplier: int) -> bool:
    """Whether the card can be part of this set."""
    return multiplier in CHEF_CARDS[card].sets


def can_become_set(cards: Sequence[Card], multiplier: int) -> bool:
    """H8 Whether these cards may still become this set: no strange card, one wild at most, four without the chef."""
    others = sum(not is_chef(card) for card in cards)
    wilds = sum(is_wild(card) for card in cards)
    return others < SET_SIZE and wilds <= 1 and all(fits_set(card, multiplier) for card in cards)


def is_complete_set(cards: Sequence[Card], multiplier: int) -> bool:
    """H8 Whether these cards are the set: five of them, the chef among them."""
    return len(cards) == SET_SIZE and can_become_set(cards, multiplier)


def completed_set(cards: Sequence[Card], allowed: Sequence[int]) -> int | None:
    """The multiplier of the allowed set that these cards are, None if they are none."""
    return next((multiplier for multiplier in allowed if is_complete_set(cards, multiplier)), None)


def is_hopeless(cards: Sequence[Card], allowed: Sequence[int]) -> bool:
    """Whether these cards can become none of the allowed sets (H9, L3)."""
    return not any(can_become_set(cards, multiplier) for multiplier in allowed)


def allowed_sets_after(multiplier: int, options: Options) -> tuple[int, ...]:
    """L1 The sets that the other seat may look for after this claim, best first."""
    if options.last_chance_sets == "any_lesser":
        return tuple(lesser for lesser in SETS if lesser < multiplier)
    return LESSER_SETS_OF_BOOK.get(multiplier, ())
