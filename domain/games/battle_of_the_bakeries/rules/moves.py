"""The options of a match and the moves, with their JSON form."""

from typing import Annotated, Literal

import msgspec

from domain.games.battle_of_the_bakeries.rules.parts import TURN_LIMITS, SeatNumber
from domain.kernel.values import Value

TurnLimit = Annotated[int, msgspec.Meta(ge=10, le=200)]


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options (section 11). `hire_turn_limit` null means 30 with the memory aid, 60 without."""

    rounds: Annotated[int, msgspec.Meta(ge=1, le=3)] = 3
    memory_aid: Literal["on", "off"] = "on"
    last_chance_sets: Literal["book_list", "any_lesser"] = "book_list"
    round_order: Literal["roll_off", "trailing_chooses"] = "roll_off"
    hire_turn_limit: TurnLimit | None = None
    fresh_first: bool = False

    def resolved(self) -> "Options":
        """Return the options with the turn limit as a number (S2)."""
        return msgspec.structs.replace(self, hire_turn_limit=self.turn_limit)

    @property
    def turn_limit(self) -> int:
        """The number of turns after which phase one closes (T2)."""
        return self.hire_turn_limit or TURN_LIMITS[self.memory_aid]


Position = Annotated[int, msgspec.Meta(ge=0, le=29)]
Slot = Annotated[int, msgspec.Meta(ge=2, le=12)]


class ChooseTurnOrder(
    msgspec.Struct, frozen=True, tag_field="type", tag="choose_turn_order", forbid_unknown_fields=True
):
    """Go first or second in phase one."""

    go: Literal["first", "second"]


class RollDie(Value, frozen=True, tag_field="type", tag="roll_die", forbid_unknown_fields=True):
    """Roll for the number of cards to turn over."""


class TakeBonus(Value, frozen=True, tag_field="type", tag="take_bonus", forbid_unknown_fields=True):
    """Take the money for a 5 instead of turning over two cards."""


class DeclareHire(Value, frozen=True, tag_field="type", tag="declare_hire", forbid_unknown_fields=True):
    """Try to turn over a whole chef set."""


class FlipCard(Value, frozen=True, tag_field="type", tag="flip_card", forbid_unknown_fields=True):
    """Turn over the card at a position of the board."""

    position: Position


class StopFlipping(Value, frozen=True, tag_field="type", tag="stop_flipping", forbid_unknown_fields=True):
    """Stop turning over cards after rolling a 6."""


class DeclineLastChance(
    msgspec.Struct, frozen=True, tag_field="type", tag="decline_last_chance", forbid_unknown_fields=True
):
    """Decline the last chance."""


class PlaceCake(Value, frozen=True, tag_field="type", tag="place_cake", forbid_unknown_fields=True):
    """Put the drawn cake into an empty slot of either case."""

    case: SeatNumber
    slot: Slot


class RollDice(Value, frozen=True, tag_field="type", tag="roll_dice", forbid_unknown_fields=True):
    """Roll two dice to sell a cake."""


class PlaceStale(Value, frozen=True, tag_field="type", tag="place_stale", forbid_unknown_fields=True):
    """Put a stale card on an unsold cake of the opponent."""

    slot: Slot


class TryCatchUp(Value, frozen=True, tag_field="type", tag="try_catch_up", forbid_unknown_fields=True):
    """Draw one of your unsold numbers and try to roll it."""


class StopCatchUp(Value, frozen=True, tag_field="type", tag="stop_catch_up", forbid_unknown_fields=True):
    """Stop after the first hit and keep 60 per cent of the tab."""


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Resign the match."""


Move = (
    ChooseTurnOrder
    | RollDie
    | TakeBonus
    | DeclareHire
    | FlipCard
    | StopFlipping
    | DeclineLastChance
    | PlaceCake
    | RollDice
    | PlaceStale
    | TryCatchUp
    | StopCatchUp
    | Resign
)
