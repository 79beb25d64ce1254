"""Chef sets: which sets the cards turned over can become (rules H8), and the sets of a last chance (L1)."""

from collections.abc import Sequence

from domain.games.battle_of_the_bakeries.rules.components import CHEF_CARDS
from domain.games.battle_of_the_bakeries.rules.moves import Options
from domain.games.battle_of_the_bakeries.rules.parts import SET_SIZE, SETS, Card

LESSER_SETS_OF_BOOK = {6: (5, 4, 3, 2), 5: (3, 2), 4: (3, 2), 3: (2,), 2: ()}  # L1


def is_chef(card: Card) -> bool:
    """Return whether the card is a chef."""
    return CHEF_CARDS[card].effect == "chef"


def is_wild(card: Card) -> bool:
    """Return whether the card is a wild, which can replace a component of two sets."""
    return CHEF_CARDS[card].effect == "wild"


def fits_set(card: Card, multiplier: int) -> bool:
    """Return whether the card can be part of this set."""
    return multiplier in CHEF_CARDS[card].sets


def can_become_set(cards: Sequence[Card], multiplier: int) -> bool:
    """Return whether these cards can become this set: all fit, at most one wild and four non-chefs (H8)."""
    others = sum(not is_chef(card) for card in cards)
    wilds = sum(is_wild(card) for card in cards)
    return others < SET_SIZE and wilds <= 1 and all(fits_set(card, multiplier) for card in cards)


def is_complete_set(cards: Sequence[Card], multiplier: int) -> bool:
    """Return whether these cards are the complete set: five cards with the chef (H8)."""
    return len(cards) == SET_SIZE and can_become_set(cards, multiplier)


def completed_set(cards: Sequence[Card], allowed: Sequence[int]) -> int | None:
    """Return the multiplier of the allowed set that these cards complete, or None."""
    return next((multiplier for multiplier in allowed if is_complete_set(cards, multiplier)), None)


def is_hopeless(cards: Sequence[Card], allowed: Sequence[int]) -> bool:
    """Return whether these cards can't become any of the allowed sets (H9, L3)."""
    return not any(can_become_set(cards, multiplier) for multiplier in allowed)


def allowed_sets_after(multiplier: int, options: Options) -> tuple[int, ...]:
    """Return the sets that the other seat may try to complete after this claim, best first (L1)."""
    if options.last_chance_sets == "any_lesser":
        return tuple(lesser for lesser in SETS if lesser < multiplier)
    return LESSER_SETS_OF_BOOK.get(multiplier, ())
