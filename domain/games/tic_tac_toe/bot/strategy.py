"""The greedy bot: win, block, take the middle, take a corner."""

from collections.abc import Iterable

from domain.games.tic_tac_toe.rules.model import View
from domain.games.tic_tac_toe.rules.moves import Mark, Move
from domain.games.tic_tac_toe.rules.parts import LINES, SEATS
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

CELL_WEIGHTS = (2, 1, 2, 1, 3, 1, 2, 1, 2)


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the mark with the highest weight; ties are broken at random."""
    weighed = [(weight(view, seat, move.cell), move) for move in legal if isinstance(move, Mark)]
    best = max(weight for weight, _ in weighed)
    return chance.pick([move for weight, move in weighed if weight == best])


def weight(view: View, seat: Seat, cell: int) -> int:
    """Return 100 for a mark that wins, 50 for one that blocks, or else the weight of the cell."""
    lines = [[view.cells[other] for other in line if other != cell] for line in LINES if cell in line]
    if any(line == [SEATS[seat]] * 2 for line in lines):
        return 100
    if any(line == [SEATS[1 - seat]] * 2 for line in lines):
        return 50
    return CELL_WEIGHTS[cell]
