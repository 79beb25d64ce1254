"""A view as text and as SVG (rules, section 13). The viewer's own side is at the bottom; spectators sit with blue."""

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from domain.games.mice_cake.presentation.narration import QUIET_WARNING_FROM, describe_pattern
from domain.games.mice_cake.presentation.pictures import (
    FUR,
    RING,
    SLICE,
    biscuit,
    iced_slice,
    label,
    mouse,
    plate,
    sleeping_mouse,
    slice_of_cake,
)
from domain.games.mice_cake.rules.attempts import is_face_up_blank, nearest_cell
from domain.games.mice_cake.rules.components import DOMINOES, TABLE_ORDER
from domain.games.mice_cake.rules.model import (
    BLANK,
    COLUMNS,
    DOUBLE_SIX,
    MICE_PER_SEAT,
    QUIET_ROUND_LIMIT,
    ROWS,
    SEATS,
    Cell,
    Column,
    Piece,
    SeatName,
    View,
    opponent_of,
)
from domain.games.mice_cake.rules.odds import OUTCOMES, Odds, odds
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, element, group, planks, tooltip
from domain.kernel.text import pluralize
from domain.kernel.values import Value


class Orientation(Value, frozen=True):
    """From where the table is seen: who sits at the bottom, and what lies where from left to right, top to bottom."""

    own: SeatName
    columns: tuple[Column, ...]
    rows: tuple[int, ...]
    viewer: SeatName | None


def orientation_of(seat: Seat | None) -> Orientation:
    """The table from a seat: turned by half a turn for yellow, whose row 1 then lies at the bottom."""
    viewer = None if seat is None else SEATS[seat]
    rows = tuple(range(1, ROWS + 1))
    if viewer == "yellow":
        return Orientation("yellow", COLUMNS[::-1], rows[::-1], viewer)
    return Orientation("blue", COLUMNS, rows, viewer)


# -- in words, for both pictures ------------------------------------------------------------------------------------


def heading(view: View) -> str:
    """Where the game stands."""
    left = sum(map(len, view.cake.values()))
    return f"Round {view.round}, {pluralize(left, 'piece') if left else 'nothing'} left"


def status(view: View) -> str:
    """Whom the table waits for, or how it ended."""
    if view.result is None:
        return f"Waiting for {' and '.join(view.to_move)}"
    if view.result.winner is None:
        return "A draw"
    high, low = sorted((view.pips.yellow, view.pips.blue), reverse=True)
    by = f"{high} to {low}" if view.result.by == "pips" else f"by {view.result.by.replace('_', ' ')}"
    return f"{view.result.winner.capitalize()} wins {by}"


def warning(view: View) -> str:
    """How long nothing has left the cake, once it matters (T2)."""
    return f"Quiet for {view.quiet} rounds, ends at {QUIET_ROUND_LIMIT}" if view.quiet >= QUIET_WARNING_FROM else ""


def seat_summary(view: View, name: SeatName) -> str:
    """What a seat has."""
    return f"{pluralize(view.pips.of(name), 'pip')}, {pluralize(view.count.of(name), 'piece')}"


def rest_note(view: View, name: SeatName) -> str:
    """Which mice miss this round."""
    count = sum(tired.count for tired in view.resting.of(name))
    return f"{count} resting, back in round {view.round + 1}" if count and view.result is None else ""


def sort_by_pips(pieces: tuple[Piece, ...]) -> list[Piece]:
    """A stash as it lies on the table."""
    return sorted(pieces, key=lambda piece: (DOMINOES[piece].pips, TABLE_ORDER[piece]))


def cell_at(view: View, column: Column, row: int) -> Cell | None:
    """The domino at a place, if one is left there."""
    return next((cell for cell in view.cake.of(column) if cell.at == f"{column}{row}"), None)


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """The table in letters: `(   )` is icing, `.` an empty plate, `[5-6]` a front of the viewer."""
    side = orientation_of(seat)
    first = ". ".join(filter(None, (heading(view), warning(view), status(view))))
    letters = "    " + "".join(f"{column:^7}" for column in side.columns)
    rows = [f"{row:>3} " + "".join(text_cell(view, side, column, row) for column in side.columns) for row in side.rows]
    lines = [
        f"{first}.",
        "",
        *text_seat(view, opponent_of(side.own)),
        "",
        letters,
        *rows,
        letters,
        "",
        *text_seat(view, side.own),
    ]
    if view.unseen:
        lines += ["", f"Under the icing: {' '.join(view.unseen)}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_cell(view: View, side: Orientation, column: Column, row: int) -> str:
    """One place, seven characters wide."""
    cell = cell_at(view, column, row)
    if cell is None:
        return "   .   "
    face = cell.piece or "   "
    if not cell.up:
        return f" ({face}) "
    return f" [{face}] " if is_front(view, side.viewer, column, cell) else f"  {face}  "


def is_front(view: View, name: SeatName | None, column: Column, cell: Cell) -> bool:
    """Whether this is that seat's front (P1)."""
    return name is not None and nearest_cell(view.cake.of(column), name) == cell


def text_seat(view: View, name: SeatName) -> Iterator[str]:
    """A seat in two lines: pips and mice, then the stash."""
    mice = [f"{view.ready.of(name)} ready", rest_note(view, name), "sent" if view.assigned.of(name) else ""]
    yield f"{name}: {seat_summary(view, name)}; mice: {', '.join(filter(None, mice))}"
    yield f"  stash: {' '.join(sort_by_pips(view.stash.of(name))) or 'empty'}"


# -- SVG: the frame -------------------------------------------------------------------------------------------------

WIDTH = 720
CELL = (158, 78)
LEFT = 52
TOP_BAR = 64
HEADER = 78
STASH = 82
LANE = 102
CAKE = ROWS * CELL[1]
TABLE = TOP_BAR + HEADER + STASH + LANE
"""How far down the cake begins."""
FLOOR = TABLE + CAKE + LANE + HEADER + STASH + 8
POOL_ROW = 34


def svg(view: View, seat: Seat | None) -> str:
    """The table as a picture.

    For the page: `rect.column-hit[data-column]` covers a column from lane to lane, `[data-target]` marks the dominoes
    that the viewer may steal from, `[data-piece]` every domino that can be seen.
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
    """The picture for those who cannot see it."""
    seats = (
        f"{name.capitalize()}: {seat_summary(view, name)}, {view.ready.of(name)} of {MICE_PER_SEAT} mice ready"
        for name in (side.own, opponent_of(side.own))
    )
    return ". ".join((*seats, *(describe_column(view, column) for column in side.columns))) + "."


def describe_column(view: View, column: Column) -> str:
    """A column from yellow's end to blue's."""
    cells = view.cake.of(column)
    if not cells:
        return f"Column {column} is empty"
    return f"Column {column} from row {cells[0].at[1]}: {', '.join(cell.piece or 'face down' for cell in cells)}"


def column_x(side: Orientation, column: Column) -> int:
    """The left edge of a column."""
    return LEFT + side.columns.index(column) * CELL[0]


def row_y(side: Orientation, row: int) -> int:
    """The upper edge of a row."""
    return TABLE + side.rows.index(row) * CELL[1]


def top_bar(view: View) -> str:
    """Round and pieces left, whom the table waits for, and the quiet counter once it matters."""
    parts = [
        label(24, 34, heading(view), 24, font_weight=700),
        label(WIDTH - 24, 34, status(view), 22, text_anchor="end", class_="status"),
    ]
    if view.result is None and warning(view):
        parts.append(label(24, 54, warning(view), 18, fill="#7d211b", font_weight=600))
    return "".join(parts)


def cake_stand() -> str:
    """A paper doily on a board, under the cake."""
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
    """Where the mice of each seat stand, before their columns."""
    for column in side.columns:
        for y in (TABLE - LANE + 30, TABLE + CAKE + 16):
            yield element(
                "rect", x=column_x(side, column) + 7, y=y, width=144, height=56, rx=14, fill="#fff", fill_opacity=0.35
            )


def letters(side: Orientation) -> Iterator[str]:
    """Column letters above and below."""
    for column in side.columns:
        middle = column_x(side, column) + CELL[0] / 2
        for y in (TABLE - LANE + 22, TABLE + CAKE + LANE + 2):
            yield label(middle, y, column, 22, text_anchor="middle", font_weight=700, class_="letter")


def row_number(side: Orientation, row: int) -> str:
    """A row's number at the left edge."""
    return label(20, row_y(side, row) + 42, str(row), 20, text_anchor="middle", font_weight=700)


# -- SVG: the cake --------------------------------------------------------------------------------------------------


def cell_picture(view: View, side: Orientation, column: Column, row: int) -> str:
    """One place of the cake: a slice, icing, or an empty plate."""
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
    """A domino by name, flavour and pips."""
    return f"{piece}, {DOMINOES[piece].words} ({DOMINOES[piece].pips})"


def front_ring(name: SeatName) -> str:
    """The outline of a front of the viewer."""
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
    """What is special about this slice: a contest, a race, or a chance to steal; nothing once the game is over."""
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
    """On the 0-0, when it is a front; with a padlock while the seat that it is a front of may not go there (P3)."""
    for name in (side.own, opponent_of(side.own)):
        if is_front(view, name, column, cell):
            return pill("steal", "#38562b") if column in view.open.of(name) else pill("closed", "#574b43", padlock())
    return ""


def pill(words: str, colour: str, sign: str = "") -> str:
    """A small sign at the lower edge of a slice."""
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
    """A closed padlock."""
    return element("rect", x=13, y=11, width=13, height=9, rx=2, fill="#ffffff") + element(
        "path", d="M15.5 11v-3a4 4 0 0 1 8 0v3", fill="none", stroke="#ffffff", stroke_width=2.2
    )


def column_click_area(view: View, side: Orientation, column: Column) -> str:
    """An invisible area over a column and its lanes, for clicks; hovering tells the chances of the viewer's front."""
    cell = nearest_cell(view.cake.of(column), side.own)
    told = tooltip(describe_odds(view, side, column, cell)) if cell and side.viewer and view.result is None else ""
    return element(
        "rect",
        told,
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
    """What mice may expect here."""
    if is_face_up_blank(cell):
        robbed = opponent_of(side.own)
        if column not in view.open.of(side.own):
            return f"Column {column}: the crumb is closed while {robbed} has nothing to steal."
        return f"Column {column}: the crumb. Mice sent here steal a domino of {robbed}'s."
    if not cell.up:
        return f"Column {column}: face down; it is turned up when mice go for it."
    piece = cell.visible_piece
    chances = (odds(piece, mice, view.options.matches) for mice in range(1, MICE_PER_SEAT + 1))
    rows = (chance_in_words(mice, chance) for mice, chance in enumerate(chances, 1))
    effect = "exhausts" if view.options.matches == "exhaust" else "boosts"
    pattern = describe_pattern(piece).capitalize()
    return f"Column {column}: {describe_domino(piece)}. {pattern} {effect} mice. {'; '.join(rows)}."


def chance_in_words(mice: int, chance: Odds) -> str:
    """What so many mice may expect."""
    tired = f", {percent(chance.tire)} tire" if chance.tire else ""
    return f"{mice} {'mouse' if mice == 1 else 'mice'}: {percent(chance.take)} take it{tired}"


def percent(outcomes: int) -> str:
    """Outcomes of 1296 in percent."""
    return f"{round(100 * outcomes / OUTCOMES)} %"


# -- SVG: mice and stashes ------------------------------------------------------------------------------------------


def lane(view: View, side: Orientation, name: SeatName, y: int) -> Iterator[str]:
    """The mice of a seat at their columns: those it has sent, as far as the viewer knows, and those that sleep."""
    sent = view.own_assignment if name == side.viewer else None
    for column in side.columns:
        tired = sum(group.count for group in view.resting.of(name) if group.column == column)
        standing = sent.columns.of(column) if sent else 0
        mice = [mouse(name)] * standing + [sleeping_mouse(name)] * (tired if view.result is None else 0)
        step = min(54, 150 / max(1, len(mice)))
        first = column_x(side, column) + CELL[0] / 2 - step * (len(mice) - 1) / 2
        for n, drawn in enumerate(mice):
            kind = "mouse sent" if n < standing else "mouse resting"
            yield group(first + n * step, y, drawn, class_=kind, data_seat=name, data_column=column)


def seat_panel(view: View, side: Orientation, name: SeatName, top: int, stash_top: int) -> str:
    """A seat: its name, what it has, its mice at home, and its stash."""
    title = f"{name.capitalize()} (you)" if name == side.viewer else name.capitalize()
    note = ", ".join(filter(None, (seat_summary(view, name), rest_note(view, name))))
    fur, pale, _ = FUR[name]
    return "".join(
        (
            element(
                "rect",
                x=12,
                y=top,
                width=WIDTH - 24,
                height=HEADER + STASH - 8,
                rx=16,
                fill=CREAM,
                stroke=fur,
                stroke_width=3,
            ),
            element("path", d=panel_band(top), fill=pale, opacity=0.75),
            label(38, top + 34, title, 27, font_weight=700),
            label(38, top + 63, note, 21),
            waiting_mice(view, side, name, top + HEADER - 8),
            *stash(view, side, name, stash_top),
        )
    )


def panel_band(top: int) -> str:
    """The tinted upper part of a seat's panel."""
    low = top + HEADER - 6
    corner = "a14.5 14.5 0 0 1 14.5"
    return f"M13.5 {low}V{top + 16}{corner}-14.5H{WIDTH - 28}{corner} 14.5V{low}z"


def waiting_mice(view: View, side: Orientation, name: SeatName, y: int) -> str:
    """The ready mice that wait at home; a tick instead once the seat has sent them. In the end all are back."""
    if view.result is not None:
        crowned = crown(WIDTH - 262, y - 26) if view.result.winner == name else ""
        return crowned + mice_at_home(name, MICE_PER_SEAT, y)
    return sent_mark(y) if view.assigned.of(name) else mice_at_home(name, view.ready.of(name), y)


def mice_at_home(name: SeatName, count: int, y: int) -> str:
    """So many mice side by side."""
    return "".join(
        group(WIDTH - 46 - 50 * n, y, mouse(name), class_="mouse ready", data_seat=name) for n in range(count)
    )


def crown(x: int, y: int) -> str:
    """What the winner wears."""
    points = "M-22 14L-26-14l14 12L0-20l12 18 14-12-4 28z"
    return group(x, y, element("path", d=points, fill="#f5c93f", stroke=RING, stroke_width=3, stroke_linejoin="round"))


def sent_mark(y: int) -> str:
    """A tick: this seat has assigned its mice."""
    return group(
        WIDTH - 150,
        y - 50,
        element("rect", width=122, height=38, rx=19, fill="#2f6b3a"),
        element(
            "path",
            d="M18 20l7 7 13-15",
            fill="none",
            stroke="#ffffff",
            stroke_width=4.5,
            stroke_linecap="round",
            stroke_linejoin="round",
        ),
        label(50, 26, "sent", 21, fill="#ffffff", font_weight=700),
        class_="sent-sign",
    )


def stash(view: View, side: Orientation, name: SeatName, y: int) -> Iterator[str]:
    """The dominoes of a seat, sorted by pips; those that the viewer may want to steal can be clicked."""
    pieces = sort_by_pips(view.stash.of(name))
    width, height, gap = (60, 32, 5) if len(pieces) <= 20 else (44, 22, 4)
    a_row = (WIDTH - 70) // (width + gap)
    if not pieces:
        yield label(38, y + 24, "nothing eaten yet", 20, font_style="italic")
    wanted = view.own_assignment.steal_target if view.own_assignment else None
    for n, piece in enumerate(pieces):
        place_x, place_y = 36 + n % a_row * (width + gap), y + n // a_row * (height + gap)
        rings = [ring(width, height, RING)] if piece == DOUBLE_SIX else []  # it breaks the last tie (E3)
        if piece == wanted and side.viewer == opponent_of(name):
            rings.append(ring(width, height, "#b3261e", class_="wanted"))
        target: dict[str, Any] = {"data_target": piece} if side.viewer == opponent_of(name) else {}
        drawn = (tooltip(describe_domino(piece)), biscuit(piece, width, height), *rings)
        yield group(place_x, place_y, *drawn, class_="stash-piece", data_piece=piece, **target)


def ring(width: int, height: int, colour: str, **attributes: str) -> str:
    """A ring around a small domino."""
    return element(
        "rect",
        x=-2,
        y=-2,
        width=width + 4,
        height=height + 4,
        rx=8,
        fill="none",
        stroke=colour,
        stroke_width=3.5,
        **attributes,
    )


def pool(view: View) -> str:
    """What is still under the icing, in table order; and the crumb, if it is out of the game."""
    if not pool_height(view):
        return ""
    lost = "The crumb (0-0) is out of the game." if view.removed else ""
    hidden = "Under the icing:" if view.unseen else ""
    parts = [label(24, FLOOR + 24, " ".join(filter(None, (lost, hidden))), 20, font_weight=600)]
    for n, piece in enumerate(view.unseen):
        x, y = 24 + n % 14 * 48, FLOOR + 36 + n // 14 * POOL_ROW
        parts.append(
            group(x, y, tooltip(describe_domino(piece)), biscuit(piece, 44, 24), class_="unseen", data_piece=piece)
        )
    return "".join(parts)


def pool_height(view: View) -> int:
    """How much room the pool takes below the table."""
    rows = -(-len(view.unseen) // 14)
    return 36 + rows * POOL_ROW + 6 if rows or view.removed else 0
