"""The rules: set-up, whose turn, legal moves, what a move does.

T1 cross begins, turns alternate. T2 a mark goes on an empty cell. T3 three marks in a line win. T4 a full board
without a line is a draw. T5 who resigns loses.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from domain.chance import Chance
from domain.game import BadOptions, IllegalMove, Outcome, Seat
from domain.games.tic_tac_toe.model import (
    LINES,
    SEATS,
    CellMarked,
    Fact,
    GameEnded,
    GameStarted,
    Mark,
    Move,
    Name,
    Options,
    PositionSet,
    Resign,
    SeatResigned,
    State,
)


def setup(seats: int, options: Options, chance: Chance) -> list[Fact]:
    """An empty board."""
    return [GameStarted(game="tic_tac_toe", seats=SEATS)]


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> list[Fact]:
    """A start from `{"cells": [...]}`: nine owners or nulls, cross as many as nought or one more, no line yet.

    Raises BadOptions for anything else.
    """
    cells = document.get("cells")
    if set(document) != {"cells"} or not isinstance(cells, list) or len(cells) != 9:
        raise BadOptions("T1", 'A position is {"cells": [...]} with nine entries.')
    if any(cell not in (*SEATS, None) for cell in cells):
        raise BadOptions("T1", "A cell is cross, nought or null.")
    if cells.count("cross") - cells.count("nought") not in (0, 1):
        raise BadOptions("T1", "Turns alternate and cross begins: cross has as many marks as nought, or one more.")
    if None not in cells or any(has_line(cells, name) for name in SEATS):
        raise BadOptions("T3", "The game of this position is over already.")
    return [GameStarted(game="tic_tac_toe", seats=SEATS), PositionSet(cells=tuple(cells))]


def turn(state: State) -> Seat:
    """The seat whose turn it is while the game runs. T1"""
    return (9 - state.cells.count(None)) % 2


def to_move(state: State) -> frozenset[Seat]:
    """The seat whose turn it is, nobody at the end."""
    return frozenset() if state.result else frozenset((turn(state),))


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """A mark on each empty cell, in the order of the cells."""
    if state.result is None and turn(state) == seat:
        yield from (Mark(cell) for cell, owner in enumerate(state.cells) if owner is None)


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> list[Fact]:
    """What the move does. Raises IllegalMove `game_over`, `not_your_turn`, `cell_taken`."""
    if state.result:
        raise IllegalMove("game_over", "T3", "The game is over.")
    name, other = SEATS[seat], SEATS[1 - seat]
    match move:
        case Resign():  # T5
            return [SeatResigned(name), GameEnded("resigned", other)]
        case Mark(cell):
            if turn(state) != seat:
                raise IllegalMove("not_your_turn", "T1", f"It is {other}'s turn.")
            if owner := state.cells[cell]:
                raise IllegalMove("cell_taken", "T2", f"Cell {cell} has {owner}'s mark; choose an empty one.")
            return [CellMarked(name, cell), *end_after(state, name, cell)]


def end_after(state: State, name: Name, cell: int) -> list[Fact]:
    """The end, if this mark brings it."""
    cells = [*state.cells[:cell], name, *state.cells[cell + 1 :]]
    if has_line(cells, name):
        return [GameEnded("line", name)]  # T3
    if None not in cells:
        return [GameEnded("full", None)]  # T4
    return []


def has_line(cells: list[Name | None], name: Name) -> bool:
    """Whether three of these marks stand in a line."""
    return any(cells[a] == cells[b] == cells[c] == name for a, b, c in LINES)


def close(state: State) -> list[Fact]:
    """T4 A line ends the game at once, so that nobody is ahead while it runs."""
    return [GameEnded("full", None)]


def outcome(state: State) -> Outcome | None:
    """Who won: 1 point to the winner, none in a draw."""
    if state.result is None:
        return None
    won = [name == state.result.winner for name in SEATS]
    places = tuple(1 if mine or not any(won) else 2 for mine in won)
    winners = tuple(seat for seat in (0, 1) if won[seat])
    return Outcome(state.result.reason, winners, tuple(map(int, won)), places)
