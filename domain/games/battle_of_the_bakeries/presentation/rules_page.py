"""Pictures and examples for the rules page. The results of the examples are computed by the rules."""

from typing import Any

import msgspec

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.presentation.narration import describe_sets, dollars
from domain.games.battle_of_the_bakeries.presentation.table.pictures import cake, card, chef_badge, cover
from domain.games.battle_of_the_bakeries.rules.components import (
    CAKE_CARDS,
    CHEF_CARDS,
    COMPONENTS,
    FACTORS,
    SET_COLOURS,
)
from domain.games.battle_of_the_bakeries.rules.moves import Options
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS, MAX_STALE, SETS, SLOTS, Cake, Card
from domain.games.battle_of_the_bakeries.rules.scoring import current_price, sale_amount
from domain.games.battle_of_the_bakeries.rules.sets import LESSER_SETS_OF_BOOK, completed_set, is_hopeless, is_wild

POSITION = {
    "phase": "sale",
    "multipliers": [3, 5],
    "finder": 1,
    "scores": [750, 500],
    "rolls": 9,
    "sold": [[7, 4, 8, 9], [6, 7, 11]],
    "stale": [{"2": 2, "11": 1}, {"2": 1}],
}
"""The example position: a sale with stale cards on both sides."""

HANDS: tuple[tuple[Card, ...], ...] = (
    ("chef_3", "oven_3", "hat_3", "batter_3", "apron_3"),
    ("chef_5", "wild_45_a", "oven_5", "hat_5", "batter_5"),
    ("chef_2", "hat_2", "oven_4"),
    ("chef_4", "wild_45_a", "wild_45_b"),
    ("hat_6",),
)
"""Example attempts, each decided by its last card."""
ATTEMPT_NOTES = (
    "The chef first, then all four components in any order.",
    "A 4x/5x wild replaces the apron.",
    "A blue oven doesn't fit a yellow chef.",
    "A set can have only one wild.",
    "The first card must be a chef.",
)
SALES: tuple[tuple[int, int, Cake, int], ...] = (
    (5, 8, "bundt_cake", 0),
    (2, 2, "lemon_cake", 0),
    (2, 2, "lemon_cake", 4),
    (6, 12, "wedding_cake", 0),
    (1, 7, "lemon_cake", 4),
)
"""Chef, slot, cake, stale cards."""


class AttemptExample(msgspec.Struct, frozen=True):
    """Cards turned over in an attempt, and the result."""

    cards: tuple[Card, ...]
    stamp: str
    gain: bool
    why: str


class SaleExample(msgspec.Struct, frozen=True):
    """An example sale with its calculation."""

    cake: Cake
    name: str
    slot: int
    sum: str
    amount: str


def pictures() -> dict[str, str]:
    """Return the drawings by name."""
    cards = {which: card(which) for which in CARDS}
    cakes = {which: cake(which) for which in CAKES}
    badges = {f"chef {multiplier}": chef_badge(multiplier) for multiplier in SETS}
    return {**cards, **cakes, **badges, "back": card(None), "board": example_board(), "cover": cover()}


def example_board() -> str:
    """Return the picture of the example position as Union sees it."""
    state = GAME.fold(GAME.from_position(2, Options(), POSITION))
    return GAME.svg(GAME.view(state, 0), 0)


def extras() -> dict[str, Any]:
    """Return the other values that the page needs."""
    return {
        "sets": [chef_set(multiplier) for multiplier in sorted(SETS)],
        "attempts": [make_attempt(hand, why) for hand, why in zip(HANDS, ATTEMPT_NOTES, strict=True)],
        "chances": [
            (found, describe_sets(LESSER_SETS_OF_BOOK[found]) if LESSER_SETS_OF_BOOK[found] else "none")
            for found in SETS
        ],
        "cakes": [CAKE_CARDS[which] for which in CAKES],
        "factors": [(slot, FACTORS[slot]) for slot in SLOTS],
        "sales": [make_sale(*sale) for sale in SALES],
        "stale": COMPONENTS.stale,
        "stale_most": MAX_STALE,
        "dollars": dollars,
    }


def chef_set(multiplier: int) -> tuple[int, str, str, list[str]]:
    """Return a set's multiplier, colour, chef's name and wilds."""
    chef = next(known for known in CHEF_CARDS.values() if known.card == f"chef_{multiplier}")
    wilds = [known.name for known in CHEF_CARDS.values() if is_wild(known.card) and multiplier in known.sets]
    return multiplier, SET_COLOURS[multiplier], chef.name, wilds


def make_attempt(cards: tuple[Card, ...], why: str) -> AttemptExample:
    """Return the example with the result of the attempt (H8, H9)."""
    hired = completed_set(cards, SETS)
    failed = not cards[0].startswith("chef") or is_hopeless(cards, SETS)
    assert failed or hired, "the example attempt is still open"
    return AttemptExample(cards, f"hired, {hired}x" if hired else "no set", bool(hired), why)


def make_sale(chef: int, slot: int, which: Cake, stale: int) -> SaleExample:
    """Return the example with the amount of the sale (section 8)."""
    words = f"{chef} x {FACTORS[slot]} x {dollars(current_price(which, stale))}"
    name = CAKE_CARDS[which].name + (f", {stale} stale cards" if stale else "")
    return SaleExample(which, name, slot, words, dollars(sale_amount(chef, slot, which, stale)))
