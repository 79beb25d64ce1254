"""The greedy bot's weights for the mice in a column (rules, section 14): attempts, contests and steals.

All weights are integers. One pip is `POINT`, the square of the 1296 outcomes of four dice, so chances and products of
two chances are exact, and equal weights are true ties.
"""

from collections.abc import Sequence
from functools import cache

from domain.games.mice_cake.rules.components import DOMINOES, PIPS
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import OUTCOMES, Matches, Odds, odds
from domain.games.mice_cake.rules.parts import BLANK, MICE_PER_SEAT, Piece

POINT = OUTCOMES * OUTCOMES
TEMPO = 2
"""Extra value of a domino, in pips: taking it uncovers the next one and shortens the match (item 1)."""
MOUSE = 2
"""Cost of a resting mouse, in pips."""

Weights = tuple[int, ...]
"""The weights of 0, 1, 2, 3 and 4 mice in a column."""


def tires(piece: Piece) -> int:
    """Return how many mice this domino exhausts (T4)."""
    return 1 if DOMINOES[piece].kind == "half" else 2


@cache
def attempt_weights(piece: Piece, worth: int, matches: Matches) -> Weights:
    """Return the weights of an attempt: the value of success minus the expected cost of exhaustion (items 1 and 6)."""
    return (0, *(attempt_weight(piece, worth, odds(piece, mice, matches)) for mice in range(1, MICE_PER_SEAT + 1)))


def attempt_weight(piece: Piece, worth: int, chances: Odds) -> int:
    """Return the weight of an attempt with these chances."""
    return (chances.take * worth - chances.tire * tires(piece) * MOUSE) * OUTCOMES


def front_weights(piece: Piece, matches: Matches) -> Weights:
    """Return the weights of an ordinary attempt. A face-down 0-0 is worth nothing (R54)."""
    return (0,) * (MICE_PER_SEAT + 1) if piece == BLANK else attempt_weights(piece, PIPS[piece] + TEMPO, matches)


def steal_weights(target: Piece, matches: Matches) -> Weights:
    """Return the weights of a steal, which changes the margin by twice the target's pips and takes the 0-0 (item 6)."""
    return attempt_weights(target, 2 * PIPS[target] + TEMPO, matches)


def hidden_weights(unseen: Sequence[Piece], matches: Matches) -> Weights:
    """Return the weights of a face-down front: the mean over all unseen dominoes (item 7)."""
    pool = [front_weights(piece, matches) for piece in unseen]
    return tuple(sum(column) // len(pool) for column in zip(*pool, strict=True))


@cache
def contest_weights(piece: Piece, theirs: int, options: Options) -> Weights:
    """Return the weights of a last domino that the other seat attempts with `theirs` mice (item 4)."""
    return tuple(contest_weight(piece, mine, theirs, options) for mine in range(MICE_PER_SEAT + 1))


def contest_weight(piece: Piece, mine: int, theirs: int, options: Options) -> int:
    """Return (P(I take) - P(they take)) x worth, minus the expected cost of exhaustion."""
    worth = PIPS[piece] + TEMPO
    against = odds(piece, theirs, options.matches)
    if not mine:
        return -against.take * worth * OUTCOMES
    own = odds(piece, mine, options.matches)
    floor = PIPS[piece] if options.contest_floor == "pips" else 0
    margin = wins(own, against, floor) - wins(against, own, floor)
    return margin * worth - own.tire * tires(piece) * MOUSE * OUTCOMES


def wins(group: Odds, rival: Odds, floor: int) -> int:
    """Return the outcomes, out of 1296 x 1296, in which the group wins the contest against its rival (T9)."""
    beaten = OUTCOMES - sum(rival.totals[floor:])
    won = 0
    for total in range(floor, len(group.totals)):
        won += group.totals[total] * beaten
        beaten += rival.totals[total]
    return won
