"""The rules: set-up, whose turn, legal moves, what a move does.

T1 cross begins, turns alternate. T2 a mark goes on an empty cell. T3 three marks in a line win. T4 a full board
without a line is a draw. T5 who resigns loses.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from operator import not_
from typing import Any

from domain.games.tic_tac_toe.rules.facts import CellMarked, Fact, GameEnded, GameStarted, PositionSet, SeatResigned
from domain.games.tic_tac_toe.rules.model import State
from domain.games.tic_tac_toe.rules.moves import MARK_MOVES, Mark, Move, Options
from domain.games.tic_tac_toe.rules.parts import OTHER_CELLS_OF_LINES, SEATS, SeatName
from domain.games.tic_tac_toe.rules.reducer import Recorder, evolve
from domain.kernel.chance import Chance
from domain.kernel.game import Outcome, Seat
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.refusals import BadOptions, IllegalMove

SEAT_BY_EMPTY_CELLS = tuple((9 - empty) % 2 for empty in range(10))
"""T1 The seat whose turn it is, by the number of empty cells."""
TO_MOVE_BY_EMPTY_CELLS = tuple(frozenset((seat,)) for seat in SEAT_BY_EMPTY_CELLS)
MAX_EMPTY_FOR_LINE = 5
"""T3 With more cells empty nobody has two marks to complete a line."""
NO_SEATS: frozenset[Seat] = frozenset()


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
    if None not in cells or any(o and completes_line(cells, o, c) for c, o in enumerate(cells)):
        raise BadOptions("T3", "The game of this position is over already.")
    return [GameStarted(game="tic_tac_toe", seats=SEATS), PositionSet(cells=tuple(cells))]


def to_move(state: State) -> frozenset[Seat]:
    """The seat whose turn it is, nobody at the end."""
    return NO_SEATS if state.result else TO_MOVE_BY_EMPTY_CELLS[state.cells.count(None)]


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """A mark on each empty cell, in the order of the cells."""
    cells = state.cells
    if state.result or SEAT_BY_EMPTY_CELLS[cells.count(None)] != seat:
        return iter(())
    return compress(MARK_MOVES, map(not_, cells))


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """What the move does. Raises IllegalMove `game_over`, `not_your_turn`, `cell_taken`."""
    if state.result:
        raise IllegalMove("game_over", "T3", "The game is over.")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    if not isinstance(move, Mark):  # T5
        recorder.emit(SeatResigned(SEATS[seat]), GameEnded("resigned", SEATS[1 - seat]))
        return recorder.decision()
    cell, cells = move.cell, state.cells
    empty = cells.count(None)
    if SEAT_BY_EMPTY_CELLS[empty] != seat:
        raise IllegalMove("not_your_turn", "T1", f"It is {SEATS[1 - seat]}'s turn.")
    if owner := cells[cell]:
        raise IllegalMove("cell_taken", "T2", f"Cell {cell} has {owner}'s mark; choose an empty one.")
    name = SEATS[seat]
    recorder.emit(CellMarked(name, cell))
    if empty <= MAX_EMPTY_FOR_LINE and completes_line(cells, name, cell):  # T3
        recorder.emit(GameEnded("line", name))
    elif empty == 1:  # T4
        recorder.emit(GameEnded("full", None))
    return recorder.decision()


def completes_line(cells: Sequence[SeatName | None], name: SeatName, cell: int) -> bool:
    """Whether a mark on this cell stands in line with two of the same."""
    for a, b in OTHER_CELLS_OF_LINES[cell]:  # noqa: SIM110 -- the inner loop of every playout
        if cells[a] == name == cells[b]:
            return True
    return False


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
