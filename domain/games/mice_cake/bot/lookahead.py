"""One-round lookahead: the value of an assignment against a greedy rival (default options only).

The rival is predictable and columns are independent, so the odds of the round are exact. Later rounds are estimated by
the evaluation (evaluation.py). A seat that is behind prefers a large variance of the margin.
"""

from collections.abc import Container, Iterable, Sequence
from functools import cache, lru_cache
from math import exp, sqrt
from typing import NamedTuple

from domain.games.mice_cake.bot.column_weights import POINT, steal_weights, tires, wins
from domain.games.mice_cake.bot.evaluation import CACHE_SIZE, TIRED_MOUSE_COST, Block, ColumnEvaluator, margin_spread
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.decider import enumerate_splits
from domain.games.mice_cake.rules.odds import OUTCOMES, odds
from domain.games.mice_cake.rules.parts import BLANK, COLUMNS, MICE_PER_SEAT, Cell, Piece

ROUND_VARIANCE_WEIGHT = 0.35
"""Weight of the variance of this round's margin, relative to that of all later rounds."""
ROUND_PIPS = 12
"""Average number of pips that leave the cake in a round."""

Counts = tuple[int, ...]
NO_MICE: Counts = (0,) * len(COLUMNS)
Targets = tuple[Piece, ...]
"""The steal targets for 1, 2, 3 and 4 mice; empty if the 0-0 is not a front of the seat."""


class Allocation(NamedTuple):
    """The number of mice a seat sends to each column, and the steal target if some go to the 0-0."""

    counts: Counts = NO_MICE
    target: Piece | None = None


class Moments(NamedTuple):
    """Mean and variance of a margin, in pips."""

    mean: float
    variance: float


class Outlook(NamedTuple):
    """The margins of 0 to 4 mice in a column, in pips, including the value of the dominoes left there."""

    means: tuple[float, ...]
    variances: tuple[float, ...]


NO_OUTLOOK = Outlook((0.0,) * (MICE_PER_SEAT + 1), (0.0,) * (MICE_PER_SEAT + 1))


class Lookahead:
    """Rates assignments by their lead: the expected margin divided by its spread."""

    def __init__(
        self, blocks: Sequence[Block], rival: Allocation, promise: ColumnEvaluator, margin: int, pips_left: int
    ) -> None:
        self._columns = [
            (block, *expected_rival_attempt(block, mice, rival.target))
            for block, mice in zip(blocks, rival.counts, strict=True)
        ]
        self._promise = promise
        self._margin = margin
        self._rest = margin_spread(pips_left - ROUND_PIPS) ** 2

    def lead_after(self, sending: Allocation) -> float:
        """Return the lead after this assignment, in spreads."""
        outlooks = self.column_outlooks((sending.target,) * MICE_PER_SEAT if sending.target else ())
        return self._best_lead(outlooks, (sending.counts,))[0]

    def best_split(self, mice: int, targets: Targets) -> tuple[float, Counts]:
        """Return the lead of the best split of this many mice, and the split. `targets` are as in `Targets`."""
        usable = tuple(bool(block) and (block[0] != BLANK or bool(targets)) for block, _, _ in self._columns)
        return self._best_lead(self.column_outlooks(targets), usable_splits(mice, usable))

    def column_outlooks(self, targets: Targets) -> list[Outlook]:
        """Return the outlook of each column."""
        return [
            column_outlook(block, mice, goal, targets if block and block[0] == BLANK else (), self._promise)
            for block, mice, goal in self._columns
        ]

    def _best_lead(self, outlooks: Sequence[Outlook], choices: Sequence[Counts]) -> tuple[float, Counts]:
        """Return the highest lead and its split, the first if several are equal."""
        (a, var_a), (b, var_b), (c, var_c), (d, var_d) = outlooks
        margin, rest = self._margin, self._rest
        leads = [
            (margin + a[i] + b[j] + c[k] + d[n])
            / sqrt(rest + ROUND_VARIANCE_WEIGHT * (var_a[i] + var_b[j] + var_c[k] + var_d[n]))
            for i, j, k, n in choices
        ]
        best = max(leads)
        return best, choices[leads.index(best)]


def win_probability(lead: float) -> float:
    """Return the chance of winning with this lead, in spreads."""
    return 1 / (1 + exp(-lead))


@cache
def usable_splits(mice: int, usable: tuple[bool, ...]) -> tuple[Counts, ...]:
    """Return the ways to send this many mice to the usable columns, or no mice if no column is usable."""
    open_columns = tuple(column for column, use in zip(COLUMNS, usable, strict=True) if use)
    return tuple(columns.counts() for columns in enumerate_splits(mice, open_columns)) or (NO_MICE,)


def to_block(cells: Iterable[Cell]) -> Block:
    """Return the dominoes of a column, with None for face-down ones."""
    return tuple(cell.visible_piece if cell.up else None for cell in cells)


def expected_rival_attempt(block: Block, mice: int, target: Piece | None) -> tuple[int, Piece | None]:
    """Return how many mice the rival sends to a column, and the domino they roll for."""
    if not block or not mice:
        return 0, None
    return mice, target if block[-1] == BLANK else block[-1]


@lru_cache(maxsize=CACHE_SIZE)
def column_outlook(
    block: Block, rivals: int, their_goal: Piece | None, targets: Targets, promise: ColumnEvaluator
) -> Outlook:
    """Return the outlook of a column, taking the rival's attempt into account."""
    if not block:
        return NO_OUTLOOK
    front = as_face_up(block[0])
    if len(block) == 1 and front != BLANK:
        kept = promise.value_of(block)
        return Outlook(
            *zip(*(contest_moments(front, mice, rivals, kept) for mice in range(MICE_PER_SEAT + 1)), strict=True)
        )
    end = len(block)
    theirs = attempt_odds(their_goal, rivals)[0] if their_goal else 0.0
    loss = margin_swing(their_goal, as_face_up(block[-1])) if their_goal else 0
    mine_stays = promise.value_of(block), promise.value_of(block[: end - 1]) - loss
    mine_goes = promise.value_of(block[1:]), promise.value_of(block[1 : max(1, end - 1)]) - loss
    found = []
    for mice, goal in enumerate((front, *(targets or (front,) * MICE_PER_SEAT))):
        take, tired = attempt_odds(goal, mice)
        gain = margin_swing(goal, front)
        results = (
            ((1 - take) * (1 - theirs), mine_stays[0]),
            ((1 - take) * theirs, mine_stays[1]),
            (take * (1 - theirs), mine_goes[0] + gain),
            (take * theirs, mine_goes[1] + gain),
        )
        found.append(moments_of(results, TIRED_MOUSE_COST * tired * tires(goal)))
    return Outlook(*zip(*found, strict=True))


def contest_moments(piece: Piece, mice: int, rivals: int, kept: float) -> Moments:
    """Return the margin for a last domino that both seats can attempt (T9). `kept` is its value if it stays."""
    won, lost = outroll_probability(piece, mice, rivals), outroll_probability(piece, rivals, mice)
    cost = TIRED_MOUSE_COST * attempt_odds(piece, mice)[1] * tires(piece)
    return moments_of(((won, PIPS[piece]), (lost, -PIPS[piece]), (1 - won - lost, kept)), cost)


def moments_of(results: Iterable[tuple[float, float]], cost: float) -> Moments:
    """Return mean and variance of results with their chances; the cost is subtracted from the mean."""
    mean = squares = 0.0
    for chance, value in results:
        mean += chance * value
        squares += chance * value * value
    return Moments(mean - cost, squares - mean * mean)


def as_face_up(piece: Piece | None) -> Piece:
    """Return the domino of a front, which is always face up with the default options."""
    assert piece is not None, "fronts are face up with the default options"
    return piece


def margin_swing(goal: Piece, front: Piece) -> int:
    """Return the change of the margin when this domino is taken, or stolen from the 0-0."""
    return 2 * PIPS[goal] if front == BLANK else PIPS[goal]


def best_steal_value(stash: Container[Piece]) -> float:
    """Return the value of the best steal by four mice from this stash, by the greedy weights."""
    return next(
        (
            steal_weights(piece, "exhaust")[MICE_PER_SEAT] / POINT
            for piece in steal_order(MICE_PER_SEAT)
            if piece in stash
        ),
        0.0,
    )


@cache
def steal_order(mice: int) -> tuple[Piece, ...]:
    """Return all dominoes in the order of preference for a steal by this many mice."""
    return tuple(sorted(PIPS, key=lambda piece: -steal_weights(piece, "exhaust")[mice] if piece != BLANK else 1))


@cache
def attempt_odds(goal: Piece, mice: int) -> tuple[float, float]:
    """Return a group's chances to take a domino and to be exhausted by it."""
    if not mice:
        return 0.0, 0.0
    found = odds(goal, mice, "exhaust")
    return found.take / OUTCOMES, found.tire / OUTCOMES


@cache
def outroll_probability(piece: Piece, mice: int, rivals: int) -> float:
    """Return a group's chance to win a contest for a last domino (T9)."""
    if not mice or not rivals:
        return attempt_odds(piece, mice)[0]
    return wins(odds(piece, mice, "exhaust"), odds(piece, rivals, "exhaust"), PIPS[piece]) / POINT
