"""The exact odds of a group of mice against a domino (rules, T3 to T7)."""

from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Literal

from domain.games.mice_cake.rules.attempts import count_matching_dice
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.parts import MICE_PER_SEAT, Piece
from domain.kernel.values import Value

OUTCOMES: int = 6**MICE_PER_SEAT
"""The number of outcomes of four dice."""

Matches = Literal["exhaust", "boost"]
"""The values of the option for the effect of matching dice."""


class Odds(Value, frozen=True):
    """The chances of a group against a domino, in outcomes out of 1296.

    `take`: the roll is sufficient. `tire`: the group is exhausted. `totals[t]`: it rolls t and is not exhausted.
    """

    take: int
    tire: int
    totals: tuple[int, ...]


@cache
def odds(piece: Piece, mice: int, matches: Matches) -> Odds:
    """Return the exact odds, computed from all rolls of this many dice (T3 to T7)."""
    totals = [0] * (6 * MICE_PER_SEAT + 1)
    tire = 0
    for dice in combinations_with_replacement(range(1, 7), mice):
        ways = factorial(mice) // prod(factorial(dice.count(face)) for face in set(dice)) * 6 ** (MICE_PER_SEAT - mice)
        if count_matching_dice(piece, dice) and matches == "exhaust":
            tire += ways
        else:
            totals[sum(dice)] += ways
    return Odds(sum(totals[PIPS[piece] :]), tire, tuple(totals))
