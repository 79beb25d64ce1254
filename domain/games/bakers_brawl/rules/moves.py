"""The options of a match and the moves of a seat, in their JSON form."""

from typing import Annotated, Literal

from msgspec import Meta

from domain.games.bakers_brawl.rules.components import ORDERS, Basic, Special
from domain.games.bakers_brawl.rules.parts import MAX_BOARD_SIZE, MIN_BOARD_SIZE, Cell, OrderId
from domain.kernel.values import Value


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options (section 11). All combinations are allowed. A start seat must exist in the match."""

    start_seat: Literal["random"] | Annotated[int, Meta(ge=0, le=3)] = "random"
    board_size: Annotated[int, Meta(ge=MIN_BOARD_SIZE, le=MAX_BOARD_SIZE)] | None = None
    boss_limit: Annotated[int, Meta(ge=1, le=10)] = 5
    strict_clusters: bool = False
    may_decline: bool = False
    voluntary_pass: bool = False
    final_tie: Literal["shared", "ladder"] = "shared"


class DrawSpecial(Value, frozen=True, tag_field="type", tag="draw_special", forbid_unknown_fields=True):
    """Draw two Specials from the deck and keep one of them (M1)."""


class KeepSpecial(Value, frozen=True, tag_field="type", tag="keep_special", forbid_unknown_fields=True):
    """Keep one of the two drawn Specials. If the Pantry is full, `pantry_discard` can make room for the other (M2)."""

    keep: Special
    pantry_discard: Special | None = None


class TakeFromPantry(Value, frozen=True, tag_field="type", tag="take_from_pantry", forbid_unknown_fields=True):
    """Take a Special from the Pantry (M3)."""

    card: Special


class PlayBasic(Value, frozen=True, tag_field="type", tag="play_basic", forbid_unknown_fields=True):
    """Place one of your Basics for 1 cube (M4)."""

    ingredient: Basic
    cell: Cell


class PlaySpecial(Value, frozen=True, tag_field="type", tag="play_special", forbid_unknown_fields=True):
    """Place a Special from your hand for 2 cubes (M5)."""

    ingredient: Special
    cell: Cell


class PlayBlind(Value, frozen=True, tag_field="type", tag="play_blind", forbid_unknown_fields=True):
    """Place the top card of the Special deck, unseen, for 1 cube (M6)."""

    cell: Cell


class CompleteOrder(Value, frozen=True, tag_field="type", tag="complete_order", forbid_unknown_fields=True):
    """Complete this Order with the cards on these cells (M7)."""

    order_id: OrderId
    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        if self.order_id not in ORDERS:
            raise ValueError(f"unknown Order {self.order_id}; Orders go from {next(iter(ORDERS))} to {[*ORDERS][-1]}")
        if len(set(self.cells)) != len(self.cells):
            raise ValueError("`cells` contains the same cell twice")


class DeclineOrder(Value, frozen=True, tag_field="type", tag="decline_order", forbid_unknown_fields=True):
    """Decline to complete an Order (option `may_decline`)."""


class Pass(Value, frozen=True, tag_field="type", tag="pass", forbid_unknown_fields=True):
    """Do nothing. Legal only without another legal action, or with the option `voluntary_pass`."""


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Leave the game (M8)."""


Move = (
    DrawSpecial
    | KeepSpecial
    | TakeFromPantry
    | PlayBasic
    | PlaySpecial
    | PlayBlind
    | CompleteOrder
    | DeclineOrder
    | Pass
    | Resign
)
