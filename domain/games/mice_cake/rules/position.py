"""Position documents (rule S7), which start a match from a given cake, stashes and resting mice."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args

import msgspec

from domain.games.mice_cake.rules.attempts import nearest_cell
from domain.games.mice_cake.rules.facts import PositionSet
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.parts import (
    BLANK,
    COLUMNS,
    MICE_PER_SEAT,
    PIECES,
    QUIET_ROUND_LIMIT,
    ROWS,
    SEATS,
    Both,
    Cell,
    Column,
    Piece,
    Resting,
    SeatName,
)
from domain.kernel.position import PositionReader

CELL_PATTERN = r"(?:[0-6]-[0-6]|\([0-6]-[0-6]\))"
LINE_PATTERN = re.compile(
    rf"\s*(?P<column>[A-D])(?P<row>[1-7])\s*:\s*(?P<pieces>{CELL_PATTERN}(?:\s+{CELL_PATTERN})*)\s*"
)
PIECE_PATTERN = re.compile(r"(\()?([0-6]-[0-6])")
LAST_ROUND = 1_000_000_000


class RestingGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mice of one column that rest in the first round."""

    column: Column
    count: Annotated[int, msgspec.Meta(ge=1, le=MICE_PER_SEAT)]


class RestingMice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The mice of both seats that rest in the first round, by column."""

    yellow: tuple[RestingGroup, ...] = ()
    blue: tuple[RestingGroup, ...] = ()


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position document with the defaults of its keys."""

    options: Options = Options()
    round: Annotated[int, msgspec.Meta(ge=1, le=LAST_ROUND)] = 5
    quiet: Annotated[int, msgspec.Meta(ge=0, le=QUIET_ROUND_LIMIT - 1)] = 0
    cake: tuple[str, ...] = ()
    yellow: tuple[Piece, ...] = ()
    blue: tuple[Piece, ...] = ()
    rest: SeatName | None = None
    removed: tuple[Piece, ...] = ()
    resting: RestingMice = RestingMice()


POSITION = PositionReader(Document, "Mice Cake", rule="S7")
bad_position = POSITION.refusal


def read_position(options: Options, raw: Mapping[str, Any]) -> tuple[Options, int, PositionSet]:
    """Return the options, the round and the position of a document. Raise BadOptions if it is invalid (S7)."""
    document = POSITION.read(raw)
    chosen = POSITION.merge_options(options, document.options)
    cells = read_cake(document.cake)
    check_fronts(cells, chosen)
    if document.removed not in ((), (BLANK,)):
        raise bad_position('`removed` can only be [] or ["0-0"].')
    stash = deal_rest(document, [cell.visible_piece for cell in cells])
    position = PositionSet(
        cells=cells,
        stash=stash,
        removed=document.removed,
        resting=Both(
            read_resting_mice(document.resting.yellow, "yellow"), read_resting_mice(document.resting.blue, "blue")
        ),
        quiet=document.quiet,
    )
    return chosen, document.round, position


# -- the cake -----------------------------------------------------------------------------------------------------


def read_cake(lines: tuple[str, ...]) -> tuple[Cell, ...]:
    """Return all cells by column, then row. Raise BadOptions for an empty cake or an invalid line."""
    columns: dict[str, tuple[Cell, ...]] = {}
    for line in lines:
        cells = tuple(read_line(line))
        column = cells[0].at[0]
        if column in columns:
            raise bad_position(f"Column {column} has two lines. Write all its dominoes in one line.")
        columns[column] = cells
    if not columns:
        raise bad_position('The cake is empty. Write a line for each column that is left, such as "B3: 1-6 (2-2) 5-5".')
    return tuple(cell for column in COLUMNS for cell in columns.get(column, ()))


def read_line(line: str) -> Iterator[Cell]:
    """Yield the cells of one column. Raise BadOptions for an invalid line or one that runs past the last row."""
    found = LINE_PATTERN.fullmatch(line)
    if not found:
        raise bad_position(f'"{line}" is not a valid line of the cake. A valid line is "B3: 1-6 (2-2) 5-5".')
    for row, (hidden, name) in enumerate(PIECE_PATTERN.findall(found["pieces"]), int(found["row"])):
        if row > ROWS:
            raise bad_position(
                f'"{line}" runs past row {ROWS}, the last row. Start in a lower row or write fewer dominoes.'
            )
        yield Cell(f"{found['column']}{row}", parse_piece(name), up=not hidden)


def parse_piece(name: str) -> Piece:
    """Return the domino with this name. Raise BadOptions if the lower half is not first."""
    piece: Piece
    for piece in get_args(Piece):
        if piece == name:
            return piece
    raise bad_position(f"{name} is not the name of a domino. Write the lower half first: {name[::-1]}.")


def check_fronts(cells: tuple[Cell, ...], options: Options) -> None:
    """Raise BadOptions for a face-down front, unless `start_face` is down and no domino was taken from that end."""
    for column in COLUMNS:
        run = tuple(cell for cell in cells if cell.at[0] == column)
        for name, first_row in zip(SEATS, (1, ROWS), strict=True):
            cell = nearest_cell(run, name)
            if cell is None or cell.up:
                continue
            untouched = cell.at[1] == str(first_row)  # a lone domino fails this test for at least one seat
            if options.start_face != "down" or not untouched:
                raise bad_position(
                    f"{cell.at} is a front of {name}, so it must lie face up. Write it without parentheses."
                )


# -- stashes and mice ---------------------------------------------------------------------------------------------


def deal_rest(document: Document, on_cake: list[Piece]) -> Both[tuple[Piece, ...]]:
    """Return the stashes; the seat `rest` gets all dominoes not named, in table order.

    Raise BadOptions unless every domino is then in exactly one place.
    """
    named = [*on_cake, *document.yellow, *document.blue, *document.removed]
    twice = sorted(piece for piece, times in Counter(named).items() if times > 1)
    if twice:
        raise bad_position(f"Each domino can be in only one place. Named more than once: {', '.join(twice)}.")
    missing = tuple(piece for piece in PIECES if piece not in named)
    stash = Both(document.yellow, document.blue)
    if document.rest:
        return stash.with_value(document.rest, (*stash.of(document.rest), *missing))
    if missing:
        raise bad_position(f"These dominoes are missing: {', '.join(missing)}. Set `rest` to give them to one seat.")
    return stash


def read_resting_mice(groups: tuple[RestingGroup, ...], name: SeatName) -> tuple[Resting, ...]:
    """Return a seat's resting mice, by column. Raise BadOptions for more than four."""
    if sum(group.count for group in groups) > MICE_PER_SEAT:
        raise bad_position(f"At most {MICE_PER_SEAT} mice of {name} can rest.")
    return tuple(Resting(group.column, group.count) for group in sorted(groups, key=lambda group: group.column))
