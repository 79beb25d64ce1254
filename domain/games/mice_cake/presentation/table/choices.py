"""The form's four columns as a seat sees them: front, exhausting pattern, notes and chances."""

from typing import Literal

import msgspec

from domain.games.mice_cake.rules.attempts import is_face_up_blank, nearest_cell
from domain.games.mice_cake.rules.components import DOMINOES, FLAVOURS, PIPS, TABLE_ORDER
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import OUTCOMES, odds
from domain.games.mice_cake.rules.parts import (
    BLANK,
    COLUMNS,
    MICE_PER_SEAT,
    SEATS,
    Cell,
    Column,
    Piece,
    SeatName,
    opponent_of,
)
from domain.kernel.game import Seat
from domain.kernel.table import TableContext

Chances = tuple[tuple[int, int], ...]
"""The chances of 1, 2, 3 and 4 mice to take a piece and to be exhausted, in percent."""
ColumnState = Literal["front", "hidden", "crumb", "closed", "gone"]


class ColumnChoice(msgspec.Struct, frozen=True):
    """One column in the form. `chances` is empty if they are unknown."""

    column: Column
    state: ColumnState
    piece: Piece | None
    title: str
    pattern: str
    note: str
    chances: Chances
    mice: int
    needed: int | None
    head: str
    """What it takes there, in a few words: "7 to take"."""
    dice: str
    """The dice that exhaust or boost mice there: "2 and 5"."""
    effect: str
    whys: tuple[str, ...]
    """Why this many mice can't take the piece, or an empty text."""

    @property
    def usable(self) -> bool:
        """Whether mice can be sent there."""
        return self.state in ("front", "hidden", "crumb")


class StealTarget(msgspec.Struct, frozen=True):
    """A domino that can be stolen."""

    piece: Piece
    title: str
    chances: Chances
    chosen: bool
    needed: int


def seat_name(seat: Seat | None) -> SeatName:
    """Return the name of a seat; spectators get blue's perspective."""
    return SEATS[1 if seat is None else seat]


def column_choices(context: TableContext, name: SeatName) -> list[ColumnChoice]:
    """Return the columns from left to right as the seat sees them. They are reversed for yellow."""
    order = COLUMNS[::-1] if name == "yellow" else COLUMNS
    return [column_choice(context, name, column) for column in order]


def column_choice(context: TableContext, name: SeatName, column: Column) -> ColumnChoice:
    """Return one column of the form."""
    view: View = context.view
    cell = nearest_cell(view.cake.of(column), name)
    state = column_state(view, name, column, cell)
    piece = cell.piece if cell else None
    known = piece if state == "front" else None
    return ColumnChoice(
        column=column,
        state=state,
        piece=piece,
        title=column_title(state, piece),
        pattern=describe_tiring_pattern(known, view.options) if known else "",
        note=column_note(view, name, column, state),
        chances=attempt_chances(known, view.options) if known else (),
        mice=mice_in_form(context, column),
        needed=PIPS[known] if known else None,
        head=column_head(state, known),
        dice=name_dice(known) if known else "",
        effect=f"{'tire' if view.options.matches == 'exhaust' else 'boost'} {count_pattern(known)}" if known else "",
        whys=tuple(why_impossible(known, count, view.options) for count in range(1, MICE_PER_SEAT + 1))
        if known
        else (),
    )


def column_state(view: View, name: SeatName, column: Column, cell: Cell | None) -> ColumnState:
    """Return the state of a seat's front in a column."""
    if cell is None:
        return "gone"
    if column not in view.open.of(name):
        return "closed"
    if is_face_up_blank(cell):
        return "crumb"
    return "front" if cell.up else "hidden"


def mice_in_form(context: TableContext, column: Column) -> int:
    """Return the number of mice entered for a column in a refused form."""
    count = context.form.get(column, "0")
    return min(int(count), MICE_PER_SEAT) if count.isascii() and count.isdigit() else 0


# -- phrases -----------------------------------------------------------------------------------------------------


def column_title(state: ColumnState, piece: Piece | None) -> str:
    """Return the name of the piece at a column's front."""
    if piece == BLANK:
        return "0-0, the crumb"
    if state == "gone":
        return "empty"
    return f"{piece}, {DOMINOES[piece].words}" if piece else "face down"


def describe_tiring_pattern(piece: Piece, options: Options) -> str:
    """Return which dice exhaust or boost the mice there (T4)."""
    low, high = int(piece[0]), int(piece[2])
    match DOMINOES[piece].kind:
        case "half":
            dice, count = f"A {high} ({FLAVOURS[high]})", 1
        case "double":
            dice, count = f"Two {high}s ({FLAVOURS[high]})", 2
        case _:
            dice, count = f"A {low} and a {high} ({FLAVOURS[low]}, {FLAVOURS[high]})", 2
    verb = options.matches if count > 1 else f"{options.matches}s"
    return f"{dice} {verb} {describe_mice(count)}."


def column_head(state: ColumnState, piece: Piece | None) -> str:
    """Return what a column takes, in a few words."""
    if piece:
        return f"{PIPS[piece]} to take"
    return {"hidden": "Face down", "crumb": "Steal", "closed": "Closed", "gone": "Empty"}.get(state, "")


def name_dice(piece: Piece) -> str:
    """Return the dice of a piece's pattern: 2 and 5, a 6, two 4s (T4)."""
    low, high = int(piece[0]), int(piece[2])
    match DOMINOES[piece].kind:
        case "half":
            return f"a {high}"
        case "double":
            return f"two {high}s"
        case _:
            return f"{low} and {high}"


def count_pattern(piece: Piece) -> int:
    """Return how many mice the pattern of a piece exhausts or boosts (T4)."""
    return 1 if DOMINOES[piece].kind == "half" else 2


def why_impossible(piece: Piece, mice: int, options: Options) -> str:
    """Return why this many mice can never take the piece, or an empty text if they can."""
    if odds(piece, mice, options.matches).take:
        return ""
    dice = "One die" if mice == 1 else f"{describe_number(mice)} dice"
    if 6 * mice < PIPS[piece]:
        return f"{dice} can't reach {PIPS[piece]}."
    verb = "tires" if DOMINOES[piece].kind == "half" else "tire"
    them = "it" if mice == 1 else "them"
    return f"{dice} can't reach {PIPS[piece]} without showing {with_article(name_dice(piece))} that {verb} {them}."


def describe_number(number: int) -> str:
    """Return a number of dice as a word."""
    return ("No", "One", "Two", "Three", "Four")[number]


def with_article(dice: str) -> str:
    """Return dice as a definite phrase: the 6, the two 4s."""
    return f"the {dice.removeprefix('a ')}"


def describe_mice(count: int) -> str:
    """Return a number of mice: 1 mouse, 2 mice."""
    return f"{count} {'mouse' if count == 1 else 'mice'}"


def column_note(view: View, name: SeatName, column: Column, state: ColumnState) -> str:
    """Return the note on a column's special situation, or an empty text."""
    rival = opponent_of(name)
    match state, len(view.cake.of(column)):
        case "gone", _:
            return "No slices left."
        case "closed", _:
            return "Closed: they have no slices yet."
        case "crumb", _:
            return f"Mice sent here try to steal a piece from {rival}. If they succeed, they take the crumb too."
        case "hidden", _:
            return "This piece is turned up when mice go for it."
        case _, 1:
            return f"Last piece: if {rival} goes for it too, the higher roll takes it."
        case _, 2:
            return f"Two pieces left: you go for this one, {rival} for the other."
    return ""


# -- chances ------------------------------------------------------------------------------------------------------


def attempt_chances(piece: Piece, options: Options) -> Chances:
    """Return the chances of 1 to 4 mice against this domino without a contest."""
    found = (odds(piece, count, options.matches) for count in range(1, MICE_PER_SEAT + 1))
    return tuple((to_percent(each.take), to_percent(each.tire)) for each in found)


def to_percent(outcomes: int) -> int:
    """Return outcomes out of 1296 as a percentage: 0 and 100 only for impossible and certain."""
    if outcomes in (0, OUTCOMES):
        return 100 * outcomes // OUTCOMES
    return min(99, max(1, round(100 * outcomes / OUTCOMES)))


def steal_targets(context: TableContext, name: SeatName) -> list[StealTarget]:
    """Return the dominoes that this seat can steal, fewest pips first; none if the crumb is not one of its fronts."""
    view: View = context.view
    on_crumb = any(column_state(view, name, c, nearest_cell(view.cake.of(c), name)) == "crumb" for c in COLUMNS)
    if not on_crumb:
        return []
    stash = sorted(view.stash.of(opponent_of(name)), key=lambda piece: (PIPS[piece], TABLE_ORDER[piece]))
    return [
        StealTarget(
            piece,
            f"{piece} ({PIPS[piece]})",
            attempt_chances(piece, view.options),
            context.form.get("steal") == piece,
            PIPS[piece],
        )
        for piece in stash
    ]
