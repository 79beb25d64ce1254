"""Names, numbers and small values shared by moves, facts and states."""

from collections.abc import Iterator, Sequence
from typing import Generic, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, UnsetType

from domain.kernel.game import Seat
from domain.kernel.values import Value

T = TypeVar("T")
Square = tuple[int, int]
"""A tile as (row, column), with (0, 0) in the north-west."""
Card = str
"""The id of a player card, such as `fwd_1` or `if_05`. The components list them all."""
Facing = Literal["N", "E", "S", "W"]
Quadrant = Literal["NW", "NE", "SE", "SW"]
Motion = Literal["forward", "backward", "jump"]
Turning = Literal["left", "right", "around"]
Command = Literal["forward", "backward", "left", "right", "around", "jump"]
Obstacle = Literal["edge", "wall", "baker"]
IfResult = Literal["met", "unmet", "declined"]
Touch = Literal["entered", "jumped"]
Arrangement = Literal["dealt", "agreed", "fallback"]
Reason = Literal["baked", "closed", "last_baker"]
Phase = Literal["placement", "turn", "finished"]
Ingredient = Literal[
    "flour", "sugar", "eggs", "butter", "milk", "cream", "chocolate", "berries", "nuts", "spice"
]  # fmt: skip
QUADRANTS: tuple[Quadrant, ...] = get_args(Quadrant)
"""The quadrants in clockwise order, which is used everywhere."""
INGREDIENTS: tuple[Ingredient, ...] = get_args(Ingredient)
COLOURS = ("red", "blue", "green", "yellow")
BOARD_SIZE = 10  # rows and columns of the board
HAND_SIZE = 5  # W4
MAX_SWAPPED = 3  # W1
MAX_SEATS = 4  # R1


class Tokens(Value, frozen=True, forbid_unknown_fields=True):
    """The tile of each ingredient's token. Ingredients that the recipe doesn't need are left out."""

    flour: Square | UnsetType = UNSET
    sugar: Square | UnsetType = UNSET
    eggs: Square | UnsetType = UNSET
    butter: Square | UnsetType = UNSET
    milk: Square | UnsetType = UNSET
    cream: Square | UnsetType = UNSET
    chocolate: Square | UnsetType = UNSET
    berries: Square | UnsetType = UNSET
    nuts: Square | UnsetType = UNSET
    spice: Square | UnsetType = UNSET

    def items(self) -> Iterator[tuple[Ingredient, Square]]:
        """Yield ingredient and tile of every token, in the order of `INGREDIENTS`."""
        for ingredient in INGREDIENTS:
            at: Square | UnsetType = getattr(self, ingredient)
            if at is not UNSET:
                yield ingredient, at


class BySeat(Value, Generic[T], frozen=True, forbid_unknown_fields=True):
    """Values for some of the seats; in JSON a map with keys "0" to "3"."""

    red: T | UnsetType = msgspec.field(default=UNSET, name="0")
    blue: T | UnsetType = msgspec.field(default=UNSET, name="1")
    green: T | UnsetType = msgspec.field(default=UNSET, name="2")
    yellow: T | UnsetType = msgspec.field(default=UNSET, name="3")

    @classmethod
    def from_list(cls, things: Sequence[T | UnsetType]) -> "BySeat[T]":
        """Return a map with the value at index n for seat n."""
        return cls(*things)

    def of(self, seat: Seat) -> T | UnsetType:
        """Return the value of that seat, or UNSET."""
        thing: T | UnsetType = getattr(self, COLOURS[seat])
        return thing

    def values(self) -> tuple[T | UnsetType, ...]:
        """Return the values of all four seats, with UNSET for missing ones."""
        return self.red, self.blue, self.green, self.yellow


class Laid(Value, frozen=True, forbid_unknown_fields=True):
    """A board section in a quadrant; `rotation` is in quarter turns clockwise."""

    quadrant: Quadrant
    section: str
    rotation: int


class Placed(Value, frozen=True):
    """A baker's start tile and facing."""

    seat: Seat
    at: Square
    facing: Facing


class BakerSet(Value, frozen=True):
    """A baker in a position document. `at` and `facing` are null for a resigned seat."""

    at: Square | None
    facing: Facing | None
    collected: tuple[Ingredient, ...]
    last: int
