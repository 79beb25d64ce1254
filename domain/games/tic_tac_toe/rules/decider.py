"""The rules: set-up, seat to move, legal moves, effects of moves and the end of the match.

T1: cross goes first, then turns alternate. T2: a mark goes on an empty cell. T3: three marks in a line win. T4: a full
board without a line is a draw. T5: a seat that resigns loses.
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
"""The seat to move by the number of empty cells (T1)."""
TO_MOVE_BY_EMPTY_CELLS = tuple(frozenset((seat,)) for seat in SEAT_BY_EMPTY_CELLS)
MAX_EMPTY_FOR_LINE = 5
"""With more empty cells, neither seat has two marks to complete a line (T3)."""
NO_SEATS: frozenset[Seat] = frozenset()


def setup(seats: int, options: Options, chance: Chance) -> list[Fact]:
    """Start with an empty board."""
    return [GameStarted(game="tic_tac_toe", seats=SEATS)]


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> list[Fact]:
    """Start from `{"cells": [...]}`, a list of nine owners or nulls.

    Raise BadOptions if it is malformed, can't come up in a match, or has no move left.
    """
    cells = document.get("cells")
    if set(document) != {"cells"} or not isinstance(cells, list) or len(cells) != 9:
        raise BadOptions("T1", 'A position must be {"cells": [...]} with nine entries.')
    if any(cell not in (*SEATS, None) for cell in cells):
        raise BadOptions("T1", 'Each cell must be "cross", "nought" or null.')
    if cells.count("cross") - cells.count("nought") not in (0, 1):
        raise BadOptions("T1", "Cross must have as many marks as nought, or one more.")
    if None not in cells or any(o and completes_line(cells, o, c) for c, o in enumerate(cells)):
        raise BadOptions(
            "T3", "The match is already over in this position. Give a position with no line and an empty cell."
        )
    return [GameStarted(game="tic_tac_toe", seats=SEATS), PositionSet(cells=tuple(cells))]


def to_move(state: State) -> frozenset[Seat]:
    """Return the seat to move, or an empty set at the end."""
    return NO_SEATS if state.result else TO_MOVE_BY_EMPTY_CELLS[state.cells.count(None)]


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield a mark for each empty cell, in the order of the cells."""
    cells = state.cells
    if state.result or SEAT_BY_EMPTY_CELLS[cells.count(None)] != seat:
        return iter(())
    return compress(MARK_MOVES, map(not_, cells))


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """Return the effects of a move. Raise IllegalMove `game_over`, `not_your_turn` or `cell_taken`."""
    if state.result:
        raise IllegalMove("game_over", "T3", "The match is over, so you can't move.")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    if not isinstance(move, Mark):  # T5
        recorder.emit(SeatResigned(SEATS[seat]), GameEnded("resigned", SEATS[1 - seat]))
        return recorder.decision()
    cell, cells = move.cell, state.cells
    empty = cells.count(None)
    if SEAT_BY_EMPTY_CELLS[empty] != seat:
        raise IllegalMove("not_your_turn", "T1", f"It is {SEATS[1 - seat]}'s turn. Wait for its move.")
    if owner := cells[cell]:
        raise IllegalMove("cell_taken", "T2", f"Cell {cell} already has {owner}'s mark. Choose an empty cell.")
    name = SEATS[seat]
    recorder.emit(CellMarked(name, cell))
    if empty <= MAX_EMPTY_FOR_LINE and completes_line(cells, name, cell):  # T3
        recorder.emit(GameEnded("line", name))
    elif empty == 1:  # T4
        recorder.emit(GameEnded("full", None))
    return recorder.decision()


def completes_line(cells: Sequence[SeatName | None], name: SeatName, cell: int) -> bool:
    """Return whether a mark on this cell completes a line of three."""
    for a, b in OTHER_CELLS_OF_LINES[cell]:  # noqa: SIM110 -- the inner loop of every playout
        if cells[a] == name == cells[b]:
            return True
    return False


def close(state: State) -> list[Fact]:
    """Return the facts that end the match now: a draw, since neither seat has a line yet (T3, T4)."""
    return [GameEnded("full", None)]


def outcome(state: State) -> Outcome | None:
    """Return the outcome, with one point for the winner, or None while the match runs."""
    if state.result is None:
        return None
    won = [name == state.result.winner for name in SEATS]
    places = tuple(1 if mine or not any(won) else 2 for mine in won)
    winners = tuple(seat for seat in (0, 1) if won[seat])
    return Outcome(state.result.reason, winners, tuple(map(int, won)), places)
