"""Board geometry: tiles, walls, the Oven and the result of a single motion (rules, sections 2, 3 and 5.1)."""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from domain.games.take_the_cake.rules.components import SECTIONS
from domain.games.take_the_cake.rules.parts import (
    BOARD_SIZE,
    QUADRANTS,
    Facing,
    Laid,
    Motion,
    Obstacle,
    Placed,
    Quadrant,
    Square,
    Turning,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value

CLOCKWISE: tuple[Facing, ...] = ("N", "E", "S", "W")
STEP_AHEAD: dict[Facing, Square] = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
QUARTER_TURNS: dict[Turning, int] = {"left": 3, "right": 1, "around": 2}  # P7
REACH: dict[Motion, int] = {"forward": 1, "backward": -1, "jump": 2}  # P8
ORIGIN: dict[Quadrant, Square] = {"NW": (0, 0), "NE": (0, 5), "SE": (5, 5), "SW": (5, 0)}
OVEN: frozenset[Square] = frozenset({(4, 4), (4, 5), (5, 4), (5, 5)})  # S3
START: dict[Quadrant, tuple[Square, Facing]] = {
    "NW": ((0, 0), "E"),
    "NE": ((0, 9), "S"),
    "SE": ((9, 9), "W"),
    "SW": ((9, 0), "N"),
}  # S3, S4
CORNERS_OF: dict[int, tuple[Quadrant, ...]] = {2: ("NW", "SE"), 3: ("NW", "NE", "SE"), 4: QUADRANTS}  # S4

BOARDS = 512
"""Number of boards kept in the cache, out of 430,080."""


class Board(Value, frozen=True):
    """The walls and ingredient tiles of a board."""

    walls: frozenset[Square]
    items: dict[Quadrant, tuple[Square, ...]]
    """The ingredient tiles of each quadrant in reading order."""

    @property
    def all_items(self) -> tuple[Square, ...]:
        """All ingredient tiles of the board in reading order."""
        return tuple(sorted(tile for tiles in self.items.values() for tile in tiles))


class Entry(NamedTuple):
    """The tile that a motion enters, the tile jumped over, and the obstacle, if any."""

    to: Square
    over: Square | None
    obstacle: Obstacle | None


def rotate_tiles(tiles: tuple[str, ...], rotation: int) -> tuple[str, ...]:
    """Return a section rotated clockwise by this many quarter turns (section 3)."""
    for _ in range(rotation % 4):
        tiles = tuple("".join(row[c] for row in reversed(tiles)) for c in range(len(tiles)))
    return tiles


@lru_cache(BOARDS)
def board_of(layout: tuple[Laid, ...]) -> Board:
    """Return the board made of these sections."""
    walls: set[Square] = set()
    items: dict[Quadrant, tuple[Square, ...]] = {}
    for laid in layout:
        top, left = ORIGIN[laid.quadrant]
        rows = rotate_tiles(SECTIONS[laid.section].tiles, laid.rotation)
        marks = {(top + r, left + c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
        walls |= {tile for tile, mark in marks.items() if mark == "#"}
        items[laid.quadrant] = tuple(sorted(tile for tile, mark in marks.items() if mark == "i"))
    return Board(frozenset(walls), items)


def start_places(seats: int) -> tuple[Placed, ...]:
    """Return the start tiles and facings of the bakers (S4)."""
    return tuple(Placed(seat, *START[corner]) for seat, corner in enumerate(CORNERS_OF[seats]))


def start_corner(seats: int, seat: Seat) -> Square:
    """Return the start corner of a seat."""
    return START[CORNERS_OF[seats][seat]][0]


def is_on_board(tile: Square) -> bool:
    """Return whether the square is on the board."""
    return 0 <= tile[0] < BOARD_SIZE and 0 <= tile[1] < BOARD_SIZE


def facing_after(facing: Facing, command: Turning) -> Facing:
    """Return the facing after a turn (P7)."""
    return CLOCKWISE[(CLOCKWISE.index(facing) + QUARTER_TURNS[command]) % 4]


def find_entry(
    walls: Collection[Square], taken: Collection[Square], at: Square, facing: Facing, command: Motion
) -> Entry:
    """Return the result of a motion. Only the tile to enter can block it (P8 to P10)."""
    dy, dx = STEP_AHEAD[facing]
    reach = REACH[command]
    to = at[0] + reach * dy, at[1] + reach * dx
    over = (at[0] + dy, at[1] + dx) if command == "jump" else None
    return Entry(to, over, find_obstacle(walls, taken, to))


def find_obstacle(walls: Collection[Square], taken: Collection[Square], tile: Square) -> Obstacle | None:
    """Return what blocks a tile, or None (P9)."""
    if not is_on_board(tile):
        return "edge"
    if tile in walls:
        return "wall"
    return "baker" if tile in taken else None
