"""The picture of the table (rules, section 13).

The viewer's side is at the bottom. Spectators see the table from blue's side.
"""

from collections.abc import Iterator
from zlib import crc32

from domain.games.mice_cake.presentation.board import cell_picture, column_click_area, column_x, row_y
from domain.games.mice_cake.presentation.layout import (
    CAKE,
    CELL,
    FLOOR,
    HEADER,
    LANE,
    LEFT,
    STASH,
    TABLE,
    TOP_BAR,
    WIDTH,
    Orientation,
    orientation_of,
)
from domain.games.mice_cake.presentation.panels import lane, pool, pool_height, seat_panel
from domain.games.mice_cake.presentation.pictures import (
    label,
)
from domain.games.mice_cake.presentation.text import heading, seat_summary, status, warning
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.parts import (
    MICE_PER_SEAT,
    Column,
    opponent_of,
)
from domain.kernel.game import Seat
from domain.kernel.svg import element, planks


def svg(view: View, seat: Seat | None) -> str:
    """Return the table as an SVG picture.

    For the page: `rect.column-hit[data-column]` covers a column from lane to lane, `[data-target]` marks the dominoes
    in the opponent's stash, `[data-piece]` every visible domino.
    """
    side = orientation_of(seat)
    words = summary(view, side)
    name = f"mice-cake-{crc32(words.encode()):08x}"
    height = FLOOR + pool_height(view)
    return element(
        "svg",
        element("title", f"Mice Cake. {heading(view)}. {status(view)}.", id=f"{name}-title"),
        element("desc", words, id=f"{name}-desc"),
        element("rect", width=WIDTH, height=height, rx=22, fill="#efd8b1"),
        planks(WIDTH, range(96, height, 96), "#e2c595", 2),
        top_bar(view),
        seat_panel(view, side, opponent_of(side.own), TOP_BAR, TOP_BAR + HEADER),
        cake_stand(),
        *trays(side),
        *letters(side),
        *(row_number(side, row) for row in side.rows),
        *(cell_picture(view, side, column, row) for column in side.columns for row in side.rows),
        *lane(view, side, opponent_of(side.own), TABLE - 12),
        *lane(view, side, side.own, TABLE + CAKE + LANE - 28),
        seat_panel(view, side, side.own, FLOOR - STASH - HEADER, FLOOR - STASH),
        pool(view),
        *(column_click_area(view, side, column) for column in side.columns),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="board mice-cake",
        font_family="system-ui, 'Segoe UI', Roboto, sans-serif",
    )


def summary(view: View, side: Orientation) -> str:
    """Return the text description of the picture for screen readers."""
    seats = (
        f"{name.capitalize()}: {seat_summary(view, name)}, {view.ready.of(name)} of {MICE_PER_SEAT} mice ready"
        for name in (side.own, opponent_of(side.own))
    )
    return ". ".join((*seats, *(describe_column(view, column) for column in side.columns))) + "."


def describe_column(view: View, column: Column) -> str:
    """Return a column's pieces from yellow's end to blue's."""
    cells = view.cake.of(column)
    if not cells:
        return f"Column {column} is empty"
    return f"Column {column} from row {cells[0].at[1]}: {', '.join(cell.piece or 'face down' for cell in cells)}"


def top_bar(view: View) -> str:
    """Draw round, pieces left and status, and the quiet counter once it is high enough."""
    parts = [
        label(24, 34, heading(view), 24, font_weight=700),
        label(WIDTH - 24, 34, status(view), 22, text_anchor="end", class_="status"),
    ]
    if view.result is None and warning(view):
        parts.append(label(24, 54, warning(view), 18, fill="#7d211b", font_weight=600))
    return "".join(parts)


def cake_stand() -> str:
    """Draw the paper doily under the cake."""
    across, down, bump = 40, 34, 16.4
    x, y = LEFT - 14, TABLE - 12
    edge = (
        f"M{x} {y}"
        + f"a{bump / 2} {bump / 2} 0 0 1 {bump} 0" * across
        + f"a{bump / 2} {bump / 2} 0 0 1 0 {bump}" * down
        + f"a{bump / 2} {bump / 2} 0 0 1 -{bump} 0" * across
        + f"a{bump / 2} {bump / 2} 0 0 1 0 -{bump}" * down
        + "z"
    )
    return element("path", d=edge, fill="#fffaf0", stroke="#dcbf8e", stroke_width=1.5)


def trays(side: Orientation) -> Iterator[str]:
    """Draw the places for mice at both ends of each column."""
    for column in side.columns:
        for y in (TABLE - LANE + 30, TABLE + CAKE + 16):
            yield element(
                "rect", x=column_x(side, column) + 7, y=y, width=144, height=56, rx=14, fill="#fff", fill_opacity=0.35
            )


def letters(side: Orientation) -> Iterator[str]:
    """Draw the column letters above and below the cake."""
    for column in side.columns:
        middle = column_x(side, column) + CELL[0] / 2
        for y in (TABLE - LANE + 22, TABLE + CAKE + LANE + 2):
            yield label(middle, y, column, 22, text_anchor="middle", font_weight=700, class_="letter")


def row_number(side: Orientation, row: int) -> str:
    """Draw a row number at the left edge."""
    return label(20, row_y(side, row) + 42, str(row), 20, text_anchor="middle", font_weight=700)
