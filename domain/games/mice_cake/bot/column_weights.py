"""What mice are worth in a column to a greedy player (rules, section 14): contests and steals.

All weights are whole numbers: a point is worth `POINT`, the square of the 1296 outcomes of four dice, so that every
chance of a group, and every product of two of them, is exact and ties are true ties.
"""

from collections.abc import Sequence
from functools import cache

from domain.games.mice_cake.rules.components import DOMINOES, PIPS
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import OUTCOMES, Matches, Odds, odds
from domain.games.mice_cake.rules.parts import BLANK, MICE_PER_SEAT, Piece

POINT = OUTCOMES * OUTCOMES
TEMPO = 2
"""What a domino is worth beyond its pips: it uncovers the next one and shortens the game (item 1)."""
MOUSE = 2
"""What a mouse is worth that must rest."""

Weights = tuple[int, ...]
"""What 0, 1, 2, 3, 4 mice are worth in a column."""


def tires(piece: Piece) -> int:
    """How many mice this domino exhausts (T4)."""
    return 1 if DOMINOES[piece].kind == "half" else 2


@cache
def attempt_weights(piece: Piece, worth: int, matches: Matches) -> Weights:
    """Items 1 and 6: what success is worth, less the mice that may be exhausted."""
    return (0, *(attempt_weight(piece, worth, odds(piece, mice, matches)) for mice in range(1, MICE_PER_SEAT + 1)))


def attempt_weight(piece: Piece, worth: int, chances: Odds) -> int:
    """The weight of one attempt."""
    return (chances.take * worth - chances.tire * tires(piece) * MOUSE) * OUTCOMES


def front_weights(piece: Piece, matches: Matches) -> Weights:
    """An ordinary attempt on this front; the 0-0, found face down, gives nothing (R54)."""
    return (0,) * (MICE_PER_SEAT + 1) if piece == BLANK else attempt_weights(piece, PIPS[piece] + TEMPO, matches)


def steal_weights(target: Piece, matches: Matches) -> Weights:
    """Item 6: a steal moves the margin by twice the target's pips, and the 0-0 leaves the cake as well."""
    return attempt_weights(target, 2 * PIPS[target] + TEMPO, matches)


def hidden_weights(unseen: Sequence[Piece], matches: Matches) -> Weights:
    """A front that lies face down: the mean over the dominoes that it may be (item 7)."""
    pool = [front_weights(piece, matches) for piece in unseen]
    return tuple(sum(column) // len(pool) for column in zip(*pool, strict=True))


@cache
def contest_weights(piece: Piece, theirs: int, options: Options) -> Weights:
    """Item 4: a last domino that the other seat attempts with so many mice."""
    return tuple(contest_weight(piece, mine, theirs, options) for mine in range(MICE_PER_SEAT + 1))


def contest_weight(piece: Piece, mine: int, theirs: int, options: Options) -> int:
    """(P(I take) - P(they take)) x worth, less my mice that may be exhausted."""
    worth = PIPS[piece] + TEMPO
    against = odds(piece, theirs, options.matches)
    if not mine:
        return -against.take * worth * OUTCOMES
    own = odds(piece, mine, options.matches)
    floor = PIPS[piece] if options.contest_floor == "pips" else 0
    margin = wins(own, against, floor) - wins(against, own, floor)
    return margin * worth - own.tire * tires(piece) * MOUSE * OUTCOMES


def wins(group: Odds, rival: Odds, floor: int) -> int:
    """Outcomes, of 1296 x 1296, in which the group takes the domino from its rival (T9)."""
    beaten = OUTCOMES - sum(rival.totals[floor:])
    won = 0
    for total in range(floor, len(group.totals)):
        won += group.totals[total] * beaten
        beaten += rival.totals[total]
    return won
