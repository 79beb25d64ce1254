"""The drawing of the kitchen: tiles, tokens and bakers."""

from collections.abc import Iterator
from functools import lru_cache

from domain.games.take_the_cake.presentation.layout import CELL, LEFT, TILES, TOP
from domain.games.take_the_cake.presentation.narration import DIRECTIONS, describe_tile
from domain.games.take_the_cake.presentation.pictures import (
    PAPER,
    box,
    corner,
    floor,
    ingredient,
    label,
    oven,
    robot,
    shelf,
    tick,
    wall,
)
from domain.games.take_the_cake.presentation.text import baker_on, board, describe_collected, shown_tokens
from domain.games.take_the_cake.rules.board import OVEN, Board, board_of, start_corner
from domain.games.take_the_cake.rules.components import INGREDIENT_NAMES
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.parts import BOARD_SIZE, COLOURS, Ingredient, Laid, Square
from domain.kernel.game import Seat
from domain.kernel.svg import INK, element, group, tooltip

KITCHEN_CACHE_SIZE = 64
"""Number of board pictures kept in the cache."""
CLICK_AREA_CACHE_SIZE = 2048
"""Number of click areas kept in the cache. Most tiles are blank, so they are reused often."""


def corner_of(square: Square) -> tuple[float, float]:
    """Return the coordinates of a tile's upper left corner."""
    return LEFT + square[1] * CELL, TOP + square[0] * CELL


def middle_of(square: Square) -> tuple[float, float]:
    """Return the coordinates of a tile's centre."""
    x, y = corner_of(square)
    return x + CELL / 2, y + CELL / 2


def kitchen(view: View) -> str:
    """Return the board: numbers, tiles, seams, the Oven, tokens and bakers."""
    tokens = tuple(shown_tokens(view).items())
    return "".join(
        (
            bare_kitchen(view.layout, len(view.bakers)),
            *(token(view, name, at) for name, at in tokens),
            *(baker_picture(view, number) for number in range(len(view.bakers))),
            *(covered_ingredient(name, at) for name, at in tokens if baker_on(view, at) is not None),
            *(click_area(square, describe_tile_content(view, square)) for square in TILES),
        )
    )


@lru_cache(KITCHEN_CACHE_SIZE)
def bare_kitchen(layout: tuple[Laid, ...], seats: int) -> str:
    """Return the board without tokens and bakers, which stays the same for a whole match."""
    size = BOARD_SIZE * CELL
    return "".join(
        (
            box(LEFT - 10, TOP - 6, size + 20, size + 24, "#8d6240", 14),
            box(LEFT - 10, TOP - 10, size + 20, size + 20, "#c99a63", 14),
            box(LEFT - 2, TOP - 2, size + 4, size + 4, "#d9c3a0", 6),
            *numbers(),
            *(tile_picture(board_of(layout), seats, square) for square in TILES),
            seams(),
            group(*corner_of((4, 4)), tooltip("The Oven"), oven(CELL), class_="oven") if layout else "",
        )
    )


def numbers() -> Iterator[str]:
    """Yield the row and column numbers."""
    for n in range(BOARD_SIZE):
        middle = n * CELL + CELL / 2
        yield label(LEFT + middle, TOP - 16, str(n), 20, text_anchor="middle", font_weight=600)
        yield label(LEFT - 20, TOP + middle + 7, str(n), 20, text_anchor="end", font_weight=600)


def seams() -> str:
    """Return the seams between the quadrants."""
    x, y = LEFT + 5 * CELL, TOP + 5 * CELL
    d = f"M{x} {TOP}v{BOARD_SIZE * CELL}M{LEFT} {y}h{BOARD_SIZE * CELL}"
    return element("path", d=d, stroke="#b08a55", stroke_width=2.5, stroke_dasharray="3 7", fill="none")


def tile_picture(printed: Board, seats: int, square: Square) -> str:
    """Return the floor of one tile."""
    if square in printed.walls:
        drawn = wall(CELL)
    elif square in printed.all_items:
        drawn = shelf(CELL)
    elif colour := corner_colour(seats, square):
        drawn = corner(CELL, colour)
    else:
        drawn = floor(CELL, sum(square) % 2 == 1)
    return group(*corner_of(square), drawn)


def corner_colour(seats: int, square: Square) -> str:
    """Return the colour of a start corner, or an empty string for other tiles."""
    return next((COLOURS[seat] for seat in range(seats) if start_corner(seats, seat) == square), "")


def token(view: View, name: Ingredient, at: Square) -> str:
    """Return a token with the ticks of the seats that have it, faint while it is only proposed."""
    x, y = middle_of(at)
    ticks = [
        group(-21 + 14 * n, -21, tick(COLOURS[number]))
        for n, number in enumerate(seat for seat, baker in enumerate(view.bakers) if name in baker.collected)
    ]
    return group(
        x,
        y,
        ingredient(name),
        *ticks,
        class_="token" if view.talks is None else "token proposed",
        data_ingredient=name,
        opacity=1 if view.talks is None else 0.75,
    )


def covered_ingredient(name: Ingredient, at: Square) -> str:
    """Return a small picture of the ingredient under a baker."""
    x, y = middle_of(at)
    small = element("g", ingredient(name), transform="scale(.55)")
    return group(x + 19, y + 19, element("circle", r=12, fill=PAPER, stroke=INK), small, class_="reminder")


def baker_picture(view: View, seat: Seat) -> str:
    """Return a baker on its tile."""
    baker = view.bakers[seat]
    if baker.at is None or baker.facing is None:
        return ""
    x, y = middle_of(baker.at)
    return group(x, y, robot(COLOURS[seat], baker.facing), class_="baker", data_seat=seat)


@lru_cache(CLICK_AREA_CACHE_SIZE)
def click_area(square: Square, words: str) -> str:
    """Return an invisible area over a tile, with a tooltip and for clicks."""
    x, y = corner_of(square)
    return element(
        "rect",
        tooltip(words),
        class_="cell-hit",
        data_cell=f"{square[0]},{square[1]}",
        x=x,
        y=y,
        width=CELL,
        height=CELL,
        fill="#fff",
        fill_opacity=0,
        pointer_events="all",
    )


def describe_tile_content(view: View, square: Square) -> str:
    """Describe what is on a tile."""
    parts = [INGREDIENT_NAMES[name] for name, at in shown_tokens(view).items() if at == square]
    if square in board(view).walls:
        parts.append("a wall")
    if square in OVEN:
        parts.append("the Oven")
    seat = baker_on(view, square)
    if seat is not None:
        baker = view.bakers[seat]
        parts.append(f"{COLOURS[seat]} facing {DIRECTIONS[baker.facing or 'N']}, has {describe_collected(view, baker)}")
    return f"{describe_tile(square)}: {', '.join(parts)}" if parts else describe_tile(square)
