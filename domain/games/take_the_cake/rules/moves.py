"""The options of a match and the moves of a seat, as written in JSON."""

from typing import Annotated, Literal, get_args

import msgspec

from domain.games.take_the_cake.rules.parts import MAX_SEATS, Card, Square
from domain.kernel.values import Value

RecipeId = Literal[
    "rec_01", "rec_02", "rec_03", "rec_04", "rec_05", "rec_06", "rec_07", "rec_08", "rec_09", "rec_10", "rec_11",
    "rec_12",
]  # fmt: skip
RECIPE_IDS: tuple[RecipeId, ...] = get_args(RecipeId)


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options (section 11), without `position`, which is a separate document."""

    first_player: Literal["random"] | Annotated[int, msgspec.Meta(ge=0, lt=MAX_SEATS)] = "random"
    recipe: Literal["random"] | RecipeId = "random"
    placement: Literal["dealt", "agreed"] = "dealt"
    jump_touches: bool = True
    nested_repeats: bool = True
    may_decline_if: bool = True
    allow_keep: bool = True
    open_hands: bool = False
    round_limit: Annotated[int, msgspec.Meta(ge=10, le=500)] = 100
    closing: Literal["ranked", "no_winner"] = "ranked"


class Step(Value, frozen=True, forbid_unknown_fields=True):
    """One card of a program. `span` is how many cards a Repeat repeats; `decline` leaves an If unused."""

    card: Card
    span: int | None = None
    decline: bool = False


class RunProgram(Value, frozen=True, tag_field="type", tag="run_program", forbid_unknown_fields=True):
    """Lay one to five cards face up and run them from left to right."""

    steps: tuple[Step, ...]


class SwapCards(Value, frozen=True, tag_field="type", tag="swap_cards", forbid_unknown_fields=True):
    """Discard up to three cards and draw as many. An empty list keeps the hand."""

    cards: tuple[Card, ...]


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Resign from the match."""


class AcceptPlacement(
    msgspec.Struct, frozen=True, tag_field="type", tag="accept_placement", forbid_unknown_fields=True
):
    """Accept the current arrangement of the tokens."""


class ProposePlacement(
    msgspec.Struct, frozen=True, tag_field="type", tag="propose_placement", forbid_unknown_fields=True
):
    """Propose another arrangement of the recipe's tokens on the ingredient tiles."""

    tokens: dict[str, Square]


class RejectPlacement(
    msgspec.Struct, frozen=True, tag_field="type", tag="reject_placement", forbid_unknown_fields=True
):
    """Reject the current arrangement, which places the tokens as dealt."""


Move = RunProgram | SwapCards | AcceptPlacement | ProposePlacement | RejectPlacement | Resign
