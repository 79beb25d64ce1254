"""The drawing of the cake."""

from domain.games.mice_cake.presentation.layout import CAKE, CELL, LANE, LEFT, TABLE, Orientation
from domain.games.mice_cake.presentation.narration import describe_pattern
from domain.games.mice_cake.presentation.pictures import (
    FUR,
    SLICE,
    iced_slice,
    label,
    plate,
    slice_of_cake,
)
from domain.games.mice_cake.presentation.text import cell_at, is_front
from domain.games.mice_cake.rules.attempts import is_face_up_blank, nearest_cell
from domain.games.mice_cake.rules.components import DOMINOES
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.odds import OUTCOMES, Odds, odds
from domain.games.mice_cake.rules.parts import (
    BLANK,
    MICE_PER_SEAT,
    Cell,
    Column,
    Piece,
    SeatName,
    opponent_of,
)
from domain.kernel.svg import CREAM, element, group, tooltip


def column_x(side: Orientation, column: Column) -> int:
    """Return the left edge of a column."""
    return LEFT + side.columns.index(column) * CELL[0]


def row_y(side: Orientation, row: int) -> int:
    """Return the upper edge of a row."""
    return TABLE + side.rows.index(row) * CELL[1]


def cell_picture(view: View, side: Orientation, column: Column, row: int) -> str:
    """Draw one place on the cake: a slice, icing or an empty plate."""
    x, y = column_x(side, column) + (CELL[0] - SLICE[0]) / 2, row_y(side, row) + 2
    cell = cell_at(view, column, row)
    if cell is None:
        return group(x, y, plate(), class_="plate", data_at=f"{column}{row}")
    front = is_front(view, side.viewer, column, cell)
    ring = front_ring(side.own) if front else ""
    if cell.piece is None:
        return group(x, y, iced_slice(), ring, class_="slice iced", data_at=cell.at)
    seen = "" if cell.up else element("rect", width=SLICE[0], height=SLICE[1], rx=11, fill="#fbe4e2", opacity=0.55)
    return group(
        x,
        y,
        tooltip(f"{cell.at}: {describe_domino(cell.piece)}"),
        slice_of_cake(cell.piece),
        seen,
        ring,
        badge(view, side, column, cell),
        class_="slice front" if front else "slice",
        data_at=cell.at,
        data_piece=cell.piece,
    )


def describe_domino(piece: Piece) -> str:
    """Return a domino's name, flavour and pips."""
    return f"{piece}, {DOMINOES[piece].words} ({DOMINOES[piece].pips})"


def front_ring(name: SeatName) -> str:
    """Draw the outline of one of the viewer's fronts."""
    width, height = SLICE
    return element(
        "rect",
        x=-4,
        y=-4,
        width=width + 8,
        height=height + 8,
        rx=15,
        fill="none",
        stroke=FUR[name][2],
        stroke_width=4,
        class_="ring",
    )


def badge(view: View, side: Orientation, column: Column, cell: Cell) -> str:
    """Draw the badge of a slice (contest, race, steal or closed), or nothing after the end."""
    if view.result is not None or not cell.up:
        return ""
    cells = view.cake.of(column)
    if cell.piece == BLANK:
        return steal_badge(view, side, column, cell)
    if len(cells) == 1:
        return pill("contest", "#8c2f39")
    if len(cells) == 2 and is_front(view, side.own, column, cell):
        return pill("race", "#6b4500")
    return ""


def steal_badge(view: View, side: Orientation, column: Column, cell: Cell) -> str:
    """Draw the badge of the 0-0 if it is a front, with a padlock while it is closed to that seat (P3)."""
    for name in (side.own, opponent_of(side.own)):
        if is_front(view, name, column, cell):
            return pill("steal", "#38562b") if column in view.open.of(name) else pill("closed", "#574b43", padlock())
    return ""


def pill(words: str, colour: str, sign: str = "") -> str:
    """Draw a small sign at the lower edge of a slice."""
    width = 11 * len(words) + (44 if sign else 24)
    x = (SLICE[0] - width) / 2
    return group(
        x,
        47,
        element("rect", width=width, height=25, rx=12.5, fill=colour, stroke=CREAM, stroke_width=2),
        sign,
        label(width - 12, 18.5, words, 18, text_anchor="end", fill="#ffffff", font_weight=600),
        class_="badge",
    )


def padlock() -> str:
    """Draw a closed padlock."""
    return element("rect", x=13, y=11, width=13, height=9, rx=2, fill="#ffffff") + element(
        "path", d="M15.5 11v-3a4 4 0 0 1 8 0v3", fill="none", stroke="#ffffff", stroke_width=2.2
    )


def column_click_area(view: View, side: Orientation, column: Column) -> str:
    """Draw an invisible click area over a column and its lanes; its tooltip gives the chances at the viewer's front."""
    cell = nearest_cell(view.cake.of(column), side.own)
    hint = tooltip(describe_odds(view, side, column, cell)) if cell and side.viewer and view.result is None else ""
    return element(
        "rect",
        hint,
        class_="column-hit",
        data_column=column,
        x=column_x(side, column),
        y=TABLE - LANE,
        width=CELL[0],
        height=CAKE + 2 * LANE,
        fill="#fff",
        fill_opacity=0,
    )


def describe_odds(view: View, side: Orientation, column: Column, cell: Cell) -> str:
    """Return the tooltip for the viewer's front in a column: the piece and the chances of 1 to 4 mice."""
    if is_face_up_blank(cell):
        robbed = opponent_of(side.own)
        if column not in view.open.of(side.own):
            return f"Column {column}: the crumb. It is closed to you while {robbed} has nothing to steal."
        return f"Column {column}: the crumb. Mice sent here try to steal a piece from {robbed}."
    if not cell.up:
        return f"Column {column}: face down. It is turned up when mice go for it."
    piece = cell.visible_piece
    chances = (odds(piece, mice, view.options.matches) for mice in range(1, MICE_PER_SEAT + 1))
    rows = (chance_in_words(mice, chance) for mice, chance in enumerate(chances, 1))
    effect = "Exhausting" if view.options.matches == "exhaust" else "Boosting"
    return f"Column {column}: {describe_domino(piece)}. {effect} roll: {describe_pattern(piece)}. {'; '.join(rows)}."


def chance_in_words(mice: int, chance: Odds) -> str:
    """Return the chances of this many mice."""
    tired = f", {percent(chance.tire)} to be exhausted" if chance.tire else ""
    return f"{mice} {'mouse' if mice == 1 else 'mice'}: {percent(chance.take)} to take it{tired}"


def percent(outcomes: int) -> str:
    """Return outcomes out of 1296 as a percentage."""
    return f"{round(100 * outcomes / OUTCOMES)}%"
