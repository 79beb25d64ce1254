"""Board geometry (rules, sections 3 and 12.1): case A20, and connectivity of every board."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

import pytest

from domain.games.take_the_cake.rules.board import (
    CORNERS_OF,
    OVEN,
    START,
    STEP_AHEAD,
    Board,
    board_of,
    find_entry,
    rotate_tiles,
)
from domain.games.take_the_cake.rules.components import SECTIONS
from domain.games.take_the_cake.rules.parts import BOARD_SIZE, QUADRANTS, Laid, Square
from domain.kernel.chance import Fast

ROTATIONS = range(4)
TILES: list[Square] = list(product(range(BOARD_SIZE), range(BOARD_SIZE)))


@pytest.mark.parametrize(
    ("rotation", "rows"),
    [
        (0, "..#.. / .i#.. / ....i / .#i#. / ....."),
        (1, "..... / .#.i. / .i.## / .#... / ..i.."),
        (2, "..... / .#i#. / i.... / ..#i. / ..#.."),
        (3, "..i.. / ...#. / ##.i. / .i.#. / ....."),
        (4, "..#.. / .i#.. / ....i / .#i#. / ....."),
    ],
)
def test_A20_sections_rotate_clockwise(rotation: int, rows: str) -> None:
    assert rotate_tiles(SECTIONS["Q3"].tiles, rotation) == tuple(rows.split(" / "))


def test_12_1_number_of_walls_and_ingredient_tiles() -> None:
    assert [sum(row.count("#") for row in section.tiles) for section in SECTIONS.values()] == [4, 4, 4, 5, 5, 5, 6, 6]
    assert all(sum(row.count("i") for row in section.tiles) == 3 for section in SECTIONS.values())


def test_S2_quadrants_are_laid_clockwise() -> None:
    """Uses the board of P0, as printed in section 15."""
    printed = [
        "........i.",
        ".#i#..##..",
        "i......i..",
        ".#.#...##.",
        "...i..i...",
        "..#...i...",
        ".i#...###.",
        "....i..i..",
        ".#i#..###.",
        "........i.",
    ]
    board = board_of(lay([("Q1", 0), ("Q2", 0), ("Q7", 0), ("Q3", 0)]))
    assert board.walls == {(r, c) for r, c in TILES if printed[r][c] == "#"}
    assert board.all_items == tuple((r, c) for r, c in TILES if printed[r][c] == "i")


def test_S4_the_first_tile_ahead_is_always_open() -> None:
    """The edge is on the baker's left, and the tile ahead is open on every board (R4)."""
    for at, facing in START.values():
        (dy, dx) = STEP_AHEAD[facing]
        left = (at[0] - dx, at[1] + dy)
        assert not (0 <= left[0] < BOARD_SIZE and 0 <= left[1] < BOARD_SIZE), "the tile on the left is off the board"
        for section, rotation in product(SECTIONS, ROTATIONS):
            rows = rotate_tiles(SECTIONS[section].tiles, rotation)
            assert rows[(at[0] + dy) % 5][(at[1] + dx) % 5] != "#"
    assert {seats: len(corners) for seats, corners in CORNERS_OF.items()} == {2: 2, 3: 3, 4: 4}


# -- every board is connected -------------------------------------------------------------------------------------


def lay(layout: list[tuple[str, int]]) -> tuple[Laid, ...]:
    return tuple(Laid(quadrant, *laid) for quadrant, laid in zip(QUADRANTS, layout, strict=True))


def open_rows(section: str, rotation: int) -> list[list[bool]]:
    return [[mark != "#" for mark in row] for row in rotate_tiles(SECTIONS[section].tiles, rotation)]


def pieces(tiles: set[Square]) -> int:
    """Return the number of connected parts."""
    left, count = set(tiles), 0
    while left:
        count += 1
        edge = [left.pop()]
        while edge:
            r, c = edge.pop()
            for near in ((r - 1, c), (r, c + 1), (r + 1, c), (r, c - 1)):
                if near in left:
                    left.remove(near)
                    edge.append(near)
    return count


def test_every_section_stays_connected_without_any_one_tile() -> None:
    for section in SECTIONS.values():
        tiles = {(r, c) for r, row in enumerate(section.tiles) for c, mark in enumerate(row) if mark != "#"}
        assert pieces(tiles) == 1
        assert all(pieces(tiles - {gone}) == 1 for gone in tiles), section.id


def test_any_two_adjacent_sections_are_linked_at_both_ends_of_the_seam() -> None:
    """Together with the previous test, this proves that all boards are connected and have no cut tile (12.1).

    Two connected sections with two separate links stay connected if any one tile is removed, and each of the four
    sections is next to two others.
    """
    for (one, a), (other, b) in product(product(SECTIONS, ROTATIONS), repeat=2):
        if one == other:
            continue
        west, east = open_rows(one, a), open_rows(other, b)
        assert [r for r in (0, 4) if west[r][4] and east[r][0]] == [0, 4], "side by side"
        assert [c for c in (0, 4) if west[4][c] and east[0][c]] == [0, 4], "one above the other"


def every_board() -> Iterator[int]:
    """Yield the open tiles of each of the 430,080 boards as bits, with tile (0, 0) lowest."""
    for sections in permutations(SECTIONS, 4):
        for rotations in product(ROTATIONS, repeat=4):
            yield sum(bits_of(n, s, r) for n, (s, r) in enumerate(zip(sections, rotations, strict=True)))


@cache
def bits_of(quadrant: int, section: str, rotation: int) -> int:
    top, left = ((0, 0), (0, 5), (5, 5), (5, 0))[quadrant]
    rows = open_rows(section, rotation)
    return sum(1 << ((top + r) * BOARD_SIZE + left + c) for r in range(5) for c in range(5) if rows[r][c])


EAST_EDGE = sum(1 << (r * BOARD_SIZE + BOARD_SIZE - 1) for r in range(BOARD_SIZE))
WEST_EDGE = sum(1 << (r * BOARD_SIZE) for r in range(BOARD_SIZE))


def flooded(tiles: int) -> int:
    """Return the tiles that can be reached from the corner."""
    wet, before = 1, 0
    while wet != before:
        before = wet
        wet |= (wet << BOARD_SIZE) | (wet >> BOARD_SIZE) | ((wet & ~EAST_EDGE) << 1) | ((wet & ~WEST_EDGE) >> 1)
        wet &= tiles
    return wet


@pytest.mark.slow
def test_all_boards_are_connected() -> None:
    boards = 0
    for tiles in every_board():
        assert flooded(tiles) == tiles
        boards += 1
    assert boards == 8 * 7 * 6 * 5 * 4**4 == 430_080


def test_random_boards_have_no_cut_tile() -> None:
    """Also checks that the eight entrances to the Oven are open."""
    chance = Fast("boards")
    for _ in range(12):
        board = drawn_board(chance)
        tiles = set(TILES) - board.walls
        assert pieces(tiles) == 1
        assert all(pieces(tiles - {gone}) == 1 for gone in tiles)
        near = {(r + dy, c + dx) for r, c in OVEN for dy, dx in STEP_AHEAD.values()}
        assert len(near - OVEN) == 8
        assert near <= tiles


def drawn_board(chance: Fast) -> Board:
    sections = chance.shuffle(SECTIONS)[:4]
    return board_of(lay([(section, chance.below(4)) for section in sections]))


def test_12_1_every_ingredient_tile_can_be_jumped() -> None:
    """So a baker parked on a token can't keep it from the others (R55)."""
    chance = Fast("jumps")
    for _ in range(12):
        board = drawn_board(chance)
        for r, c in board.all_items:
            ways = [((r, c - 1), "E"), ((r, c + 1), "W"), ((r - 1, c), "S"), ((r + 1, c), "N")]
            assert any(
                at in TILES
                and at not in board.walls
                and find_entry(board.walls, {(r, c)}, at, facing, "jump").obstacle is None  # type: ignore[arg-type]
                for at, facing in ways
            )


def test_P9_obstacles() -> None:
    walls, taken = {(0, 1)}, {(1, 0), (0, 1)}
    assert find_entry(walls, taken, (0, 0), "N", "forward").obstacle == "edge"
    assert find_entry(walls, taken, (0, 0), "E", "forward").obstacle == "wall"
    assert find_entry(walls, taken, (0, 0), "S", "forward").obstacle == "baker"
    assert find_entry(walls, taken, (0, 0), "N", "backward") == ((1, 0), None, "baker")
    assert find_entry(walls, taken, (0, 0), "E", "jump") == ((0, 2), (0, 1), None), (
        "P10: the tile jumped over may be anything"
    )
    assert find_entry(walls, taken, (8, 0), "S", "jump").obstacle == "edge", "P10: no one-space move instead"
