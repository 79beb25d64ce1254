"""Names, numbers and small values used in moves, facts and states."""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Annotated, Literal

from msgspec import Meta

from domain.games.bakers_brawl.rules.components import (
    INGREDIENT_CARDS,
    INGREDIENT_RANK,
    ORDERS,
    SPECIALS,
    Basic,
    Ingredient,
    Special,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value

COLOURS = ("raspberry", "blueberry", "pistachio", "honey")
"""Names of the seats, by seat number (2.1)."""
CUBES_PER_BAKER = 15
HAND_LIMIT = 3
PANTRY_LIMIT = 5
LINE_LIMIT = 5
FIRST_ORDERS = 3  # S7
COLUMN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MIN_BOARD_SIZE, MAX_BOARD_SIZE = 4, 9
# A plain `$` would also match a cell followed by a line feed.
Cell = Annotated[str, Meta(pattern=r"^[A-Z][1-9][0-9]?(?!\n)$")]
OrderId = Annotated[str, Meta(extra_json_schema={"enum": list(ORDERS)})]
AgendaId = str
Phase = Literal["act", "keep", "complete", "over"]
Source = Literal["basic", "hand", "blind"]
Reason = Literal["boss_limit", "orders_exhausted", "last_baker"]


@lru_cache(maxsize=256)
def cell_key(cell: str) -> tuple[int, int]:
    """Return the sort key of a cell: by row, then by column (2.1)."""
    return int(cell[1:]), ord(cell[0])


@cache
def cells_of(size: int) -> tuple[str, ...]:
    """Return the cells of a board of this size, in order."""
    return tuple(f"{column}{row}" for row in range(1, size + 1) for column in COLUMN_LETTERS[:size])


@cache
def neighbours_of(size: int) -> dict[str, tuple[str, ...]]:
    """Return, for each cell of a board of this size, the cells that share an edge with it, in order (C5)."""
    board = set(cells_of(size))
    found = {}
    for cell in cells_of(size):
        row, column = int(cell[1:]), COLUMN_LETTERS.index(cell[0])
        around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        names = (f"{COLUMN_LETTERS[x]}{y}" for y, x in around if 0 <= x < size)
        found[cell] = tuple(name for name in names if name in board)
    return found


def sorted_names(names: Iterable[Special]) -> tuple[Special, ...]:
    """Return the ingredient names in canonical order (2.1)."""
    return tuple(sorted(names, key=INGREDIENT_RANK.__getitem__))


def list_names(kinds: Iterable[Ingredient], empty: str = "none") -> str:
    """Return the names of ingredients as a list for a message."""
    return ", ".join(INGREDIENT_CARDS[kind].name for kind in kinds) or empty


def labor_cost(source: Source) -> int:
    """Return the cost of a card in cubes: two from the hand, one for a Basic or a blind card (M4 to M6)."""
    return 2 if source == "hand" else 1


class Tile(Value, frozen=True):
    """A card on the board, its owner and the cubes on it. A Special with one cube was played blind."""

    ingredient: Ingredient
    owner: Seat
    labor: int

    @property
    def special(self) -> bool:
        """Whether the card is a Special (5.3)."""
        return self.ingredient in SPECIALS


class Baker(Value, frozen=True):
    """A seat: hand, available Basics (both sorted), cubes in the supply, points so far and agenda."""

    hand: tuple[Special, ...]
    basics: tuple[Basic, ...]
    cubes: int
    points: int
    agenda: AgendaId
    active: bool


class ShownBaker(Value, frozen=True):
    """A baker in a fact: hand and agenda are null for other seats."""

    hand: tuple[Special, ...] | None
    basics: tuple[Basic, ...]
    cubes: int
    points: int
    agenda: AgendaId | None
    active: bool


class Completed(Value, frozen=True):
    """An Order that a player completed, and its contributors by seat number."""

    order_id: OrderId
    by: Seat
    contributors: tuple[Seat, ...]


class Tally(Value, frozen=True):
    """A seat's part in a completed Order: cubes, cards, and how many of these are Specials."""

    seat: Seat
    labor: int
    ingredients: int
    specials: int


class Returned(Value, frozen=True):
    """The cubes and Basics that a seat gets back from a completed Order."""

    seat: Seat
    cubes: int
    basics: tuple[Basic, ...]


class Result(Value, frozen=True):
    """Final scores and ranks by seat, and the winners by seat number."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    winners: tuple[Seat, ...]
