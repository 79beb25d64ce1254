"""The possible targets of an effect, and the arguments of a step."""

from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import INGREDIENTS, PILE_CARDS, matches_filter
from domain.games.pie_contest.rules.facts import (
    StepFizzled,
)
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.option_keys import Numbers
from domain.games.pie_contest.rules.parts import Step, Why, Zone
from domain.games.pie_contest.rules.reducer import Recorder
from domain.kernel.game import Seat


def has_kitchen_room(state: State, seat: Seat) -> bool:
    """Return whether a Kitchen has room for another Ingredient."""
    return len(state.seats[seat].kitchen) < KITCHEN_SIZE


def own_ingredients(state: State, seat: Seat, filter_name: str) -> list[int]:
    """Return the matching Ingredients in a seat's own Kitchen, including guarded ones (R47)."""
    return [card for card in state.seats[seat].kitchen if matches_filter(card, filter_name)]


def open_ingredients(state: State, seat: Seat, filter_name: str) -> list[int]:
    """Return the matching unguarded Ingredients of all other seats."""
    kitchens = (state.seats[other].kitchen for other in state.other_live_seats(seat))
    return [
        card
        for cards in kitchens
        for card in cards
        if matches_filter(card, filter_name) and not INGREDIENTS[card].guard
    ]


def owner_of(state: State, card: int) -> Seat:
    """Return the seat that has this Ingredient in its Kitchen."""
    return next(seat for seat in state.live if card in state.seats[seat].kitchen)


def matching_trash(state: State, step: Step) -> list[Numbers]:
    """Return the matching cards in the Trash, without the step's own source (R25)."""
    return [(card,) for card in state.trash if matches_filter(card, word_argument(step)) and card != step.src]


def landing_zone(state: State, card: int, seat: Seat) -> Zone:
    """Return where a card that would enter this seat's hand goes (T9)."""
    return "pile" if card in PILE_CARDS and state.turned.get(str(card)) != seat else "hand"


def word_argument(step: Step, place: int = 0) -> str:
    """Return the word at this place in a step's arguments."""
    return str(step.args[place])


def number_argument(step: Step) -> int:
    """Return the number in a step's arguments, which is always the last one."""
    return int(step.args[-1])


def fizzle(recorder: Recorder, step: Step, why: Why) -> None:
    """Record that a step had no effect."""
    recorder.emit(StepFizzled(step.seat, step.op, why))
