"""Pictures and data for the rules page of Pie Contest. All examples are computed by the rules."""

from collections.abc import Iterator
from typing import Any

import msgspec

from domain.games.pie_contest import GAME
from domain.games.pie_contest.presentation.card_text import condition_text, face_text, flavour_text, reward_text
from domain.games.pie_contest.presentation.narration import format_number
from domain.games.pie_contest.presentation.pictures import hand_card
from domain.games.pie_contest.presentation.table.pictures import HEIGHT, WIDTH, cover, picture
from domain.games.pie_contest.rules.components import (
    ACHIEVEMENTS,
    ACTIONS,
    COMPONENTS,
    INGREDIENTS,
    NAMES,
    PANTRY_CARDS,
)
from domain.games.pie_contest.rules.facts import PieBaked
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.moves import Options
from domain.games.pie_contest.rules.pie_values import ingredient_worths, kitchen_worth, pie_value
from domain.kernel.chance import Scripted
from domain.kernel.svg import decoration

POSITION: dict[str, Any] = {
    "seats": 3,
    "active": 0,
    "turn": 14,
    "hands": {"0": [41, 129, 144], "1": [2, 3, 24, 172], "2": [25, 26, 154, 160, 60]},
    "kitchens": {"0": [1, 53, 57, 123], "1": [14, 86, 71], "2": [104, 106]},
    "pies": {"1": [11, 7], "2": [-1]},
    "trash": [63, 130, 10],
    "row": [186, 206, 201],
}
"""An example position with Pies, a Kitchen that can be Baked and cards of all kinds."""
LEMON, BAKE = 41, 129
SHOWN_CARDS = {"ingredient": 30, "salt": 14, "action": 144}


class CardEntry(msgspec.Struct, frozen=True):
    """A card in the list of all cards."""

    name: str
    copies: int
    text: str
    card: int
    kind: str = ""
    worth: str = ""


class IngredientWorth(msgspec.Struct, frozen=True):
    """An Ingredient of the example with its printed, shown and baked worth."""

    name: str
    printed: str
    shown: str
    baked: str


def pictures() -> dict[str, str]:
    """Return the drawings by name."""
    drawn = {name: decoration(WIDTH, HEIGHT, hand_card(card, WIDTH, HEIGHT)) for name, card in SHOWN_CARDS.items()}
    drawn |= {str(line.card): picture(line.card) for lines in all_cards().values() for line in lines if line.card}
    return {**drawn, "cover": cover(), "board": GAME.svg(GAME.view(example_position(), 0), 0)}


def example_position() -> State:
    """Return the state of the example position."""
    return GAME.fold(GAME.from_position(3, Options(), POSITION))


def extras() -> dict[str, Any]:
    """Return the template variables of the page, other than the pictures."""
    return {
        "example_log": tell_example(),
        "example": list(example_worths()),
        "example_shown": format_number(kitchen_worth(example_kitchen())),
        "example_baked": format_number(pie_value(example_kitchen())),
        "cards": all_cards(),
        "achievements": achievements(),
        "counts": COMPONENTS.counts,
        "salts": sum(INGREDIENTS[card].flavour == "salt" for card in PANTRY_CARDS if card in INGREDIENTS),
        "flavours": COMPONENTS.flavours,
    }


def example_kitchen() -> tuple[int, ...]:
    """Return Ana's Kitchen in the example, with the Lemon in it."""
    return (*POSITION["kitchens"]["0"], LEMON)


def example_worths() -> Iterator[IngredientWorth]:
    """Yield the Ingredients of the example Pie."""
    cards = example_kitchen()
    found = zip(cards, ingredient_worths(cards, baked=False), ingredient_worths(cards, baked=True), strict=True)
    for card, shown, baked_worth in found:
        yield IngredientWorth(
            NAMES[card], format_number(INGREDIENTS[card].worth), format_number(shown), format_number(baked_worth)
        )


def tell_example() -> list[str]:
    """Return the log lines for Ana's Bake in her next turn, after she has played the Lemon."""
    state = example_position()
    for document in ({"type": "play_card", "card": LEMON}, {"type": "pass"}, {"type": "pass"}):
        seat = next(iter(GAME.to_move(state)))
        state = GAME.fold(GAME.decide(state, seat, GAME.read_move(document), Scripted([])), state)
    facts = GAME.decide(state, 0, GAME.read_move({"type": "play_card", "card": BAKE}), Scripted([]))
    baked = next(n for n, fact in enumerate(facts) if isinstance(fact, PieBaked))
    return GAME.tell(facts[baked : baked + 2])


def all_cards() -> dict[str, list[CardEntry]]:
    """Return every Ingredient and Action once, with its number of copies."""
    found: dict[str, list[CardEntry]] = {"Ingredients": [], "Actions": []}
    seen: set[str] = set()
    for card in PANTRY_CARDS:
        if NAMES[card] in seen:
            continue
        seen.add(NAMES[card])
        copies = sum(NAMES[other] == NAMES[card] for other in PANTRY_CARDS)
        if card in ACTIONS:
            found["Actions"].append(CardEntry(NAMES[card], copies, face_text(card), card))
            continue
        face = INGREDIENTS[card]
        line = CardEntry(NAMES[card], copies, face_text(card), card, flavour_text(face), format_number(face.worth))
        found["Ingredients"].append(line)
    return found


def achievements() -> list[tuple[str, str, str]]:
    """Return name, condition and reward of every Achievement."""
    return [(NAMES[card], condition_text(card), reward_text(card)) for card in ACHIEVEMENTS]
