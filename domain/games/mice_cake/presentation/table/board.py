"""The board of the match page: the cake, the mice, the dice of the round and what each player has won.

Everything comes from the view of the reader's seat and from the moves that this reader may see.
"""

from typing import Any, Literal

from domain.games.mice_cake.presentation.layout import Orientation, orientation_of
from domain.games.mice_cake.presentation.table.choices import describe_mice, describe_tiring_pattern
from domain.games.mice_cake.presentation.table.identities import Mouse, Story, Throw, tell_story
from domain.games.mice_cake.presentation.text import cell_at, is_front, sort_by_pips
from domain.games.mice_cake.rules.components import DOMINOES, PIPS
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.parts import BLANK, SEATS, Cell, Column, Piece, SeatName, opponent_of
from domain.kernel.table import TableContext
from domain.kernel.text import pluralize
from domain.kernel.values import Value

FAMILIES: dict[SeatName, str] = {"yellow": "honey", "blue": "blueberry"}
"""The name of each family's pictures."""
ThrowState = Literal["rolled", "gain", "low", "tired"]


class Slice(Value, frozen=True):
    """A slice: the id of the piece, what it shows (`iced` or a domino), and its name."""

    id: str
    place: str
    face: str
    words: str
    is_front: bool = False
    sign: str = ""
    """A short note on the slice: contest, race, steal or closed."""


class ShownMouse(Value, frozen=True):
    """A mouse: the id of the piece and its picture."""

    id: str
    face: Literal["awake", "asleep"]
    family: str


class Die(Value, frozen=True):
    """A die on the board: the id of the piece, its number, and whether it exhausts a mouse."""

    id: str
    number: int
    is_lit: bool


class Dice(Value, frozen=True):
    """The dice of one group with their total, and the total needed."""

    dice: tuple[Die, ...]
    total: int
    needed: int
    count: str
    state: ThrowState


class Slot(Value, frozen=True):
    """The place of one family's mice at one column."""

    column: Column
    mice: tuple[ShownMouse, ...]
    dice: Dice | None


class Side(Value, frozen=True):
    """One family: its seat, its slots from left to right, mice at home and behind the napkin, and what it has won."""

    seat: int
    name: SeatName
    family: str
    slots: tuple[Slot, ...]
    home: tuple[ShownMouse, ...]
    napkin: tuple[ShownMouse, ...]
    napkin_words: str
    won: tuple[Slice, ...]
    pips: int
    unit: str
    fact: str
    has_sent: bool
    is_mine: bool


class BoardColumn(Value, frozen=True):
    """A column of the cake from the top row to the bottom row; None is an empty plate."""

    column: Column
    cells: tuple[Slice | None, ...]
    is_open: bool
    """Whether the reader can send mice there now."""


def board_data(context: TableContext) -> dict[str, Any]:
    """Return what the board shows."""
    view: View = context.view
    side = orientation_of(context.seat)
    story = tell_story(context.history() or context.events, view, side.viewer)
    acts = context.seat is not None and view.result is None and side.own in view.to_move
    return {
        "columns": [board_column(view, side, story, column, acts=acts) for column in side.columns],
        "rows": side.rows,
        "mine": board_side(context, story, side, side.own),
        "theirs": board_side(context, story, side, opponent_of(side.own)),
        "acts": acts,
        "removed": bool(view.removed),
        "round": view.round,
    }


# -- the cake -------------------------------------------------------------------------------------------------------


def board_column(view: View, side: Orientation, story: Story, column: Column, *, acts: bool) -> BoardColumn:
    """Return one column of the cake."""
    cells = tuple(slice_at(view, side, story, cell_at(view, column, row), acts=acts) for row in side.rows)
    return BoardColumn(column, cells, acts and column in view.open.of(side.own))


def slice_at(view: View, side: Orientation, story: Story, cell: Cell | None, *, acts: bool) -> Slice | None:
    """Return the slice at a place of the cake, or None if it is gone."""
    if cell is None:
        return None
    column: Column = cell.at[0]  # type: ignore[assignment]
    front = acts and is_front(view, side.viewer, column, cell)
    face = cell.piece if cell.up and cell.piece else "iced"
    if view.result is not None and cell.piece:
        face = cell.piece
    return Slice(
        f"slice-{cell.at}", cell.at, face, describe_slice(cell, view), front, sign_of(view, side, column, cell)
    )


def describe_slice(cell: Cell, view: View) -> str:
    """Return what a slice on the cake is."""
    if not cell.piece:
        return (
            f"{cell.at}: under icing. It is turned up when mice go for it, or when the slice in front of it is taken."
        )
    return f"{cell.at}: {describe_piece(cell.piece, view)}"


def describe_piece(piece: Piece, view: View) -> str:
    """Return a piece with its flavours, its pips and the dice that matter."""
    if piece == BLANK:
        return "0-0, the crumb, 0 pips. Mice that go for it steal a slice of the other family, and take the crumb too."
    about = f"{piece}, {DOMINOES[piece].words}, {pluralize(PIPS[piece], 'pip')}."
    return f"{about} {describe_tiring_pattern(piece, view.options)}"


def sign_of(view: View, side: Orientation, column: Column, cell: Cell) -> str:
    """Return the note on a slice, or an empty text."""
    if view.result is not None or not cell.up:
        return ""
    cells = view.cake.of(column)
    if cell.piece == BLANK:
        fronts = [name for name in (side.own, opponent_of(side.own)) if is_front(view, name, column, cell)]
        if not fronts:
            return ""
        return "steal" if any(column in view.open.of(name) for name in fronts) else "closed"
    if len(cells) == 1:
        return "contest"
    return "race" if len(cells) == 2 and is_front(view, side.own, column, cell) else ""


# -- the families ---------------------------------------------------------------------------------------------------


def board_side(context: TableContext, story: Story, side: Orientation, name: SeatName) -> Side:
    """Return one family."""
    view: View = context.view
    family = story.mice[name]
    return Side(
        seat=SEATS.index(name),
        name=name,
        family=FAMILIES[name],
        slots=tuple(make_slot(story, name, column) for column in side.columns),
        home=tuple(show_mouse(name, mouse) for mouse in family if mouse.column is None and not mouse.hidden),
        napkin=tuple(show_mouse(name, mouse) for mouse in family if mouse.hidden),
        napkin_words=describe_napkin(context, family, name),
        won=tuple(
            Slice(won_id(story, piece), "", piece, describe_piece(piece, view))
            for piece in sort_by_pips(view.stash.of(name))
        ),
        pips=view.pips.of(name),
        unit=f"{'pip' if view.pips.of(name) == 1 else 'pips'}, {pluralize(view.count.of(name), 'slice')}",
        fact=describe_family(view, name, story),
        has_sent=view.result is None and view.assigned.of(name) and not story.open_round,
        is_mine=side.viewer == name,
    )


def won_id(story: Story, piece: Piece) -> str:
    """Return the id of a won slice: that of its place on the cake, if it is known."""
    return f"slice-{story.origins.get(piece, piece)}"


def show_mouse(name: SeatName, mouse: Mouse) -> ShownMouse:
    """Return the picture of a mouse."""
    face: Literal["awake", "asleep"] = "asleep" if mouse.asleep or mouse.tired else "awake"
    return ShownMouse(f"mouse-{name}-{mouse.number}", face, FAMILIES[name])


def make_slot(story: Story, name: SeatName, column: Column) -> Slot:
    """Return a family's place at a column, with its mice and dice."""
    mice = tuple(show_mouse(name, mouse) for mouse in story.mice[name] if mouse.column == column)
    thrown = next((each for each in story.throws if (each.roll.column, each.roll.seat) == (column, name)), None)
    return Slot(column, mice, show_dice(thrown) if thrown else None)


def show_dice(thrown: Throw) -> Dice:
    """Return a group's dice."""
    roll = thrown.roll
    lit = matching_dice(roll.target or roll.piece, roll.dice) if thrown.result == "exhausted" else frozenset()
    dice = tuple(
        Die(f"die-{roll.column}-{roll.seat}-{roll.wave}-{n}", number, n in lit) for n, number in enumerate(roll.dice)
    )
    state: ThrowState = "rolled"
    if thrown.result in ("taken", "stolen", "swapped"):
        state = "gain"
    elif thrown.result == "exhausted":
        state = "tired"
    elif thrown.result:
        state = "low"
    return Dice(dice, roll.total, roll.needed, f"sum-{roll.column}-{roll.seat}-{roll.wave}", state)


def matching_dice(piece: Piece, dice: tuple[int, ...]) -> frozenset[int]:
    """Return the places of the dice that exhaust mice: one for each pip number of the pattern (T4)."""
    wanted = [each for each in (DOMINOES[piece].low, DOMINOES[piece].high) if each]
    found: set[int] = set()
    for number in wanted:
        found.update([n for n, thrown in enumerate(dice) if thrown == number and n not in found][:1])
    return frozenset(found)


def describe_napkin(context: TableContext, family: tuple[Mouse, ...], name: SeatName) -> str:
    """Return the words on the napkin."""
    sent = sum(mouse.hidden for mouse in family)
    view: View = context.view
    other = opponent_of(name)
    me = None if context.seat is None else SEATS[context.seat]
    waiting = "hidden until you send" if me == other and other in view.to_move else "still hidden"
    return f"{describe_mice(sent)} sent, {waiting}" if sent else ""


def describe_family(view: View, name: SeatName, story: Story) -> str:
    """Return the one fact in a player's bar."""
    if view.result is not None:
        return ""
    if view.assigned.of(name) and not story.open_round:
        return "sent"
    asleep = sum(mouse.asleep for mouse in story.mice[name])
    return f"{view.ready.of(name)} awake" if asleep < len(story.mice[name]) else "all asleep"
