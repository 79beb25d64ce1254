"""The move grammar of a view, for games with too many moves to list (rules, 5.1, W1 and section 4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.take_the_cake.rules.board import board_of
from domain.games.take_the_cake.rules.components import RECIPES
from domain.games.take_the_cake.rules.model import SwapRange, View
from domain.games.take_the_cake.rules.moves import Options
from domain.games.take_the_cake.rules.parts import Card
from domain.games.take_the_cake.rules.programs import is_if, is_repeat
from domain.kernel.game import Beyond, MoveGrammar, Seat

Schema = dict[str, Any]

CARD_USED_TWICE = Beyond("card_used_twice", "P1", "Each card can be used only once in a program.")
SPAN_OUT_OF_RANGE = Beyond(
    "span_out_of_range", "P2", "A Repeat's span can't go beyond the last step, so a Repeat can't be the last step."
)
INNER_SPAN_CROSSES = Beyond("spans_cross", "P3", "A Repeat inside the span of another Repeat must also end inside it.")
NESTING_FORBIDDEN = Beyond("nesting_forbidden", "P3", "A Repeat can't be inside the span of another Repeat.")
SPANS_CROSS = Beyond("spans_cross", "P3", "The spans of two Repeats can't overlap.")
TILE_USED_TWICE = Beyond("bad_placement", "S6", "Each token needs its own tile.")


def grammar(view: View, seat: Seat) -> tuple[MoveGrammar, ...]:
    """Return the types of move that this seat can make now, each with its schema and further rules."""
    may, hand = view.legal_moves, view.hands[seat].cards
    found: list[MoveGrammar] = []
    if isinstance(may.swap_cards, SwapRange) and hand:
        found.append(MoveGrammar("swap_cards", "W1", swap_schema(hand, may.swap_cards)))
    if may.run_program is True and hand:
        nesting = (INNER_SPAN_CROSSES,) if view.options.nested_repeats else (SPANS_CROSS, NESTING_FORBIDDEN)
        repeats = (SPAN_OUT_OF_RANGE, *nesting) if any(map(is_repeat, hand)) else ()
        found.append(MoveGrammar("run_program", "P1", program_schema(hand, view.options), (CARD_USED_TWICE, *repeats)))
    if may.accept_placement is True:
        found.append(MoveGrammar("accept_placement", "S6", move_schema("accept_placement", {})))
    if may.reject_placement is True:
        found.append(MoveGrammar("reject_placement", "S6", move_schema("reject_placement", {})))
    if may.propose_placement is True:
        found.append(MoveGrammar("propose_placement", "S6", placement_schema(view), (TILE_USED_TWICE,)))
    return tuple(found)


def move_schema(tag: str, properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of a move of this type with exactly these fields."""
    return object_schema({"type": {"const": tag}, **properties})


def object_schema(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def swap_schema(hand: Sequence[Card], count: SwapRange) -> Schema:
    """Return the schema of a swap: distinct cards of the hand (W1)."""
    cards = {"type": "array", "items": {"enum": list(hand)}, "uniqueItems": True}
    return move_schema("swap_cards", {"cards": {**cards, "minItems": count.min, "maxItems": count.max}})


def program_schema(hand: Sequence[Card], options: Options) -> Schema:
    """Return the schema of a program (P1, P2, P6)."""
    steps = {"type": "array", "minItems": 1, "maxItems": len(hand), "items": {"oneOf": step_schemas(hand, options)}}
    return move_schema("run_program", {"steps": steps})


def step_schemas(hand: Sequence[Card], options: Options) -> list[Schema]:
    """Return a step schema for each kind of card in this hand."""
    repeats, ifs = list(filter(is_repeat, hand)), list(filter(is_if, hand))
    plain = [card for card in hand if card not in repeats and card not in ifs]
    no_span: Schema = {"const": None}
    kept: Schema = {"const": False}
    span: Schema = {"type": "integer", "minimum": 1, "maximum": max(1, len(hand) - 1)}
    decline: Schema = {"type": "boolean"} if options.may_decline_if else kept
    kinds: list[tuple[list[Card], dict[str, Schema], dict[str, Schema]]] = [
        (plain, {}, {"span": no_span, "decline": kept}),
        (repeats, {"span": span}, {"decline": kept}),
        (ifs, {}, {"span": no_span, "decline": decline}),
    ]
    return [object_schema({"card": {"enum": cards}, **marks}, others) for cards, marks, others in kinds if cards]


def placement_schema(view: View) -> Schema:
    """Return the schema of an arrangement: a tile for each ingredient of the recipe (S6)."""
    tiles = {"enum": [list(tile) for tile in board_of(view.layout).all_items]}
    ingredients = RECIPES[view.recipe or ""].ingredients
    return move_schema("propose_placement", {"tokens": object_schema(dict.fromkeys(ingredients, tiles))})
