"""What a good player weighs (rules, section 14): exact chances, contests, steals.

All weights are whole numbers: a point is worth `POINT`, the square of the 1296 outcomes of four dice, so that every
chance of a group, and every product of two of them, is exact and ties are true ties.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import exp, factorial, prod, sqrt
from typing import Literal

import msgspec

from domain.chance import Chance
from domain.game import Insight, Seat
from domain.games.mice_cake.attempts import matched, nearest, on_blank
from domain.games.mice_cake.components import DOMINOES, PIPS
from domain.games.mice_cake.model import (
    BLANK,
    COLUMNS,
    MICE,
    SEATS,
    AssignMice,
    Cell,
    Column,
    Columns,
    Move,
    Name,
    Options,
    Piece,
    State,
    View,
    other,
)
from domain.games.mice_cake.rules import spreads

OUTCOMES: int = 6**MICE
POINT = OUTCOMES * OUTCOMES
TEMPO = 2
"""What a domino is worth beyond its pips: it uncovers the next one and shortens the game (item 1)."""
MOUSE = 2
"""What a mouse is worth that must rest."""
SOFTNESS = 1.5
"""How far a guessed player strays from the best spread (item 8)."""

Matches = Literal["exhaust", "boost"]
Weights = tuple[int, ...]
"""What 0, 1, 2, 3, 4 mice are worth in a column."""


class Odds(msgspec.Struct, frozen=True):
    """The chances of a group against a domino, in outcomes of 1296.

    `take`: it is sufficient. `tire`: it is exhausted. `totals[t]`: it is not exhausted and rolls t in all.
    """

    take: int
    tire: int
    totals: tuple[int, ...]


@cache
def odds(piece: Piece, mice: int, matches: Matches) -> Odds:
    """The exact odds, from all rolls of this many dice (T3 to T7)."""
    totals = [0] * (6 * MICE + 1)
    tire = 0
    for dice in combinations_with_replacement(range(1, 7), mice):
        ways = factorial(mice) // prod(factorial(dice.count(face)) for face in set(dice)) * 6 ** (MICE - mice)
        if matched(piece, dice) and matches == "exhaust":
            tire += ways
        else:
            totals[sum(dice)] += ways
    return Odds(sum(totals[PIPS[piece] :]), tire, tuple(totals))


def tires(piece: Piece) -> int:
    """How many mice this domino exhausts (T4)."""
    return 1 if DOMINOES[piece].kind == "half" else 2


# -- one column ---------------------------------------------------------------------------------------------------


@cache
def attempt_weights(piece: Piece, worth: int, matches: Matches) -> Weights:
    """Items 1 and 6: what success is worth, less the mice that may be exhausted."""
    return (0, *(attempt_weight(piece, worth, odds(piece, mice, matches)) for mice in range(1, MICE + 1)))


def attempt_weight(piece: Piece, worth: int, chances: Odds) -> int:
    """The weight of one attempt."""
    return (chances.take * worth - chances.tire * tires(piece) * MOUSE) * OUTCOMES


def front_weights(piece: Piece, matches: Matches) -> Weights:
    """An ordinary attempt on this front; the 0-0, found face down, gives nothing (R54)."""
    return (0,) * (MICE + 1) if piece == BLANK else attempt_weights(piece, PIPS[piece] + TEMPO, matches)


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
    return tuple(contest_weight(piece, mine, theirs, options) for mine in range(MICE + 1))


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


# -- a whole assignment -------------------------------------------------------------------------------------------


class Weighing(msgspec.Struct, frozen=True):
    """What mice are worth in each column for a seat; on the 0-0 it depends on the domino to steal."""

    columns: tuple[Weights, ...]
    blank: int | None
    matches: Matches

    def of(self, move: AssignMice) -> int:
        """The weight of an assignment."""
        mice = move.columns.each()
        weight = sum(weights[count] for weights, count in zip(self.columns, mice, strict=True))
        if self.blank is None or move.steal_target is None:
            return weight
        return weight + steal_weights(move.steal_target, self.matches)[mice[self.blank]]


def weigh(view: View, name: Name, rivals: Columns) -> Weighing:
    """What mice are worth to a seat if the other seat assigns like this."""
    fronts = [nearest(cells, name) for cells in view.cake.each()]
    blank = next((n for n, cell in enumerate(fronts) if on_blank(cell)), None)
    columns = tuple(
        column_weights(view, column, cell, rivals.of(column)) for column, cell in zip(COLUMNS, fronts, strict=True)
    )
    return Weighing(columns, blank, view.options.matches)


def column_weights(view: View, column: Column, cell: Cell | None, rivals: int) -> Weights:
    """What 0 to 4 mice are worth in this column."""
    if cell is None or on_blank(cell):
        return (0,) * (MICE + 1)
    if not cell.up:
        return hidden_weights(view.unseen, view.options.matches)
    if rivals and len(view.cake.of(column)) == 1:
        return contest_weights(cell.known, rivals, view.options)
    return front_weights(cell.known, view.options.matches)


def best(weighing: Weighing, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """The assignment of most weight; chance breaks ties."""
    weights = [weighing.of(move) for move in moves]
    most = max(weights)
    return chance.pick([move for move, weight in zip(moves, weights, strict=True) if weight == most])


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The best-weighed assignment, against what the same rule without contests suggests to the other seat."""
    name = SEATS[seat]
    moves = [move for move in legal if isinstance(move, AssignMice)]
    rivals = expected(view, other(name), chance) if has_contest(view) else Columns()
    return best(weigh(view, name, rivals), moves, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """The best-weighed assignments, the greedy one first; of equal weight in an order that chance decides."""
    name = SEATS[seat]
    rivals = expected(view, other(name), chance) if has_contest(view) else Columns()
    weighing = weigh(view, name, rivals)
    moves = chance.shuffle(move for move in legal if isinstance(move, AssignMice))
    return [*sorted(moves, key=weighing.of, reverse=True)[:most]]


def has_contest(view: View) -> bool:
    """Whether a column is down to one domino that both seats may want (T9)."""
    return any(len(cells) == 1 and cells[0].piece != BLANK for cells in view.cake.each())


def expected(view: View, name: Name, chance: Chance) -> Columns:
    """The assignment that the greedy rule without contests makes for a seat; none if it owes none."""
    if name not in view.to_assign:
        return Columns()
    weighing = weigh(view, name, Columns())
    targets = view.stash.of(other(name))
    moves = [
        AssignMice(columns, juiciest(weighing, columns, targets))
        for columns in spreads(view.ready.of(name), view.open.of(name))
    ]
    return best(weighing, moves, chance).columns


def juiciest(weighing: Weighing, columns: Columns, targets: Sequence[Piece]) -> Piece | None:
    """The domino most worth stealing with the mice on the 0-0; None without mice there."""
    mice = 0 if weighing.blank is None else columns.each()[weighing.blank]
    if not mice:
        return None
    return max(targets, key=lambda target: steal_weights(target, weighing.matches)[mice])


def guess(view: View, name: Name, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """A likely assignment of a seat, each drawn with weight exp(score / 1.5) (section 14, sampling)."""
    weighing = weigh(view, name, Columns())
    scores = [weighing.of(move) / POINT for move in moves]
    top = max(scores)
    tickets = [1 + int(1_000_000 * exp((score - top) / SOFTNESS)) for score in scores]
    drawn = chance.below(sum(tickets))
    for move, count in zip(moves, tickets, strict=True):
        if drawn < count:
            return move
        drawn -= count
    raise AssertionError("a draw lies below the number of tickets")


# -- for the search -----------------------------------------------------------------------------------------------

ROUNDS_AHEAD = 4
SPREAD = 1.2
"""How far the margin still strays, times the square root of the pips in the cake."""


def enough(state: State, made: int) -> bool:
    """A rollout sees so many rounds."""
    return made >= ROUNDS_AHEAD


def hope(state: State, seat: Seat) -> float:
    """From the margin in pips, and how many are still to be had."""
    name = SEATS[seat]
    margin = sum(map(PIPS.__getitem__, state.stash.of(name))) - sum(map(PIPS.__getitem__, state.stash.of(other(name))))
    left = sum(PIPS[cell.known] for cells in state.cake.each() for cell in cells)
    return 1 / (1 + exp(-margin / (1 + SPREAD * sqrt(left))))


INSIGHT: Insight[State, Move, View] = Insight(consider=consider, enough=enough, hope=hope, iterations=1000)
