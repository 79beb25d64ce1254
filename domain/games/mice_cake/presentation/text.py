"""The table as text (rules, section 13), and phrases shared by text and picture."""

from collections.abc import Iterator

from domain.games.mice_cake.presentation.layout import Orientation, orientation_of
from domain.games.mice_cake.presentation.narration import QUIET_WARNING_FROM
from domain.games.mice_cake.rules.attempts import nearest_cell
from domain.games.mice_cake.rules.components import DOMINOES, TABLE_ORDER
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.parts import (
    QUIET_ROUND_LIMIT,
    Cell,
    Column,
    DecidedBy,
    Piece,
    SeatName,
    opponent_of,
)
from domain.kernel.game import Seat
from domain.kernel.text import pluralize

WIN_NOTES: dict[DecidedBy, str] = {
    "count": "with more pieces",
    "double_six": "with the 6-6",
    "resignation": "by resignation",
}
"""How a match was won, if not by pips."""


# -- shared phrases --------------------------------------------------------------------------------------------------


def heading(view: View) -> str:
    """Return the round and the number of pieces left."""
    left = sum(map(len, view.cake.values()))
    return f"Round {view.round}, {pluralize(left, 'piece') if left else 'no pieces'} left"


def status(view: View) -> str:
    """Return the seats to move, or the result."""
    if view.result is None:
        return f"Waiting for {' and '.join(view.to_move)}"
    if view.result.winner is None:
        return "The match is a draw"
    high, low = sorted((view.pips.yellow, view.pips.blue), reverse=True)
    by = WIN_NOTES.get(view.result.by, f"{high} to {low}")
    return f"{view.result.winner.capitalize()} wins {by}"


def warning(view: View) -> str:
    """Return the note on quiet rounds (T2), empty unless there are many."""
    return (
        f"No piece taken for {view.quiet} rounds (the match ends at {QUIET_ROUND_LIMIT})"
        if view.quiet >= QUIET_WARNING_FROM
        else ""
    )


def seat_summary(view: View, name: SeatName) -> str:
    """Return a seat's pips and number of pieces."""
    return f"{pluralize(view.pips.of(name), 'pip')}, {pluralize(view.count.of(name), 'piece')}"


def rest_note(view: View, name: SeatName) -> str:
    """Return the note on a seat's resting mice, empty if there are none."""
    count = sum(tired.count for tired in view.resting.of(name))
    return f"{count} resting, back in round {view.round + 1}" if count and view.result is None else ""


def sort_by_pips(pieces: tuple[Piece, ...]) -> list[Piece]:
    """Return a stash sorted by pips, then in table order."""
    return sorted(pieces, key=lambda piece: (DOMINOES[piece].pips, TABLE_ORDER[piece]))


def cell_at(view: View, column: Column, row: int) -> Cell | None:
    """Return the cell at a place, or None if its domino is gone."""
    return next((cell for cell in view.cake.of(column) if cell.at == f"{column}{row}"), None)


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """Return the table as text: `(   )` is face down, `.` is empty, `[5-6]` is a front of the viewer."""
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
        lines += ["", f"Face down: {' '.join(view.unseen)}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_cell(view: View, side: Orientation, column: Column, row: int) -> str:
    """Return one place, seven characters wide."""
    cell = cell_at(view, column, row)
    if cell is None:
        return "   .   "
    face = cell.piece or "   "
    if not cell.up:
        return f" ({face}) "
    return f" [{face}] " if is_front(view, side.viewer, column, cell) else f"  {face}  "


def is_front(view: View, name: SeatName | None, column: Column, cell: Cell) -> bool:
    """Return whether this cell is the seat's front (P1)."""
    return name is not None and nearest_cell(view.cake.of(column), name) == cell


def text_seat(view: View, name: SeatName) -> Iterator[str]:
    """Yield a seat's two lines: totals and mice, then the stash."""
    mice = [f"{view.ready.of(name)} ready", rest_note(view, name), "sent" if view.assigned.of(name) else ""]
    yield f"{name}: {seat_summary(view, name)}; mice: {', '.join(filter(None, mice))}"
    yield f"  stash: {' '.join(sort_by_pips(view.stash.of(name))) or 'empty'}"
