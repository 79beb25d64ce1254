"""The pictures of the rules of the Battle of the Bakeries. What an example shows is worked out by the rules."""

from typing import Any

import msgspec

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.presentation.narration import describe_sets, dollars
from domain.games.battle_of_the_bakeries.presentation.table.pictures import cake, card, chef_badge
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
"""A sale in full swing, with stale cards on both sides."""

HANDS: tuple[tuple[Card, ...], ...] = (
    ("chef_3", "oven_3", "hat_3", "batter_3", "apron_3"),
    ("chef_5", "wild_45_a", "oven_5", "hat_5", "batter_5"),
    ("chef_2", "hat_2", "oven_4"),
    ("chef_4", "wild_45_a", "wild_45_b"),
    ("hat_6",),
)
"""Attempts: the last card of each decides."""
ATTEMPT_NOTES = (
    "Chef and all four components, in any order after him.",
    "A wild that serves 4x and 5x stands for the apron.",
    "A blue oven does not fit a yellow chef.",
    "One wild at most.",
    "The chef comes first.",
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
    """Cards turned over one after the other, and what comes of them."""

    cards: tuple[Card, ...]
    stamp: str
    gain: bool
    why: str


class SaleExample(msgspec.Struct, frozen=True):
    """What a sale brings."""

    cake: Cake
    name: str
    slot: int
    sum: str
    amount: str


def pictures() -> dict[str, str]:
    """The drawings, by name."""
    cards = {which: card(which) for which in CARDS}
    cakes = {which: cake(which) for which in CAKES}
    badges = {f"chef {multiplier}": chef_badge(multiplier) for multiplier in SETS}
    return {**cards, **cakes, **badges, "back": card(None), "board": example_board()}


def example_board() -> str:
    """The table in the example position, as Union sees it."""
    state = GAME.fold(GAME.from_position(2, Options(), POSITION))
    return GAME.svg(GAME.view(state, 0), 0)


def extras() -> dict[str, Any]:
    """What the page needs beside its pictures."""
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
    """A set: its multiplier, its colour, its chef's name, and its wilds."""
    chef = next(known for known in CHEF_CARDS.values() if known.card == f"chef_{multiplier}")
    wilds = [known.name for known in CHEF_CARDS.values() if is_wild(known.card) and multiplier in known.sets]
    return multiplier, SET_COLOURS[multiplier], chef.name, wilds


def make_attempt(cards: tuple[Card, ...], why: str) -> AttemptExample:
    """What comes of these cards (H8, H9)."""
    hired = completed_set(cards, SETS)
    failed = not cards[0].startswith("chef") or is_hopeless(cards, SETS)
    assert failed or hired, "an example has come to its end"
    return AttemptExample(cards, f"hired, {hired}x" if hired else "no set", bool(hired), why)


def make_sale(chef: int, slot: int, which: Cake, stale: int) -> SaleExample:
    """What this sale brings (section 8)."""
    words = f"{chef} x {FACTORS[slot]} x {dollars(current_price(which, stale))}"
    name = CAKE_CARDS[which].name + (f", {stale} times stale" if stale else "")
    return SaleExample(which, name, slot, words, dollars(sale_amount(chef, slot, which, stale)))
