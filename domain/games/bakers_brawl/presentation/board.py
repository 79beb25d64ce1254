"""Draws the board and its tiles."""

from domain.games.bakers_brawl.presentation.layout import BOARD, BOARD_RIM
from domain.games.bakers_brawl.presentation.pictures import (
    SEAT_COLOURS,
    SEAT_TINTS,
    badge,
    blindfold,
    cube,
    icon,
    label,
    short_name,
)
from domain.games.bakers_brawl.presentation.text import describe_tile, is_blind
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.parts import Tile, cells_of
from domain.kernel.svg import GLOW, PAPER, SOFT_INK, Number, element, group, tooltip


def board(view: View, prefix: str) -> str:
    """Draw the grid with its letters, numbers and cells."""
    size = view.board_size
    side = BOARD // max(size, 1)  # the size is 0 before set-up
    letters = [
        label(BOARD_RIM + (n + 0.5) * side, 24, cells_of(size)[n][0], 22, text_anchor="middle", fill=SOFT_INK)
        for n in range(size)
    ]
    numbers = [
        label(16, BOARD_RIM + (n + 0.5) * side + 8, str(n + 1), 22, text_anchor="middle", fill=SOFT_INK)
        for n in range(size)
    ]
    places = [
        group(BOARD_RIM + n % size * side, BOARD_RIM + n // size * side, board_cell(view, cell, side, prefix))
        for n, cell in enumerate(cells_of(size))
    ]
    frame = element(
        "rect", x=BOARD_RIM - 6, y=BOARD_RIM - 6, width=side * size + 12, height=side * size + 12, rx=16, fill="#c99a63"
    )
    return "".join((frame, *letters, *numbers, *places))


def board_cell(view: View, cell: str, side: int, prefix: str) -> str:
    """Draw a cell and its tile, if any. The cell that waits for a choice glows."""
    tile = view.board.get(cell)
    inner = side - 6
    field: dict[str, Number | str] = {"x": 3, "y": 3, "width": inner, "height": inner, "rx": 10}
    if tile is None:
        empty = element(
            "rect", **field, fill=PAPER, stroke="#dcb987", stroke_width=2, data_cell=cell, class_="cell-hit"
        )
        return element("g", tooltip(f"{cell}, empty"), empty)
    glow = element("rect", **field, fill="none", stroke=GLOW, stroke_width=6) if cell == view.pending_cell else ""
    hit = element("rect", **field, fill="transparent", data_cell=cell, class_="cell-hit")
    return element("g", tooltip(describe_tile(cell, tile)), tile_picture(tile, side, prefix), glow, hit)


def tile_picture(tile: Tile, side: int, prefix: str) -> str:
    """Draw a tile with icon, short name and cubes, and with its owner's colour, pattern and letter."""
    inner, colour = side - 8, SEAT_COLOURS[tile.owner]
    small = side < 110
    band = f"url(#{prefix}-{tile.owner})"
    name = label(
        round(side / 2), round(side - 20), short_name(tile.ingredient), 16 if small else 20, text_anchor="middle"
    )
    cubes = [cube(tile.owner, side - 26 - n * 21, 16, 15) for n in range(tile.labor)]
    return "".join(
        (
            element("rect", x=4, y=4, width=inner, height=inner, rx=10, fill=SEAT_TINTS[tile.owner],
                    stroke=colour, stroke_width=5),
            element("rect", x=7, y=side - 15, width=side - 14, height=8, fill=band),
            icon(tile.ingredient, side / 2, side * (0.5 if small else 0.48), side / (128 if small else 105)),
            name if side > 76 else "",
            badge(tile.owner, 22, 22, 12 if small else 14),
            *cubes,
            blindfold(side / 2 - 2, 20) if is_blind(tile) else "",
        )
    )  # fmt: skip
