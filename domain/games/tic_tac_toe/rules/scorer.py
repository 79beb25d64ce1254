"""The independent scorer, which finds lines from the marks and ignores the engine's results."""

from collections.abc import Iterable
from itertools import combinations

from domain.games.tic_tac_toe.rules.facts import CellMarked, Fact, PositionSet, SeatResigned
from domain.kernel.game import ScoreLine, ScoreSheet

MAGIC_SQUARE = (4, 9, 2, 3, 5, 7, 8, 1, 6)
"""A magic square: three cells are in line if and only if their numbers add up to 15."""


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """Return the score sheet recomputed from the facts."""
    marks: dict[str, list[int]] = {"cross": [], "nought": []}
    numbers: dict[str, list[int]] = {"cross": [], "nought": []}
    resigned, last = None, 0
    for number, fact in enumerate(facts):
        match fact:
            case CellMarked(seat, cell):
                marks[seat].append(MAGIC_SQUARE[cell])
                numbers[seat].append(number)
                last = number
            case PositionSet(cells):
                for cell, owner in enumerate(cells):
                    if owner:
                        marks[owner].append(MAGIC_SQUARE[cell])
            case SeatResigned(seat):
                resigned, last = seat, number
    lined = [name for name in marks if any(sum(three) == 15 for three in combinations(marks[name], 3))]
    winners = tuple(
        seat for seat, name in enumerate(marks) if name in lined or (resigned is not None and resigned != name)
    )
    lines = tuple(ScoreLine(seat, "T3", "win", 1, (last,)) for seat in winners)
    return ScoreSheet(lines, tuple(int(seat in winners) for seat in (0, 1)), winners)
