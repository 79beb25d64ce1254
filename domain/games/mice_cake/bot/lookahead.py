"""A look one round ahead: how good an assignment is against a rival that plays greedy (plain rules only).

Such a rival is foreseeable, and columns do not touch each other, so the odds of a round are exact; worths (worths.py)
stand for the rounds after it. Who lies behind likes a margin that strays.
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
"""How much the spread of a round's margin counts beside the spread of all that comes after it."""
ROUND_PIPS = 12
"""How many pips leave the cake in a round."""

Counts = tuple[int, ...]
NO_MICE: Counts = (0,) * len(COLUMNS)
Targets = tuple[Piece, ...]
"""What 1, 2, 3, 4 mice would steal; empty where the 0-0 does not lie in front of the seat."""


class Allocation(NamedTuple):
    """How many mice a seat sends to each column, and the domino that those on the 0-0 are to steal."""

    counts: Counts = NO_MICE
    target: Piece | None = None


class Moments(NamedTuple):
    """A margin in pips that is not known yet."""

    mean: float
    variance: float


class Outlook(NamedTuple):
    """What 0, 1, 2, 3, 4 mice bring in a column, in pips, with what is left there."""

    means: tuple[float, ...]
    variances: tuple[float, ...]


NO_OUTLOOK = Outlook((0.0,) * (MICE_PER_SEAT + 1), (0.0,) * (MICE_PER_SEAT + 1))


class Lookahead:
    """How good assignments look: the margin in pips that they lead to, over how far that may still stray."""

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
        """By how many spreads the seat will lead, as far as can be seen."""
        outlooks = self.column_outlooks((sending.target,) * MICE_PER_SEAT if sending.target else ())
        return self._best_lead(outlooks, (sending.counts,))[0]

    def best_split(self, mice: int, targets: Targets) -> tuple[float, Counts]:
        """The best of all ways to send so many mice, and how good it looks; `targets` for 1 to 4 mice on the 0-0."""
        usable = tuple(bool(block) and (block[0] != BLANK or bool(targets)) for block, _, _ in self._columns)
        return self._best_lead(self.column_outlooks(targets), usable_splits(mice, usable))

    def column_outlooks(self, targets: Targets) -> list[Outlook]:
        """What mice bring in each column."""
        return [
            column_outlook(block, mice, goal, targets if block and block[0] == BLANK else (), self._promise)
            for block, mice, goal in self._columns
        ]

    def _best_lead(self, outlooks: Sequence[Outlook], choices: Sequence[Counts]) -> tuple[float, Counts]:
        """The choice that leads by most spreads, the first of equal ones."""
        (a, strays_a), (b, strays_b), (c, strays_c), (d, strays_d) = outlooks
        margin, rest = self._margin, self._rest
        leads = [
            (margin + a[i] + b[j] + c[k] + d[n])
            / sqrt(rest + ROUND_VARIANCE_WEIGHT * (strays_a[i] + strays_b[j] + strays_c[k] + strays_d[n]))
            for i, j, k, n in choices
        ]
        best = max(leads)
        return best, choices[leads.index(best)]


def win_probability(lead: float) -> float:
    """How likely a seat is to win that leads by so many spreads."""
    return 1 / (1 + exp(-lead))


@cache
def usable_splits(mice: int, usable: tuple[bool, ...]) -> tuple[Counts, ...]:
    """The ways to send this many mice to columns that can be used; nobody goes where there is none."""
    open_columns = tuple(column for column, use in zip(COLUMNS, usable, strict=True) if use)
    return tuple(columns.counts() for columns in enumerate_splits(mice, open_columns)) or (NO_MICE,)


def to_block(cells: Iterable[Cell]) -> Block:
    """A column as it lies there."""
    return tuple(cell.visible_piece if cell.up else None for cell in cells)


def expected_rival_attempt(block: Block, mice: int, target: Piece | None) -> tuple[int, Piece | None]:
    """How many mice the rival sends to a column, and what for."""
    if not block or not mice:
        return 0, None
    return mice, target if block[-1] == BLANK else block[-1]


@lru_cache(maxsize=CACHE_SIZE)
def column_outlook(
    block: Block, rivals: int, their_goal: Piece | None, targets: Targets, promise: ColumnEvaluator
) -> Outlook:
    """What 0 to 4 mice bring in a column, the rival's attempt considered."""
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
    """A last domino that both seats may attempt (T9), worth this if it stays."""
    won, lost = outroll_probability(piece, mice, rivals), outroll_probability(piece, rivals, mice)
    cost = TIRED_MOUSE_COST * attempt_odds(piece, mice)[1] * tires(piece)
    return moments_of(((won, PIPS[piece]), (lost, -PIPS[piece]), (1 - won - lost, kept)), cost)


def moments_of(results: Iterable[tuple[float, float]], cost: float) -> Moments:
    """Of results and how likely each is; the cost goes off the mean."""
    mean = squares = 0.0
    for chance, value in results:
        mean += chance * value
        squares += chance * value * value
    return Moments(mean - cost, squares - mean * mean)


def as_face_up(piece: Piece | None) -> Piece:
    """A front, which lies face up by the plain rules."""
    assert piece is not None, "a front lies face up"
    return piece


def margin_swing(goal: Piece, front: Piece) -> int:
    """By how much the margin moves when this is taken, or stolen from the 0-0."""
    return 2 * PIPS[goal] if front == BLANK else PIPS[goal]


def best_steal_value(stash: Container[Piece]) -> float:
    """What four mice on the 0-0 could win here, by greedy's weights."""
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
    """The dominoes in the order in which so many mice would steal them."""
    return tuple(sorted(PIPS, key=lambda piece: -steal_weights(piece, "exhaust")[mice] if piece != BLANK else 1))


@cache
def attempt_odds(goal: Piece, mice: int) -> tuple[float, float]:
    """How likely a group is to take a domino, and to be exhausted by it."""
    if not mice:
        return 0.0, 0.0
    found = odds(goal, mice, "exhaust")
    return found.take / OUTCOMES, found.tire / OUTCOMES


@cache
def outroll_probability(piece: Piece, mice: int, rivals: int) -> float:
    """How likely a group is to take a last domino from its rivals (T9)."""
    if not mice or not rivals:
        return attempt_odds(piece, mice)[0]
    return wins(odds(piece, mice, "exhaust"), odds(piece, rivals, "exhaust"), PIPS[piece]) / POINT
