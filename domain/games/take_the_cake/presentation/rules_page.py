"""Pictures and examples for the rules page. The results of the examples are computed by the rules."""

from collections.abc import Sequence
from typing import Any

import msgspec

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.presentation.drawing import svg_of_board
from domain.games.take_the_cake.presentation.narration import describe_deeds, merge_repeats
from domain.games.take_the_cake.presentation.pictures import ingredient
from domain.games.take_the_cake.presentation.table.path_preview import draw_path
from domain.games.take_the_cake.presentation.table.pictures import card_picture, cover
from domain.games.take_the_cake.rules.components import CARDS, FEATURED, INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.facts import ProgramLaid
from domain.games.take_the_cake.rules.model import State
from domain.games.take_the_cake.rules.moves import Options, RunProgram, Step
from domain.games.take_the_cake.rules.parts import INGREDIENTS
from domain.games.take_the_cake.rules.programs import execute_program
from domain.kernel.chance import Fast
from domain.kernel.svg import decoration, group
from domain.kernel.text import capital, join_and

POSITION: dict[str, Any] = {
    "seats": 2,
    "layout": [["Q1", 0], ["Q2", 0], ["Q7", 0], ["Q3", 0]],
    "recipe": "rec_02",
    "tokens": {"eggs": [1, 2], "sugar": [0, 8], "cream": [7, 7], "berries": [6, 1]},
    "featured": "feat_01",
    "round": 5,
    "turn": 9,
    "bakers": {
        "0": {"at": [2, 0], "facing": "N", "collected": ["berries"], "last": 7},
        "1": {"at": [4, 7], "facing": "W", "collected": ["sugar", "cream"], "last": 6},
    },
}
"""The example position, with walls, tokens, free ingredient tiles, two bakers and ticks."""

PROGRAM = (Step("rep2_1", 2), Step("fwd_1"), Step("right_1"), Step("fwd_2"), Step("jump_1"))
KINDS = ("fwd_1", "back_1", "left_1", "right_1", "around_1", "jump_1", "rep2_1", "rep3_1")
MEANINGS = {
    "fwd_1": "Move one tile forward.",
    "back_1": "Move one tile backward without turning.",
    "left_1": "Make a quarter turn to the left.",
    "right_1": "Make a quarter turn to the right.",
    "around_1": "Make a half turn.",
    "jump_1": "Jump two tiles forward, over anything in between: a wall, a baker, the Oven.",
    "rep2_1": "Run the next cards twice. You choose how many cards.",
    "rep3_1": "Run the next cards three times. You choose how many cards.",
}

EXAMPLES: tuple[tuple[dict[str, Any], tuple[Step, ...]], ...] = (
    (
        {"bakers": {"0": {"at": [0, 0], "facing": "E"}}},
        (Step("rep2_1", 2), Step("fwd_1"), Step("right_1"), Step("fwd_2")),
    ),
    ({"bakers": {"0": {"at": [0, 0], "facing": "E"}}}, (Step("rep2_1", 2), Step("rep3_1", 1), Step("fwd_1"))),
    ({"bakers": {"0": {"at": [0, 2], "facing": "S"}, "1": {"at": [1, 2]}}}, (Step("jump_1"),)),
    ({"bakers": {"0": {"at": [1, 4], "facing": "E"}}}, (Step("jump_1"), Step("left_1"), Step("back_1"))),
    (
        {"bakers": {"0": {"at": [9, 0], "facing": "N"}}},
        (Step("rep2_1", 2), Step("if_05"), Step("if_07"), Step("if_11", None, True)),
    ),
)


class Example(msgspec.Struct, frozen=True):
    """An example program: its cards with captions, the board with its path, and a description of its effects."""

    cards: tuple[tuple[str, str], ...]
    board: str
    words: str


def pictures() -> dict[str, str]:
    """Return the drawings by name."""
    drawn = {card: card_picture(card) for card in CARDS}
    foods = {str(name): decoration(44, 44, group(22, 22, ingredient(name))) for name in INGREDIENTS}
    board = draw_board_with_path(example_state({}, PROGRAM), PROGRAM)
    return {**drawn, **foods, "board": board, "cover": cover()}


def extras() -> dict[str, Any]:
    """Return the other values that the page needs."""
    foods = {one.name: [(name, INGREDIENT_NAMES[name]) for name in one.ingredients] for one in RECIPES.values()}
    return {
        "kinds": [(card, CARDS[card].name, MEANINGS[card]) for card in KINDS],
        "ifs": [(card, face.name) for card, face in CARDS.items() if face.tag],
        "recipes": list(foods.items()),
        "items": [(item.name, item.tags) for item in FEATURED.values()],
        "examples": [make_example(*given) for given in EXAMPLES],
        "round_limit": Options().round_limit,
        "program_words": describe_run(example_state({}, PROGRAM), PROGRAM),
    }


def example_state(change: dict[str, Any], steps: tuple[Step, ...]) -> State:
    """Return the example position with changes, and with this program in hand."""
    hand = [*(step.card for step in steps), *filler_cards(steps)]
    return GAME.fold(GAME.from_position(2, Options(), {**POSITION, **change, "hands": {"0": hand}}))


def make_example(change: dict[str, Any], steps: tuple[Step, ...]) -> Example:
    """Return the example for this program."""
    state = example_state(change, steps)
    GAME.decide(state, 0, RunProgram(steps), Fast(0))  # raises IllegalMove for an illegal example
    return Example(tuple(map(step_caption, steps)), draw_board_with_path(state, steps), describe_run(state, steps))


def filler_cards(steps: Sequence[Step]) -> list[str]:
    """Return other cards to fill the hand."""
    used = {step.card for step in steps}
    return [card for card in CARDS if card not in used][: 5 - len(steps)]


def step_caption(step: Step) -> tuple[str, str]:
    """Return a card and its caption."""
    return step.card, f"next {step.span}" if step.span else "unused" if step.decline else ""


def draw_board_with_path(state: State, steps: tuple[Step, ...]) -> str:
    """Return the board with the path of a program."""
    view = GAME.view(state, 0)
    return svg_of_board(view, 0, draw_path(view, 0, [ProgramLaid(0, steps), *execute_program(state, 0, steps)]))


def describe_run(state: State, steps: tuple[Step, ...]) -> str:
    """Return the effects of a program as a sentence."""
    return capital(join_and(list(merge_repeats(describe_deeds(execute_program(state, 0, steps)))))) + "."
