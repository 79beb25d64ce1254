"""The table as text (rules, section 13), and the words that text and picture share."""

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
    Piece,
    SeatName,
    opponent_of,
)
from domain.kernel.game import Seat
from domain.kernel.text import pluralize

# -- words for text and picture -------------------------------------------------------------------------------------


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
